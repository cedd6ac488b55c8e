package e2e

import "testing"

// TestWorkersRun: a page's workers of each kind start and answer while the hub, with and without browser tools, is attached to the page.
func TestWorkersRun(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"page tools": nil, "browser tools": {"--automation"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := nativeChrome(t)
			h := attachHub(t, c, flags...)
			p := c.open(t, pages.url("shop.html"))
			h.waitTool(toolName("0", "search"))
			if flags != nil { // so that they are attached, too
				h.call("take_snapshot", nil)
			}
			p.navigate(pages.url("worker.html"))
			for _, kind := range []string{"worker", "shared_worker", "audio_worklet", "service_worker"} {
				h.waitTool(toolName("0", kind))
			}
		})
	}
}
