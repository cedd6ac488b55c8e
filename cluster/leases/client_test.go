package leases

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var simLimits = &Limits{Default: Quota{Browsers: simQuota, Waiting: 5, Age: 5 * time.Minute}, Idle: 40 * time.Second}

// TestSafety: whatever comes in whatever order, late or never, whoever dies: what doc.go promises holds
// with every transaction; and once nothing more fails, every request is answered and no request is left.
func TestSafety(t *testing.T) { rapid.Check(t, func(t *rapid.T) { anything(t, false) }) }

// TestSafetyWithLoss is the same, and what is kept is lost now and then.
func TestSafetyWithLoss(t *testing.T) { rapid.Check(t, func(t *rapid.T) { anything(t, true) }) }

func anything(t *rapid.T, lossy bool) {
	s := newSim(t)
	for i := range 3 {
		s.open(fmt.Sprintf("g%d", i), Options{Candidate: true, Limits: simLimits})
	}
	for i := range 2 {
		m := Member{Name: fmt.Sprintf("n%d", i)}
		for k, labels := range [][]string{{"a"}, {"b"}, {"a", "b"}}[:i+2] {
			m.Browsers = append(m.Browsers, Browser{Name: fmt.Sprintf("b%d", k), Labels: labels, Condition: Ready})
		}
		s.join(m)
	}
	actions := s.actions(t)
	if !lossy {
		delete(actions, "lose")
	}
	s.settle(time.Second)
	t.Repeat(actions)
	for _, d := range s.clients {
		if d.node != nil {
			d.update(func(m *Member) { m.Leaving = false })
		}
	}
	s.settle(90 * time.Second)
	for _, d := range s.clients {
		if p := d.pending(); len(p) > 0 {
			t.Fatalf("%s still waits for %v", d.name, p)
		}
		for _, l := range d.got {
			s.stillHeld(t, l)
		}
	}
	for key := range s.kept {
		if strings.HasPrefix(key, requestsAt) {
			t.Fatalf("%s is left", key)
		}
	}
}

// stillHeld: a lease that was given holds, unless it ended for a reason, or its browser is gone.
func (s *sim) stillHeld(t *rapid.T, l Lease) {
	m, there := s.member(l.Node)
	b, listed := m.browser(l.Browser)
	if s.ended[l.Handle] || s.returned[l.Handle] || !s.now.Before(l.Until) || !there || !listed || b.Life != l.Life {
		return
	}
	for _, d := range s.clients {
		if !slices.ContainsFunc(d.Snapshot().Leases, func(is Lease) bool { return is.Handle == l.Handle }) {
			t.Fatalf("%s doesn't know of %s any more", d.name, l.Handle)
		}
	}
}

func (s *sim) actions(t *rapid.T) map[string]func(*rapid.T) {
	any := func(t *rapid.T) *simClient { return s.pick(t, func(*simClient) bool { return true }) }
	gateway := func(t *rapid.T) *simClient { return s.pick(t, func(d *simClient) bool { return d.node == nil }) }
	node := func(t *rapid.T) *simClient { return s.pick(t, func(d *simClient) bool { return d.node != nil }) }
	return map[string]func(*rapid.T){
		"request": func(t *rapid.T) {
			w := Request{Tenant: rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "tenant"), Labels: rapid.SampledFrom([][]string{nil, {"a"}, {"b"}}).Draw(t, "labels"),
				Wait: rapid.SampledFrom([]time.Duration{0, time.Second, 20 * time.Second}).Draw(t, "wait")}
			gateway(t).ask(w)
		},
		"giveUp": func(t *rapid.T) {
			if d := gateway(t); len(d.pending()) > 0 {
				d.giveUp(rapid.SampledFrom(d.pending()).Draw(t, "request"))
			}
		},
		"evict": func(t *rapid.T) {
			x := rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "tenant")
			s.evicted[x] = true
			d := gateway(t)
			d.step(TenantsRemoved{[]string{x}})
			d.step(TenantsRemoved{})
		},
		"use": func(t *rapid.T) {
			gateway(t).step(InUse{rapid.SampledFrom([][]string{{"x"}, {"y", "z"}, {"x", "y", "z"}}).Draw(t, "tenants")})
		},
		"return": func(t *rapid.T) {
			if d := gateway(t); len(s.granted) > 0 {
				l := rapid.SampledFrom(s.granted).Draw(t, "lease")
				s.returned[l.Handle] = true
				gateway(t).step(Released{1e6 + d.next, l.Tenant, l.Handle})
				d.next++
			}
		},
		"deliver": func(t *rapid.T) { any(t).deliver() },
		"deliver2": func(t *rapid.T) {
			d := any(t)
			for d.deliver() {
			}
		},
		"carryOut": func(t *rapid.T) {
			any(t).carryOut(outcome(rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "outcome")))
		},
		"settle":  func(t *rapid.T) { s.settle(200 * time.Millisecond) },
		"pass":    func(t *rapid.T) { s.pass(time.Duration(rapid.IntRange(1, 4000).Draw(t, "ms")) * time.Millisecond) },
		"long":    func(t *rapid.T) { s.pass(time.Duration(rapid.IntRange(10, 60).Draw(t, "s")) * time.Second) },
		"relist":  func(t *rapid.T) { any(t).breakWatch() },
		"lose":    func(t *rapid.T) { s.settle(time.Second); s.lose() }, // what nobody has seen can't be put back
		"trouble": func(t *rapid.T) { any(t).step(OutOfTouch{"etcd doesn't answer"}) },
		"session": func(t *rapid.T) {
			d := any(t)
			s.endSession(d)
			s.beginSession(d)
		},
		"crash": func(t *rapid.T) {
			d := any(t)
			if s.crash(d); d.node != nil {
				s.join(*d.node)
			} else {
				s.open("g", Options{Candidate: true, Limits: simLimits})
			}
		},
		"refresh": func(t *rapid.T) { node(t).refresh() },
		"leave":   func(t *rapid.T) { node(t).update(func(m *Member) { m.Leaving = !m.Leaving }) },
		"unfit": func(t *rapid.T) {
			to := rapid.SampledFrom([]Condition{Ready, Unfit}).Draw(t, "condition")
			node(t).update(func(m *Member) { m.Browsers[0].Condition = to })
		},
		"": func(*rapid.T) {
			for _, d := range s.clients {
				if d.trouble != "" && d.listed {
					d.events = append(d.events, InTouch{})
				}
			}
		},
	}
}

func (s *sim) pick(t *rapid.T, as func(*simClient) bool) *simClient {
	all, names := map[string]*simClient{}, []string(nil)
	for _, d := range s.clients {
		if as(d) {
			all[d.name], names = d, append(names, d.name)
		}
	}
	return all[rapid.SampledFrom(names).Draw(t, "client")]
}

// breakWatch has the client's watch end: what it missed comes by a list.
func (d *simClient) breakWatch() {
	d.relist = true
	d.events = slices.DeleteFunc(d.events, func(e Event) bool { _, change := e.(Changed); return change })
}
