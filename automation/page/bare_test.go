package page_test

import (
	"testing"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
)

// TestWaitNeedsNoHelper: a wait looks at documents without running the helper in them first. What needs the helper
// still finds it there.
func TestWaitNeedsNoHelper(t *testing.T) {
	t.Parallel()
	tab := automationtest.Open(t, automationtest.HTML(`<p>Ready`), func(o *page.Options) { o.Helper = "helped = 1" })
	main, _ := tab.Main()
	if _, err := page.Wait(tab.Ctx, tab.Page, page.Condition{Text: []string{"Ready"}}, 10*time.Second, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		world page.World
		is    string
	}{{page.Bare, "undefined"}, {page.Isolated, "number"}, {page.Bare, "number"}, {page.Main, "undefined"}} {
		var is string
		if err := tab.Evaluate(tab.Ctx, main.FrameRef, c.world, "() => typeof helped", nil, &is); err != nil {
			t.Fatal(err)
		}
		if is != c.is {
			t.Errorf("in world %d the helper's variable is %s, not %s", c.world, is, c.is)
		}
	}
}
