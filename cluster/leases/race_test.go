package leases

import (
	"fmt"
	"testing"
	"time"
)

// world is two gateways that know a node of so many browsers.
func world(t *testing.T, browsers int, limits *Limits) (s *sim, a, b, node *simDesk) {
	s = newSim(t)
	m := Member{Name: "n"}
	for i := range browsers {
		m.Browsers = append(m.Browsers, Browser{Name: fmt.Sprint(i), Labels: []string{fmt.Sprint(i)}, Condition: Ready})
	}
	a, b, node = s.open("a", Options{Allots: true, Limits: limits}), s.open("b", Options{Allots: true, Limits: limits}), s.join(m)
	s.settle(time.Second)
	return s, a, b, node
}

// held is how many leases are kept.
func (s *sim) held() int { return len(s.desks[0].Picture().Leases) }

// Two gateways decide at the same time, each what would be right alone: the quota is for one of them.
func TestQuotaRace(t *testing.T) {
	s, a, b, _ := world(t, 2, &Limits{Default: Quota{Browsers: 1}})
	a.wish(Request{Tenant: "x", Labels: []string{"0"}, Wait: time.Minute})
	b.wish(Request{Tenant: "x", Labels: []string{"1"}, Wait: time.Minute})
	if len(a.commits) == 0 || len(b.commits) == 0 {
		t.Fatal("not both gave at once")
	}
	s.settle(time.Second)
	if len(a.got)+len(b.got) != 1 || s.held() != 1 {
		t.Errorf("%v and %v were given", a.got, b.got)
	}
}

// A wish that was given by a transaction of which nobody heard is not given a second browser.
func TestUnheardGrant(t *testing.T) {
	s, a, _, _ := world(t, 3, nil)
	id := a.wish(Request{Tenant: "x", Wait: time.Minute})
	a.carryOut(unheard)
	for len(a.events) > 0 { // the error alone is heard, not yet what has changed
		e := a.events[0]
		a.events = a.events[1:]
		if c, ok := e.(Committed); ok {
			a.step(c)
		}
	}
	a.breakWatch()
	s.pass(time.Minute / 2) // it tries again, on what it knew
	for a.carryOut(known) {
	}
	s.settle(time.Second)
	if _, ok := a.got[id]; !ok || s.held() != 1 {
		t.Errorf("given %v, and %d leases are kept", a.got, s.held())
	}
}

// A wish that waited and is given up while a browser is on its way to it leaves no lease behind.
func TestGivenUpWhileServed(t *testing.T) {
	s, a, _, node := world(t, 1, nil)
	first := a.wish(Request{Tenant: "x", Wait: time.Minute})
	s.settle(time.Second)
	second := a.wish(Request{Tenant: "x", Wait: time.Minute})
	s.settle(time.Second)
	s.returned[a.got[first].Handle] = true
	a.step(Released{1e6, "x", a.got[first].Handle})
	for i := 0; !hasGrant(a, a.ticketOf(second)); i++ {
		if i == 1000 {
			t.Fatal("it is never served")
		}
		for _, d := range s.desks {
			if d != a || !hasGrant(a, a.ticketOf(second)) {
				d.deliver()
			}
		}
		if !hasGrant(a, a.ticketOf(second)) {
			a.carryOut(known)
			node.carryOut(known)
			node.refresh()
		}
	}
	a.giveUp(second)
	s.settle(time.Second)
	if s.held() != 0 {
		t.Errorf("%d leases are kept", s.held())
	}
}

// hasGrant says whether a transaction is on its way that serves a ticket.
func hasGrant(d *simDesk, ticket string) bool {
	for _, c := range d.commits {
		for _, on := range c.Tx.If {
			if on.Key == ticketsAt+ticket {
				return true
			}
		}
	}
	return false
}

// A gateway that hangs while its wish is the first in line holds the others up for two seconds, not more.
func TestPassedOver(t *testing.T) {
	s, a, b, node := world(t, 1, nil)
	held := a.wish(Request{Tenant: "x", Wait: time.Minute})
	s.settle(time.Second)
	b.wish(Request{Tenant: "y", Wait: time.Minute})
	s.settle(time.Second)
	waits := a.wish(Request{Tenant: "z", Wait: time.Minute})
	s.settle(time.Second)
	s.desks = []*simDesk{a, node} // b hangs from now on
	s.returned[a.got[held].Handle] = true
	a.step(Released{1e6, "x", a.got[held].Handle})
	s.settle(time.Second)
	node.refresh()
	s.settle(passAfter - 500*time.Millisecond)
	if _, early := a.got[waits]; early {
		t.Error("the one that hangs had no time")
	}
	s.settle(time.Second)
	if _, ok := a.got[waits]; !ok {
		t.Errorf("the other still waits: %v", a.no[waits])
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
	if m := s.desks[0].Picture().Members; len(m) != 1 || m[0].Incarnation != first.name {
		t.Errorf("the members are %+v", m)
	}
	third := s.join(*first.node)
	s.settle(takenFor / 2)
	first.step(Left{Role: Node, Name: first.node.Name})
	second.step(Left{Role: Node, Name: first.node.Name})
	s.settle(2 * takenFor)
	if m := s.desks[0].Picture().Members; len(m) != 1 || m[0].Incarnation != third.name || third.refused != nil {
		t.Errorf("the members are %+v; the third is refused: %v", m, third.refused)
	}
}
