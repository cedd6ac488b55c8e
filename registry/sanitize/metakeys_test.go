package sanitize

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// registered gives sites for tests: a few suffixes under which people
// register names, as the public suffix list has them.
func registered(host string) string {
	suffix := host[strings.LastIndexByte(host, '.')+1:]
	for _, long := range []string{"co.uk", "github.io"} {
		if host == long || strings.HasSuffix(host, "."+long) {
			suffix = long
		}
	}
	rest, ok := strings.CutSuffix(host, "."+suffix)
	if !ok {
		return ""
	}
	return rest[strings.LastIndexByte(rest, '.')+1:] + "." + suffix
}

// ownerBy is [metaKeys].owner for tests.
func ownerBy(registered func(host string) string) func(origin string) (host, site string) {
	return func(origin string) (host, site string) {
		u, err := url.Parse(origin)
		if err != nil {
			return "", ""
		}
		if host = u.Hostname(); registered == nil {
			return host, host
		}
		return host, registered(host)
	}
}

func TestMetaKeys(t *testing.T) {
	for _, c := range []struct {
		origin, passes, others string
	}{
		// Names that mean something to the document alone.
		{"https://shop.example", "unit a.b a_b a-1 Unit mcp-b/extensions webmcp-hub", "a\"b _a a- é a\u200bb"},
		// What clients act on.
		{"https://shop.example", "", "ui ui/resourceUri ui.resourceUri UI anthropic/maxResultSizeChars anthropic openai/outputTemplate openai.x openai-x vscode/x vscode.dev/x " +
			"mcp.dev/x mcp progressToken traceparent tracestate baggage claudecode/toolUseId com.anthropic/x io.modelcontextprotocol/related-task webmcp-hub/provenance mcp-b/x"},
		{"https://pay.shop.example", "example.shop/a Example.Shop/a example.shop.pay/a", "example/a example.shop.other/a example.shop.pay.deeper/a shop.example/a other.shop/a example.shop/ example.shop/a/b .example.shop/a example..shop/a"},
		{"https://shop.co.uk:8443", "uk.co.shop/a", "uk.co/a uk/a co.uk/a"},
		{"https://alice.github.io", "io.github.alice/a", "io.github/a io/a io.github.bob/a"},
		{"https://github.io", "", "io.github/a io/a"},
		{"https://com", "", "com/a"},
		{"http://127.0.0.1:8080", "a", "1.0.0.127/a 127.0.0.1/a"},
		{"http://localhost:3000", "a", "localhost/a"},
		{"https://mcp.com", "a", "com.mcp/a"},
		{"null", "a", "null/a example.shop/a"},
		{"", "a", "/a example.shop/a"},
	} {
		k := MetaKeys{c.origin, ownerBy(registered)}
		for _, key := range strings.Fields(c.passes) {
			if !k.pass(key) {
				t.Errorf("%s may not set %s", c.origin, key)
			}
		}
		for _, key := range strings.Split(c.others, " ") {
			if k.pass(key) {
				t.Errorf("%s may set %s", c.origin, key)
			}
		}
	}
	if k := (MetaKeys{"https://pay.shop.example", ownerBy(nil)}); !k.pass("example.shop.pay/a") || k.pass("example.shop/a") {
		t.Error("without knowing who registered what, a parent counts")
	}
}

// A page's _meta passes by the same rule wherever it stands in a result, also
// if it is written with escapes or twice.
func TestCleanResult(t *testing.T) {
	k := MetaKeys{"https://shop.example", ownerBy(registered)}
	for _, c := range []struct{ in, want string }{
		{`{"content":[],"structuredContent":{"x":1}}`, `{"content":[],"structuredContent":{"x":1}}`},
		{`{"content":[],"_meta":{"anthropic/x":1,"a":1,"example.shop/b":2,"ui":{"resourceUri":"ui://x"}}}`, `{"_meta":{"a":1,"example.shop/b":2},"content":[]}`},
		{`{"content":[],"_meta":{"openai/x":1},"_meta":{}}`, `{"content":[]}`},
		{`{"content":[],"\u005fmeta":{"openai/outputTemplate":"ui://x"}}`, `{"content":[]}`},
		{`{"content":[],"_meta":7}`, `{"content":[]}`},
		{`{"content":[{"type":"text","text":"a","_meta":{"ui":1,"a":1}},{"type":"resource","resource":{"uri":"ui://x","text":"t","_meta":{"ui/csp":1}}}]}`,
			`{"content":[{"_meta":{"a":1},"text":"a","type":"text"},{"resource":{"text":"t","uri":"ui://x"},"type":"resource"}]}`},
	} {
		if got := k.Result(Result{JSON: json.RawMessage(c.in)}); string(got.JSON) != c.want {
			t.Errorf("%s\nbecomes %s\nwant    %s", c.in, got.JSON, c.want)
		}
	}
	if got := string(k.Only(json.RawMessage(`{"progressToken":1,"openai/userLocation":"home","traceparent":"00","a":1}`))); got != `{"a":1}` {
		t.Errorf("the page gets %s", got)
	}
	const trace = `"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`
	for in, want := range map[string]string{
		`{` + trace + `,"tracestate":"vendor=user7","baggage":"userId=7"}`: `{` + trace + `}`,
		`{"a":1,` + trace + `}`:                                `{"a":1,` + trace + `}`,
		`{"a":1,"traceparent":"00-x"}`:                         `{"a":1}`,
		`{"a":1,"traceparent":{"b":` + trace[14:] + `}}`:       `{"a":1}`,
		`{"traceparent":"00-` + strings.Repeat("0", 90) + `"}`: ``,
	} {
		if got := string(k.ToPage(json.RawMessage(in))); got != want {
			t.Errorf("of %s the page gets %s", in, got)
		}
		if got, want := string(WithoutTrace(k.ToPage(json.RawMessage(in)))), string(k.Only(json.RawMessage(in))); got != want {
			t.Errorf("without the trace, %s is %s, not %s", in, got, want)
		}
	}
	if got := k.Only(json.RawMessage(`{"openai/userLocation":"home"}`)); got != nil {
		t.Errorf("the page gets %s", got)
	}
}
