package live

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// BenchmarkStorm measures the memory of the live page, with one viewer, in a storm of 10,000 events a
// second: calls that begin and end, with arguments and results of 2 KB, and a tab whose tools change. One
// operation is a second of it, so that -benchtime 60x is a minute. before-MB and after-MB are what is in
// use once garbage is collected, peak-MB the most that the heap had in between, garbage with it.
// Without the live page nothing of it is there but the catalogs.
func BenchmarkStorm(b *testing.B) {
	const perSecond, changes, share = 4500, 1000, 100 // a second; in so many parts
	s := &Server{log: slog.New(slog.DiscardHandler), store: newStore(), hub: fakeHub{}}
	defer s.store.close()
	var updates atomic.Int64
	ctx, cancel := context.WithCancel(b.Context())
	over := make(chan struct{})
	changed := s.store.join()
	go func() {
		defer close(over)
		follow(ctx, s.log, changed, func(sent map[string][32]byte) ([]byte, error) { return s.update(Filter{}, "session", sent) },
			func([]byte) error { updates.Add(1); return nil })
	}()
	r := registry.NewState(registry.Options{})
	steps := func(events ...registry.Event) {
		for _, e := range append(events, registry.FlushDue{}) {
			s.Apply(r.Step(e))
		}
	}
	steps(registry.PageOpened{Page: "A", URL: "https://a.example/"}, registry.Navigated{Page: "A", Gen: 1, URL: "https://a.example/"})
	text, _ := json.Marshal(strings.Repeat("x", 2000))
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	inUse := func() uint64 { metrics.Read(heap); return heap[0].Value.Uint64() }
	collected := func() float64 { s.store.ask(func(*store) {}); runtime.GC(); return float64(inUse()) / 1e6 }
	before, peak, number := collected(), uint64(0), 0
	part := time.NewTicker(time.Second / share)
	defer part.Stop()
	begun := time.Now()
	for b.Loop() {
		for range share {
			<-part.C
			for range perSecond / share {
				record := calls.Record{Began: time.Now(), Name: "x", Tab: 1, Args: text}
				ended := s.Watch(record, func() {})
				record.Outcome = "ok"
				ended(record, text)
			}
			for range changes / share {
				number++
				steps(registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{{Name: fmt.Sprint("tool", number), Doc: 1, FrameURL: "https://a.example/"}}})
			}
			peak = max(peak, inUse())
		}
	}
	took := time.Since(begun)
	b.ReportMetric(before, "before-MB")
	b.ReportMetric(collected(), "after-MB")
	b.ReportMetric(float64(peak)/1e6, "peak-MB")
	b.ReportMetric(float64(updates.Load())/took.Seconds(), "updates/s")
	cancel()
	<-over
}
