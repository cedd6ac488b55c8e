package bench

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/actors"
)

const (
	stormPages   = 16
	stormToggles = 500
	stormTools   = 9 // page.storm toggles t0 to t8 in turn
)

// stormModes are how fast a page can be: in one task, or waiting for each
// registration's promise, which lets the hub see each state.
var stormModes = []struct {
	name string
	wait bool
}{{"burst", false}, {"await", true}}

// BenchmarkStorm measures a storm: 16 pages with 10 tools, each of which takes
// one tool away or registers one, 500 times, as fast as it can: 8,000 changes.
// The client lists at each list_changed, one list at a time.
//
//	right-after-ms  from the last toggle of the last page, by its own clock,
//	                until the client holds the list that stays right
//	list_changed    notifications an op; limit is how many flush intervals there were
//	lost            tools missing from or stale in the list a second later
//	hub-cpu-s       processor time of the hub, list answers included
func BenchmarkStorm(b *testing.B) {
	for _, mode := range stormModes {
		b.Run(mode.name, func(b *testing.B) {
			s := newStorm(b, mode.wait)
			h := attachHub(b, s.chrome)
			defer h.end(b)
			var cpu time.Duration
			for b.Loop() {
				s.prepare(b, h.client)
				before := h.cpu(b)
				s.blow(b, h.client)
				cpu += h.cpu(b) - before
			}
			s.report(b)
			b.ReportMetric(cpu.Seconds()/float64(len(s.right)), "hub-cpu-s")
		})
	}
}

// BenchmarkStormInside is the same storm on a hub inside this process, for
// profiles and for what can only be counted from within: goroutines-left, when the
// hub has ended; allocations include the client's few.
func BenchmarkStormInside(b *testing.B) {
	for _, mode := range stormModes {
		b.Run(mode.name, func(b *testing.B) {
			s := newStorm(b, mode.wait)
			before := runtime.NumGoroutine()
			h := startInnerHub(b, s.chrome)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				s.prepare(b, h.client)
				b.StartTimer()
				s.blow(b, h.client)
			}
			b.StopTimer()
			h.end(b)
			s.report(b)
			b.ReportMetric(float64(goroutinesAbove(before)), "goroutines-left")
		})
	}
}

// BenchmarkStormBare is the same storm without a hub: from the last toggle until
// a bare CDP client has read Chrome's last event of it. No hub can know sooner.
func BenchmarkStormBare(b *testing.B) {
	for _, mode := range stormModes {
		b.Run(mode.name, func(b *testing.B) {
			s := newStorm(b, mode.wait)
			for _, p := range s.pages {
				s.cdp.command(b, p.session, "WebMCP.enable", `{}`, nil)
			}
			var told samples
			for b.Loop() {
				var ids []int
				for _, p := range s.pages {
					ids = append(ids, s.cdp.postScript(b, p, fmt.Sprintf(`storm(%d, %v)`, stormToggles, mode.wait)))
				}
				var last, ended time.Time
				for events := 0; events < stormPages*stormToggles; {
					msg := s.cdp.read(b)
					if bytes.HasPrefix(msg, []byte(`{"method":"WebMCP.tools`)) {
						events++
						last = time.Now()
					} else if id, _, reply := bytes.Cut(msg, []byte(",")); reply && bytes.HasPrefix(id, []byte(`{"id":`)) {
						s.cdp.early[string(id)+","] = msg
					}
				}
				for _, id := range ids {
					if at := pageTime(b, s.cdp.value(b, id)); at.After(ended) {
						ended = at
					}
				}
				told = append(told, max(0, last.Sub(ended)))
			}
			b.ReportMetric(float64(told.quantile(0.5)), "ns/op")
			b.ReportMetric(millis(told.quantile(0.5)), "told-after-p50-ms")
			b.ReportMetric(millis(told.quantile(1)), "told-after-max-ms")
		})
	}
}

// goroutinesAbove says how many goroutines are left of those that have begun
// since there were so many. Ending ones get a moment.
func goroutinesAbove(before int) int {
	for deadline := time.Now().Add(time.Second); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
		runtime.Gosched()
	}
	return max(0, runtime.NumGoroutine()-before)
}

// storm is the pages of a storm and what was measured.
type storm struct {
	chrome *browser
	cdp    *bare
	pages  []tab
	wait   bool

	right   samples
	lasted  samples // from the first to the last notification
	changes int
	limit   int
	lost    int
}

