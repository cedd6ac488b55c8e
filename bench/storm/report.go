package storm

import (
	"fmt"
	"time"

	"webmcphub/bench/machine"
	"webmcphub/bench/storm/hubs"
)

// Result is what one scenario gave. Times are in milliseconds, -1 where there
// was nothing to measure.
type Result struct {
	Conditions
	ReadyMS float64 // from the hub's start until every tool was listed
	Taken
	Told
	Knowledge
	Costs
	Goroutines
	CallTimes

	Lost     int      // updates that a client's list lacked
	Failures []string // why the run counts as failed
}

// Conditions are what was run, and where.
type Conditions struct {
	Scenario Scenario
	Runtime  Runtime
	Apart    bool // the hub had a process of its own
	Machine  string
	Date     time.Time
}

// Taken is what the storm brought, and how soon it was taken in.
type Taken struct {
	Changes          int64   // registrations and removals, stamps included
	ChangesPerSecond float64 // until the right list, so: taken in
	RightAfterMS     float64 // from the last change until the list that stays right
}

// Told is what clients were told.
type Told struct {
	Notifications int64 // that the first client read, with those just after the storm
	Lists         int64
	ListMiB       float64 // read by the first client
	DeafBacklog   int64   // notifications that a deaf client found when it read again
}

// Knowledge is how soon changes were known.
type Knowledge struct {
	KnownP50, KnownP99 float64 // from a change to a client's knowledge of it
	HubP50, HubP99     float64 // from a change to the hub's catalog; only in one process
	Stamps             int     // changes measured
}

// Costs are processor time and memory.
type Costs struct {
	CPUSeconds      float64 // the hub's process; in one process all that is in it
	CPUPerChange    float64 // µs
	BrowserCPU      float64 // seconds, all processes of a real Chrome
	CPUShare        float64 // CPUSeconds / BrowserCPU
	AllocsPerChange float64
	PeakRSSMiB      float64
	HeapBeforeMiB   float64 // in use, at rest before and after the storm
	HeapAfterMiB    float64
}

// Goroutines are how many there were in the hub's process.
type Goroutines struct {
	GoroutinesBefore, GoroutinesPeak, GoroutinesAfter int
}

// CallTimes is how long calls took.
type CallTimes struct {
	QuietP50, QuietP99 float64 // calls before the storm
	CallP50, CallP99   float64 // calls during it
	Calls              int
	CallsFailed        int
}

func newResult(s Scenario, o Options) *Result {
	r := &Result{
		Conditions: Conditions{Scenario: s, Runtime: o.Runtime, Apart: o.Apart,
			Machine: machine.Describe() + ", " + machine.Load(), Date: time.Now().UTC()},
		Told: Told{DeafBacklog: -1},
	}
	for _, f := range []*float64{&r.QuietP50, &r.QuietP99, &r.CallP50, &r.CallP99, &r.KnownP50, &r.KnownP99, &r.HubP50,
		&r.HubP99} {
		*f = -1
	}
	return r
}

func (r *Result) fail(format string, args ...any) {
	r.Failures = append(r.Failures, fmt.Sprintf(format, args...))
}

func (r *Result) lose(n int, format string, args ...any) {
	r.Lost += n
	r.fail("lost %d: "+format, append([]any{n}, args...)...)
}

func (r *Result) quiet(s samples) { s.quantiles(&r.QuietP50, &r.QuietP99) }

func (r *Result) stormy(s samples, c *caller) {
	s.quantiles(&r.CallP50, &r.CallP99)
	r.Calls, r.CallsFailed = len(s), c.failed
	if c.failed > 0 {
		r.fail("%d calls failed: %v", c.failed, c.why)
	}
	if late, slowest, never := c.late(); late+never > 0 {
		r.fail("of the calls that were given up %d were answered later, the last after %v, and %d never", late,
			slowest.Round(time.Millisecond), never)
	}
}

func (r *Result) count(changes int64, untilRight, rightAfter time.Duration) {
	r.Changes = changes
	r.ChangesPerSecond = float64(changes) / untilRight.Seconds()
	r.RightAfterMS = millis(rightAfter)
}

func (r *Result) use(before, after hubs.Usage, peak int64, browser time.Duration) {
	n := float64(max(1, r.Changes))
	cpu := after.CPU - before.CPU
	r.CPUSeconds = cpu.Seconds()
	r.CPUPerChange = float64(cpu.Microseconds()) / n
	r.AllocsPerChange = float64(after.Allocs-before.Allocs) / n
	r.PeakRSSMiB = float64(after.Peak) / (1 << 20)
	r.GoroutinesBefore, r.GoroutinesPeak = before.Goroutines, max(int(peak), before.Goroutines)
	if browser > 0 {
		r.BrowserCPU = browser.Seconds()
		r.CPUShare = cpu.Seconds() / browser.Seconds()
	}
}

func (r *Result) rest(before, after hubs.Usage) {
	r.HeapBeforeMiB, r.HeapAfterMiB = float64(before.Heap)/(1<<20), float64(after.Heap)/(1<<20)
	r.GoroutinesAfter = after.Goroutines
}

func (r *Result) delays(k *known, stamps []stamp) {
	client, hub := k.delays(stamps)
	client.quantiles(&r.KnownP50, &r.KnownP99)
	hub.quantiles(&r.HubP50, &r.HubP99)
	r.Stamps = len(stamps)
}

func (r *Result) hear(clients []*client, interval, stormed time.Duration) {
	for _, c := range clients {
		if c.manner == deaf {
			r.DeafBacklog = max(r.DeafBacklog, c.counts.notices.Load())
		}
	}
	if r.DeafBacklog > maxBacklog {
		r.fail("a client that didn't read found %d notifications: they were not merged", r.DeafBacklog)
	}
	if len(clients) == 0 {
		return
	}
	r.Notifications, r.Lists = clients[0].counts.notices.Load(), clients[0].counts.lists.Load()
	r.ListMiB = float64(clients[0].counts.listBytes.Load()) / (1 << 20)
	// The first notification leaves at once, then one an interval; the last
	// changes are told after the storm's end.
	intervals := 1 + int64((stormed+time.Duration(r.RightAfterMS*float64(time.Millisecond)))/interval) + 1
	if r.Notifications > intervals {
		r.fail("%d notifications were sent in %d flush intervals", r.Notifications, intervals)
	}
}

// maxBacklog is how many notifications a deaf client may find: those that came
// between its lists before the pipe was full, and the merged one.
const maxBacklog = 10
