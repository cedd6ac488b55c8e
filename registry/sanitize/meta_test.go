package sanitize

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMeta(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{``, ``}, {`null`, ``}, {`[1]`, ``}, {`"x"`, ``}, {`{}`, ``}, {`{"a":`, ``},
		{`{"b":1e2,  "a":{"d":"é","c":[1, null]}}`, `{"a":{"c":[1,null],"d":"é"},"b":1e2}`},
		{`{"a":"\ud800","b":"` + "\xff" + `"}`, `{"a":"�","b":"�"}`},
		{`{"webmcp-hub/provenance":{"trust":"high"},"webmcp-hub/runtime":"x","example.shop/unit":"EUR"}`, `{"example.shop/unit":"EUR"}`},
		{`{"\u0077ebmcp-hub/provenance":1}`, ``},
		{`{"io.modelcontextprotocol/a":1,"dev.mcp/a":1,"com.mcp.tools/a":1}`, ``},               // reserved since 2025-11-25
		{`{"modelcontextprotocol.io/a":1,"MCP.dev/a":1,"api.tools.mcp.com/a":1,"mcp/a":1}`, ``}, // and before
		{`{"com.example.mcp/a":1,"mcp-b/a":1,"mcp":1,"webmcp-hub":1,"a/mcp.b":1}`, `{"webmcp-hub":1}`},
		{`{"a":"` + strings.Repeat("x", MaxMeta-8) + `"}`, `{"a":"` + strings.Repeat("x", MaxMeta-8) + `"}`},
		{`{"a":"` + strings.Repeat("x", MaxMeta-7) + `"}`, ``},
		{`{"a":` + strings.Repeat("[", MaxSchemaDepth) + strings.Repeat("]", MaxSchemaDepth) + `}`, ``},
	} {
		if got := string(cleanMeta([]byte(c.in), MaxMeta, MetaKeys{"https://shop.example", ownerBy(registered)}.pass)); got != c.want {
			t.Errorf("%.100s becomes %.100s, want %.100s", c.in, got, c.want)
		}
	}
}

func TestWithPageMeta(t *testing.T) {
	for _, c := range []struct{ result, meta, want string }{
		{`{"content":[]}`, ``, `{"content":[]}`},
		{`{"content":[]}`, `[1]`, `{"content":[]}`},
		{`{"content":[]}`, `{"a":1,"webmcp-hub/provenance":{},"io.modelcontextprotocol/related-task":{"taskId":"t"}}`, `{"content":[],"_meta":{"a":1}}`},
		{`{"content":[],"_meta":{"a":0,"b":0}}`, `{"a":1}`, `{"_meta":{"a":1,"b":0},"content":[]}`},
	} {
		if got := WithPageMeta(Result{JSON: json.RawMessage(c.result)}, json.RawMessage(c.meta)); string(got.JSON) != c.want {
			t.Errorf("%s with %s is %s, want %s", c.result, c.meta, got.JSON, c.want)
		}
	}
}
