package cdp_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// floods has a page send more than its actor can read.
func floods(h *TestHub, p *cdptest.Page) {
	h.T.Helper()
	goOn := h.StopActor(p)
	big := strings.Repeat("x", 4<<20)
	for i := range tab.MaxBacklog>>22 + 1 {
		p.Register(cdptest.Tool{Name: "big", Description: fmt.Sprint(i, big)})
		p.Unregister("big")
	}
	goOn()
	h.Quiet()
}

// TestAPageThatIsReplaced: its actor lets go of its session by itself, ends its
// calls, and is forgotten.
func TestAPageThatIsReplaced(t *testing.T) {
	for what, answered := range map[string]bool{"before Chrome has named its call": false, "after Chrome has named its call": true} {
		t.Run("for flooding, "+what, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				p := h.Offer(NewSlow().Tool("wait"))
				var actor weak.Pointer[Link]
				inLink(h, p, func(a *Link) { actor = weak.Make(a) })
				if !answered {
					p.On(cdpclient.WebMCPInvokeTool, func(cdptest.Command) (any, error) { return nil, cdptest.ErrHang })
				}
				c := h.Begin("shop_test_page0_wait", `{}`)
				floods(h, p)
				fakeclock.Elapse(tab.ReleaseTimeout)
				c.Fails("internal error")
				h.Want("shop_test_page0_wait")
				fakeclock.Elapse(tab.ReleaseTimeout)
				synctest.Wait()
				onlySession(h, p)
				for range 3 {
					runtime.GC()
				}
				if actor.Value() != nil {
					t.Error("the actor that was replaced is still in memory")
				}
			})
		})
	}
	t.Run("too often keeps no session, and so holds no frame back", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			for range supervisor.MaxFailures + 1 {
				h.InActor(p, func(*tab.Tab) { panic("a test's panic") })
				h.Quiet()
				fakeclock.Elapse(tab.ReleaseTimeout)
			}
			h.Want()
			if n := p.Sessions(); n != 0 {
				t.Errorf("the page that is left alone has %d sessions", n)
			}
			if f := p.AddFrame(Ads); f.URL() != Ads {
				t.Error("its new iframe waits for a debugger that nobody is")
			}
		})
	})
	t.Run("can be let go of at once", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			page := registry.PageID(p.ID())
			h.InActor(p, func(*tab.Tab) { panic("a test's panic") })
			synctest.Wait()
			if err := h.DisconnectPage(t.Context(), page); err != nil {
				t.Error(err)
			}
			h.Want()
			fakeclock.Elapse(tab.ReleaseTimeout)
			synctest.Wait()
			if n := p.Sessions(); n != 0 {
				t.Errorf("%d sessions are left", n)
			}
		})
	})
}

// onlySession checks that the hub has one session on a page.
func onlySession(h *TestHub, p *cdptest.Page) {
	h.T.Helper()
	if n := p.Sessions(); n != 1 {
		h.T.Errorf("the page has %d sessions", n)
	}
}

