package actors

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"weak"

	"webmcphub/actors/keeper"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// floods has a page send more than its actor can read.
func (h *testHub) floods(p *cdptest.Page) {
	h.t.Helper()
	goOn := h.stopActor(p)
	big := strings.Repeat("x", 4<<20)
	for i := range tab.MaxBacklog>>22 + 1 {
		p.Register(cdptest.Tool{Name: "big", Description: fmt.Sprint(i, big)})
		p.Unregister("big")
	}
	goOn()
	h.quiet()
}

// TestAPageThatIsReplaced: its actor lets go of its session by itself, ends its
// calls, and is forgotten.
func TestAPageThatIsReplaced(t *testing.T) {
	for what, answered := range map[string]bool{"before Chrome has named its call": false, "after Chrome has named its call": true} {
		t.Run("for flooding, "+what, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				p := h.offer(newSlow().tool("wait"))
				var actor weak.Pointer[cdpLink]
				h.inActor(p, func(a *cdpLink) { actor = weak.Make(a) })
				if !answered {
					p.On(cdpclient.WebMCPInvokeTool, func(cdptest.Command) (any, error) { return nil, cdptest.ErrHang })
				}
				c := h.begin("shop_test_page0_wait", `{}`)
				h.floods(p)
				fakeclock.Elapse(tab.PartTimeout)
				c.fails("internal error")
				h.want("shop_test_page0_wait")
				fakeclock.Elapse(tab.PartTimeout)
				synctest.Wait()
				h.onlySession(p)
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
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			for range keeper.MaxFailures + 1 {
				h.inActor(p, func(*cdpLink) { panic("a test's panic") })
				h.quiet()
				fakeclock.Elapse(tab.PartTimeout)
			}
			h.want()
			if n := p.Sessions(); n != 0 {
				t.Errorf("the page that is left alone has %d sessions", n)
			}
			if f := p.AddFrame(ads); f.URL() != ads {
				t.Error("its new iframe waits for a debugger that nobody is")
			}
		})
	})
	t.Run("can be let go of at once", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			page := registry.PageID(p.ID())
			h.inActor(p, func(*cdpLink) { panic("a test's panic") })
			synctest.Wait()
			if err := h.DisconnectPage(t.Context(), page); err != nil {
				t.Error(err)
			}
			h.want()
			fakeclock.Elapse(tab.PartTimeout)
			synctest.Wait()
			if n := p.Sessions(); n != 0 {
				t.Errorf("%d sessions are left", n)
			}
		})
	})
}

// onlySession checks that the hub has one session on a page.
func (h *testHub) onlySession(p *cdptest.Page) {
	h.t.Helper()
	if n := p.Sessions(); n != 1 {
		h.t.Errorf("the page has %d sessions", n)
	}
}

// TestADisconnectHolds: whatever was on its way when a client let go of a page.
func TestADisconnectHolds(t *testing.T) {
	t.Run("while the session that another asked for is on its way", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t, func(o *Options) { o.Explicit = true })
			p := h.offer(tool("add"))
			page := registry.PageID(p.ID())
			asked := make(chan struct{})
			h.chrome.On("Target.attachToTarget", func(cdptest.Command) (any, error) {
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
			h.want()
			if n := p.Sessions(); n != 0 {
				t.Errorf("the hub has %d sessions on a page that it let go of", n)
			}
			if h.tab(p).Connected() {
				t.Error("it counts as connected")
			}
		})
	})
	for what, happens := range map[string]func(*cdptest.Page){
		"a navigation":       func(p *cdptest.Page) { p.NavigateByScript(shop) },
		"a crash and reload": func(p *cdptest.Page) { p.Crash(); p.Reload() },
	} {
		t.Run("while it waits for Chrome to name a call, through "+what, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				h.chrome.Serve(shop, cdptest.Site{Tools: []cdptest.Tool{tool("add"), newSlow().tool("wait")}})
				p := h.chrome.OpenPage(shop)
				h.quiet()
				add := h.tool("shop_test_page0_add")
				p.On(cdpclient.WebMCPInvokeTool, func(cdptest.Command) (any, error) { return nil, cdptest.ErrHang })
				h.begin("shop_test_page0_wait", `{}`)
				if err := h.DisconnectPage(t.Context(), registry.PageID(p.ID())); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				happens(p)
				synctest.Wait()
				p.On(cdpclient.WebMCPInvokeTool, nil)
				before := sent(p, cdpclient.WebMCPInvokeTool)
				for _, tool := range []*registry.HubTool{add, again(h, p, add)} {
					h.beginTool(t.Context(), tool, `{}`).fails("is not connected")
				}
				if n := sent(p, cdpclient.WebMCPInvokeTool); n != before {
					t.Error("a call was passed on to a page that a client let go of")
				}
				fakeclock.Elapse(2 * tab.PartTimeout)
				h.want()
				if h.tab(p).Connected() {
					t.Error("it counts as connected")
				}
			})
		})
	}
}

// again is the tool as the page's present document offers it.
func again(h *testHub, p *cdptest.Page, tool *registry.HubTool) *registry.HubTool {
	now := *tool
	h.inActor(p, func(a *cdpLink) { now.Route.Doc = a.main.doc })
	synctest.Wait()
	return &now
}

// TestAPredecessorIsNotHeard: what the actor of a page still has to say when
// another has taken its place.
func TestAPredecessorIsNotHeard(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, func(o *Options) { o.WatchFront = true })
		p := h.offer(tool("add"))
		q := h.chrome.OpenPage("http://news.test/")
		h.quiet()
		h.root.Send(h.registry, registry.FrontFound{Page: registry.PageID(q.ID())})
		found, _ := h.pages.Load(registry.PageID(p.ID()))
		goOn := h.stopActor(p)
		h.inActor(p, func(a *cdpLink) {
			a.Shown()
			a.Doc.Title = "Late"
			a.Moved(a.main.doc) // which reports at once
			a.crashed(a.session, struct{}{})
		})
		h.root.Send(h.browser, tab.ActorFailed{Page: registry.PageID(p.ID()), Of: found.(*tab.Address)})
		h.want("shop_test_page1_add")
		goOn()
		h.want("shop_test_page1_add")
		if tab := h.tab(p); tab.State != "" || tab.Title == "Late" {
			t.Errorf("the page is %q and %s", tab.Title, tab.State)
		}
		if switched := h.pub.switched(); len(switched) > 0 {
			t.Errorf("the user is said to have switched to %v", switched)
		}
	})
}
