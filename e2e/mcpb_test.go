package e2e

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
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

// TestMCPB: a scripted proxy's tool is called by its site's name, outlives the
// proxy and the hub, and is then run by the real page that a call opens.
func TestMCPB(t *testing.T) {
	c := nativeChrome(t)
	token, port, store := paired(t), freePort(t), filepath.Join(t.TempDir(), "tools.db")
	flags := []string{"--naming=mcpb", "--extension", "--extension-port", port, "--store", store, "--no-share"}
	h := attachHub(t, c, flags...)
	if experimental := asJSON(h.client.GetServerCapabilities().Experimental); !strings.Contains(experimental, `"browser":{"cacheSupported":true,"elicitation":false,"multiTabSupport":true}`) &&
		!strings.Contains(experimental, `"multiTabSupport":true`) {
		t.Errorf("experimental capabilities: %s", experimental)
	}
	d := websocket.Dialer{Subprotocols: []string{"mcp-b.v1", "webmcp-hub.token." + token}, HandshakeTimeout: patience}
	ws, _, err := d.Dial("ws://127.0.0.1:"+port+"/mcp-b", http.Header{"Origin": {extensionOrigin}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	say := func(v any) {
		t.Helper()
		if err := ws.WriteJSON(v); err != nil {
			t.Fatal(err)
		}
	}
	say(map[string]any{"jsonrpc": "2.0", "method": "browser/registerTools", "params": map[string]any{
		"tabUrl": pages.url("shop.html"),
		"tools": []any{map[string]any{"name": "search", "description": "Searches", "annotations": map[string]any{"cache": true},
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"q": map[string]any{"type": "string"}}}}},
	}})
	domain := "localhost_" + pages.port()
	search := "website_tool_" + domain + "_search"
	h.waitTools("the proxy's tool and its site's", func(l toolList) bool { return len(siteTools(l)) == 2 && find(l, search) != nil })
	done := h.start(t.Context(), search, map[string]any{"q": "x"})
	var call struct {
		ID     json.RawMessage
		Method string
		Params struct {
			ToolName string
			Args     map[string]any
		}
	}
	_ = ws.SetReadDeadline(time.Now().Add(patience))
	if err := ws.ReadJSON(&call); err != nil || call.Method != "browser/executeTool" || call.Params.ToolName != "search" || call.Params.Args["q"] != "x" {
		t.Fatalf("the proxy got %+v, %v", call, err)
	}
	say(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": map[string]any{"success": true, "payload": map[string]any{"content": []any{map[string]any{"type": "text", "text": "by the proxy"}}}}})
	wantText(t, h.await(done), "by the proxy")

	cached := func(l toolList) bool {
		tool := find(l, search)
		return len(siteTools(l)) == 1 && tool != nil && strings.Contains(tool.Description, "• cached]")
	}
	_ = ws.Close()
	h.waitTools("the cached tool alone", cached)

	h.finish()
	again := attachHub(t, c, flags...)
	again.waitTools("the cached tool of the hub before", cached)
	wantText(t, again.call(search, map[string]any{"q": "y"}), "found y")
	again.waitTools("the page's tools", func(l toolList) bool { return len(siteTools(l)) == 4 })
}