func newStorm(b *testing.B, wait bool) *storm {
	s := &storm{chrome: startBrowser(b), wait: wait}
	s.cdp = s.chrome.dial(b)
	s.cdp.closeAll(b)
	for range stormPages {
		s.pages = append(s.pages, s.cdp.open(b, s.chrome.address(stormTools)))
	}
	return s
}

// prepare gives every page all its tools and waits until they are listed.
func (s *storm) prepare(b *testing.B, c *client) {
	for _, p := range s.pages {
		s.cdp.evaluate(b, p, fmt.Sprintf(`for (let i = 0; i < %d; i++) if (!there.has("t" + i)) add("t" + i)`, stormTools))
	}
	c.listUntil(b, having(stormPages*(stormTools+1)))
	c.quiet(b, 4*rest)
}

// blow runs one storm.
func (s *storm) blow(b *testing.B, c *client) {
	var ids []int
	changes := c.changes
	for _, p := range s.pages {
		ids = append(ids, s.cdp.postScript(b, p, fmt.Sprintf(`storm(%d, %v)`, stormToggles, s.wait)))
	}
	lists, first, last := s.listAll(b, c)

	var ended time.Time
	for _, id := range ids { // the replies have waited in the socket
		if at := pageTime(b, s.cdp.value(b, id)); at.After(ended) {
			ended = at
		}
	}
	want := s.expected(b)
	right := time.Time{}
	for _, l := range slices.Backward(lists) {
		if wrong(l.line, want) != 0 {
			break
		}
		right = l.at
	}
	if right.IsZero() {
		s.lost += wrong(lists[len(lists)-1].line, want)
		b.Errorf("a second after the storm the list is still wrong: %v", pageTools(lists[len(lists)-1].line))
	}
	s.right = append(s.right, max(0, right.Sub(ended)))
	s.lasted = append(s.lasted, last.Sub(first))
	s.changes += c.changes - changes
	// The first notification leaves at once, then one an interval.
	s.limit += 1 + int(last.Sub(first)/actors.DefaultNotifyInterval) + 1
}

// aList is a tools/list response and when it was read.
type aList struct {
	at   time.Time
	line []byte
}

// listAll lists at each list_changed until none has come for a second.
func (s *storm) listAll(b *testing.B, c *client) (lists []aList, first, last time.Time) {
	listing, again := false, false
	list := func() {
		line, _ := c.request("tools/list", `{}`)
		c.write(b, line)
		listing, again = true, false
	}
	for {
		line := c.read(b, time.Now().Add(restTime))
		switch {
		case line == nil:
			if len(lists) == 0 {
				b.Fatal("the storm caused no list_changed")
			}
			return lists, first, last
		case isListChanged(line):
			if first.IsZero() {
				first = c.changed
			}
			last = c.changed
			if again = listing; !listing {
				list()
			}
		default:
			lists = append(lists, aList{time.Now(), bytes.Clone(line)})
			if listing = false; again {
				list()
			}
		}
	}
}

// expected asks the pages themselves which tools they have now: how many pages
// have each.
func (s *storm) expected(b *testing.B) map[string]int {
	want := map[string]int{}
	for _, p := range s.pages {
		for name := range strings.SplitSeq(strings.Trim(s.cdp.evaluate(b, p, `[...there.keys()].join(" ")`), `"`), " ") {
			want[name]++
		}
	}
	if n := want["t0"] + want["t8"]; n != stormPages {
		b.Fatalf("the storm ended with %v", want)
	}
	return want
}

// wrong counts the tools that are missing from a list, or too many in it.
func wrong(line []byte, want map[string]int) (n int) {
	got := map[string]int{}
	for _, name := range pageTools(line) {
		got[name[strings.LastIndexByte(name, '_')+1:]]++
	}
	for name := range want {
		n += max(want[name]-got[name], got[name]-want[name])
		delete(got, name)
	}
	for _, extra := range got {
		n += extra
	}
	return n
}

func (s *storm) report(b *testing.B) {
	rounds := float64(len(s.right))
	b.ReportMetric(float64(s.lasted.quantile(0.5)), "ns/op")
	b.ReportMetric(millis(s.right.quantile(0.5)), "right-after-p50-ms")
	b.ReportMetric(millis(s.right.quantile(1)), "right-after-max-ms")
	b.ReportMetric(float64(s.changes)/rounds, "list_changed")
	b.ReportMetric(float64(s.limit)/rounds, "limit")
	b.ReportMetric(float64(s.lost), "lost")
	if s.changes > s.limit {
		b.Errorf("%d list_changed were sent in %d flush intervals", s.changes, s.limit)
	}
}
