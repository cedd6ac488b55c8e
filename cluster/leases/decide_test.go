package leases

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestDecide: in any state, what is decided is fit, fair and in order.
func TestDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyState(t)
		admitted, passed := map[string]bool{}, map[string]bool{}
		for _, id := range s.line {
			admitted[id] = rapid.IntRange(0, 9).Draw(t, "admitted") > 0
			passed[id] = !admitted[id]
		}
		held, last := map[string]int{}, map[string]uint64{}
		for tenant, n := range s.held {
			held[tenant] = n
		}
		for tenant, turn := range s.turns.value.Last {
			last[tenant] = turn
		}
		free, waiting := s.pool().free, slices.DeleteFunc(slices.Clone(s.line), func(id string) bool { return passed[id] })
		turn := s.turns.value.Turn
		eligible := func(id string) bool {
			w := s.requests[id].value
			return held[w.Tenant] < s.limits.value.Of(w.Tenant).Browsers &&
				slices.ContainsFunc(free, func(c candidate) bool { return c.browser.fits(w.Labels, w.Profile) })
		}
		since := func(tenant string) uint64 { // its first request that isn't passed over
			at := slices.IndexFunc(s.line, func(id string) bool { return !passed[id] && s.requests[id].value.Tenant == tenant })
			return max(last[tenant], s.requests[s.line[at]].value.Turn)
		}
		for _, g := range s.decide(time.Unix(1e9, 0), admitted) {
			got := s.requests[g.Request].value
			at := slices.IndexFunc(free, func(c candidate) bool { return c.node+"/"+c.browser.Name == g.Name() })
			if at < 0 || !free[at].browser.fits(got.Labels, got.Profile) || free[at].browser.Condition == Unfit || !eligible(g.Request) {
				t.Fatalf("%+v gets %+v", got, g)
			}
			for _, id := range waiting {
				other := s.requests[id].value
				switch {
				case id == g.Request || !eligible(id):
				case other.Tenant == got.Tenant:
					if slices.Index(s.line, id) < slices.Index(s.line, g.Request) {
						t.Fatalf("%s is served before %s, that came first", g.Request, id)
					}
				case held[other.Tenant] < held[got.Tenant] || held[other.Tenant] == held[got.Tenant] && since(other.Tenant) < since(got.Tenant):
					t.Fatalf("%s (holds %d, turn %d) is served before %s (holds %d, turn %d)", got.Tenant, held[got.Tenant], since(got.Tenant), other.Tenant, held[other.Tenant], since(other.Tenant))
				}
			}
			turn++
			held[got.Tenant]++
			last[got.Tenant] = turn
			free = slices.Delete(free, at, at+1)
			waiting = slices.DeleteFunc(waiting, func(id string) bool { return id == g.Request })
		}
		if at := slices.IndexFunc(waiting, eligible); at >= 0 {
			t.Fatalf("%s isn't served, though it could be", waiting[at])
		}
	})
}

func anyState(t *rapid.T) *state {
	s, rev := newState(), int64(0)
	put := func(key string, v any) {
		rev++
		s.put(Entry{Key: key, Value: encode(v), Created: rev, Version: rev})
	}
	labels := rapid.SampledFrom([][]string{nil, {"a"}, {"b"}, {"a", "b"}})
	tenants := []string{"x", "y", "z"}
	for n := range rapid.IntRange(0, 3).Draw(t, "nodes") {
		m := Member{Role: Node, Name: fmt.Sprintf("n%d", n), Incarnation: "i", Leaving: rapid.IntRange(0, 4).Draw(t, "leaving") == 0}
		for b := range rapid.IntRange(0, 4).Draw(t, "browsers") {
			browser := Browser{Name: fmt.Sprintf("b%d", b), Labels: labels.Draw(t, "labels"), Life: "1",
				Profile: rapid.SampledFrom([]string{"", "", "p"}).Draw(t, "profile"), Condition: rapid.SampledFrom([]Condition{Ready, Ready, Ready, Unfit}).Draw(t, "condition")}
			m.Browsers = append(m.Browsers, browser)
			name := m.Name + "/" + browser.Name
			switch rapid.IntRange(0, 4).Draw(t, "record") {
			case 0:
				put(browsersAt+name, record{Life: "1", Lease: &Lease{Handle: name + "~t", Tenant: rapid.SampledFrom(tenants).Draw(t, "holder"), Node: m.Name, Browser: browser.Name}})
			case 1:
				put(browsersAt+name, record{Life: rapid.SampledFrom([]string{"0", "1"}).Draw(t, "life")})
			}
		}
		put(nodeKey(m.Name), m)
	}
	put(turnsAt, turns{Turn: 10, Last: rapid.MapOf(rapid.SampledFrom(tenants), rapid.Uint64Range(1, 10)).Draw(t, "last")})
	put(limitsAt, Limits{Default: Quota{Browsers: rapid.IntRange(1, 6).Draw(t, "quota")}})
	for i := range rapid.IntRange(0, 12).Draw(t, "requests") {
		put(requestsAt+fmt.Sprintf("d-%08d", i), queued{Tenant: rapid.SampledFrom(tenants).Draw(t, "tenant"), Labels: labels.Draw(t, "wants"),
			Profile: rapid.SampledFrom([]string{"", "", "p"}).Draw(t, "with"), Turn: rapid.Uint64Range(0, 10).Draw(t, "came")})
	}
	return s
}

