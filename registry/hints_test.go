package registry

import (
	"encoding/json"
	"testing"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// Whose claims that a tool is harmless are passed on.
func TestHintPolicy(t *testing.T) {
	yes, no := true, false
	harmless := offer.Annotations{ReadOnly: &yes, Destructive: &no, Idempotent: &yes, OpenWorld: &no}
	dangerous := offer.Annotations{ReadOnly: &no, Destructive: &yes, Idempotent: &no, OpenWorld: &yes, Cache: &yes}
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
		runtime         offer.Runtime
		a               offer.Annotations
		passed, claimed string
	}{
		{"the page's own", Options{}, page, page, offer.Native, harmless, safe, ``},
		{"a frame's of the same origin", Options{}, page, page + "frame", offer.Native, harmless, safe, ``},
		{"a frame's from elsewhere", Options{}, page, frame, offer.Native, harmless, ``, safe},
		{"of another port", Options{}, page, "https://bank.example:8443/", offer.Native, harmless, ``, safe},
		{"of another scheme", Options{}, page, "http://bank.example/", offer.Native, harmless, ``, safe},
		{"its warnings", Options{}, page, frame, offer.Native, dangerous, grave, ``},
		{"a WebMCP hint", Options{}, page, frame, offer.Native, offer.Annotations{ReadOnly: &yes, Consequential: &yes}, `{"destructiveHint":true}`, `{"readOnlyHint":true}`},
		{"everybody's", Options{Hints: offer.HintsOfAll}, page, frame, offer.Native, harmless, safe, ``},
		{"nobody's", Options{Hints: offer.HintsOfNone}, page, page, offer.Native, harmless, ``, safe},
		{"nobody's, but warnings", Options{Hints: offer.HintsOfNone}, page, page, offer.MCPB, dangerous, grave, ``},
		{"what the hub makes of a page", Options{Hints: offer.HintsOfNone}, page, page, offer.DOM, harmless, safe, ``},
		{"a trusted frame's", Options{Hints: offer.HintsOfTrusted, TrustHints: trust}, page, frame, offer.Native, harmless, safe, ``},
		{"an untrusted page's", Options{Hints: offer.HintsOfTrusted, TrustHints: trust}, page, page, offer.Native, harmless, ``, safe},
		{"with nobody trusted", Options{Hints: offer.HintsOfTrusted}, page, page, offer.Native, harmless, ``, safe},
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
	for policy, want := range map[offer.HintPolicy]string{"": `{"readOnlyHint":true,"cache":true}`, offer.HintsOfNone: `{"cache":true}`} {
		h := newHub(t, Options{Naming: offer.MCPBNames, Hints: policy})
		h.open("p", "https://shop.example/")
		h.reportTools("p", &PageTool{Name: "x", Doc: 1, Runtime: offer.MCPB, FrameURL: "https://shop.example/", Annotations: offer.Annotations{ReadOnly: &yes, Cache: &yes}})
		tab := h.state.Catalog().Tabs()[0]
		if got := string(h.state.Catalog().SiteTools()[0].Annotations()); got != want {
			t.Errorf("%q: %s", policy, got)
		}
		kept, _ := offer.Cacheable(&tab.SiteTab)
		h.step(CacheChanged{kept})
		h.step(PageClosed{"p"})
		h.flush()
		if cached := h.state.Catalog().SiteTools(); len(cached) != 1 || string(cached[0].Annotations()) != want {
			t.Errorf("%q: cached %v", policy, cached)
		}
	}
}
