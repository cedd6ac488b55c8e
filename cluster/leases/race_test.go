package leases

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// world is two gateways that know a node of so many browsers.
func world(t *testing.T, browsers int, limits *Limits) (s *sim, a, b, node *simClient) {
	s = newSim(t)
	m := Member{Name: "n"}
	for i := range browsers {
		m.Browsers = append(m.Browsers, Browser{Name: fmt.Sprint(i), Labels: []string{fmt.Sprint(i)}, Condition: Ready})
	}
	a, b, node = s.open("a", Options{Candidate: true, Limits: limits}), s.open("b", Options{Candidate: true, Limits: limits}), s.join(m)
	s.settle(time.Second)
	return s, a, b, node
}

// held is how many leases are kept.
func (s *sim) held() int { return len(s.clients[0].Snapshot().Leases) }

// Requests that came to two gateways at the same time don't exceed the quota together.
func TestQuotaRace(t *testing.T) {
	s, a, b, _ := world(t, 2, &Limits{Default: Quota{Browsers: 1}})
	a.ask(Request{Tenant: "x", Labels: []string{"0"}, Wait: time.Minute})
	b.ask(Request{Tenant: "x", Labels: []string{"1"}, Wait: time.Minute})
	s.settle(time.Second)
	if len(a.got)+len(b.got) != 1 || s.held() != 1 {
		t.Errorf("%v and %v were given", a.got, b.got)
	}
}

// until lets what is on its way come to pass, but for what clients of which held is true carry out, until so is true.
func (s *sim) until(t *testing.T, so func() bool, held ...*simClient) {
	t.Helper()
	for i := 0; !so(); i++ {
		if i == 1000 {
			t.Fatal("it never is so")
		}
		for _, d := range s.clients {
			d.deliver()
			if !so() && !slices.Contains(held, d) {
				d.carryOut(known)
			}
		}
		if !so() && i%10 == 9 {
			s.pass(100 * time.Millisecond)
		}
	}
}

// grants says whether a transaction of the client is on its way that grants a lease.
func (d *simClient) grants() bool {
	return slices.ContainsFunc(d.commits, func(c Commit) bool {
		return c.Slot == Leading && slices.ContainsFunc(c.Tx.Put, func(p Put) bool { return p.Key == turnsAt })
	})
}

// A request that was granted by a transaction of whose outcome the leader hears nothing is not granted a second
// browser.
func TestUnheardGrant(t *testing.T) {
	s, a, b, _ := world(t, 3, nil)
	id := b.ask(Request{Tenant: "x", Wait: time.Minute})
	s.until(t, a.grants, a)
	for a.commits[0].Slot != Leading {
		a.carryOut(known)
	}
	a.carryOut(unheard)
	for len(a.events) > 0 { // the error alone is heard, not yet what has changed
		e := a.events[0]
		a.events = a.events[1:]
		if c, ok := e.(Committed); ok {
			a.step(c)
		}
	}
	a.breakWatch()
	s.pass(time.Second) // it tries again, on what it knew
	for a.carryOut(known) {
	}
	s.settle(time.Second)
	if _, ok := b.got[id]; !ok || s.held() != 1 || len(s.granted) != 1 {
		t.Errorf("given %v, %d leases are kept, and %d were granted", b.got, s.held(), len(s.granted))
	}
}

// A request that is broken off while a browser is granted to it leaves no lease behind, whether its client gives up or
// its gateway dies.
func TestBrokenOffWhileGranted(t *testing.T) {
	for name, breaks := range map[string]func(*sim, *simClient, uint64){
		"given up":      func(_ *sim, d *simClient, id uint64) { d.giveUp(id) },
		"gateway dies":  func(s *sim, d *simClient, _ uint64) { s.crash(d) },
		"gateway hangs": func(s *sim, d *simClient, _ uint64) { s.endSession(d); s.clients = s.clients[:0:0] },
	} {
		t.Run(name, func(t *testing.T) {
			s, a, b, _ := world(t, 1, nil)
			all := s.clients
			id := b.ask(Request{Tenant: "x", Wait: time.Minute})
			b.carryOut(known)
			s.until(t, func() bool { return len(s.granted) == 1 }, b)
			breaks(s, b, id)
			if len(s.clients) == 0 {
				s.clients = slices.DeleteFunc(all, func(d *simClient) bool { return d == b })
			}
			s.settle(time.Second)
			if s.held() != 0 || len(a.Snapshot().Spent) != 1 || len(b.got) > 0 {
				t.Errorf("%d leases are kept; given %v", s.held(), b.got)
			}
		})
	}
}

