package cdp_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

// TestAPrerenderedPageIsActivated: as Chromium 156 tells it, by contexts and
// tools of another main frame, and without Page.frameNavigated.
func TestAPrerenderedPageIsActivated(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		s := NewSlow()
		p := h.Offer(s.Tool("wait"))
		c := h.Begin("shop_test_page0_wait", `{}`)
		inLink(h, p, func(a *Link) { // the tool may be what goes there
			a.Event(event(a, cdpclient.PageFrameRequestedNavigation, cdpclient.FrameRequestedNavigation{FrameID: p.ID(), URL: Cart}))
		})
		tree := `{"frameTree":{"frame":{"id":"NEW","url":"` + Cart + `"},"childFrames":[{"frame":{"id":"KID","parentId":"NEW","url":"` + Cart + `"}}]}}`
		p.On(cdpclient.PageGetFrameTree, func(cdptest.Command) (any, error) { return json.RawMessage(tree), nil })
		p.On(cdpclient.WebMCPInvokeTool, func(c cdptest.Command) (any, error) {
			return nil, &cdpclient.Error{Message: "asked " + string(c.Params)}
		})
		before := Sent(p, cdpclient.PageAddScriptToEvaluateOnNewDocument)
		inLink(h, p, func(a *Link) {
			a.Event(event(a, cdpclient.RuntimeExecutionContextsCleared, nil))
			a.Event(event(a, cdpclient.WebMCPToolsAdded, cdpclient.ToolsAdded{Tools: []cdpclient.Tool{{Name: "pay", FrameID: "NEW"}}}))
		})
		h.Want("shop_test_page0_pay")
		fakeclock.Elapse(AfterLoad)
		c.Fails("navigated to " + Cart)
		if url := h.Tab(p).URL; url != Cart {
			t.Errorf("the page is at %s", url)
		}
		if n := Sent(p, cdpclient.PageAddScriptToEvaluateOnNewDocument) - before; n != 2 || Sent(p, "Page.removeScriptToEvaluateOnNewDocument") != 2 {
			t.Errorf("%d scripts were installed, or the two old ones not removed", n)
		}
		h.Begin("shop_test_page0_pay", `{}`).Fails(`"frameId":"NEW"`)
		main := inside(h, p, func(a *Link) int {
			if a.Main() == "NEW" && a.SessionOf("NEW") != "" && a.Knows("KID", "NEW") && a.KnownFrames() == 2 {
				return 1
			}
			return 0
		})
		if main != 1 {
			t.Error("the frames are not those of the new page")
		}
		// The next navigation is an ordinary one, of the new frame.
		tree = `{"frameTree":{"frame":{"id":"NEW","url":"` + Shop + `"}}}`
		inLink(h, p, func(a *Link) {
			a.Event(event(a, cdpclient.RuntimeExecutionContextsCleared, nil))
			a.Event(event(a, cdpclient.PageFrameNavigated, json.RawMessage(`{"frame":{"id":"NEW","url":"`+Shop+`"},"type":"Navigation"}`)))
		})
		synctest.Wait()
		h.Want()
		if url := h.Tab(p).URL; url != Shop {
			t.Errorf("the page is at %s", url)
		}
		if frames := inside(h, p, func(a *Link) int {
			if a.Main() != "NEW" {
				return 0
			}
			return a.KnownFrames()
		}); frames != 1 {
			t.Errorf("%d frames", frames)
		}
	})
}
