package actors_test

import (
	"encoding/json"
	"log/slog"
	"testing"
	"testing/synctest"

	"webmcphub/actors/browser"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

// TestSyncGuard has the races of the specification (parts D to F): a
// change, a navigation, a close during a sync. Where a comment names a guard,
// the test was seen to fail without it. The order of messages is forced: see
// stopActor.
func TestSyncGuard(t *testing.T) {
	// Guard: syncGuard. Without dirty (done always false) the second change is
	// lost; without syncing (changed always true) there are two readings at once.
	t.Run("handles concurrent syncs for same page", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := h.Serve(h.Offer().Main())
			h.Want()
			before := s.Requests("tools/list")
			release := s.Hold("tools/list")
			s.Change(Tool("one"))
			s.Change(Tool("one"), Tool("two"))
			s.Change(Tool("one"), Tool("two"), Tool("three"))
			if n := s.Requests("tools/list") - before; n != 1 {
				t.Fatalf("%d readings at once, want 1", n)
			}
			release()
			h.Want("shop_test_page0_one", "shop_test_page0_two", "shop_test_page0_three")
			if n := s.Requests("tools/list") - before; n != 2 {
				t.Errorf("%d readings for three changes, want the first and one more", n)
			}
			h.Quiet()
			s.Change(Tool("four"))
			h.Want("shop_test_page0_four")
			if n := s.Requests("tools/list") - before; n != 3 {
				t.Errorf("%d readings, want 3: the guard did not come to rest", n)
			}
		})
	})
	t.Run("handles a change during the second sync", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := h.Serve(h.Offer().Main())
			release := s.Hold("tools/list")
			s.Change(Tool("one"))
			s.Change(Tool("two"))
			again := s.Hold("tools/list") // the one behind the first
			release()
			s.Change(Tool("three"))
			again()
			h.Want("shop_test_page0_three")
		})
	})
	// Guard: mainDocumentEnded lets go of the document's server. A reading that
	// ends later fills a list that nobody looks at any more.
	t.Run("handles navigation during tool sync", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			s := h.Serve(p.Main(), Tool("old"))
			h.Want("shop_test_page0_old")
			release := s.Hold("tools/list")
			s.Change(Tool("old"), Tool("older"))
			goOn := h.StopActor(p)
			release() // the answer is in the mailbox, and behind it:
			p.Navigate(Cart)
			goOn()
			h.Want()
			h.Serve(p.Main(), Tool("new"))
			h.Want("shop_test_page0_new")
		})
	})
	// Guard: pageServer.current. Without it, what the old document's handshake
	// comes to (an error) takes the new document's server down.
	t.Run("handles navigation during the handshake", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			mcp := cdptest.NewMCPServer(Tool("new"))
			h.Chrome.Serve(Cart, cdptest.Site{MCP: mcp.Handle})
			p.ServeMCP(silent)
			h.Want()
			goOn := h.StopActor(p)
			p.Navigate(Cart)
			goOn()
			h.Want("shop_test_page0_new")
			h.CallSays("shop_test_page0_new", `{}`, "ok")
		})
	})
	// "stopped" and "ready" come in one burst.
	t.Run("handles a restart of the page's server during a sync", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			s := h.Serve(p.Main(), Tool("old"))
			release := s.Hold("tools/list")
			s.Change(Tool("older"))
			goOn := h.StopActor(p)
			s.Say(Stopped)
			s.Say(Ready)
			s.SetTools(Tool("new"))
			release()
			goOn()
			h.Want("shop_test_page0_new")
			h.CallSays("shop_test_page0_new", `{}`, "ok")
		})
	})
	t.Run("handles page close during tool sync", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			s := h.Serve(p.Main(), Tool("old"))
			h.Want("shop_test_page0_old")
			release := s.Hold("tools/list")
			s.Change(Tool("old"), Tool("older"))
			goOn := h.StopActor(p)
			release()
			p.Close()
			goOn()
			h.Want()
		})
	})
	// Guard: registry.State drops what is reported of a page that it doesn't
	// know. Without it the registry actor panics, which is logged.
	t.Run("handles a report behind its page's close", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("old"))
			goOn := h.StopActor(p)
			p.Register(Tool("late"))
			synctest.Wait()
			late := make(chan struct{})
			h.InActor(p, func(*tab.Tab) { <-late }) // the report stands behind this
			goOn()
			p.Close() // tells the registry at once, and stands behind the report
			h.Want()
			close(late)
			h.Want()
			if n := h.Log.Count(slog.LevelError, ""); n != 0 {
				t.Errorf("%d errors were logged", n)
			}
		})
	})
	t.Run("handles loss of Chrome during tool sync", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := h.Serve(h.Offer().Main(), Tool("old"))
			release := s.Hold("tools/list")
			s.Change(Tool("older"))
			h.Chrome.Disconnect()
			h.Want()
			release()
			h.Want()
			fakeclock.Elapse(browser.FirstBackoff)
			h.Quiet()
			s.Say(Ready) // the bridge, installed again, asks for it; the fake's doesn't
			h.Want("shop_test_page0_older")
		})
	})
	t.Run("handles rapid successive notifications", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			s := h.Serve(p.Main())
			for i := range 500 { // no order is forced here: whatever happens, the last change counts
				if i%2 == 0 {
					s.SetTools(Tool("even"))
				} else {
					s.SetTools(Tool("odd"))
				}
				p.FromPage(cdptest.ListChanged)
				if i%7 == 0 {
					synctest.Wait()
				}
			}
			h.Want("shop_test_page0_odd")
		})
	})
	// Guard: the Gen in Navigated and ToolsReported, which is never used twice
	// for a page, not even by two of its actors. Without the check in
	// registry.State, or with Gens that begin at 1 again, "gone" is back.
	t.Run("an actor of before a reconnection that speaks late is not believed", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("stays"))
			h.Want("shop_test_page0_stays")
			goOn := h.StopActor(p)
			p.Register(Tool("gone"))
			synctest.Wait()
			late := make(chan struct{})
			h.InActor(p, func(*tab.Tab) { <-late }) // "gone" is noted, its report stands behind this
			goOn()
			h.Chrome.Disconnect()
			p.Unregister("gone")
			fakeclock.Elapse(browser.FirstBackoff)
			h.Want("shop_test_page0_stays")
			close(late)
			h.Want("shop_test_page0_stays")
		})
	})
	// Guard: the check of Gen in Navigated. Without it the page's tools are
	// gone until they change.
	t.Run("nor is its news of a navigation", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Chrome.Serve(Cart, cdptest.Site{Tools: []cdptest.Tool{Tool("pay")}})
			p := h.Offer(Tool("add"))
			goOn := h.StopActor(p)
			p.Navigate(Cart)
			synctest.Wait()
			h.Chrome.Disconnect()
			fakeclock.Elapse(browser.FirstBackoff)
			h.Want("shop_test_page0_pay")
			goOn()
			h.Want("shop_test_page0_pay")
		})
	})
	// The same Gens keep calls apart: the tool that the client saw was another
	// document's.
	t.Run("a tool of before a reconnection is not called in another document", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Chrome.Serve(Cart, cdptest.Site{Tools: []cdptest.Tool{Tool("add")}})
			p := h.Offer(Tool("add"))
			add := h.Tool("shop_test_page0_add")
			h.Chrome.Disconnect()
			p.Navigate(Cart)
			fakeclock.Elapse(browser.FirstBackoff)
			h.Want("shop_test_page0_add")
			h.BeginTool(t.Context(), add, `{}`).Fails("has navigated")
			if n := Sent(p, cdpclient.WebMCPInvokeTool); n != 0 {
				t.Error("the call reached another document than the one that the client saw")
			}
		})
	})
}

// silent says that it is ready and no more.
func silent(payload json.RawMessage) []json.RawMessage {
	if string(payload) == `"mcp-check-ready"` {
		return []json.RawMessage{json.RawMessage(Ready)}
	}
	return nil
}
