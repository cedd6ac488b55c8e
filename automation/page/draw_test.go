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

// casts counts how often Chrome has begun a screencast of a tab.
func casts(tab *Tab) *atomic.Int32 {
	n := new(atomic.Int32)
	tab.Subscribe(func(cdpclient.Event) { n.Add(1) }, "Page.screencastVisibilityChanged")
	return n
}

// TestDrawnOn: who acts again soon finds the tab still drawn, and when nobody does it is
// drawn no more.
func TestDrawnOn(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML("text"))
	page.DrawnOn(tab.Page, time.Hour)
	begun := casts(tab)
	draw := func() {
		tab.Draw()()
		JS[int](tab, "1")
	}
	for range 5 {
		draw()
	}
	if n := begun.Load(); n != 1 {
		t.Errorf("%d screencasts for five drawings, one after the other", n)
	}
	page.DrawnOn(tab.Page, 0)
	for begun.Load() == 1 && tab.Ctx.Err() == nil {
		draw()
	}
	if tab.Ctx.Err() != nil {
		t.Error("the screencast doesn't end")
	}
}

// TestDrawnAcrossNavigation: a tab behind another one is drawn, though its page goes to
// another process meanwhile.
func TestDrawnAcrossNavigation(t *testing.T) {
	t.Parallel()
	front := Open(t, HTML("front"))
	site := Serve(t, HTML("text"))
	tab := NewBackgroundTab(t, front, site.URL("a", "/"))
	tab.Attach()
	tab.Must("", "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	defer tab.Draw()()
	frames := func() {
		t.Helper()
		apart := JS[[]float64](tab, "(async () => { const at = []; for (let i = 0; i < 21; i++) at.push(await new Promise(requestAnimationFrame)); return at.slice(1).map((t, i) => t - at[i]) })()")
		slices.Sort(apart)
		if apart[len(apart)/2] > 500 { // undrawn, they come once a second
			t.Errorf("twenty frames came %v milliseconds apart", apart)
		}
	}
	frames()
	tab.Goto(site.URL("b", "/"))
	frames()
}
