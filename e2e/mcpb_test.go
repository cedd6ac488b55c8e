package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/mark3labs/mcp-go/mcp"
)

// siteTools are the names of the listed tools under MCP-B's names.
func siteTools(tools toolList) (names []string) {
	for _, t := range tools {
		if strings.HasPrefix(t.Name, "website_tool_") {
			names = append(names, t.Name)
		}
	}
	return names
}

// mcpbProxy is a scripted MCP-B proxy of one tab.
type mcpbProxy struct {
	t  *testing.T
	ws *websocket.Conn
}

type mcpbMessage struct {
	ID                    json.RawMessage
	Method                string
	Params, Result, Error json.RawMessage
}

func dialProxy(t *testing.T, port, token string) *mcpbProxy {
	t.Helper()
	return dialProxyBy(t, port, "webmcp-hub.token."+token)
}

// dialProxyBy connects with one more subprotocol beside MCP-B's.
func dialProxyBy(t *testing.T, port, subprotocol string) *mcpbProxy {
	t.Helper()
	d := websocket.Dialer{Subprotocols: []string{"mcp-b.v1", subprotocol}, HandshakeTimeout: patience}
	ws, _, err := d.Dial("ws://127.0.0.1:"+port+"/mcp-b", http.Header{"Origin": {extensionOrigin}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return &mcpbProxy{t, ws}
}

func (p *mcpbProxy) say(v any) {
	p.t.Helper()
	message, err := json.Marshal(v)
	if err != nil {
		p.t.Fatal(err)
	}
	holdTo(p.t, fromProxy, message)
	if err := p.ws.WriteMessage(websocket.TextMessage, message); err != nil {
		p.t.Fatal(err)
	}
}

func (p *mcpbProxy) hears() (m mcpbMessage) {
	p.t.Helper()
	_ = p.ws.SetReadDeadline(time.Now().Add(patience))
	_, message, err := p.ws.ReadMessage()
	if err != nil {
		p.t.Fatal(err)
	}
	holdTo(p.t, toProxy, message)
	if err := json.Unmarshal(message, &m); err != nil {
		p.t.Fatal(err)
	}
	return m
}

// register offers the tool search, which may outlive its tab.
func (p *mcpbProxy) register(url string) {
	p.t.Helper()
	p.say(map[string]any{"jsonrpc": "2.0", "method": "browser/registerTools", "params": map[string]any{
		"tabUrl": url,
		"tools": []any{map[string]any{"name": "search", "description": "Searches", "annotations": map[string]any{"cache": true},
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"q": map[string]any{"type": "string"}}}}},
	}})
}