// The leader dies while requests wait, which outlive it: the next leader serves them in their order.
func TestLeaderDies(t *testing.T) {
	s, a, b, node := world(t, 1, nil)
	held := b.ask(Request{Tenant: "x", Wait: time.Minute})
	s.settle(time.Second)
	first := b.ask(Request{Tenant: "y", Wait: time.Minute})
	s.settle(time.Second)
	second := b.ask(Request{Tenant: "z", Wait: time.Minute})
	s.settle(time.Second)
	if s.leader.Key != ElectionAt+a.name {
		t.Fatalf("%s leads", s.leader.Key)
	}
	s.crash(a)
	s.settle(time.Second)
	if s.leader.Key != ElectionAt+b.name || len(b.pending()) != 2 {
		t.Fatalf("%s leads, %v wait", s.leader.Key, b.pending())
	}
	for _, next := range []uint64{first, second} {
		s.returned[b.got[held].Handle] = true
		b.next++
		b.step(Released{1e6 + b.next, b.got[held].Tenant, b.got[held].Handle})
		s.settle(time.Second)
		node.refresh()
		s.settle(time.Second)
		if _, ok := b.got[next]; !ok {
			t.Fatalf("request %d isn't granted: %v", next, b.no)
		}
		held = next
	}
}

// A request that waits goes on waiting when its gateway's session is lost, though its tenant has got all that it may
// since the request came.
func TestWaitsThroughLostSession(t *testing.T) {
	s, _, b, node := world(t, 2, &Limits{Default: Quota{Browsers: 1}})
	held := b.ask(Request{Tenant: "other", Labels: []string{"0"}, Wait: time.Minute})
	s.settle(time.Second)
	waits := b.ask(Request{Tenant: "x", Labels: []string{"0"}, Wait: time.Minute})
	s.settle(time.Second)
	b.ask(Request{Tenant: "x", Labels: []string{"1"}, Wait: time.Minute})
	s.settle(time.Second)
	s.endSession(b)
	s.settle(time.Second)
	s.beginSession(b)
	s.settle(time.Second)
	if !slices.Contains(b.pending(), waits) {
		t.Fatalf("it is refused: %v", b.no[waits])
	}
	for _, id := range []uint64{held, 3} {
		s.returned[b.got[id].Handle] = true
		b.next++
		b.step(Released{1e6 + b.next, b.got[id].Tenant, b.got[id].Handle})
	}
	s.settle(time.Second)
	node.refresh()
	s.settle(time.Second)
	if _, ok := b.got[waits]; !ok {
		t.Errorf("it isn't granted: %v", b.no[waits])
	}
}

// A leader that was deposed, and doesn't know it, can't write: neither a grant that is on its way, nor a later one.
func TestDeposedLeader(t *testing.T) {
	s, a, b, _ := world(t, 2, nil)
	id := b.ask(Request{Tenant: "x", Wait: time.Minute})
	s.until(t, a.grants, a)
	s.endSession(a) // a hears nothing of it
	for a.carryOut(known) {
	}
	if len(s.granted) != 0 {
		t.Fatalf("the deposed leader has granted %v", s.granted)
	}
	s.settle(time.Second)
	b.ask(Request{Tenant: "x", Wait: time.Minute})
	s.settle(time.Second)
	if _, ok := b.got[id]; !ok || len(b.got) != 2 || s.leader.Key != ElectionAt+b.name {
		t.Errorf("%s leads, and %v were given", s.leader.Key, b.got)
	}
}

