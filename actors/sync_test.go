package actors

import (
	"encoding/json"
	"log/slog"
	"testing"
	"testing/synctest"

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
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := h.serve(h.offer().Main())
			h.want()
			before := s.requests("tools/list")
			release := s.hold("tools/list")
			s.change(tool("one"))
			s.change(tool("one"), tool("two"))
			s.change(tool("one"), tool("two"), tool("three"))
			if n := s.requests("tools/list") - before; n != 1 {
				t.Fatalf("%d readings at once, want 1", n)
			}
			release()
			h.want("shop_test_page0_one", "shop_test_page0_two", "shop_test_page0_three")
			if n := s.requests("tools/list") - before; n != 2 {
				t.Errorf("%d readings for three changes, want the first and one more", n)
			}
			h.quiet()
			s.change(tool("four"))
			h.want("shop_test_page0_four")
			if n := s.requests("tools/list") - before; n != 3 {
				t.Errorf("%d readings, want 3: the guard did not come to rest", n)
			}
		})
	})
	t.Run("handles a change during the second sync", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := h.serve(h.offer().Main())
			release := s.hold("tools/list")
			s.change(tool("one"))
			s.change(tool("two"))
			again := s.hold("tools/list") // the one behind the first
			release()
			s.change(tool("three"))
			again()
			h.want("shop_test_page0_three")
		})
	})
	// Guard: mainDocumentEnded lets go of the document's server. A reading that
	// ends later fills a list that nobody looks at any more.
	t.Run("handles navigation during tool sync", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			s := h.serve(p.Main(), tool("old"))
			h.want("shop_test_page0_old")
			release := s.hold("tools/list")
			s.change(tool("old"), tool("older"))
			goOn := h.stopActor(p)
			release() // the answer is in the mailbox, and behind it:
			p.Navigate(cart)
			goOn()
			h.want()
			h.serve(p.Main(), tool("new"))
			h.want("shop_test_page0_new")
		})
	})
	// Guard: pageServer.current. Without it, what the old document's handshake
	// comes to (an error) takes the new document's server down.
	t.Run("handles navigation during the handshake", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			mcp := cdptest.NewMCPServer(tool("new"))
			h.chrome.Serve(cart, cdptest.Site{MCP: mcp.Handle})
			p.ServeMCP(silent)
			h.want()
			goOn := h.stopActor(p)
			p.Navigate(cart)
			goOn()
			h.want("shop_test_page0_new")
			h.call("shop_test_page0_new", `{}`, "ok")
		})
	})
	// "stopped" and "ready" come in one burst.
	t.Run("handles a restart of the page's server during a sync", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			s := h.serve(p.Main(), tool("old"))
			release := s.hold("tools/list")
			s.change(tool("older"))
			goOn := h.stopActor(p)
			s.say(stopped)
			s.say(ready)
			s.SetTools(tool("new"))
			release()
			goOn()
			h.want("shop_test_page0_new")
			h.call("shop_test_page0_new", `{}`, "ok")
		})
	})
	t.Run("handles page close during tool sync", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			s := h.serve(p.Main(), tool("old"))
			h.want("shop_test_page0_old")
			release := s.hold("tools/list")
			s.change(tool("old"), tool("older"))
			goOn := h.stopActor(p)
			release()
			p.Close()
			goOn()
			h.want()
		})
	})
	// Guard: registry.State drops what is reported of a page that it doesn't
	// know. Without it the registry actor panics, which is logged.
	t.Run("handles a report behind its page's close", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("old"))
			goOn := h.stopActor(p)
			p.Register(tool("late"))
			synctest.Wait()
			late := make(chan struct{})
			h.inActor(p, func(*cdpLink) { <-late }) // the report stands behind this
			goOn()
			p.Close() // tells the registry at once, and stands behind the report
			h.want()
			close(late)
			h.want()
			if n := h.log.count(slog.LevelError, ""); n != 0 {
				t.Errorf("%d errors were logged", n)
			}
		})
	})
	t.Run("handles loss of Chrome during tool sync", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := h.serve(h.offer().Main(), tool("old"))
			release := s.hold("tools/list")
			s.change(tool("older"))
			h.chrome.Disconnect()
			h.want()
			release()
			h.want()
			fakeclock.Elapse(firstBackoff)
			h.quiet()
			s.say(ready) // the bridge, installed again, asks for it; the fake's doesn't
			h.want("shop_test_page0_older")
		})
	})
	t.Run("handles rapid successive notifications", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			s := h.serve(p.Main())
			for i := range 500 { // no order is forced here: whatever happens, the last change counts
				if i%2 == 0 {
					s.SetTools(tool("even"))
				} else {
					s.SetTools(tool("odd"))
				}
				p.FromPage(cdptest.ListChanged)
				if i%7 == 0 {
					synctest.Wait()
				}
			}
			h.want("shop_test_page0_odd")
		})
	})
	// Guard: the Gen in Navigated and ToolsReported, which is never used twice
	// for a page, not even by two of its actors. Without the check in
	// registry.State, or with Gens that begin at 1 again, "gone" is back.
	t.Run("an actor of before a reconnection that speaks late is not believed", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("stays"))
			h.want("shop_test_page0_stays")
			goOn := h.stopActor(p)
			p.Register(tool("gone"))
			synctest.Wait()
			late := make(chan struct{})
			h.inActor(p, func(*cdpLink) { <-late }) // "gone" is noted, its report stands behind this
			goOn()
			h.chrome.Disconnect()
			p.Unregister("gone")
			fakeclock.Elapse(firstBackoff)
			h.want("shop_test_page0_stays")
			close(late)
			h.want("shop_test_page0_stays")
		})
	})
	// Guard: the check of Gen in Navigated. Without it the page's tools are
	// gone until they change.
	t.Run("nor is its news of a navigation", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.chrome.Serve(cart, cdptest.Site{Tools: []cdptest.Tool{tool("pay")}})
			p := h.offer(tool("add"))
			goOn := h.stopActor(p)
			p.Navigate(cart)
			synctest.Wait()
			h.chrome.Disconnect()
			fakeclock.Elapse(firstBackoff)
			h.want("shop_test_page0_pay")
			goOn()
			h.want("shop_test_page0_pay")
		})
	})
	// The same Gens keep calls apart: the tool that the client saw was another
	// document's.
	t.Run("a tool of before a reconnection is not called in another document", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.chrome.Serve(cart, cdptest.Site{Tools: []cdptest.Tool{tool("add")}})
			p := h.offer(tool("add"))
			add := h.tool("shop_test_page0_add")
			h.chrome.Disconnect()
			p.Navigate(cart)
			fakeclock.Elapse(firstBackoff)
			h.want("shop_test_page0_add")
			h.beginTool(t.Context(), add, `{}`).fails("has navigated")
			if n := sent(p, cdpclient.WebMCPInvokeTool); n != 0 {
				t.Error("the call reached another document than the one that the client saw")
			}
		})
	})
}

// silent says that it is ready and no more.
func silent(payload json.RawMessage) []json.RawMessage {
	if string(payload) == `"mcp-check-ready"` {
		return []json.RawMessage{json.RawMessage(ready)}
	}
	return nil
}
