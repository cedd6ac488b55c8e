package mcpserver

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
)

// A name of a tool can't be told from another's where no client is known; a
// call means the current catalog's.
func TestHTTPSessionless(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		var h *hub
		h = newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
			if c.Tool.Route.Tool == "slow" {
				h.change(tools("B", 1, "slow", "x", "late"))
				<-release
			}
			return echo(ctx, c)
		})
		h.page("A", "https://a.test/", "x")
		h.page("B", "https://a.test/", "x", "slow")
		w, _ := h.onPipes(t)
		ask := func(method, params string) answer {
			body, headers := modern("1", method, params)
			return w.send("POST", body, headers...)
		}
		if a := ask("tools/list", "{}"); a.header.Get("Mcp-Session-Id") != "" || !strings.Contains(a.body, `"resultType":"complete"`) || len(listNames(t, a)) != len(ownTools)+3 {
			t.Errorf("%+v", a)
		}
		body, headers := modern("7", "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`)
		if a := w.send("POST", body, append(headers, "Accept: application/json")...); a.status != 406 {
			t.Errorf("%+v", a)
		}
		stream := w.listen("POST", body, headers...)
		if got := stream.take(); len(got) != 1 || !strings.Contains(got[0], "notifications/subscriptions/acknowledged") {
			t.Errorf("%q", got)
		}
		changed := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`
		h.change(registry.PageClosed{Page: "A"})
		stream.expect(changed)
		if a := ask("tools/call", `{"name":"webmcp_a_test_page0_x"}`); said(t, a.body) != "B/x {}" || !strings.Contains(a.body, `"resultType":"complete"`) {
			t.Errorf("%+v", a)
		}
		if got := ask("tools/call", `{"name":"nonsense"}`).rpc(); !strings.HasPrefix(got, "400 -32602 unknown tool") {
			t.Error(got)
		}
		if got := ask("nonsense", `{}`).rpc(); !strings.HasPrefix(got, "404 -32601") {
			t.Error(got)
		}
		// The answer of whichever client's call goes first.
		answered := make(chan answer)
		go func() { answered <- ask("tools/call", `{"name":"webmcp_a_test_page0_slow"}`) }()
		stream.expect()
		close(release)
		if a := <-answered; said(t, a.body) != "B/slow {}" {
			t.Errorf("%+v", a)
		}
		stream.expect(changed)
		// A notification is about nothing, but no mistake.
		if a := w.send("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, headers[0]); a.status != 202 {
			t.Errorf("%+v", a)
		}
		h.change(tools("B", 1, "x"))
		stream.expect(changed)
		// The hub's end ends the subscription well.
		w.stop(wire.ErrSessionOver)
		<-stream.over
		if got := stream.take(); len(got) != 1 || !strings.Contains(got[0], `"id":7,"result":{`) {
			t.Errorf("%q", got)
		}
	})
}

// Of a client without a session nothing is kept: no focus, and no tab.
func TestHTTPSessionlessTabTools(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := newTabHub(t, view.AllTabs)
		w, _ := h.onPipes(t)
		ask := func(name, args string) string {
			body, headers := modern("1", "tools/call", `{"name":"`+name+`","arguments":`+args+`}`)
			return said(t, w.send("POST", body, headers...).body)
		}
		if got := ask("focus_tab", `{"tabId":1,"exclusive":true}`); !strings.HasPrefix(got, "error: Only a client with a session can keep a tab to itself") {
			t.Error(got)
		}
		if got := ask("focus_tab", `{"tabId":1}`); !strings.HasPrefix(got, `{"success":true`) {
			t.Error(got)
		}
		if got := ask("open_tab", `{"url":"https://c.test/"}`); !strings.Contains(got, `"toolsAvailable":["webmcp_c_test_page2_see","webmcp_c_test_page2_search"]`) {
			t.Error(got)
		}
		if got := ask("close_tab", `{}`); !strings.HasPrefix(got, "error: ") {
			t.Error(got)
		}
		if got := ask("close_tab", `{"tabId":1}`); got != `{"closed":true,"tabId":1}` {
			t.Error(got)
		}
		synctest.Wait()
		h.sessions.mu.Lock()
		if len(h.sessions.all) != 0 || h.calls.Leases.Count() != 0 {
			t.Errorf("left: %v %v", h.sessions.all, h.calls.Leases.Count())
		}
		h.sessions.mu.Unlock()
	})
}

func TestHTTPSubscriptionLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _ := newHub(t, echo).onPipes(t, func(o *HTTPOptions) { o.MaxSessions = 1 })
		body, headers := modern("7", "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`)
		stream := w.listen("POST", body, headers...)
		if got := w.send("POST", body, headers...).rpc(); !strings.HasPrefix(got, "503 -32000 the server is busy: 1 requests") {
			t.Error(got)
		}
		stream.hangUp()
		stream.take()
		w.listen("POST", body, headers...)
	})
}

// In focus mode a client must have a session, and is told so in the way by
// which clients choose a version.
func TestHTTPFocusModeNeedsASession(t *testing.T) {
	h, _ := newTabHub(t, view.FocusedTab)
	w := h.onWire(t)
	for _, method := range []string{"server/discover", "tools/list"} {
		body, headers := modern("1", method, "{}")
		a := w.send("POST", body, headers...)
		if got := a.rpc(); !strings.HasPrefix(got, "400 -32022 this hub is in focus mode") || !strings.Contains(got, "--mode=all --surface=static") || !strings.Contains(a.body, `"supported":["2025-11-25",`) {
			t.Errorf("%s %s", got, a.body)
		}
	}
}
