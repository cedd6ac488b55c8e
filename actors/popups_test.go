package actors

import (
	"strings"
	"testing"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

// TestFormsThatOpenATab: Chrome never answers the invocation of one.
func TestFormsThatOpenATab(t *testing.T) {
	const find = "shop_test_page0_find"
	setup := func(t *testing.T, node int) (h *testHub, s *slow, p *cdptest.Page, asks func()) {
		h, s = newHub(t), newSlow()
		p = h.offer()
		p.Register(s.tool("find"))
		h.quiet()
		h.inActor(p, func(a *cdpLink) { // the fake has no forms
			a.event(event(a, cdpclient.WebMCPToolsAdded, cdpclient.ToolsAdded{Tools: []cdpclient.Tool{{Name: "find", FrameID: p.ID(), BackendNodeID: node}}}))
		})
		h.quiet()
		return h, s, p, func() {
			h.inActor(p, func(a *cdpLink) {
				a.event(event(a, cdpclient.PageWindowOpen, cdpclient.WindowOpen{URL: shop + "found?q=1"}))
			})
			h.quiet()
		}
	}
	bubbled := func(name string, test func(t *testing.T)) {
		t.Run(name, func(t *testing.T) { bubble(t, test) })
	}
	bubbled("is answered by the tab", func(t *testing.T) {
		h, _, p, asks := setup(t, 7)
		c := h.begin(find, `{}`)
		asks()
		opened := p.OpenPopup(cart)
		h.quiet()
		fakeclock.Elapse(afterWindow / 4)
		c.runs()
		fakeclock.Elapse(afterWindow)
		r := c.result()
		if r.IsError || !strings.Contains(string(r.JSON), "shows its result in a new tab: "+shop+"found?q=1") || r.Opened != opened.ID() {
			t.Errorf("got %s, opened %q, want %q", r.JSON, r.Opened, opened.ID())
		}
		fakeclock.Elapse(blockedAfter)
	})
	bubbled("is not answered by a tab that another frame opened", func(t *testing.T) {
		h, _, p, asks := setup(t, 7)
		inner := h.frame(p.Main(), shop+"inner")
		c := h.begin(find, `{}`)
		asks()
		inner.OpenPopup(cart)
		h.quiet()
		fakeclock.Elapse(2 * blockedAfter)
		c.runs()
		asks()
		p.OpenPopup(cart)
		h.quiet()
		fakeclock.Elapse(afterWindow)
		c.says("shows its result in a new tab")
	})
	bubbled("says that the tab was blocked", func(t *testing.T) {
		h, _, _, asks := setup(t, 7)
		c := h.begin(find, `{}`)
		asks()
		fakeclock.Elapse(blockedAfter / 2)
		c.runs()
		fakeclock.Elapse(blockedAfter)
		c.fails("The browser has blocked a new tab (" + shop + "found?q=1) that the page of tool \"find\" asked for. If the tab was to show the form's result, the form was not sent")
	})
	for name, tab := range map[string]func(p *cdptest.Page){
		"a blocked window":           func(*cdptest.Page) {},
		"a tab that the frame opens": func(p *cdptest.Page) { p.OpenPopup(cart) },
	} {
		bubbled(name+" ends no call whose form is on its way in its own tab", func(t *testing.T) {
			h, s, p, asks := setup(t, 7)
			c := h.begin(find, `{}`)
			h.quiet()
			h.says(p, cdpclient.PageFrameRequestedNavigation, "formSubmissionPost")
			h.says(p, cdpclient.PageFrameStartedNavigating, "")
			asks()
			tab(p)
			h.quiet()
			fakeclock.Elapse(2 * blockedAfter)
			c.runs()
			s.answers <- "mine"
			c.says("mine")
		})
	}
	bubbled("is answered by the tab of its address, not by that of a window which was blocked before", func(t *testing.T) {
		h, _, p, asks := setup(t, 7)
		c := h.begin(find, `{}`)
		h.quiet()
		h.inActor(p, func(a *cdpLink) {
			a.event(event(a, cdpclient.PageWindowOpen, cdpclient.WindowOpen{URL: "https://ads.test/"}))
		})
		asks()
		h.inActor(p, func(a *cdpLink) { a.tabOpened(tabOpened{"opened", a.main.id, shop + "found?q=1"}) })
		fakeclock.Elapse(2 * afterWindow)
		r := c.result()
		if r.IsError || !strings.Contains(string(r.JSON), "shows its result in a new tab: "+shop+"found?q=1") || r.Opened != "opened" {
			t.Errorf("got %s, opened %q", r.JSON, r.Opened)
		}
		fakeclock.Elapse(blockedAfter)
	})
	bubbled("keeps few of the windows that a page asks for", func(t *testing.T) {
		h, _, p, _ := setup(t, 7)
		c := h.begin(find, `{}`)
		h.quiet()
		h.inActor(p, func(a *cdpLink) {
			for range 10 * maxAsked {
				a.event(event(a, cdpclient.PageWindowOpen, cdpclient.WindowOpen{URL: "https://ads.test/"}))
			}
			if n := len(a.asked); n != maxAsked {
				t.Errorf("%d are kept", n)
			}
		})
		fakeclock.Elapse(2 * blockedAfter)
		c.fails("The browser has blocked a new tab")
	})
	bubbled("a blocked window ends no call that began later", func(t *testing.T) {
		h, s, _, asks := setup(t, 7)
		first := h.begin(find, `{}`)
		asks()
		fakeclock.Elapse(1)
		second := h.begin(find, `{}`)
		fakeclock.Elapse(blockedAfter)
		first.fails("has blocked a new tab")
		second.runs()
		s.answers <- "mine"
		s.answers <- "mine"
		second.says("mine")
	})
	bubbled("the page's own answer counts", func(t *testing.T) {
		h, s, p, asks := setup(t, 7)
		c := h.begin(find, `{}`)
		asks()
		p.OpenPopup(cart)
		h.quiet()
		s.answers <- "mine"
		c.says("mine")
		fakeclock.Elapse(blockedAfter)
	})
	bubbled("a script's tool that opens a window answers itself", func(t *testing.T) {
		h, s, p, asks := setup(t, 0)
		c := h.begin(find, `{}`)
		asks()
		p.OpenPopup(cart)
		fakeclock.Elapse(10 * blockedAfter)
		c.runs()
		s.answers <- "mine"
		c.says("mine")
	})
}

// TestFormsThatLeadNowhere: Chrome never answers the invocation of one either.
func TestFormsThatLeadNowhere(t *testing.T) {
	const find = "shop_test_page0_find"
	for name, is := range map[string]struct {
		reason string
		then   func(h *testHub, p *cdptest.Page)
		want   string // "" if the call goes on
	}{
		"204":                       {"formSubmissionPost", func(*testHub, *cdptest.Page) {}, "no page came of it: the server has nothing to show"},
		"another navigation begins": {"formSubmissionGet", func(h *testHub, p *cdptest.Page) { h.says(p, cdpclient.PageFrameStartedNavigating, "") }, ""},
		"a script's navigation":     {"scriptInitiated", func(*testHub, *cdptest.Page) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h, s := newHub(t), newSlow()
				p := h.offer()
				p.Register(s.tool("find"))
				h.quiet()
				h.inActor(p, func(a *cdpLink) {
					a.event(event(a, cdpclient.WebMCPToolsAdded, cdpclient.ToolsAdded{Tools: []cdpclient.Tool{{Name: "find", FrameID: p.ID(), BackendNodeID: 7}}}))
				})
				h.quiet()
				c := h.begin(find, `{}`)
				h.quiet()
				h.says(p, cdpclient.PageFrameRequestedNavigation, is.reason)
				h.says(p, cdpclient.PageFrameStartedNavigating, "")
				fakeclock.Elapse(10 * afterLoad)
				c.runs()
				h.says(p, cdpclient.PageFrameStoppedLoading, "")
				fakeclock.Elapse(afterLoad / 4)
				c.runs()
				is.then(h, p)
				fakeclock.Elapse(10 * afterLoad)
				if is.want == "" {
					c.runs()
					s.answers <- "mine"
					c.says("mine")
					return
				}
				c.says(is.want)
			})
		})
	}
}

