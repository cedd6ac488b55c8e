package mcpserver

import (
	"context"
	"testing"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// What a client's call says to the page besides its arguments gets there, also
// by call_webmcp_tool and by a site's tool; what it says to the hub doesn't.
func TestACallsMetaGoesToThePage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got calls.Call
		h, _ := routingHub(t, func(_ context.Context, c calls.Call) registry.Result {
			got = c
			return sanitize.TextResult("done")
		})
		h.page("A", "https://shop.test/", "x")
		c := h.connect(true)
		c.handshake()
		c.list()
		call := func(more string) string {
			return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"website_tool_shop_test_tab1_x","arguments":{}` + more + `}}`
		}
		for _, step := range []struct{ line, meta, extensions string }{
			{call(``), ``, ``},
			{call(`,"_meta":{}`), ``, ``},
			{call(`,"_meta":{"progressToken":7}`), ``, ``},
			{call(`,"_meta":{"progressToken":7,"a":{"c":[1, 2]},"io.modelcontextprotocol/x":1,"tools.mcp.com/y":2,"z":null}`), `{"a":{"c":[1,2]},"z":null}`, ``},
			{call(`,"_meta":{"mcp.test/a":1,"com.example.mcp/b":2,"mcp/c":3,"openai/userLocation":"home","test.shop/d":4}`), `{"test.shop/d":4}`, ``},
			{call(`,"_meta":7,"extensions":{"token":"t"}`), ``, `{"token":"t"}`},
			{call(`,"extensions":"t"`), ``, ``},
			{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_webmcp_tool","arguments":{"name":"x"},"_meta":{"a":1},"extensions":{"b":2}}}`, `{"a":1}`, `{"b":2}`},
			{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + shopX + `","_meta":{"a":1},"extensions":{"b":2}}}`, `{"a":1}`, `{"b":2}`},
		} {
			got = calls.Call{}
			c.send(step.line)
			c.take()
			if got.Tool == nil || string(got.Meta) != step.meta || string(got.Extensions) != step.extensions {
				t.Errorf("%s\n\tgives %s and %s", step.line, got.Meta, got.Extensions)
			}
		}
		c.hangUp()
	})
}
