package live

import (
	"encoding/json"
	"log/slog"
	"syscall"
	"testing"
	"time"

	"webmcphub/mcpserver/calls"
)

// BenchmarkNobodyLooks measures what a live page that nobody looks at costs a call: every 0.5 ms one begins,
// and ends at once, as those of one agent do. caller-ns/call is the time for which the call waits, and
// cpu-ns/call the process's time of processors, from which that of the same without a page is taken. It
// needs some thousand operations.
func BenchmarkNobodyLooks(b *testing.B) {
	s := &Server{log: slog.New(slog.DiscardHandler), store: newStore(), hub: fakeHub{}}
	defer s.store.close()
	record := calls.Record{Session: "stdio-1", Client: "an agent", Name: "webmcp_shop_example_page0_search", Tab: 1, Args: json.RawMessage(`{"query":"shoes","max":10}`)}
	answer := json.RawMessage(`{"content":[{"type":"text","text":"twelve pairs of shoes"}]}`)
	var waited time.Duration
	watched := func() {
		begin := time.Now()
		r := record
		r.Began = begin
		over := s.Watch(r, func() {})
		r.Outcome = "ok"
		over(r, answer)
		waited += time.Since(begin)
	}
	cpu := func(calls int, call func()) time.Duration {
		due := time.NewTicker(500 * time.Microsecond)
		defer due.Stop()
		before := processorTime(b)
		for range calls {
			<-due.C
			call()
		}
		return processorTime(b) - before
	}
	const share = 100
	calls, with, without := 0, time.Duration(0), time.Duration(0)
	for i := 0; b.Loop(); i++ {
		if i%share == 0 { // in turns, as the machine isn't alike all the time
			without += cpu(share, func() {})
			with += cpu(share, watched)
			calls += share
		}
	}
	b.ReportMetric(float64(waited)/float64(calls), "caller-ns/call")
	b.ReportMetric(float64(with-without)/float64(calls), "cpu-ns/call")
}

// processorTime is this process's until now.
func processorTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
