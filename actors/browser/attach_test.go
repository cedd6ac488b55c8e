package browser_test

import (
	"slices"
	"testing"
	"time"

	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// TestExplicitTouchesNothing: before a page is connected the hub knows its
// address and title, and the page knows nothing of the hub.
func TestExplicitTouchesNothing(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := Prepare(t, Explicit)
		before := h.Chrome.OpenPage(Shop)
		before.Register(Tool("add"))
		h.Start()
		after := h.Chrome.OpenPage(Cart)
		after.Register(Tool("checkout"))
		h.Want()
		after.SetTitle("A cart")
		after.Navigate(Third)
		h.Want()
		for _, p := range []*cdptest.Page{before, after} {
			if tab := h.Tab(p); tab.Connected() || tab.URL != p.URL() {
				t.Errorf("the tab is %+v", tab)
			}
			h.Untouched(p)
		}
		before.Crash()
		h.Quiet()
		if s := h.Tab(before).State; s != "crashed" {
			t.Errorf("a crashed page %s", s)
		}
		before.Reload()
		h.Quiet()
		if s := h.Tab(before).State; s != registry.NotConnected {
			t.Errorf("a reloaded page %s", s)
		}
		before.Close()
		h.Quiet()
		if h.Pub.Current().Tab(registry.PageID(before.ID())) != nil || len(h.Pub.Current().Tabs()) != 1 {
			t.Error("a closed tab is still there")
		}
		h.Untouched(after)
	})
}

// explicitOrNot plays a test with pages that are attached to at once, and with
// such as wait to be asked for. The hub is yet to be started.
func explicitOrNot(t *testing.T, test func(t *testing.T, h *TestHub)) {
	t.Run("explicit", func(t *testing.T) { Bubble(t, func(t *testing.T) { test(t, Prepare(t, Explicit)) }) })
	t.Run("not", func(t *testing.T) { Bubble(t, func(t *testing.T) { test(t, Prepare(t)) }) })
}

func TestConnectAndDisconnect(t *testing.T) {
	explicitOrNot(t, func(t *testing.T, h *TestHub) {
		other := h.Chrome.OpenPage(Third)
		p := h.Chrome.OpenPage(Shop)
		wait := NewSlow()
		p.Register(Tool("add"), wait.Tool("wait"))
		h.Start()
		id := h.Tab(p).ID
		h.ConnectTo(p)
		h.ConnectTo(p) // changes nothing
		h.Want("shop_test_page1_add", "shop_test_page1_wait")
		if !h.Tab(p).Connected() || h.Tab(p).State != "" {
			t.Errorf("a connected page %s", h.Tab(p).State)
		}
		h.CallSays("shop_test_page1_add", `{}`, "ok")
		p.Navigate(Shop + "2") // it stays connected
		h.Want()
		p.Register(Tool("add"), wait.Tool("wait"))
		own := h.Serve(p.Main(), Tool("ask"))
		h.Frame(p.Main(), Ads).Register(Tool("pay")) // in another process
		h.Want("shop_test_page1_add", "shop_test_page1_ask", "shop_test_page1_pay", "shop_test_page1_wait")

		was := h.Tool("shop_test_page1_add")
		c := h.Begin("shop_test_page1_wait", `{}`)
		h.LetGoOf(p)
		h.LetGoOf(p) // changes nothing
		c.Fails("A client of this hub disconnected the page")
		if _, aborted := wait.Counts(); aborted != 1 {
			t.Errorf("%d calls were cancelled in the page", aborted)
		}
		h.Want()
		if tab := h.Tab(p); tab.Connected() || tab.ID != id || tab.Index != 1 {
			t.Errorf("the tab is %+v", tab)
		}
		h.BeginTool(t.Context(), was, `{}`).Fails("its page is not connected")
		detached := func(c cdptest.Command) bool { return c.Method == "Target.detachFromTarget" }
		if !slices.ContainsFunc(h.Chrome.Commands(), detached) {
			t.Error("the hub has kept its session with the page")
		}
		n := len(p.Commands())
		p.Register(Tool("late"))
		own.Change(Tool("ask"), Tool("told"))
		p.PushState(Shop + "3")
		h.Want()
		if tab := h.Tab(p); tab.URL != Shop+"3" {
			t.Errorf("the address is %s", tab.URL)
		}
		fakeclock.Elapse(time.Minute)
		if c := p.Commands(); len(c) != n {
			t.Errorf("a page that was let go of was sent %s", c[n].Method)
		}

		h.ConnectTo(p)
		h.Want("shop_test_page1_add", "shop_test_page1_ask", "shop_test_page1_late", "shop_test_page1_pay", "shop_test_page1_told", "shop_test_page1_wait")
		h.CallSays("shop_test_page1_late", `{}`, "ok")
		h.LetGoOf(p)
		p.Close()
		h.Quiet()
		if h.Pub.Current().Tab(registry.PageID(p.ID())) != nil {
			t.Error("the closed tab is still there")
		}
		if err := h.ConnectPage(t.Context(), registry.PageID(p.ID())); err == nil {
			t.Error("connected to a closed tab")
		}
		other.Register(Tool("x"))
		h.Quiet()
	})
}

// TestDisconnectBeforeChromeNamedTheCall: the page hears of it all the same.
func TestDisconnectBeforeChromeNamedTheCall(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		wait := NewSlow()
		p := h.Offer(wait.Tool("wait"), Tool("add"))
		release := h.Dialer.StallAt("invocationId")
		c := h.Begin("shop_test_page0_wait", `{}`)
		if err := h.DisconnectPage(t.Context(), registry.PageID(p.ID())); err != nil {
			t.Fatal(err)
		}
		c.Runs()
		h.BeginTool(t.Context(), h.Tool("shop_test_page0_add"), `{}`).Fails("its page is not connected")
		release()
		c.Fails("A client of this hub disconnected the page")
		h.Want()
		if _, aborted := wait.Counts(); aborted != 1 {
			t.Errorf("%d calls were cancelled in the page", aborted)
		}
	})
}

// TestDisconnectFromAPageThatHangs: it takes as long as a page may take to hear
// that its calls are over, and no longer.
func TestDisconnectFromAPageThatHangs(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Offer(Tool("add"))
		p.Hang()
		c := h.Begin("shop_test_page0_add", `{}`)
		begun := time.Now()
		h.LetGoOf(p)
		fakeclock.Elapse(2 * tab.ReleaseTimeout)
		c.Fails("A client of this hub disconnected the page")
		h.Want()
		t.Logf("it took %v", time.Since(begun))
		p.Resume()
		h.ConnectTo(p)
		h.Want("shop_test_page0_add")
	})
}

// TestChoicesHold when the connection is lost and made again, and when the page
// is taken up anew after a failure.
func TestChoicesHold(t *testing.T) {
	explicitOrNot(t, func(t *testing.T, h *TestHub) {
		one, two := h.Chrome.OpenPage(Shop), h.Chrome.OpenPage(Cart)
		one.Register(Tool("add"))
		two.Register(Tool("checkout"))
		h.Start()
		h.ConnectTo(one)
		h.ConnectTo(two)
		h.LetGoOf(two)
		h.Want("shop_test_page0_add")
		h.Chrome.Disconnect()
		fakeclock.Elapse(time.Second)
		h.Want("shop_test_page0_add")
		if tab := h.Tab(two); tab.Connected() {
			t.Error("a page was connected that a client had let go of")
		}
		h.ConnectTo(two)
		h.Want("shop_test_page0_add", "shop_test_page1_checkout")
	})
}
