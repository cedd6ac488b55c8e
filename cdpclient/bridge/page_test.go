package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/pagemcp"
)

// These tests drive bridge.js in a real Chromium with scripts of their own instead of a package.

// bridgeFakeServer answers check-ready, and tools/call with a text that its own variable holds.
const bridgeFakeServer = `
let text = "ok", heard = [], first;
function toClient(payload, o = {}) {
  postMessage({channel: "mcp-default", type: "mcp", direction: "server-to-client", payload, ...o}, "*");
}
addEventListener("message", (e) => {
  const m = e.data;
  if (e.source !== window || m.direction !== "client-to-server") return;
  heard.push(m.payload);
  if (m.payload === "mcp-check-ready") return toClient("mcp-server-ready");
  if (m.payload.id === undefined || m.payload.method === "hang") return;
  const result = m.payload.method === "initialize"
    ? {protocolVersion: "2025-06-18", capabilities: {}, serverInfo: {name: "fake", version: "1"}}
    : {content: [{type: "text", text}]};
  if (first) toClient(first);
  toClient({jsonrpc: "2.0", id: m.payload.id, result});
});
toClient("mcp-server-ready");
`

func TestBridgePage(t *testing.T) {
	conn := bridgeChrome(t, false)
	base := serveBridgePages(t, "", map[string]string{
		"/":        `<script>` + bridgeFakeServer + `</script>`,
		"/clobber": `<a id="__mcpBridge"></a><a id="__mcpBridgeToClient"></a><script>` + bridgeFakeServer + `</script>`,
		"/empty":   ``,
		"/leak": `<script>
			parent.postMessage({channel: "mcp-iframe", type: "mcp", direction: "server-to-client", payload: {leak: 1}}, "*");
			parent.postMessage("done", "*");
		</script>`,
	})
	open := func(t *testing.T, path string) (*bridgeTab, *bridgeServer) {
		tab := newBridgeTab(t, conn)
		tab.install()
		tab.navigate(base + path)
		return tab, tab.server(path)
	}
	call := func(t *testing.T, s *bridgeServer) string {
		t.Helper()
		got, err := s.CallTool(t.Context(), "x", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	const ok = `{"content":[{"type":"text","text":"ok"}]}`

	t.Run("carries both ways", func(t *testing.T) {
		_, s := open(t, "/")
		if got := call(t, s); got != ok {
			t.Error(got)
		}
	})

	t.Run("brings answers as results, in their place among other messages", func(t *testing.T) {
		tab, s := open(t, "/")
		tab.eval(`first = {first: 1}; 0`)
		for range 3 {
			call(t, s)
		}
		tab.eval(`new Promise((done) => setTimeout(done, 50))`) // all that the page sent is there
		tab.mu.Lock()
		defer tab.mu.Unlock()
		var order []string
		for _, h := range tab.heard {
			switch {
			case strings.Contains(string(h.Payload), "first"):
				order = append(order, "first")
			case strings.Contains(string(h.Payload), "content"):
				order = append(order, fmt.Sprintf("answer %v", h.result))
			}
		}
		if got := strings.Join(order, ", "); got != "first, answer true, first, answer true, first, answer true" {
			t.Error(got)
		}
	})

	t.Run("works with an older hub's bridge, which is there already", func(t *testing.T) {
		tab := newBridgeTab(t, conn)
		old := strings.Replace(Source(), "request: (json)", "later: (json)", 1)
		tab.must(tab.sid, cdpclient.PageAddScriptToEvaluateOnNewDocument, cdpclient.AddScriptParams{Source: old, WorldName: World}, nil)
		tab.install()
		tab.navigate(base + "/")
		if got := call(t, tab.server("/")); got != ok {
			t.Error(got)
		}
	})

	t.Run("lets go of a request that is cancelled", func(t *testing.T) {
		tab, s := open(t, "/")
		tab.eval(`heard = []; 0`)
		answers := make(chan string, 2)
		tab.conn.Post(tab.sid, CallMethod, Call(s.context.UniqueID, Request, json.RawMessage(`{"id":7,"method":"hang"}`)),
			func(r cdpclient.Reply) {
				m, came, err := Answer(r.Result)
				answers <- fmt.Sprint(string(m.Payload), came, err, r.Err)
			})
		tab.must(tab.sid, CallMethod, Call(s.context.UniqueID, Send,
			json.RawMessage(`{"method":"notifications/cancelled","params":{"requestId":7}}`)), nil)
		if got := <-answers; got != "false <nil> <nil>" {
			t.Error(got)
		}
		tab.eval(`toClient({id: 7, result: "late"})`)
		tab.wait("a late answer by the binding", func() bool {
			return strings.Contains(string(tab.heard[len(tab.heard)-1].Payload), "late")
		})
		if got := tab.eval(`heard.map((m) => m.method)`); got != `["hang","notifications/cancelled"]` {
			t.Error(got)
		}
	})

	t.Run("lets go of all requests when the server stops", func(t *testing.T) {
		tab, s := open(t, "/")
		answers := make(chan string, 2)
		for _, id := range []string{"7", "8"} {
			tab.conn.Post(tab.sid, CallMethod, Call(s.context.UniqueID, Request, json.RawMessage(`{"id":`+id+`,"method":"hang"}`)),
				func(r cdpclient.Reply) {
					m, came, err := Answer(r.Result)
					answers <- fmt.Sprint(string(m.Payload), came, err, r.Err)
				})
		}
		tab.eval(`toClient("mcp-server-stopped")`)
		for range 2 {
			select {
			case got := <-answers:
				if got != "false <nil> <nil>" {
					t.Error(got)
				}
			case <-time.After(bridgeWait):
				t.Fatal("a request is kept")
			}
		}
	})

	t.Run("is out of the reach of a page that changes its globals", func(t *testing.T) {
		tab, s := open(t, "/")
		tab.eval(`{
			const post = window.postMessage.bind(window);
			toClient = (payload) => post({channel: "mcp-default", type: "mcp", direction: "server-to-client", payload}, "*");
			const no = () => { throw new Error("no"); };
			window.postMessage = Promise.prototype.then = Map.prototype.get = Map.prototype.set = JSON.parse = JSON.stringify = no;
			globalThis.Promise = globalThis.Map = no;
			Object.defineProperty(Object.prototype, "method", {get: () => "none"});
		} 0`)
		if got := call(t, s); got != ok {
			t.Error(got)
		}
	})

	t.Run("is invisible to the page", func(t *testing.T) {
		tab, s := open(t, "/")
		call(t, s)
		if got := tab.eval(`[typeof __mcpBridge, typeof __mcpBridgeToClient, Object.keys(window).filter(k => /mcp/i.test(k)).length]`); got != `["undefined","undefined",0]` {
			t.Error(got)
		}
	})

	t.Run("only this window's own messages", func(t *testing.T) {
		tab, s := open(t, "/")
		tab.eval(`(async () => {
			const m = {channel: "mcp-default", type: "mcp", direction: "server-to-client", payload: {forged: 1}};
			// A synthetic event; a sandboxed frame; a same-origin frame; the wrong channel, type and direction.
			dispatchEvent(new MessageEvent("message", {data: m, source: window, origin: location.origin}));
			const frame = (o) => new Promise((done) => {
				const f = Object.assign(document.createElement("iframe"), o);
				addEventListener("message", (e) => { if (e.data === "done" && e.source === f.contentWindow) done(); });
				document.body.append(f);
			});
			const forge = (c) => "<script>parent.postMessage(" + JSON.stringify({...m, channel: c}) + ", '*'); parent.postMessage('done', '*')</" + "script>";
			for (const c of ["mcp-default", "mcp-iframe", "webmcp-hub-link"]) {
				await frame({sandbox: "allow-scripts", srcdoc: forge(c)});
			}
			await frame({srcdoc: forge("mcp-default")});
			toClient({forged: 2}, {channel: "other"}); toClient({forged: 3}, {type: "x"}); toClient({forged: 4}, {direction: "client-to-server"});
			toClient(undefined); toClient(null); toClient(0); toClient(5n); toClient({a: 5n});
			const circle = {}; circle.c = circle; toClient(circle);
			postMessage("text", "*"); postMessage(null, "*");
		})()`)
		call(t, s)
		tab.mu.Lock()
		defer tab.mu.Unlock()
		for _, h := range tab.heard {
			if strings.Contains(string(h.Payload), "forged") {
				t.Errorf("ferried %s", h.Payload)
			}
		}
	})

	t.Run("not a cross-origin child, though it is in the same process", func(t *testing.T) {
		port := base[strings.LastIndex(base, ":"):]
		tab := newBridgeTab(t, conn)
		tab.install()
		tab.navigate("http://a.hub.test" + port + "/")
		s := tab.server("/")
		tab.eval(`new Promise((done) => {
			addEventListener("message", (e) => { if (e.data === "done") done(); });
			const f = document.createElement("iframe");
			f.src = "http://b.hub.test` + port + `/leak";
			document.body.append(f);
		})`)
		call(t, s)
		tab.mu.Lock()
		defer tab.mu.Unlock()
		if len(tab.contexts) != 2 {
			t.Fatalf("%d contexts, want 2 in one session", len(tab.contexts))
		}
		for _, h := range tab.heard {
			if strings.Contains(string(h.Payload), "leak") {
				t.Errorf("ferried %s", h.Payload)
			}
		}
	})

	t.Run("elements can not take its names", func(t *testing.T) {
		tab := newBridgeTab(t, conn)
		tab.navigate(base + "/clobber")
		tab.wait("/clobber", func() bool {
			for _, f := range tab.frames {
				if strings.HasSuffix(f.URL, "/clobber") {
					return true
				}
			}
			return false
		})
		tab.loaded()
		tab.install() // into the loaded page
		if got := call(t, tab.server("/clobber")); got != ok {
			t.Error(got)
		}
	})

	t.Run("installing twice hears once", func(t *testing.T) {
		tab, s := open(t, "/")
		tab.install()
		tab.install()
		tab.eval(`toClient({once: 1})`)
		call(t, s)
		tab.mu.Lock()
		defer tab.mu.Unlock()
		n := 0
		for _, h := range tab.heard {
			if strings.Contains(string(h.Payload), "once") {
				n++
			}
		}
		if n != 1 || len(tab.contexts) != 1 {
			t.Errorf("heard %d times, %d contexts", n, len(tab.contexts))
		}
	})

	t.Run("says that a message is too large", func(t *testing.T) {
		tab, s := open(t, "/")
		tab.eval(`text = "x".repeat(16 << 20); 0`)
		if _, err := s.CallTool(t.Context(), "x", nil, nil); !errors.Is(err, pagemcp.ErrTooLarge) {
			t.Error(err)
		}
		tab.eval(`text = "x".repeat((16 << 20) - 200); 0`) // just under the limit
		if got := call(t, s); len(got) < 16<<20-200 {
			t.Errorf("%d bytes", len(got))
		}
		tab.eval(`toClient({id: "i".repeat(1000), method: "x".repeat(17 << 20)}); text = "ok"; 0`)
		if got := call(t, s); got != ok {
			t.Error(got)
		}
		tab.mu.Lock()
		defer tab.mu.Unlock()
		if h := tab.heard[len(tab.heard)-2]; h.Oversize < 17<<20 || h.ID != nil {
			t.Errorf("%+v", h)
		}
	})

	t.Run("document.open is repaired", func(t *testing.T) {
		tab, s := open(t, "/")
		tab.eval(`document.open(); document.write("<script>{" + ` + fmt.Sprintf("%q", bridgeFakeServer) + ` + "}</" + "script>"); document.close()`)
		tab.must(tab.sid, CallMethod, Call(s.context.UniqueID, CheckReady, nil), nil)
		tab.wait("ready again", func() bool { return s.changes > 0 })
		if got := call(t, s); got != ok {
			t.Error(got)
		}
	})

	t.Run("a call into a context that is gone fails", func(t *testing.T) {
		tab, s := open(t, "/")
		tab.navigate(base + "/empty")
		tab.wait("/empty", func() bool {
			for _, f := range tab.frames {
				if strings.HasSuffix(f.URL, "/empty") {
					return true
				}
			}
			return false
		})
		if _, err := s.CallTool(t.Context(), "x", nil, nil); err == nil {
			t.Error("no error")
		} else {
			t.Log(err)
		}
	})

	for name, url := range map[string]string{"file": "", "data": "data:text/html,"} {
		t.Run("opaque origin, "+name, func(t *testing.T) {
			html := `<script>` + bridgeFakeServer + `</script>`
			if name == "data" {
				url += strings.NewReplacer("%", "%25", "\n", "%0A", "#", "%23").Replace(html)
			} else {
				url = writeBridgeFile(t, html)
			}
			tab := newBridgeTab(t, conn)
			tab.install()
			tab.navigate(url)
			if got := call(t, tab.server("")); got != ok {
				t.Error(got)
			}
		})
	}
}
