package leases

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// sim is a cluster without clocks, processes and network: what is kept, and clients whose events and
// transactions wait until the test lets them come to pass, or fail.
type sim struct {
	t       failing
	now     time.Time
	rev     int64
	epoch   int
	kept    map[string]simEntry
	clients []*simClient
	made    int
	begun   int64 // sessions so far

	lives    map[string]string    // which lease had each life of a browser: none has two
	over     map[string]bool      // lives whose node has said that they have ended
	ended    map[string]bool      // handles of leases that ended for a reason
	returned map[string]bool      // handles that somebody has returned
	gone     map[string]time.Time // since when nodes are gone, but for short visits
	came     map[string]time.Time
	dropped  map[string]bool // requests that nobody waits for
	lossy    bool            // what was kept has been lost once
	evicted  map[string]bool // tenants that some gateway reported as removed
	granted  []Lease         // in the order in which they were given
	leader   If
}

type simEntry struct {
	Entry
	of *simClient
}

// simClient is a client, and all that is on its way from it and to it.
type simClient struct {
	*Client
	sim     *sim
	name    string
	node    *Member // nil for gateways
	on      int64   // the session on which it puts; it may not know of it yet
	events  []Event
	commits []Commit
	relist  bool // the watch is broken: a list comes next
	lost    bool // and all that was kept is lost
	due     time.Time
	heard   time.Time // when nothing was on its way to it
	tried   time.Time // when nothing was on its way from it
	asked   map[uint64]Request
	got     map[uint64]Lease
	no      map[uint64]error
	refused []error // members of it that were refused
	next    uint64
}

// failing is a test, of rapid's or not.
type failing interface{ Fatalf(string, ...any) }

func newSim(t failing) *sim {
	return &sim{t: t, now: time.Unix(1e9, 0), kept: map[string]simEntry{}, lives: map[string]string{}, over: map[string]bool{}, ended: map[string]bool{}, returned: map[string]bool{},
		gone: map[string]time.Time{}, came: map[string]time.Time{}, dropped: map[string]bool{}, evicted: map[string]bool{}}
}

// open adds a client, that knows nothing yet.
func (s *sim) open(name string, opts Options) *simClient {
	s.made++
	opts.Name = fmt.Sprintf("%s-%d", name, s.made)
	d := &simClient{Client: NewClient(opts), sim: s, name: opts.Name, relist: true, heard: s.now, tried: s.now, asked: map[uint64]Request{}, got: map[uint64]Lease{}, no: map[uint64]error{}}
	s.clients = append(s.clients, d)
	s.beginSession(d)
	return d
}

// beginSession begins a session of the client, which then is a candidate in the election.
func (s *sim) beginSession(d *simClient) {
	s.begun++
	d.on = s.begun
	d.events = append(d.events, SessionBegan{s.begun})
	if d.opts.Candidate {
		s.change(d, []Put{{Key: ElectionAt + d.name, Session: true}}, nil)
	}
}

// elect tells the client that leads now, if another one led before.
func (s *sim) elect() {
	var first simEntry
	for key, e := range s.kept {
		if strings.HasPrefix(key, ElectionAt) && (first.of == nil || e.Created < first.Created) {
			first = e
		}
	}
	if is := (If{first.Key, first.Version}); is != s.leader {
		if s.leader = is; first.of != nil {
			first.of.events = append(first.of.events, Elected{s.leader})
		}
	}
}

// join opens a node's client. Each start has lives of its own.
func (s *sim) join(m Member) *simClient {
	d := s.open(m.Name, Options{})
	m.Role, m.Incarnation = Node, d.name
	m.Browsers = slices.Clone(m.Browsers)
	for i := range m.Browsers {
		m.Browsers[i].Life = fmt.Sprintf("%s.%d", d.name, i)
	}
	d.node = &m
	d.step(Joined{m})
	return d
}

// update tells the node's client what the node says of itself now.
func (d *simClient) update(change func(*Member)) {
	m := *d.node
	m.Browsers = slices.Clone(m.Browsers)
	change(&m)
	d.node = &m
	d.step(Joined{m})
}