// TestMCPB: a scripted proxy's tool is called by its site's name, outlives the
// proxy and the hub, and is then run by the real page that a call opens.
func TestMCPB(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	token, port, store := paired(t), freePort(t), filepath.Join(t.TempDir(), "tools.db")
	flags := []string{"--naming=mcpb", "--extension", "--extension-port", port, "--store", store, "--no-share"}
	h := attachHub(t, c, flags...)
	if experimental := asJSON(h.client.GetServerCapabilities().Experimental); !strings.Contains(experimental, `"browser":{"cacheSupported":true,"elicitation":true,"multiTabSupport":true}`) {
		t.Errorf("experimental capabilities: %s", experimental)
	}
	p := dialProxy(t, port, token)
	p.say(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": map[string]any{"capabilities": map[string]any{"browser": map[string]any{}}}})
	if got := p.hears(); !strings.Contains(string(got.Result), `"browser":{"multiTabSupport":true,"cacheSupported":true,"elicitation":true}`) {
		t.Errorf("the proxy is told %s", got.Result)
	}
	p.register(pages.url("shop.html"))
	domain := "localhost_" + pages.port()
	search := "website_tool_" + domain + "_search"
	h.waitTools("the proxy's tool and its site's", func(l toolList) bool { return len(siteTools(l)) == 2 && find(l, search) != nil })
	done := h.start(t.Context(), search, map[string]any{"q": "x"})
	call := p.hears()
	if call.Method != "browser/executeTool" || string(call.Params) != `{"toolName":"search","args":{"q":"x"}}` {
		t.Fatalf("the proxy got %+v", call)
	}
	p.say(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": map[string]any{"success": true, "payload": map[string]any{"content": []any{map[string]any{"type": "text", "text": "by the proxy"}}}}})
	wantText(t, h.await(done), "by the proxy")

	cached := func(l toolList) bool {
		tool := find(l, search)
		return len(siteTools(l)) == 1 && tool != nil && strings.Contains(tool.Description, "• cached]")
	}
	_ = p.ws.Close()
	h.waitTools("the cached tool alone", cached)

	h.finish()
	again := attachHub(t, c, flags...)
	again.waitTools("the cached tool of the hub before", cached)
	wantText(t, again.call(search, map[string]any{"q": "y"}), "found y")
	again.waitTools("the page's tools", func(l toolList) bool { return len(siteTools(l)) == 4 })
}

// TestMCPBProxyAsks: while its tool runs, a proxy's page asks the user, by way
// of the agent's client. What else a call brings, and how it goes on, passes
// the hub too. There is no Chrome: a tool whose tab is gone can't be run.
func TestMCPBProxyAsks(t *testing.T) {
	t.Parallel()
	token, port := paired(t), freePort(t)
	agent, options := newHelper()
	h := startHubWith(t, options, "--naming=mcpb", "--extension", "--extension-port", port, "--store", filepath.Join(t.TempDir(), "tools.db"), "--no-share")
	heard := make(chan string, 10)
	h.client.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == "notifications/progress" {
			heard <- asJSON(n.Params)
		}
	})
	p := dialProxy(t, port, token)
	p.register("https://shop.test/")
	const search = "website_tool_shop_test_search"
	h.waitTool(search)
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = search, map[string]any{"q": "x"}
	request.Params.Meta = &mcp.Meta{ProgressToken: "mine", AdditionalFields: map[string]any{"test.shop/trace": "t1"}}
	done := make(chan *mcp.CallToolResult, 1)
	go func() {
		defer close(done)
		ctx, cancel := h.patience()
		defer cancel()
		if r, err := h.client.CallTool(ctx, request); err == nil {
			done <- r
		}
	}()
	call := p.hears()
	var params struct {
		Meta map[string]any `json:"_meta"`
	}
	if err := json.Unmarshal(call.Params, &params); err != nil || params.Meta["test.shop/trace"] != "t1" || asJSON(params.Meta["progressToken"]) != string(call.ID) {
		t.Fatalf("the proxy got %s, %v", call.Params, err)
	}
	p.say(map[string]any{"jsonrpc": "2.0", "method": "notifications/progress", "params": map[string]any{"progressToken": params.Meta["progressToken"], "progress": 0.5, "message": "half"}})
	select {
	case got := <-heard:
		if !strings.Contains(got, `"mine"`) || !strings.Contains(got, "half") {
			t.Errorf("the client hears %s", got)
		}
	case <-time.After(patience):
		t.Error("the client hears of no progress")
	}
	p.say(map[string]any{"jsonrpc": "2.0", "id": "q1", "method": "elicitation/create", "params": map[string]any{"message": "How many?",
		"requestedSchema": map[string]any{"type": "object", "properties": map[string]any{"quantity": map[string]any{"type": "integer"}}}}})
	if got := p.hears(); string(got.ID) != `"q1"` || !strings.Contains(string(got.Result), `"quantity":3`) {
		t.Errorf("the proxy got %s %s", got.ID, got.Result)
	}
	if e := <-agent.elicits; e.Message != "[untrusted page content] The web page https://shop.test, whose tool \"search\" you called, asks: How many?" {
		t.Errorf("elicited by %q", e.Message)
	}
	p.say(map[string]any{"jsonrpc": "2.0", "id": "q2", "method": "browser/elicitConfirmation", "params": map[string]any{"message": "Sure?"}})
	if got := p.hears(); string(got.ID) != `"q2"` || !strings.Contains(string(got.Result), `"action":"accept"`) {
		t.Errorf("the proxy got %s %s", got.ID, got.Result)
	}
	p.say(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": map[string]any{"success": true, "payload": map[string]any{
		"content": []any{map[string]any{"type": "text", "text": "by the proxy"}}, "_meta": map[string]any{"test.shop/own": "m1"}}}})
	result := h.await(done)
	wantText(t, result, "by the proxy")
	if got := asJSON(result.Meta); !strings.Contains(got, `"test.shop/own":"m1"`) {
		t.Errorf("the result's _meta is %s", got)
	}

	other := dialProxy(t, port, token)
	other.register("https://other.test/")
	h.waitTool("website_tool_other_test_search")
	_ = p.ws.Close()
	h.waitTools("the cached tool", func(l toolList) bool {
		tool := find(l, search)
		return tool != nil && strings.Contains(tool.Description, "• cached]")
	})
	if got := h.call(search, map[string]any{"q": "x"}); !got.IsError || !strings.Contains(textOf(got), "MCP-B proxies are connected, and they open no tabs") {
		t.Errorf("without a browser: %s", textOf(got))
	}
}

