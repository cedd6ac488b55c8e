package storm

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// benchmark runs a scenario once per iteration, for a second unless it ends
// otherwise, and reports the last.
func benchmark(b *testing.B, s Scenario, o Options) {
	b.Helper()
	var last *Result
	for b.Loop() {
		r, err := Run(context.Background(), s, o)
		if err != nil {
			b.Fatal(err)
		}
		if len(r.Failures) > 0 {
			r.Report(b)
			b.FailNow()
		}
		last = r
	}
	last.Report(b)
}

// BenchmarkScenario measures each named scenario on the fake Chrome, with hub,
// pages and clients in one process: a storm of one second (churn: 1,000 tabs
// closed and opened). ns/op is the time for one change that is taken in, with the
// right list at the end; the other figures are those of the tool's table.
func BenchmarkScenario(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			s, err := Named(name, Fake)
			if err != nil {
				b.Fatal(err)
			}
			s.Duration = time.Second
			if s.Ops > 0 {
				s.Ops, s.Duration = 1000, time.Minute
			}
			benchmark(b, s, Options{})
		})
	}
}

// BenchmarkBaseline measures one storm, 100 pages × 10 tools that change as
// fast as it is taken in, by what could stand in the hub's place: a client that only
// reads Chrome's events; one mutex and one map; the same with mcp-go's server,
// AddTool and DeleteTools at each change; that with list_changed at the hub's pace;
// and the hub. All have the same fake Chrome,
// connection and, but for bare, the same client, which lists at each list_changed.
// What the first costs is also in the others.
func BenchmarkBaseline(b *testing.B) {
	s := Scenario{Name: "baseline", Pages: 100, Tools: 10, Duration: time.Second, Mix: Mix{Add: 4, Remove: 4, Update: 1, FlipFlop: 1}}
	for _, kind := range []Kind{Bare, Plain, Stock, StockCoalesced, WebMCPHub} {
		b.Run(string(kind), func(b *testing.B) {
			if kind == Stock {
				benchmarkLossy(b, s, kind)
				return
			}
			benchmark(b, s, Options{Kind: kind})
		})
	}
}

// benchmarkLossy reports a hub that may lose updates: how many is the figure.
func benchmarkLossy(b *testing.B, s Scenario, kind Kind) {
	for b.Loop() {
		r, err := Run(context.Background(), s, Options{Kind: kind})
		if err != nil {
			b.Skipf("it can't be measured: %v", err)
		}
		r.Failures = nil
		r.Report(b)
	}
}

// BenchmarkScale measures what a change costs with so many pages of 10 tools
// open that all change, and a client that reads notifications but lists at
// the end only: taking in, naming and flushing, without the lists, which grow
// with the catalog whatever the hub does. A page makes 40 changes between two
// stamps, however many pages there are, so that as many of its changes meet in
// one report.
func BenchmarkScale(b *testing.B) {
	for _, pages := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint("pages=", pages), func(b *testing.B) {
			benchmark(b, Scenario{Name: "scale", Pages: pages, Tools: 10, Audience: Audience{Listless: true}, Window: 40 * pages, Duration: time.Second}, Options{})
		})
	}
}

// BenchmarkApart measures the storm of BenchmarkBaseline by a hub in a process
// of its own, over a websocket: cpu-µs/change, allocations and memory are the
// hub's alone.
func BenchmarkApart(b *testing.B) {
	for _, kind := range []Kind{Plain, StockCoalesced, WebMCPHub} {
		b.Run(string(kind), func(b *testing.B) {
			s := Scenario{Name: "apart", Pages: 100, Tools: 10, Duration: time.Second, Mix: Mix{Add: 4, Remove: 4, Update: 1, FlipFlop: 1}}
			benchmark(b, s, Options{Kind: kind, Apart: true})
		})
	}
}