// refresh starts the node's spent browsers again.
func (d *simClient) refresh() {
	for _, u := range d.Snapshot().Spent {
		if b, ok := d.node.browser(u.Browser); ok && u.Node == d.node.Name && b.Life == u.Life {
			d.update(func(m *Member) {
				d.next++
				at := slices.IndexFunc(m.Browsers, func(b Browser) bool { return b.Name == u.Browser })
				m.Browsers[at].Life = fmt.Sprintf("%s.again%d", d.name, d.next)
			})
		}
	}
}

func (d *simClient) ask(w Request) uint64 {
	d.next++
	d.asked[d.next] = w
	d.step(Requested{d.next, w})
	return d.next
}

// pending are the requests without an answer.
func (d *simClient) pending() (all []uint64) {
	for id := range d.asked {
		if _, got := d.got[id]; !got && d.no[id] == nil {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return all
}

func (d *simClient) giveUp(id uint64) {
	d.no[id] = errors.New("given up")
	d.sim.dropped[d.idOf(id)] = true
	d.step(Canceled{id})
}

func (d *simClient) idOf(id uint64) string { return fmt.Sprintf("%s-%08d", d.name, id) }

func (d *simClient) step(e Event) {
	for _, e := range d.Step(d.sim.now, e) {
		switch e := e.(type) {
		case Commit:
			d.commits = append(d.commits, e)
		case SetTimer:
			d.due = e.At
		case Refused:
			d.refused = append(d.refused, e.Err)
		case Answered:
			if _, request := d.asked[e.ID]; !request {
				continue // a return
			}
			if _, again := d.got[e.ID]; again || d.no[e.ID] != nil {
				d.sim.t.Fatalf("request %d of %s is answered twice", e.ID, d.name)
			}
			if e.Err != nil {
				d.no[e.ID] = e.Err
				d.sim.dropped[d.idOf(e.ID)] = true
			} else {
				d.got[e.ID] = e.Lease
			}
		}
	}
}

// deliver lets one event come to pass; false if there is none.
func (d *simClient) deliver() bool {
	if d.relist {
		listed := Listed{Revision: d.sim.rev, Epoch: fmt.Sprint(d.sim.epoch), Lost: d.lost}
		for _, e := range d.sim.kept {
			listed.Entries = append(listed.Entries, e.Entry)
		}
		d.relist, d.lost = false, false
		d.step(listed)
		return true
	}
	if len(d.events) == 0 {
		return false
	}
	e := d.events[0]
	d.events = d.events[1:]
	d.step(e)
	return true
}

// outcome is what comes of a transaction.
type outcome int

const (
	known   outcome = iota // it is tried, and the client hears of it
	unheard                // it is tried, and the client hears of an error
	undone                 // it doesn't arrive, and the client hears of an error
)

// carryOut lets a transaction come to pass; false if there is none.
func (d *simClient) carryOut(as outcome) bool {
	if len(d.commits) == 0 {
		return false
	}
	c := d.commits[0]
	d.commits = d.commits[1:]
	d.sim.checkConditions(c)
	done := as != undone && d.sim.carryOut(d, c.Tx)
	told := Committed{Slot: c.Slot, Done: done, Revision: d.sim.rev}
	if as != known {
		told = Committed{Slot: c.Slot, Err: errors.New("time is up")}
	}
	d.events = append(d.events, told)
	return true
}

// checkConditions: a leader's transaction demands that it leads, and a grant that no other came before. What is put
// back after a loss was granted before.
func (s *sim) checkConditions(c Commit) {
	demands := func(prefix string) bool {
		return slices.ContainsFunc(c.Tx.If, func(on If) bool { return strings.HasPrefix(on.Key, prefix) })
	}
	if c.Slot == Leading && !demands(ElectionAt) {
		s.t.Fatalf("it isn't demanded that it leads: %+v", c.Tx)
	}
	for _, p := range c.Tx.Put {
		var is record
		name, ok := strings.CutPrefix(p.Key, browsersAt)
		if !ok || json.Unmarshal(p.Value, &is) != nil || !is.Pending {
			continue
		}
		back := c.Slot == Own && s.lossy && slices.Contains(c.Tx.If, If{Key: p.Key}) &&
			is.Lease != nil && s.lives[name+" "+is.Life] == is.Lease.Handle
		if !back && !demands(turnsAt) {
			s.t.Fatalf("it isn't demanded that no other grant came before: %+v", c.Tx)
		}
	}
}

func (s *sim) carryOut(by *simClient, tx Tx) bool {
	if max(len(tx.If), len(tx.Put)+len(tx.Delete)) > MaxOps {
		s.t.Fatalf("a transaction of %d conditions and %d changes", len(tx.If), len(tx.Put)+len(tx.Delete))
	}
	if tx.Epoch != fmt.Sprint(s.epoch) {
		return false
	}
	for _, on := range tx.If {
		if s.kept[on.Key].Version != on.Version {
			return false
		}
	}
	s.change(by, tx.Put, tx.Delete)
	return true
}

func (s *sim) change(by *simClient, put []Put, gone []string) {
	s.rev++
	told := Changed{Revision: s.rev}
	for _, p := range put {
		if slices.Contains(gone, p.Key) || slices.ContainsFunc(told.Put, func(e Entry) bool { return e.Key == p.Key }) {
			s.t.Fatalf("%s is changed twice by one transaction", p.Key)
		}
		s.judge(p.Key, s.kept[p.Key].Value, p.Value)
		e := simEntry{Entry: Entry{Key: p.Key, Value: p.Value, Created: s.rev, Version: s.rev}}
		if before, there := s.kept[p.Key]; there {
			e.Created = before.Created
		}
		if p.Session {
			e.of, e.Session = by, by.on
		} else if p.SameSession {
			e.of, e.Session = s.kept[p.Key].of, s.kept[p.Key].Session
		}
		s.kept[p.Key] = e
		told.Put = append(told.Put, e.Entry)
	}
	for _, key := range gone {
		if before, there := s.kept[key]; there {
			s.judge(key, before.Value, nil)
			delete(s.kept, key)
			told.Delete = append(told.Delete, key)
		}
	}
	s.checkQuota()
	s.elect()
	for _, d := range s.clients {
		if !d.relist {
			d.events = append(d.events, told)
		}
	}
}

// endSession takes out what hangs on a client's session.
func (s *sim) endSession(of *simClient) {
	var gone []string
	for key, e := range s.kept {
		if e.of == of {
			gone = append(gone, key)
		}
	}
	slices.Sort(gone)
	s.change(nil, nil, gone)
}

// crash ends a client's process.
func (s *sim) crash(d *simClient) {
	s.clients = slices.DeleteFunc(s.clients, func(o *simClient) bool { return o == d })
	for _, id := range d.pending() {
		s.dropped[d.idOf(id)] = true
	}
	s.endSession(d)
}

// lose empties what is kept.
func (s *sim) lose() {
	s.lossy = true
	clear(s.kept)
	s.rev, s.epoch, s.leader = 0, s.epoch+1, If{}
	for _, d := range s.clients {
		d.relist, d.lost, d.events = true, true, slices.DeleteFunc(d.events, func(e Event) bool { _, change := e.(Changed); return change })
		s.beginSession(d)
	}
}

// lag is how late what has changed is heard at most, by a client that is in touch.
const lag = 5 * time.Second

// late is after how long a transaction isn't carried out any more.
const late = 3 * time.Second

// pass lets time pass.
func (s *sim) pass(d time.Duration) {
	for _, client := range s.clients {
		if len(client.commits) == 0 {
			client.tried = s.now
		}
		for s.now.Add(d).Sub(client.tried) > late && client.carryOut(undone) {
		}
		if len(client.events) == 0 && !client.relist {
			client.heard = s.now
		}
		for s.now.Add(d).Sub(client.heard) > lag && client.deliver() {
		}
	}
	s.now = s.now.Add(d)
	for _, d := range s.clients {
		if !d.due.IsZero() && !d.due.After(s.now) {
			d.due = time.Time{}
			d.step(TimerFired{})
		}
	}
}

// settle lets all that is on its way come to pass, and time pass, for so long.
func (s *sim) settle(long time.Duration) {
	for end := s.now.Add(long); s.now.Before(end); s.pass(100 * time.Millisecond) {
		for moved := true; moved; {
			moved = false
			for _, d := range s.clients {
				for d.carryOut(known) || d.deliver() {
					moved = true
				}
			}
		}
	}
}

// member is a node as it is kept.
func (s *sim) member(node string) (m Member, ok bool) {
	e, ok := s.kept[nodeKey(node)]
	if ok {
		_ = json.Unmarshal(e.Value, &m)
	}
	return m, ok
}

// judge holds each change to what is promised: see doc.go.
func (s *sim) judge(key string, before, after []byte) {
	if strings.HasPrefix(key, membersAt) {
		_, name := split(strings.TrimPrefix(key, membersAt))
		if after == nil {
			if s.now.Sub(s.came[name]) > lag || s.gone[name].IsZero() { // else gateways may not have seen it
				s.gone[name] = s.now
			}
			return
		}
		if before == nil {
			s.came[name] = s.now
		}
		var m Member
		_ = json.Unmarshal(after, &m)
		for life := range s.lives {
			browser, alive := strings.CutPrefix(life, name+"/")
			browser, is, _ := strings.Cut(browser, " ")
			if b, ok := m.browser(browser); alive && (!ok || b.Life != is) {
				s.over[life] = true
			}
		}
		return
	}
	name, ok := strings.CutPrefix(key, browsersAt)
	if !ok {
		return
	}
	var was, is record
	_ = json.Unmarshal(before, &was)
	_ = json.Unmarshal(after, &is)
	switch {
	case is.Lease != nil && was.Lease != nil && is.Lease.Handle == was.Lease.Handle && !is.Pending: // confirmed, or renewed
	case is.Lease != nil && was.Lease != nil:
		s.t.Fatalf("%s goes from %s to %s", name, was.Lease.Handle, is.Lease.Handle)
	case is.Lease != nil:
		s.judgeGrant(name, is)
	case was.Lease != nil:
		s.judgeEnd(name, was)
	}
}

func (s *sim) judgeGrant(name string, is record) {
	life := name + " " + is.Life
	if holder, used := s.lives[life]; used {
		if holder != is.Lease.Handle || !s.lossy {
			s.t.Fatalf("%s is given by %s, and was by %s", life, is.Lease.Handle, holder)
		}
		return // put back
	}
	s.lives[life] = is.Lease.Handle
	s.granted = append(s.granted, *is.Lease)
	m, there := s.member(is.Lease.Node)
	b, listed := m.browser(is.Lease.Browser)
	if !there || m.Leaving || !listed || b.Condition == Unfit || b.Life != is.Life {
		s.t.Fatalf("%s is given, but its node says %+v (%v)", name, m, there)
	}
}

func (s *sim) judgeEnd(name string, was record) {
	l := was.Lease
	s.ended[l.Handle] = true
	m, there := s.member(l.Node)
	absent := s.now.Sub(s.gone[l.Node])
	switch {
	case s.returned[l.Handle], s.evicted[l.Tenant], s.now.Sub(l.used()) >= simLimits.unused(), s.dropped[l.Request], was.Pending && s.kept[requestsAt+l.Request].Version == 0, !s.now.Before(l.Until):
	case !there && absent >= DefaultAbsence, s.over[name+" "+was.Life]:
	default:
		s.t.Fatalf("the lease %s ends for no reason: %+v (%v, gone for %v)", l.Handle, m, there, absent)
	}
}

// simQuota is the quota of all tenants in simulations.
const simQuota = 2

func (s *sim) checkQuota() {
	held := map[string]int{}
	for key, e := range s.kept {
		var r record
		if strings.HasPrefix(key, browsersAt) && json.Unmarshal(e.Value, &r) == nil && r.Lease != nil {
			if held[r.Lease.Tenant]++; held[r.Lease.Tenant] > simQuota && !s.lossy {
				s.t.Fatalf("%s holds %d", r.Lease.Tenant, held[r.Lease.Tenant])
			}
		}
	}
}
