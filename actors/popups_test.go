package actors

import (
	"testing"

	"webmcphub/cdpclient"
	"webmcphub/internal/fakeclock"
)

// TestFormsThatOpenATab: Chrome never answers the invocation of one.
func TestFormsThatOpenATab(t *testing.T) {
	const find = "shop_test_page0_find"
	setup := func(t *testing.T, node int) (h *testHub, s *slow, opens func()) {
		h, s = newHub(t), newSlow()
		p := h.offer()
		p.Register(s.tool("find"))
		h.quiet()
		h.inActor(p, func(a *cdpLink) { // the fake has no forms
			a.event(event(a, cdpclient.WebMCPToolsAdded, cdpclient.ToolsAdded{Tools: []cdpclient.Tool{{Name: "find", FrameID: p.ID(), BackendNodeID: node}}}))
		})
		h.quiet()
		return h, s, func() {
			h.inActor(p, func(a *cdpLink) {
				a.event(event(a, cdpclient.PageWindowOpen, cdpclient.WindowOpen{URL: shop + "found?q=1"}))
			})
			h.quiet()
		}
	}
	t.Run("is answered by the tab", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, _, opens := setup(t, 7)
			c := h.begin(find, `{}`)
			opens()
			c.runs()
			fakeclock.Elapse(afterWindow)
			c.says("shows its result in a new tab: " + shop + "found?q=1")
		})
	})
	t.Run("the page's own answer counts", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, s, opens := setup(t, 7)
			c := h.begin(find, `{}`)
			opens()
			s.answers <- "mine"
			c.says("mine")
			fakeclock.Elapse(afterWindow)
		})
	})
	t.Run("a script's tool that opens a window answers itself", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, s, opens := setup(t, 0)
			c := h.begin(find, `{}`)
			opens()
			fakeclock.Elapse(10 * afterWindow)
			c.runs()
			s.answers <- "mine"
			c.says("mine")
		})
	})
}
