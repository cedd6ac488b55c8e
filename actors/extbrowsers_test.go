package actors

import (
	"slices"
	"testing"
	"time"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

func explicit(o *Options) { o.Explicit = true }

// connectTo and letGoOf are orders that must be carried out.
func (h *testHub) connectTo(p *cdptest.Page) {
	h.t.Helper()
	if err := h.ConnectPage(h.t.Context(), registry.PageID(p.ID())); err != nil {
		h.t.Error(err)
	}
	h.quiet()
}

func (h *testHub) letGoOf(p *cdptest.Page) {
	h.t.Helper()
	if err := h.DisconnectPage(h.t.Context(), registry.PageID(p.ID())); err != nil {
		h.t.Error(err)
	}
	h.quiet()
}

// untouched fails if a page was sent anything, or anything that could reach
// pages was asked of the browser.
func (h *testHub) untouched(p *cdptest.Page) {
	h.t.Helper()
	if c := p.Commands(); len(c) != 0 {
		h.t.Errorf("the page was sent %s and %d more commands", c[0].Method, len(c)-1)
	}
	for _, c := range h.chrome.Commands() {
		if !slices.Contains([]string{"Browser.getVersion", "Target.setDiscoverTargets", "Target.getTargets", "Browser.getWindowForTarget"}, c.Method) {
			h.t.Errorf("the browser was sent %s %s", c.Method, c.Params)
		}
	}
}

// TestExplicitTouchesNothing: before a page is connected the hub knows its
// address and title, and the page knows nothing of the hub.
func TestExplicitTouchesNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := prepare(t, explicit)
		before := h.chrome.OpenPage(shop)
		before.Register(tool("add"))
		h.start()
		after := h.chrome.OpenPage(cart)
		after.Register(tool("checkout"))
		h.want()
		after.SetTitle("A cart")
		after.Navigate(third)
		h.want()
		for _, p := range []*cdptest.Page{before, after} {
			if tab := h.tab(p); tab.Connected() || tab.URL != p.URL() {
				t.Errorf("the tab is %+v", tab)
			}
			h.untouched(p)
		}
		before.Crash()
		h.quiet()
		if s := h.tab(before).State; s != "crashed" {
			t.Errorf("a crashed page %s", s)
		}
		before.Reload()
		h.quiet()
		if s := h.tab(before).State; s != registry.NotConnected {
			t.Errorf("a reloaded page %s", s)
		}
		before.Close()
		h.quiet()
		if h.pub.current().Tab(registry.PageID(before.ID())) != nil || len(h.pub.current().Tabs()) != 1 {
			t.Error("a closed tab is still there")
		}
		h.untouched(after)
	})
}

// explicitOrNot plays a test with pages that are attached to at once, and with
// such as wait to be asked for. The hub is yet to be started.
func explicitOrNot(t *testing.T, test func(t *testing.T, h *testHub)) {
	t.Run("explicit", func(t *testing.T) { bubble(t, func(t *testing.T) { test(t, prepare(t, explicit)) }) })
	t.Run("not", func(t *testing.T) { bubble(t, func(t *testing.T) { test(t, prepare(t)) }) })
}

