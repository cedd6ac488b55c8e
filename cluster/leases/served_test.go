package leases

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// serve has a gateway say whom it serves; nobody is to say nothing of it.
func (d *simDesk) serve(tenants ...string) {
	d.step(Joined{Member{Role: Gateway, Name: d.name, Incarnation: d.name, Tenants: tenants}})
}

// watchServed notes whom the gateways that are kept serve.
func (s *sim) watchServed() {
	var gateways []Member
	silent := false
	for key, e := range s.kept {
		if strings.HasPrefix(key, membersAt+string(Gateway)) {
			var m Member
			_ = json.Unmarshal(e.Value, &m)
			gateways, silent = append(gateways, m), silent || m.Tenants == nil
		}
	}
	for _, tenant := range []string{"x", "y", "z"} {
		if s.served[tenant].IsZero() && s.unserved[tenant].IsZero() {
			s.served[tenant] = s.now // from the beginning
		}
		served := silent || len(gateways) == 0 ||
			slices.ContainsFunc(gateways, func(m Member) bool { return slices.Contains(m.Tenants, tenant) })
		since, was := s.served[tenant]
		switch {
		case served && !was:
			s.served[tenant] = s.now
		case !served && was:
			delete(s.served, tenant)
			if s.now.Sub(since) > lag || s.unserved[tenant].IsZero() { // else desks may not have seen it
				s.unserved[tenant] = s.now
			}
		}
	}
}

// isForsaken says whether a desk can rightly think that nobody serves a tenant for long enough.
func (s *sim) isForsaken(tenant string) bool {
	if since, served := s.served[tenant]; served && s.now.Sub(since) > lag+late {
		return false
	}
	since := s.unserved[tenant]
	return !since.IsZero() && s.now.Sub(since) >= simLimits.Unserved
}

// A tenant whom the gateways don't know that were started with another file loses its leases after a grace, and not while
// one gateway serves it, or says nothing of whom it serves.
func TestForsaken(t *testing.T) {
	for name, goes := range map[string]func(s *sim, a, b *simDesk){
		"one serves":    func(_ *sim, a, b *simDesk) { a.serve("y"); b.serve("y", "x") },
		"one is silent": func(_ *sim, a, b *simDesk) { a.serve("y"); b.serve() },
		"comes back": func(s *sim, a, b *simDesk) {
			a.serve("y")
			b.serve("y")
			s.settle(DefaultUnserved - time.Second)
			b.serve("x")
			s.settle(time.Second)
			b.serve("y")
		},
		"none is there": func(s *sim, a, b *simDesk) {
			a.step(Left{Gateway, a.name})
			b.step(Left{Gateway, b.name})
		},
		"none serves":              func(_ *sim, a, b *simDesk) { a.serve("y"); b.serve("y") },
		"none serves anybody":      func(_ *sim, a, b *simDesk) { a.serve([]string{}...); b.serve([]string{}...) },
		"the one that did is gone": func(s *sim, a, b *simDesk) { a.serve("y"); s.crash(b) },
	} {
		t.Run(name, func(t *testing.T) {
			s, a, b, _ := world(t, 3, nil)
			a.serve("x", "y")
			b.serve("x", "y")
			s.unserved = map[string]time.Time{"x": s.now.Add(-time.Hour)} // the test says itself what is right
			a.wish(Request{Tenant: "x", Wait: time.Minute})
			a.wish(Request{Tenant: "x", Wait: time.Minute})
			a.wish(Request{Tenant: "y", Wait: time.Minute})
			s.settle(time.Second)
			goes(s, a, b)
			s.settle(DefaultUnserved - 2*time.Second)
			if s.held() != 3 {
				t.Fatalf("%d leases are left before the grace is over", s.held())
			}
			s.settle(3 * time.Second)
			want := 3
			if strings.HasPrefix(name, "none serves") || strings.HasPrefix(name, "the one") || name == "comes back" {
				want = 1
			}
			if name == "none serves anybody" {
				want = 0
			}
			if s.held() != want {
				t.Errorf("%d leases are left, not %d", s.held(), want)
			}
		})
	}
}

// More nodes than a transaction has room for are gone: their leases end.
func TestManyNodesGone(t *testing.T) {
	s, a, _, _ := world(t, 0, &Limits{Default: Quota{Browsers: 2 * MaxOps, Waiting: 2 * MaxOps}})
	var nodes []*simDesk
	for i := range MaxOps + 20 {
		nodes = append(nodes, s.join(Member{Name: fmt.Sprintf("n%d", i), Browsers: []Browser{{Name: "b", Condition: Ready}}}))
	}
	s.settle(time.Second)
	for i := range nodes {
		a.wish(Request{Tenant: fmt.Sprint(i), Wait: time.Minute})
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
