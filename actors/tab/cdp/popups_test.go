package cdp_test

import (
	"strings"
	"testing"

	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

// TestFormsThatOpenATab: Chrome never answers the invocation of one.
func TestFormsThatOpenATab(t *testing.T) {
	const find = "shop_test_page0_find"
	setup := func(t *testing.T, node int) (h *TestHub, s *Slow, p *cdptest.Page, asks func()) {
		h, s = NewHub(t), NewSlow()
		p = h.Offer()
		p.Register(s.Tool("find"))
		h.Quiet()
		inLink(h, p, func(a *Link) { // the fake has no forms
			a.Event(event(a, cdpclient.WebMCPToolsAdded, cdpclient.ToolsAdded{Tools: []cdpclient.Tool{{Name: "find", FrameID: p.ID(), BackendNodeID: node}}}))
		})
		h.Quiet()
		return h, s, p, func() {
			inLink(h, p, func(a *Link) {
				a.Event(event(a, cdpclient.PageWindowOpen, cdpclient.WindowOpen{URL: Shop + "found?q=1"}))
			})
			h.Quiet()
		}
	}
	bubbled := func(name string, test func(t *testing.T)) {
		t.Run(name, func(t *testing.T) { Bubble(t, test) })
	}
	bubbled("is answered by the tab", func(t *testing.T) {
		h, _, p, asks := setup(t, 7)
		c := h.Begin(find, `{}`)
		asks()
		opened := p.OpenPopup(Cart)
		h.Quiet()
		fakeclock.Elapse(AfterWindow / 4)
		c.Runs()
		fakeclock.Elapse(AfterWindow)
		r := c.Result()
		if r.IsError || !strings.Contains(string(r.JSON), "shows its result in a new tab: "+Shop+"found?q=1") || r.Opened != opened.ID() {
			t.Errorf("got %s, opened %q, want %q", r.JSON, r.Opened, opened.ID())
		}
		fakeclock.Elapse(BlockedAfter)
	})
	bubbled("is not answered by a tab that another frame opened", func(t *testing.T) {
		h, _, p, asks := setup(t, 7)
		inner := h.Frame(p.Main(), Shop+"inner")
		c := h.Begin(find, `{}`)
		asks()
		inner.OpenPopup(Cart)
		h.Quiet()
		fakeclock.Elapse(2 * BlockedAfter)
		c.Runs()
		asks()
		p.OpenPopup(Cart)
		h.Quiet()
		fakeclock.Elapse(AfterWindow)
		c.Says("shows its result in a new tab")
	})
	bubbled("says that the tab was blocked", func(t *testing.T) {
		h, _, _, asks := setup(t, 7)
		c := h.Begin(find, `{}`)
		asks()
		fakeclock.Elapse(BlockedAfter / 2)
		c.Runs()
		fakeclock.Elapse(BlockedAfter)
		c.Fails("The browser has blocked a new tab (" + Shop + "found?q=1) that the page of tool \"find\" asked for. If the tab was to show the form's result, the form was not sent")
	})
	for name, tab := range map[string]func(p *cdptest.Page){
		"a blocked window":           func(*cdptest.Page) {},
		"a tab that the frame opens": func(p *cdptest.Page) { p.OpenPopup(Cart) },
	} {
		bubbled(name+" ends no call whose form is on its way in its own tab", func(t *testing.T) {
			h, s, p, asks := setup(t, 7)
			c := h.Begin(find, `{}`)
			h.Quiet()
			sends(h, p, cdpclient.PageFrameRequestedNavigation, "formSubmissionPost")
			sends(h, p, cdpclient.PageFrameStartedNavigating, "")
			asks()
			tab(p)
			h.Quiet()
			fakeclock.Elapse(2 * BlockedAfter)
			c.Runs()
			s.Answers <- "mine"
			c.Says("mine")
		})
	}
	bubbled("is answered by the tab of its address, not by that of a window which was blocked before", func(t *testing.T) {
		h, _, p, asks := setup(t, 7)
		c := h.Begin(find, `{}`)
		h.Quiet()
		inLink(h, p, func(a *Link) {
			a.Event(event(a, cdpclient.PageWindowOpen, cdpclient.WindowOpen{URL: "https://ads.test/"}))
		})
		asks()
		inLink(h, p, func(a *Link) { a.Opened(TabOpened{Page: "opened", Frame: a.Main(), URL: Shop + "found?q=1"}) })
		fakeclock.Elapse(2 * AfterWindow)
		r := c.Result()
		if r.IsError || !strings.Contains(string(r.JSON), "shows its result in a new tab: "+Shop+"found?q=1") || r.Opened != "opened" {
			t.Errorf("got %s, opened %q", r.JSON, r.Opened)
		}
		fakeclock.Elapse(BlockedAfter)
	})
	bubbled("keeps few of the windows that a page asks for", func(t *testing.T) {
		h, _, p, _ := setup(t, 7)
		c := h.Begin(find, `{}`)
		h.Quiet()
		inLink(h, p, func(a *Link) {
			for range 10 * MaxAsked {
				a.Event(event(a, cdpclient.PageWindowOpen, cdpclient.WindowOpen{URL: "https://ads.test/"}))
			}
			if n := a.AskedWindows(); n != MaxAsked {
				t.Errorf("%d are kept", n)
			}
		})
		fakeclock.Elapse(2 * BlockedAfter)
		c.Fails("The browser has blocked a new tab")
	})
	bubbled("a blocked window ends no call that began later", func(t *testing.T) {
		h, s, _, asks := setup(t, 7)
		first := h.Begin(find, `{}`)
		asks()
		fakeclock.Elapse(1)
		second := h.Begin(find, `{}`)
		fakeclock.Elapse(BlockedAfter)
		first.Fails("has blocked a new tab")
		second.Runs()
		s.Answers <- "mine"
		s.Answers <- "mine"
		second.Says("mine")
	})
	bubbled("the page's own answer counts", func(t *testing.T) {
		h, s, p, asks := setup(t, 7)
		c := h.Begin(find, `{}`)
		asks()
		p.OpenPopup(Cart)
		h.Quiet()
		s.Answers <- "mine"
		c.Says("mine")
		fakeclock.Elapse(BlockedAfter)
	})
	bubbled("a script's tool that opens a window answers itself", func(t *testing.T) {
		h, s, p, asks := setup(t, 0)
		c := h.Begin(find, `{}`)
		asks()
		p.OpenPopup(Cart)
		fakeclock.Elapse(10 * BlockedAfter)
		c.Runs()
		s.Answers <- "mine"
		c.Says("mine")
	})
}

// TestFormsThatLeadNowhere: Chrome never answers the invocation of one either.
func TestFormsThatLeadNowhere(t *testing.T) {
	const find = "shop_test_page0_find"
	for name, is := range map[string]struct {
		reason string
		then   func(h *TestHub, p *cdptest.Page)
		want   string // "" if the call goes on
	}{
		"204":                       {"formSubmissionPost", func(*TestHub, *cdptest.Page) {}, "no page came of it: the server has nothing to show"},
		"another navigation begins": {"formSubmissionGet", func(h *TestHub, p *cdptest.Page) { sends(h, p, cdpclient.PageFrameStartedNavigating, "") }, ""},
		"a script's navigation":     {"scriptInitiated", func(*TestHub, *cdptest.Page) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h, s := NewHub(t), NewSlow()
				p := h.Offer()
				p.Register(s.Tool("find"))
				h.Quiet()
				inLink(h, p, func(a *Link) {
					a.Event(event(a, cdpclient.WebMCPToolsAdded, cdpclient.ToolsAdded{Tools: []cdpclient.Tool{{Name: "find", FrameID: p.ID(), BackendNodeID: 7}}}))
				})
				h.Quiet()
				c := h.Begin(find, `{}`)
				h.Quiet()
				sends(h, p, cdpclient.PageFrameRequestedNavigation, is.reason)
				sends(h, p, cdpclient.PageFrameStartedNavigating, "")
				fakeclock.Elapse(10 * AfterLoad)
				c.Runs()
				sends(h, p, cdpclient.PageFrameStoppedLoading, "")
				fakeclock.Elapse(AfterLoad / 4)
				c.Runs()
				is.then(h, p)
				fakeclock.Elapse(10 * AfterLoad)
				if is.want == "" {
					c.Runs()
					s.Answers <- "mine"
					c.Says("mine")
					return
				}
				c.Says(is.want)
			})
		})
	}
}

