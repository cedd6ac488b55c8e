package registry

import (
	"encoding/json"
	"testing"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// Whose claims that a tool is harmless are passed on.
func TestHintPolicy(t *testing.T) {
	yes, no := true, false
	harmless := Annotations{ReadOnly: &yes, Destructive: &no, Idempotent: &yes, OpenWorld: &no}
	dangerous := Annotations{ReadOnly: &no, Destructive: &yes, Idempotent: &no, OpenWorld: &yes, Cache: &yes}
	const safe, grave = `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`,
		`{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true,"cache":true}`
	trust, err := names.ParseOrigins([]string{"https://*.shop.example"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const page, frame = "https://bank.example/", "https://ads.shop.example/"
	for _, c := range []struct {
		why             string
		options         Options
		page, frame     string // the tool's document's addresses
		runtime         Runtime
		a               Annotations
		passed, claimed string
	}{
		{"the page's own", Options{}, page, page, Native, harmless, safe, ``},
		{"a frame's of the same origin", Options{}, page, page + "frame", Native, harmless, safe, ``},
		{"a frame's from elsewhere", Options{}, page, frame, Native, harmless, ``, safe},
		{"of another port", Options{}, page, "https://bank.example:8443/", Native, harmless, ``, safe},
		{"of another scheme", Options{}, page, "http://bank.example/", Native, harmless, ``, safe},
		{"its warnings", Options{}, page, frame, Native, dangerous, grave, ``},
		{"a WebMCP hint", Options{}, page, frame, Native, Annotations{ReadOnly: &yes, Consequential: &yes}, `{"destructiveHint":true}`, `{"readOnlyHint":true}`},
		{"everybody's", Options{Hints: HintsOfAll}, page, frame, Native, harmless, safe, ``},
		{"nobody's", Options{Hints: HintsOfNone}, page, page, Native, harmless, ``, safe},
		{"nobody's, but warnings", Options{Hints: HintsOfNone}, page, page, MCPB, dangerous, grave, ``},
		{"what the hub makes of a page", Options{Hints: HintsOfNone}, page, page, DOM, harmless, safe, ``},
		{"a trusted frame's", Options{Hints: HintsOfTrusted, TrustHints: trust}, page, frame, Native, harmless, safe, ``},
		{"an untrusted page's", Options{Hints: HintsOfTrusted, TrustHints: trust}, page, page, Native, harmless, ``, safe},
		{"with nobody trusted", Options{Hints: HintsOfTrusted}, page, page, Native, harmless, ``, safe},
	} {
		t.Run(c.why, func(t *testing.T) {
			h := newHub(t, c.options)
			h.open("p", c.page)
			h.reportTools("p", &PageTool{Name: "x", FrameURL: c.frame, Doc: 1, Runtime: c.runtime, Annotations: c.a})
			full := h.state.Catalog().Tabs()[0].Published()[0]
			for _, tool := range []*HubTool{full, full.Bare("x")} {
				listed := string(decoded[map[string]json.RawMessage](t, tool.Encoded)["annotations"])
				if listed != c.passed || string(tool.Annotations()) != c.passed || string(tool.ClaimedAnnotations()) != c.claimed {
					t.Errorf("listed %s, passed %s, claimed %s", listed, tool.Annotations(), tool.ClaimedAnnotations())
				}
			}
		})
	}
}

// A site's tool, of a tab or cached, says what its page's tool says.
func TestHintsOfSites(t *testing.T) {
	yes := true
	for policy, want := range map[HintPolicy]string{"": `{"readOnlyHint":true,"cache":true}`, HintsOfNone: `{"cache":true}`} {
		h := newHub(t, Options{Naming: MCPBNames, Hints: policy})
		h.open("p", "https://shop.example/")
		h.reportTools("p", &PageTool{Name: "x", Doc: 1, Runtime: MCPB, FrameURL: "https://shop.example/", Annotations: Annotations{ReadOnly: &yes, Cache: &yes}})
		tab := h.state.Catalog().Tabs()[0]
		if got := string(h.state.Catalog().Routed()[0].Annotations()); got != want {
			t.Errorf("%q: %s", policy, got)
		}
		kept, _ := Cacheable(tab)
		h.step(CacheChanged{kept})
		h.step(PageClosed{"p"})
		h.flush()
		if cached := h.state.Catalog().Routed(); len(cached) != 1 || string(cached[0].Annotations()) != want {
			t.Errorf("%q: cached %v", policy, cached)
		}
	}
}

func TestAnnotations(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		why  string
		a    Annotations
		want string
	}{
		{"nothing said", Annotations{}, `null`},
		{"MCP's own", Annotations{ReadOnly: &yes, Destructive: &no, Idempotent: &yes, OpenWorld: &no}, `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`},
		{"consequential is what destructive asks", Annotations{Consequential: &yes}, `{"destructiveHint":true}`},
		{"and if it isn't, that is no promise", Annotations{Consequential: &no}, `null`},
		{"the more dangerous word counts", Annotations{Consequential: &yes, Destructive: &no}, `{"destructiveHint":true}`},
		{"of what is read, too", Annotations{ReadOnly: &yes, Consequential: &yes}, `{"destructiveHint":true}`},
		{"and of where it comes from", Annotations{Untrusted: &yes, OpenWorld: &no}, `{"openWorldHint":true}`},
		{"untrusted content is an open world", Annotations{Untrusted: &yes}, `{"openWorldHint":true}`},
		{"trusted content says nothing", Annotations{Untrusted: &no}, `null`},
	} {
		if got := sanitize.Encode(c.a.mcp()); string(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.why, got, c.want)
		}
	}
}