// TestMCPBTabNotFound: a call whose proxy has lost its tab has not begun, so it goes to another tab of the site, whatever
// the tool may do.
func TestMCPBTabNotFound(t *testing.T) {
	t.Parallel()
	token, port := paired(t), freePort(t)
	h := startHub(t, "--naming=mcpb", "--extension", "--extension-port", port, "--store", filepath.Join(t.TempDir(), "tools.db"), "--no-share")
	const search = "website_tool_shop_test_search"
	var proxies []*mcpbProxy
	for i := range 2 {
		p := dialProxy(t, port, token)
		p.register("https://shop.test/")
		h.waitTools("the proxy's tool", func(l toolList) bool { return len(siteTools(l)) == i+2 })
		proxies = append(proxies, p)
	}
	done := h.start(t.Context(), search, map[string]any{"q": "x"})
	newer := proxies[1].hears()
	proxies[1].say(map[string]any{"jsonrpc": "2.0", "id": newer.ID, "error": map[string]any{"code": -32001, "message": "TabNotFound"}})
	call := proxies[0].hears()
	proxies[0].say(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": map[string]any{"success": true, "payload": map[string]any{
		"content": []any{map[string]any{"type": "text", "text": "by the other"}}}}})
	wantText(t, h.await(done), "by the other")
}

// TestMCPBKnowsTheUsersTab: the tab that the user has in front, as the real
// extension tells it, is marked in the list and gets the site's calls.
func TestMCPBKnowsTheUsersTab(t *testing.T) {
	t.Parallel()
	pair := newPairing(t)
	h := startHub(t, append(pair.flags(), "--naming=mcpb", "--store", filepath.Join(t.TempDir(), "tools.db"))...)
	c := sharedExtended(t, true)
	c.pair(pair.port, pair.token)
	site := "website_tool_localhost_" + pages.port()
	var open []*tab
	for i := range 2 {
		p := c.open(t, pages.url("plain.html"))
		p.eval(fmt.Sprintf(`document.modelContext.registerTool({name: 'who', description: 'Who', execute: async () => 'tab %d'}), 0`, i))
		h.waitTools("another tab's tool", func(l toolList) bool { return len(siteTools(l)) == i+2 })
		open = append(open, p)
	}
	active := ""
	for _, front := range []int{1, 0, 1} { // the newer is there already
		open[front].browser("Target.activateTarget", map[string]any{"targetId": open[front].target}, nil)
		h.waitTools("the user's tab marked", func(l toolList) bool {
			now := ""
			for _, each := range l {
				_, label, ok := strings.Cut(each.Description, "• ")
				if ok && strings.HasPrefix(each.Name, site+"_tab") && strings.Contains(label, " Active] ") {
					now = each.Name
				}
			}
			if now == "" || now == active {
				return false
			}
			active = now
			return strings.Contains(find(l, site+"_who").Description, " Active] ")
		})
		for _, name := range []string{site + "_who", active} {
			if got := textOf(h.call(name, nil)); got != fmt.Sprintf("tab %d", front) {
				t.Errorf("with tab %d in front %s says %q", front, name, got)
			}
		}
	}
}

