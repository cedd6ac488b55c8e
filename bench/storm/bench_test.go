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
			report(b, r)
			b.FailNow()
		}
		last = r
	}
	report(b, last)
}

// report gives a result's figures to a benchmark, and fails it if the run failed.
func report(b *testing.B, r *Result) {
	b.Helper()
	for _, f := range r.Failures {
		b.Error(f)
	}
	b.ReportMetric(1e9/max(1, r.ChangesPerSecond), "ns/op")
	b.ReportMetric(r.ChangesPerSecond, "changes/s")
	b.ReportMetric(float64(r.Notifications), "list_changed")
	b.ReportMetric(r.CPUPerChange, "cpu-µs/change")
	b.ReportMetric(r.AllocsPerChange, "allocs/change")
	b.ReportMetric(r.PeakRSSMiB, "peak-MiB")
	b.ReportMetric(float64(r.GoroutinesPeak), "goroutines")
	b.ReportMetric(float64(r.Lost), "lost")
	for name, v := range map[string]float64{"known-p50-ms": r.KnownP50, "known-p99-ms": r.KnownP99,
		"right-after-ms": r.RightAfterMS,
		"call-p50-ms":    r.CallP50, "call-p99-ms": r.CallP99, "quiet-call-p50-ms": r.QuietP50,
		"quiet-call-p99-ms": r.QuietP99} {
		if v >= 0 {
			b.ReportMetric(v, name)
		}
	}
	if r.CPUShare > 0 {
		b.ReportMetric(r.CPUShare, "cpu-hub/chrome")
	}
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
// fast as it is taken in, by a client that only reads Chrome's events, and by the hub.
// What the first costs is also in the other.
func BenchmarkBaseline(b *testing.B) {
	s := Scenario{Name: "baseline", Pages: 100, Tools: 10, Duration: time.Second, Mix: Mix{Add: 4, Remove: 4, Update: 1, FlipFlop: 1}}
	b.Run("bare", func(b *testing.B) { benchmark(b, s, Options{Bare: true}) })
	b.Run("hub", func(b *testing.B) { benchmark(b, s, Options{}) })
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