// TestOverload: ten times more is asked for than can be given, for a minute of the simulation, by tenants that ask for equally
// much and by one that asks for far more. The lines stay bounded, refusals say when to try again, and
// no tenant waits more than twice as long as another.
func TestOverload(t *testing.T) {
	for seed := range uint64(1) {
		random := rand.New(rand.NewPCG(seed, 18))
		const tenants, browsers, waiting = 5, 8, 10
		s := newSim(t)
		limits := &Limits{Default: Quota{Browsers: browsers, Waiting: waiting}}
		gateways := []*simClient{s.open("a", Options{Candidate: true, Limits: limits}), s.open("b", Options{Candidate: true})}
		m := Member{Name: "n"}
		for i := range browsers {
			m.Browsers = append(m.Browsers, Browser{Name: fmt.Sprint(i), Condition: Ready})
		}
		node := s.join(m)
		s.settle(time.Second)
		s.lossy = true // the quota here is none of simQuota
		began, waits := map[string]time.Time{}, map[string][]time.Duration{}
		done, seen, refusals := map[string]time.Time{}, 0, 0
		for end := s.now.Add(time.Minute); s.now.Before(end); {
			for i := range tenants {
				for range 1 + 3*(i/(tenants-1)) { // the last one asks for four times as much
					d := gateways[random.IntN(2)]
					id := d.ask(Request{Tenant: fmt.Sprint(i), Wait: time.Hour})
					began[d.idOf(id)] = s.now
					if no := d.no[id]; no != nil {
						refusals++
						if no.(*Refusal).Reason != QueueFull || no.(*Refusal).After < retryLeast || no.(*Refusal).After > retryMost {
							t.Fatal(no)
						}
					}
				}
			}
			s.settle(100 * time.Millisecond)
			node.refresh()
			for _, l := range s.granted[seen:] {
				waits[l.Tenant] = append(waits[l.Tenant], s.now.Sub(began[l.Request]))
				done[l.Handle] = s.now.Add(time.Duration(5+random.IntN(11)) * 100 * time.Millisecond)
			}
			seen = len(s.granted)
			for _, l := range s.granted {
				if at, held := done[l.Handle]; held && !s.now.Before(at) {
					delete(done, l.Handle)
					s.returned[l.Handle] = true
					gateways[0].next++
					gateways[0].step(Released{1e6 + gateways[0].next, l.Tenant, l.Handle})
				}
			}
			for tenant, n := range gateways[0].Snapshot().WaitingCount {
				if n > waiting {
					t.Fatalf("%d of %s wait", n, tenant)
				}
			}
		}
		least, most := time.Hour, time.Duration(0)
		var told strings.Builder
		for tenant, all := range waits {
			var sum time.Duration
			for _, w := range all {
				sum += w
			}
			mean := sum / time.Duration(len(all))
			least, most = min(least, mean), max(most, mean)
			fmt.Fprintf(&told, "%s: %d given, %v on average; ", tenant, len(all), mean.Round(time.Millisecond))
		}
		if len(waits) != tenants || most > 2*least || refusals == 0 {
			t.Fatalf("%d refusals; %s", refusals, told.String())
		}
		t.Logf("max/min %.2f, %d refusals; %s", float64(most)/float64(least), refusals, told.String())
	}
}
