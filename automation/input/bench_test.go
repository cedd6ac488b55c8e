package input

import (
	"slices"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
)

// BenchmarkClick clicks a button of an idle page and checks that each click arrived once.
// Beside it, bare presses of nothing show what Chrome itself takes at the time.
func BenchmarkClick(b *testing.B) {
	tab := automationtest.Open(b, automationtest.HTML(prelude+`<button id=b onclick="n++">Save</button><script>var n = 0</script>`),
		func(o *page.Options) { o.Helper = page.ActingScript() })
	acting := New(tab.Page, false)
	f := tab.Frame("")
	n := Node{Frame: f.FrameRef, Backend: tab.Node(f, "#b"), Role: "button", Name: "Save"}
	if _, err := acting.Click(tab.Ctx, n, ClickOptions{}); err != nil {
		b.Fatal(err)
	}
	var took, bare []time.Duration
	for b.Loop() {
		begun := time.Now()
		if _, err := acting.Click(tab.Ctx, n, ClickOptions{}); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begun))
		begun = time.Now()
		if err := acting.press(tab.Ctx, spot{x: 5, y: 400}, Left, 1, 0); err != nil { // nothing is there
			b.Fatal(err)
		}
		bare = append(bare, time.Since(begun))
	}
	if got := automationtest.JS[int](tab, "n"); got != len(took)+1 {
		b.Fatalf("%d clicks arrived of %d", got, len(took)+1)
	}
	slices.Sort(took)
	slices.Sort(bare)
	b.ReportMetric(float64(bare[len(bare)/2].Microseconds())/1000, "bare-p50-ms")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
