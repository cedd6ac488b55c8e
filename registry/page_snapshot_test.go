package registry

import (
	"slices"
	"testing"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// What is withheld, or over a limit, is told to nobody; what is refused for what it says is, in
// its place.
func TestFactsTellWhatMayBeKnown(t *testing.T) {
	held := &PageTool{Name: "held", Doc: 1}
	h := newHub(t, Options{MaxTools: 3, Pins: holding{held}})
	h.open("p", "https://a.example/x")
	good, bad, over := &PageTool{Name: "good", Doc: 1}, &PageTool{Name: "", Doc: 1}, &PageTool{Name: "over", Doc: 1}
	h.reportTools("p", bad, held, good, over)
	c := h.state.Catalog()
	if got := c.PageSnapshot(c.Tab("p")).Tools; !slices.Equal(got, []*PageTool{bad, good}) {
		t.Errorf("told of %+v", got)
	}
}

type holding struct{ tool *PageTool }

func (h holding) Check(t *PageTool, _, _ string) (v offer.PinCheck) {
	if t == h.tool {
		v.Held = func() string { return "held" }
	}
	return v
}

// Of a page that the rules keep out only the origin is told.
func TestFactsKeepRules(t *testing.T) {
	rules, err := names.ParseOrigins(nil, []string{"https://secret.example"})
	if err != nil {
		t.Fatal(err)
	}
	h := newHub(t, Options{Origins: rules})
	h.open("p", "https://secret.example/?token=1")
	h.step(PageChanged{Page: "p", Title: "token 1"})
	h.step(FramesReported{"p", 1, []Frame{{ID: "f", Doc: 2, URL: "https://secret.example/?token=2"}}})
	h.step(OffersReported{Page: "p", Gen: 1, Resources: []*offer.PageResource{{Doc: 1, URI: "a:b", Name: "n"}}, Browser: offer.BrowserCapabilities{Elicitation: true}})
	h.report("p", "tool")
	c := h.state.Catalog()
	f := c.PageSnapshot(c.Tab("p"))
	if f.URL != "https://secret.example" || f.Title != "" || f.Frames[0].URL != "https://secret.example" || len(f.Tools) > 0 || !f.Offers.Empty() {
		t.Errorf("told %+v", f)
	}
}

// Offers are told while they show, and tabs are told anew when what their server is capable of changes.
func TestFactsTellOffers(t *testing.T) {
	h := newHub(t, Options{})
	h.open("p", "https://a.example/")
	r, q := &offer.PageResource{Doc: 1, URI: "a:b", Name: "n"}, &offer.PagePrompt{Doc: 1, Name: "ask"}
	h.step(OffersReported{Page: "p", Gen: 1, Resources: []*offer.PageResource{r}, Prompts: []*offer.PagePrompt{q}})
	h.flush()
	before := h.state.Catalog().Tab("p")
	able := offer.BrowserCapabilities{CacheSupported: true}
	h.step(OffersReported{Page: "p", Gen: 1, Resources: []*offer.PageResource{r}, Prompts: []*offer.PagePrompt{q}, Browser: able})
	h.flush()
	c := h.state.Catalog()
	if c.Tab("p") == before {
		t.Error("the tab is the same as before")
	}
	f := c.PageSnapshot(c.Tab("p"))
	if f.Offers.Resources[0] != r || f.Offers.Prompts[0] != q || f.Offers.Browser != able || f.Gen != 1 || f.Opened != 1 {
		t.Errorf("told %+v", f)
	}
	h.navigate("p", "https://a.example/")
	h.flush()
	if c = h.state.Catalog(); !c.PageSnapshot(c.Tab("p")).Offers.Empty() {
		t.Error("the offers outlive their document")
	}
	h.step(OffersReported{Page: "p", Gen: 2, Browser: able})
	h.flush()
	if c = h.state.Catalog(); c.PageSnapshot(c.Tab("p")).Offers.Browser != able {
		t.Error("what the next document's server is capable of isn't told")
	}
}

// Events together are shown by one catalog.
func TestTogether(t *testing.T) {
	h := newHub(t, Options{})
	h.open("p", "https://a.example/")
	h.report("p", "tool")
	before := h.state.Catalog().Version()
	h.step(EventBatch{Navigated{Page: "p", Gen: 2, URL: "https://a.example/"}, ToolsReported{"p", 2, []*PageTool{{Name: "tool", Doc: 2}}}})
	if c := h.state.Catalog(); c.Version() != before+1 || c.Lookup("webmcp_a_example_page0_tool").Route.Doc != 2 {
		t.Errorf("version %d after %d", c.Version(), before)
	}
}
