package page_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// TestFlood: a page that logs as fast as it can delays neither its own calls for long
// nor those of another tab.
func TestFlood(t *testing.T) {
	tab := Open(t, HTML(`<p>x`))
	quiet := Open(t, HTML(`<p>y`))
	var lines atomic.Int64
	tab.Subscribe(func(cdpclient.Event) { lines.Add(1) }, "Runtime.consoleAPICalled")
	if err := tab.Evaluate(tab.Ctx, tab.Frame("").FrameRef, page.Main, `() => { const log = () => { for (let i = 0; i < 500; i++) console.log("line", i); if (++log.n < 60) setTimeout(log, 20) }; log.n = 0; log() }`, nil, nil); err != nil {
		t.Fatal(err)
	}
	var took []time.Duration
	for lines.Load()+int64(tab.Dropped()) < 30_000 {
		began := time.Now()
		if n := JS[int](quiet, "1"); n != 1 {
			t.Fatal(n)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	p50 := took[len(took)/2]
	t.Logf("%d calls of another tab meanwhile, p50 %v, max %v; %d lines, %d dropped", len(took), p50, took[len(took)-1], lines.Load(), tab.Dropped())
	if p50 > 500*time.Millisecond {
		t.Errorf("calls of another tab take %v", p50)
	}
}