// TestFormsOfOtherFrames: what becomes of a form that the page sends in another frame
// says nothing of a call's.
func TestFormsOfOtherFrames(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, s := newHub(t), newSlow()
		p := h.offer()
		p.Register(s.tool("find"))
		inner := h.frame(p.Main(), shop+"inner")
		h.quiet()
		h.inActor(p, func(a *cdpLink) {
			a.event(event(a, cdpclient.WebMCPToolsAdded, cdpclient.ToolsAdded{Tools: []cdpclient.Tool{{Name: "find", FrameID: p.ID(), BackendNodeID: 7}}}))
		})
		h.quiet()
		c := h.begin("shop_test_page0_find", `{}`)
		h.quiet()
		for _, method := range []string{cdpclient.PageFrameRequestedNavigation, cdpclient.PageFrameStartedNavigating, cdpclient.PageFrameStoppedLoading} {
			h.inActor(p, func(a *cdpLink) {
				a.event(event(a, method, cdpclient.FrameRequestedNavigation{FrameID: inner.ID(), Reason: "formSubmissionPost"}))
			})
		}
		fakeclock.Elapse(10 * afterLoad)
		c.runs()
		s.answers <- "mine"
		c.says("mine")
	})
}

// says has the page's main frame say something of its navigation.
func (h *testHub) says(p *cdptest.Page, method, reason string) {
	h.inActor(p, func(a *cdpLink) {
		a.event(event(a, method, cdpclient.FrameRequestedNavigation{FrameID: p.ID(), Reason: reason}))
	})
	h.quiet()
}