func TestConnectAndDisconnect(t *testing.T) {
	explicitOrNot(t, func(t *testing.T, h *testHub) {
		other := h.chrome.OpenPage(third)
		p := h.chrome.OpenPage(shop)
		wait := newSlow()
		p.Register(tool("add"), wait.tool("wait"))
		h.start()
		id := h.tab(p).ID
		h.connectTo(p)
		h.connectTo(p) // changes nothing
		h.want("shop_test_page1_add", "shop_test_page1_wait")
		if !h.tab(p).Connected() || h.tab(p).State != "" {
			t.Errorf("a connected page %s", h.tab(p).State)
		}
		h.call("shop_test_page1_add", `{}`, "ok")
		p.Navigate(shop + "2") // it stays connected
		h.want()
		p.Register(tool("add"), wait.tool("wait"))
		own := h.serve(p.Main(), tool("ask"))
		h.frame(p.Main(), ads).Register(tool("pay")) // in another process
		h.want("shop_test_page1_add", "shop_test_page1_ask", "shop_test_page1_pay", "shop_test_page1_wait")

		was := h.tool("shop_test_page1_add")
		c := h.begin("shop_test_page1_wait", `{}`)
		h.letGoOf(p)
		h.letGoOf(p) // changes nothing
		c.fails("A client of this hub disconnected the page")
		if _, aborted := wait.counts(); aborted != 1 {
			t.Errorf("%d calls were cancelled in the page", aborted)
		}
		h.want()
		if tab := h.tab(p); tab.Connected() || tab.ID != id || tab.Index != 1 {
			t.Errorf("the tab is %+v", tab)
		}
		h.beginTool(t.Context(), was, `{}`).fails("its page is not connected")
		detached := func(c cdptest.Command) bool { return c.Method == "Target.detachFromTarget" }
		if !slices.ContainsFunc(h.chrome.Commands(), detached) {
			t.Error("the hub has kept its session with the page")
		}
		n := len(p.Commands())
		p.Register(tool("late"))
		own.change(tool("ask"), tool("told"))
		p.PushState(shop + "3")
		h.want()
		if tab := h.tab(p); tab.URL != shop+"3" {
			t.Errorf("the address is %s", tab.URL)
		}
		fakeclock.Elapse(time.Minute)
		if c := p.Commands(); len(c) != n {
			t.Errorf("a page that was let go of was sent %s", c[n].Method)
		}

		h.connectTo(p)
		h.want("shop_test_page1_add", "shop_test_page1_ask", "shop_test_page1_late", "shop_test_page1_pay", "shop_test_page1_told", "shop_test_page1_wait")
		h.call("shop_test_page1_late", `{}`, "ok")
		h.letGoOf(p)
		p.Close()
		h.quiet()
		if h.pub.current().Tab(registry.PageID(p.ID())) != nil {
			t.Error("the closed tab is still there")
		}
		if err := h.ConnectPage(t.Context(), registry.PageID(p.ID())); err == nil {
			t.Error("connected to a closed tab")
		}
		other.Register(tool("x"))
		h.quiet()
	})
}

// TestDisconnectBeforeChromeNamedTheCall: the page hears of it all the same.
func TestDisconnectBeforeChromeNamedTheCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t)
		wait := newSlow()
		p := h.offer(wait.tool("wait"), tool("add"))
		release := h.dialer.stallAt("invocationId")
		c := h.begin("shop_test_page0_wait", `{}`)
		if err := h.DisconnectPage(t.Context(), registry.PageID(p.ID())); err != nil {
			t.Fatal(err)
		}
		c.runs()
		h.beginTool(t.Context(), h.tool("shop_test_page0_add"), `{}`).fails("its page is not connected")
		release()
		c.fails("A client of this hub disconnected the page")
		h.want()
		if _, aborted := wait.counts(); aborted != 1 {
			t.Errorf("%d calls were cancelled in the page", aborted)
		}
	})
}

// TestDisconnectFromAPageThatHangs: it takes as long as a page may take to hear
// that its calls are over, and no longer.
func TestDisconnectFromAPageThatHangs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t)
		p := h.offer(tool("add"))
		p.Hang()
		c := h.begin("shop_test_page0_add", `{}`)
		begun := time.Now()
		h.letGoOf(p)
		fakeclock.Elapse(2 * tab.PartTimeout)
		c.fails("A client of this hub disconnected the page")
		h.want()
		t.Logf("it took %v", time.Since(begun))
		p.Resume()
		h.connectTo(p)
		h.want("shop_test_page0_add")
	})
}

// TestChoicesHold when the connection is lost and made again, and when the page
// is taken up anew after a failure.
func TestChoicesHold(t *testing.T) {
	explicitOrNot(t, func(t *testing.T, h *testHub) {
		one, two := h.chrome.OpenPage(shop), h.chrome.OpenPage(cart)
		one.Register(tool("add"))
		two.Register(tool("checkout"))
		h.start()
		h.connectTo(one)
		h.connectTo(two)
		h.letGoOf(two)
		h.want("shop_test_page0_add")
		h.chrome.Disconnect()
		fakeclock.Elapse(time.Second)
		h.want("shop_test_page0_add")
		if tab := h.tab(two); tab.Connected() {
			t.Error("a page was connected that a client had let go of")
		}
		h.connectTo(two)
		h.want("shop_test_page0_add", "shop_test_page1_checkout")
	})
}
