package registry

import (
	"encoding/json"
	"strings"
	"testing"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// withMeta is a tool that carries a _meta of its own.
func withMeta(meta string) *PageTool {
	cache := true
	return &PageTool{Name: "buy", Runtime: offer.MCPB, FrameURL: "https://shop.example/", Meta: json.RawMessage(meta), Annotations: offer.Annotations{Cache: &cache}}
}

// provenance is what a list says of where a tool comes from.
type provenance struct {
	Trust, Origin, FrameURL, Runtime string
	Page                             *int
	Tab                              TabID `json:"tabId"`
}

// listedMeta is the _meta that a list shows of a tool.
func listedMeta(t *testing.T, h *HubTool) (own string, from provenance) {
	t.Helper()
	var tool struct {
		Name string
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(h.Encoded, &tool); err != nil || tool.Name != h.Name {
		t.Fatalf("%s: %v", h.Encoded, err)
	}
	if json.Unmarshal(tool.Meta[sanitize.ProvenanceKey], &from) != nil || from.Trust != sanitize.Untrusted {
		t.Errorf("%s does not say where it comes from", h.Encoded)
	}
	delete(tool.Meta, sanitize.ProvenanceKey)
	return string(sanitize.Encode(tool.Meta)), from
}

// A tool's own _meta is listed beside where it comes from, in every list that
// has the tool; its results say the latter only.
func TestToolsOwnMeta(t *testing.T) {
	h := newHub(t, Options{Naming: offer.MCPBNames, Site: registeredSite})
	h.open("p0", "https://shop.example/")
	h.reportTools("p0", withMeta(`{"example.shop/unit":"EUR","a":"\"page\":0,","webmcp-hub/provenance":{"trust":"high"}}`))
	const want = `{"a":"\"page\":0,","example.shop/unit":"EUR"}`
	tab := h.state.Catalog().Tabs()[0]
	plain, routed := tab.Tools[0], h.state.Catalog().SiteTools()[0]
	bare := tab.Published()[0].Bare("bare")
	for _, tool := range []*HubTool{plain, routed, bare} {
		if own, from := listedMeta(t, tool); own != want || from.Origin != "https://shop.example" {
			t.Errorf("%s lists %s of %+v", tool.Name, own, from)
		}
		if strings.Contains(string(tool.Meta), "EUR") {
			t.Errorf("results of %s say %s", tool.Name, tool.Meta)
		}
	}
	kept, _ := offer.Cacheable(&tab.SiteTab)
	h.step(CacheChanged{kept})
	h.step(PageClosed{"p0"})
	h.flush()
	cached := h.state.Catalog().SiteTools()
	if len(cached) != 1 || !cached[0].SiteTool.Cached {
		t.Fatalf("routed are %v", cached)
	}
	if own, _ := listedMeta(t, cached[0]); own != want {
		t.Errorf("cached it lists %s", own)
	}
}

// Equal _meta gives the same bytes; another one is a change; one that can't be
// published takes no tool with it.
func TestMetaChanges(t *testing.T) {
	h := newHub(t, Options{})
	h.open("p0", "https://shop.example/")
	show := func(meta string) string {
		t.Helper()
		before := h.notices
		h.reportTools("p0", withMeta(meta))
		if h.notices != before+1 {
			t.Errorf("%.50s: %d notices", meta, h.notices-before)
		}
		return string(h.server["webmcp_shop_example_page0_buy"].Encoded)
	}
	one := show(`{"a":1,"b":2}`)
	if two := show(`{"a":1,"b":3}`); one == two {
		t.Error("another _meta is not listed")
	}
	big := show(`{"a":"` + strings.Repeat("x", sanitize.MaxMeta) + `"}`)
	if got := show(`{"b":2, "a":1}`); got != one {
		t.Errorf("in another order it is\n%s\nand not\n%s", got, one)
	}
	other := newHub(t, Options{})
	other.open("p0", "https://shop.example/")
	none := withMeta(``)
	none.Meta = nil
	other.reportTools("p0", none)
	if want := string(other.server["webmcp_shop_example_page0_buy"].Encoded); big != want {
		t.Errorf("with too large a _meta it is\n%s\nand not\n%s", big, want)
	}
}

// registeredSite is [Options].Site for tests: a few suffixes under which people
// register names, as the public suffix list has them.
func registeredSite(host string) string {
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
