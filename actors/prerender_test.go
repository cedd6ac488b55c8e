package actors

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// TestAPrerenderedPageIsActivated: as Chromium 156 tells it, by contexts and
// tools of another main frame, and without Page.frameNavigated.
func TestAPrerenderedPageIsActivated(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t)
		s := newSlow()
		p := h.offer(s.tool("wait"))
		c := h.begin("shop_test_page0_wait", `{}`)
		h.inActor(p, func(a *cdpLink) { // the tool may be what goes there
			a.event(event(a, cdpclient.PageFrameRequestedNavigation, cdpclient.FrameRequestedNavigation{FrameID: p.ID(), URL: cart}))
		})
		tree := `{"frameTree":{"frame":{"id":"NEW","url":"` + cart + `"},"childFrames":[{"frame":{"id":"KID","parentId":"NEW","url":"` + cart + `"}}]}}`
		p.On(cdpclient.PageGetFrameTree, func(cdptest.Command) (any, error) { return json.RawMessage(tree), nil })
		p.On(cdpclient.WebMCPInvokeTool, func(c cdptest.Command) (any, error) {
			return nil, &cdpclient.Error{Message: "asked " + string(c.Params)}
		})
		before := sent(p, cdpclient.PageAddScriptToEvaluateOnNewDocument)
		h.inActor(p, func(a *cdpLink) {
			a.event(event(a, cdpclient.RuntimeExecutionContextsCleared, nil))
			a.event(event(a, cdpclient.WebMCPToolsAdded, cdpclient.ToolsAdded{Tools: []cdpclient.Tool{{Name: "pay", FrameID: "NEW"}}}))
		})
		h.want("shop_test_page0_pay")
		fakeclock.Elapse(afterLoad)
		c.fails("navigated to " + cart)
		if url := h.tab(p).URL; url != cart {
			t.Errorf("the page is at %s", url)
		}
		if n := sent(p, cdpclient.PageAddScriptToEvaluateOnNewDocument) - before; n != 2 || sent(p, "Page.removeScriptToEvaluateOnNewDocument") != 2 {
			t.Errorf("%d scripts were installed, or the two old ones not removed", n)
		}
		h.begin("shop_test_page0_pay", `{}`).fails(`"frameId":"NEW"`)
		main := h.inside(p, func(a *cdpLink) int {
			kid := a.frames["KID"]
			if a.main.id == "NEW" && a.frames["NEW"] == a.main && kid != nil && kid.parent == "NEW" && kid.found && len(a.frames) == 2 {
				return 1
			}
			return 0
		})
		if main != 1 {
			t.Error("the frames are not those of the new page")
		}
		// The next navigation is an ordinary one, of the new frame.
		tree = `{"frameTree":{"frame":{"id":"NEW","url":"` + shop + `"}}}`
		h.inActor(p, func(a *cdpLink) {
			a.event(event(a, cdpclient.RuntimeExecutionContextsCleared, nil))
			a.event(event(a, cdpclient.PageFrameNavigated, json.RawMessage(`{"frame":{"id":"NEW","url":"`+shop+`"},"type":"Navigation"}`)))
		})
		synctest.Wait()
		h.want()
		if url := h.tab(p).URL; url != shop {
			t.Errorf("the page is at %s", url)
		}
		if frames := h.inside(p, func(a *cdpLink) int {
			if a.main.id != registry.FrameID("NEW") {
				return 0
			}
			return len(a.frames)
		}); frames != 1 {
			t.Errorf("%d frames", frames)
		}
	})
}