// TestFormsOfOtherFrames: what becomes of a form that the page sends in another frame
// says nothing of a call's.
func TestFormsOfOtherFrames(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, s := NewHub(t), NewSlow()
		p := h.Offer()
		p.Register(s.Tool("find"))
		inner := h.Frame(p.Main(), Shop+"inner")
		h.Quiet()
		inLink(h, p, func(a *Link) {
			a.Event(event(a, cdpclient.WebMCPToolsAdded, cdpclient.ToolsAdded{Tools: []cdpclient.Tool{{Name: "find", FrameID: p.ID(), BackendNodeID: 7}}}))
		})
		h.Quiet()
		c := h.Begin("shop_test_page0_find", `{}`)
		h.Quiet()
		for _, method := range []string{cdpclient.PageFrameRequestedNavigation, cdpclient.PageFrameStartedNavigating, cdpclient.PageFrameStoppedLoading} {
			inLink(h, p, func(a *Link) {
				a.Event(event(a, method, cdpclient.FrameRequestedNavigation{FrameID: inner.ID(), Reason: "formSubmissionPost"}))
			})
		}
		fakeclock.Elapse(10 * AfterLoad)
		c.Runs()
		s.Answers <- "mine"
		c.Says("mine")
	})
}

// says has the page's main frame say something of its navigation.
func sends(h *TestHub, p *cdptest.Page, method, reason string) {
	inLink(h, p, func(a *Link) {
		a.Event(event(a, method, cdpclient.FrameRequestedNavigation{FrameID: p.ID(), Reason: reason}))
	})
	h.Quiet()
}