// TestADisconnectHolds: whatever was on its way when a client let go of a page.
func TestADisconnectHolds(t *testing.T) {
	t.Run("while the session that another asked for is on its way", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t, func(o *actors.Options) { o.Explicit = true })
			p := h.Offer(Tool("add"))
			page := registry.PageID(p.ID())
			asked := make(chan struct{})
			h.Chrome.On("Target.attachToTarget", func(cdptest.Command) (any, error) {
				<-asked
				return nil, cdptest.ErrPass
			})
			connected := make(chan error, 1)
			go func() { connected <- h.ConnectPage(t.Context(), page) }()
			synctest.Wait()
			if err := h.DisconnectPage(t.Context(), page); err != nil {
				t.Error(err)
			}
			close(asked)
			<-connected
			h.Want()
			if n := p.Sessions(); n != 0 {
				t.Errorf("the hub has %d sessions on a page that it let go of", n)
			}
			if h.Tab(p).Connected() {
				t.Error("it counts as connected")
			}
		})
	})
	for what, happens := range map[string]func(*cdptest.Page){
		"a navigation":       func(p *cdptest.Page) { p.NavigateByScript(Shop) },
		"a crash and reload": func(p *cdptest.Page) { p.Crash(); p.Reload() },
	} {
		t.Run("while it waits for Chrome to name a call, through "+what, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				h.Chrome.Serve(Shop, cdptest.Site{Tools: []cdptest.Tool{Tool("add"), NewSlow().Tool("wait")}})
				p := h.Chrome.OpenPage(Shop)
				h.Quiet()
				add := h.Tool("shop_test_page0_add")
				p.On(cdpclient.WebMCPInvokeTool, func(cdptest.Command) (any, error) { return nil, cdptest.ErrHang })
				h.Begin("shop_test_page0_wait", `{}`)
				if err := h.DisconnectPage(t.Context(), registry.PageID(p.ID())); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				happens(p)
				synctest.Wait()
				p.On(cdpclient.WebMCPInvokeTool, nil)
				before := Sent(p, cdpclient.WebMCPInvokeTool)
				for _, tool := range []*registry.HubTool{add, again(h, p, add)} {
					h.BeginTool(t.Context(), tool, `{}`).Fails("is not connected")
				}
				if n := Sent(p, cdpclient.WebMCPInvokeTool); n != before {
					t.Error("a call was passed on to a page that a client let go of")
				}
				fakeclock.Elapse(2 * tab.ReleaseTimeout)
				h.Want()
				if h.Tab(p).Connected() {
					t.Error("it counts as connected")
				}
			})
		})
	}
}

// again is the tool as the page's present document offers it.
func again(h *TestHub, p *cdptest.Page, tool *registry.HubTool) *registry.HubTool {
	now := *tool
	inLink(h, p, func(a *Link) { now.Route.Doc = a.MainDoc() })
	synctest.Wait()
	return &now
}

// TestAPredecessorIsNotHeard: what the actor of a page still has to say when
// another has taken its place.
func TestAPredecessorIsNotHeard(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t, func(o *actors.Options) { o.WatchFront = true })
		p := h.Offer(Tool("add"))
		q := h.Chrome.OpenPage("http://news.test/")
		h.Quiet()
		h.TellRegistry(registry.FoundInFront{Page: registry.PageID(q.ID())})
		found := h.Address(registry.PageID(p.ID()))
		goOn := h.StopActor(p)
		inLink(h, p, func(a *Link) {
			a.ReportFront()
			a.Doc.Title = "Late"
			a.ReportDocument(a.MainDoc()) // which reports at once
			a.Crash()
		})
		h.TellSupervisor(registry.PageID(p.ID()), tab.ActorFailed{Page: registry.PageID(p.ID()), Of: found})
		h.Want("shop_test_page1_add")
		goOn()
		h.Want("shop_test_page1_add")
		if tab := h.Tab(p); tab.State != "" || tab.Title == "Late" {
			t.Errorf("the page is %q and %s", tab.Title, tab.State)
		}
		if switched := h.Pub.Switched(); len(switched) > 0 {
			t.Errorf("the user is said to have switched to %v", switched)
		}
	})
}

// TestPanicsAtTheEnd: a page's actor that panics as it ends leaves neither calls nor
// goroutines behind.
func TestPanicsAtTheEnd(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Offer(NewSlow().Tool("wait"), NewSlow().Tool("wait2"))
		c, c2 := h.Begin("shop_test_page0_wait", `{}`), h.Begin("shop_test_page0_wait2", `{}`)
		var ended func() bool
		inLink(h, p, func(a *Link) {
			for call := range a.Calls {
				call.State.Stop = func() { panic("a test's panic") }
			}
			ended = func() bool { return a.Ended() }
		})
		synctest.Wait()
		p.Close()
		c.Fails("was closed")
		c2.Fails("was closed")
		if !ended() {
			t.Error("the page's goroutines are not told to end")
		}
		fakeclock.Elapse(time.Second)
		h.Want()
	})
}