// A lease ends that nobody has used for so long, and holds while it is used at any gateway, until it is too old.
func TestIdle(t *testing.T) {
	s, a, b, _ := world(t, 2, nil)
	for _, tenant := range []string{"used", "idle"} {
		a.ask(Request{Tenant: tenant, Wait: time.Minute})
	}
	s.settle(time.Second)
	began := s.now
	held := func() (all []string) {
		for _, l := range a.Snapshot().Leases {
			all = append(all, l.Tenant)
		}
		slices.Sort(all)
		return all
	}
	for s.now.Sub(began) < DefaultAge-time.Minute {
		b.step(InUse{[]string{"used"}})
		s.settle(30 * time.Second)
		idle := s.now.Sub(began)
		switch is := held(); {
		case idle < DefaultIdle-time.Second && len(is) != 2, idle > DefaultIdle*5/4+time.Minute && !slices.Equal(is, []string{"used"}):
			t.Fatalf("after %v the leases are %v", idle, is)
		case idle > DefaultIdle*5/4+time.Minute:
			s.now = s.now.Add(5 * time.Minute) // nothing else happens
		}
	}
	b.step(InUse{[]string{"used"}})
	s.settle(8 * time.Minute)
	if is := held(); len(is) != 0 {
		t.Errorf("after %v the leases are %v", s.now.Sub(began), is)
	}
}

// A second process of a name is refused while the first lives, once, and never has its place. If the first goes in time,
// the second has the name.
func TestNameTaken(t *testing.T) {
	s, _, _, first := world(t, 1, nil)
	second := s.join(*first.node)
	s.settle(takenFor - 2*time.Second)
	if second.refused != nil {
		t.Fatalf("it is refused at once: %v", second.refused)
	}
	s.settle(2 * takenFor)
	if len(second.refused) != 1 {
		t.Errorf("it is refused %d times: %v", len(second.refused), second.refused)
	}
	if m := s.clients[0].Snapshot().Members; len(m) != 1 || m[0].Incarnation != first.name {
		t.Errorf("the members are %+v", m)
	}
	third := s.join(*first.node)
	s.settle(takenFor / 2)
	first.step(Left{Role: Node, Name: first.node.Name})
	second.step(Left{Role: Node, Name: first.node.Name})
	s.settle(2 * takenFor)
	if m := s.clients[0].Snapshot().Members; len(m) != 1 || m[0].Incarnation != third.name || third.refused != nil {
		t.Errorf("the members are %+v; the third is refused: %v", m, third.refused)
	}
}

// A process that has been a member isn't refused when another one takes its name, though its own transaction was still
// under way all the time that its entry was there.
func TestNameTakenLater(t *testing.T) {
	now := time.Unix(1e9, 0)
	own := Member{Role: Node, Name: "n", Incarnation: "own"}
	other := own
	other.Incarnation = "other"
	entry := func(m Member, revision int64) []Entry {
		return []Entry{{Key: nodeKey("n"), Value: encode(m), Created: revision, Version: revision}}
	}
	d := NewClient(Options{Name: "n-own"})
	var told []Effect
	for _, e := range []Event{
		Joined{own}, Listed{}, Changed{Revision: 1, Put: entry(own, 1)},
		Changed{Revision: 2, Delete: []string{nodeKey("n")}}, // its session has ended
		Changed{Revision: 3, Put: entry(other, 3)},
		Committed{Slot: Own, Done: true, Revision: 1},
	} {
		told = append(told, d.Step(now, e)...)
	}
	told = append(told, d.Step(now.Add(takenFor), TimerFired{})...)
	shutOut := false
	for _, e := range told {
		if w, is := e.(Warning); is {
			shutOut = shutOut || strings.Contains(w.Text, "another process has joined as node n")
		} else if r, is := e.(Refused); is {
			t.Errorf("it is refused: %v", r.Err)
		}
	}
	if !shutOut {
		t.Errorf("nobody is told that another process has its name: %+v", told)
	}
}

// More nodes than a transaction has room for are gone: their leases end.
func TestManyNodesGone(t *testing.T) {
	s, a, _, _ := world(t, 0, &Limits{Default: Quota{Browsers: 2 * MaxOps, Waiting: 2 * MaxOps}})
	var nodes []*simClient
	for i := range MaxOps + 20 {
		nodes = append(nodes, s.join(Member{Name: fmt.Sprintf("n%d", i), Browsers: []Browser{{Name: "b", Condition: Ready}}}))
	}
	s.settle(time.Second)
	for i := range nodes {
		a.ask(Request{Tenant: fmt.Sprint(i), Wait: time.Minute})
	}
	s.settle(10 * time.Second)
	if s.held() != len(nodes) {
		t.Fatalf("%d leases", s.held())
	}
	for _, n := range nodes {
		s.crash(n)
	}
	s.settle(DefaultAbsence + 10*time.Second)
	if s.held() != 0 {
		t.Errorf("%d leases of nodes that are gone are left", s.held())
	}
}