// TestMCPBBadInput: who may connect is who may as the extension; what is
// malformed, late, too much or nobody's changes nothing for others.
func TestMCPBBadInput(t *testing.T) {
	t.Parallel()
	token, port := paired(t), freePort(t)
	h := startHub(t, "--naming=mcpb", "--extension", "--extension-port", port, "--store", filepath.Join(t.TempDir(), "tools.db"), "--no-share")
	h.list()
	dial := func(origin, token string) (*websocket.Conn, *http.Response, error) {
		d := websocket.Dialer{Subprotocols: []string{"mcp-b.v1", "webmcp-hub.token." + token}, HandshakeTimeout: patience}
		return d.Dial("ws://127.0.0.1:"+port+"/mcp-b", http.Header{"Origin": {origin}})
	}
	wrong, _, err := dial(extensionOrigin, "wrong")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := wrong.ReadMessage(); !websocket.IsCloseError(err, 4401) {
		t.Errorf("a wrong token ends with %v", err)
	}
	_ = wrong.Close()
	if _, r, err := dial("https://shop.test", token); err == nil || r == nil || r.StatusCode != http.StatusForbidden {
		t.Errorf("a page's origin gives %v, %v", r, err)
	}

	good, bad := dialProxyBy(t, port, "webmcp-hub.challenge"), dialProxy(t, port, token)
	if err := shake(good.ws, "mcp-b.v1", "proxy", port, token); err != nil {
		t.Fatal(err)
	}
	good.register("https://good.test/")
	bad.register("https://bad.test/")
	const search = "website_tool_good_test_search"
	ofTab := ""
	h.waitTools("both", func(l toolList) bool {
		for _, each := range l {
			if strings.HasPrefix(each.Name, "website_tool_bad_test_tab") {
				ofTab = each.Name
			}
		}
		return find(l, search) != nil && find(l, "website_tool_bad_test_search") != nil
	})
	flood := []string{`nonsense`, `{}`, `[]`, `{"jsonrpc":"2.0","id":"1.1.1","result":{"success":true,"payload":{}}}`, `{"jsonrpc":"2.0","id":7,"result":{}}`,
		`{"jsonrpc":"2.0","method":"browser/updateTools","params":{"tools":{}}}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"1.1.1"}}`}
	for range 2000 {
		for _, m := range flood {
			if err := bad.ws.WriteMessage(websocket.TextMessage, []byte(m)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := bad.ws.WriteMessage(websocket.TextMessage, make([]byte, 17<<20)); err != nil {
		t.Fatal(err)
	}
	answered := func(p *mcpbProxy, name string) {
		t.Helper()
		done := h.start(t.Context(), name, nil)
		call := p.hears()
		p.say(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": map[string]any{"success": true, "payload": map[string]any{"content": []any{map[string]any{"type": "text", "text": "done"}}}}})
		wantText(t, h.await(done), "done")
	}
	answered(good, search)
	answered(bad, "website_tool_bad_test_search") // which goes on, too

	// A result after the tab is gone, and a newer connection of the same tab.
	done := h.start(t.Context(), ofTab, map[string]any{"q": "x"})
	call := bad.hears()
	bad.say(map[string]any{"jsonrpc": "2.0", "method": "browser/registerTools", "params": map[string]any{"tools": []any{}, "tabUrl": "https://bad.test/next"}})
	wantError(t, h.await(done), "navigated")
	bad.say(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": map[string]any{"success": true, "payload": "late"}})
	bad.say(map[string]any{"jsonrpc": "2.0", "id": "mine", "method": "browser/registerTools", "params": map[string]any{"tools": []any{}, "tabUrl": "https://good.test/"}})
	if answer := bad.hears(); string(answer.ID) != `"mine"` || !strings.Contains(string(answer.Error), "speaks for https://bad.test") {
		t.Errorf("another site's address is answered with %+v", answer)
	}
	first, again := dialProxy(t, port, token), dialProxy(t, port, token)
	instance := map[string]any{"instance": "tab-9"}
	ofFirst := ""
	for i, p := range []*mcpbProxy{first, again} {
		p.say(map[string]any{"jsonrpc": "2.0", "method": "browser/registerTools", "params": map[string]any{"tools": []any{map[string]any{"name": "only", "inputSchema": map[string]any{}}}, "tabUrl": "https://twice.test/", "extensions": instance}})
		h.waitTools("one tab's tool and its site's", func(l toolList) bool {
			n := 0
			for _, each := range l {
				if strings.HasPrefix(each.Name, "website_tool_twice_test_") {
					n++
				}
			}
			return n == 2
		})
		if i == 0 {
			for _, each := range h.list() {
				if strings.HasPrefix(each.Name, "website_tool_twice_test_tab") {
					ofFirst = each.Name
				}
			}
			continue
		}
		// The newer one's tool stands where the older one's stood.
		_ = first.ws.SetReadDeadline(time.Now().Add(patience))
		if _, _, err := first.ws.ReadMessage(); !websocket.IsCloseError(err, 4409) {
			t.Errorf("the older connection ends with %v", err)
		}
	}
	h.waitTools("the newer tab's tool, by the same name", func(l toolList) bool {
		return find(l, "website_tool_twice_test_only") != nil && ofFirst != "" && find(l, ofFirst) != nil
	})
	answered(again, "website_tool_twice_test_only")
	answered(good, search)
}

// TestMCPBMetaAndExtensions: what a proxy says of its tools and results beside
// what MCP has a place for reaches the client in their _meta.
func TestMCPBMetaAndExtensions(t *testing.T) {
	t.Parallel()
	token, port := paired(t), freePort(t)
	h := startHub(t, "--naming=mcpb", "--extension", "--extension-port", port, "--store", filepath.Join(t.TempDir(), "tools.db"), "--no-share")
	p := dialProxy(t, port, token)
	p.say(map[string]any{"jsonrpc": "2.0", "method": "browser/registerTools", "params": map[string]any{
		"tabUrl": "https://shop.test/", "extensions": map[string]any{"token": "secret"},
		"tools": []any{map[string]any{"name": "buy", "inputSchema": map[string]any{}, "extensions": map[string]any{"cost": 3},
			"_meta": map[string]any{"test.shop/unit": "EUR", "io.modelcontextprotocol/x": 1, "webmcp-hub/provenance": "trusted"}}}}})
	const buy = "website_tool_shop_test_buy"
	h.waitTool(buy)
	h.waitTools("with their _meta", func(l toolList) bool {
		for _, tool := range l {
			if !strings.HasPrefix(tool.Name, "website_tool_") {
				continue
			}
			meta := asJSON(tool.Meta)
			for _, want := range []string{`"test.shop/unit":"EUR"`, `"mcp-b/extensions":{"cost":3}`, `"trust":"[untrusted page content]"`} {
				if !strings.Contains(meta, want) {
					t.Errorf("%s has the _meta %s, without %s", tool.Name, meta, want)
				}
			}
			for _, leak := range []string{"secret", "modelcontextprotocol", `"trusted"`} {
				if strings.Contains(meta, leak) {
					t.Errorf("%s has the _meta %s", tool.Name, meta)
				}
			}
		}
		return len(siteTools(l)) == 2
	})
	for _, success := range []bool{true, false} {
		done := h.start(t.Context(), buy, nil)
		call := p.hears()
		if !strings.Contains(string(call.Params), `"extensions":{"token":"secret"}`) {
			t.Errorf("the proxy got %s", call.Params)
		}
		p.say(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": map[string]any{"success": success, "payload": "bought",
			"extensions": map[string]any{"receipt": "r1"}, "_meta": map[string]any{"test.shop/own": "m1"}}})
		result := h.await(done)
		meta := asJSON(result.Meta)
		if result.IsError == success || !strings.Contains(textOf(result), "bought") || !strings.Contains(meta, `"mcp-b/extensions":{"receipt":"r1"}`) ||
			!strings.Contains(meta, `"test.shop/own":"m1"`) || !strings.Contains(meta, `"trust":"[untrusted page content]"`) {
			t.Errorf("the result is %s with the _meta %s", textOf(result), meta)
		}
	}
}
