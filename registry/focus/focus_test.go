package focus

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// bareOf gives the bare tools of a page that offers these, and the page's own
// names for them, in the order of the bare ones.
func bareOf(t *testing.T, max int, tools ...*registry.PageTool) (bare []*registry.HubTool, own []string) {
	t.Helper()
	h := newHub(t, registry.Options{MaxName: max})
	h.open("p0", "https://shop.example")
	h.reportTools("p0", tools...)
	bare = BareTools(h.state.Catalog().Tabs()[0], max)
	for _, b := range bare {
		own = append(own, b.Route.Tool)
	}
	return bare, own
}

func TestBareNames(t *testing.T) {
	long := strings.Repeat("search_flights_", 10)
	for _, c := range []struct {
		why   string
		max   int
		tools []string // the page's, one of frame f1 with a '@' before it
		want  []string // sorted
	}{
		{"as they are", 0, []string{"search", "Add_2"}, []string{"Add_2", "search"}},
		{"what no name may have", 0, []string{"shop.cart-add", "größe", "🛒"}, []string{"__", "gr__e", "shop_cart_add"}},
		{"the core tools' names", 0, []string{"connect_browser", "list_tabs", "open_tab", "focus_tab", "close_tab"},
			[]string{"page_close_tab", "page_connect_browser", "page_focus_tab", "page_list_tabs", "page_open_tab"}},
		{"names that become the core tools'", 0, []string{"open.tab", "close-tab"}, []string{"page_close_tab", "page_open_tab"}},
		{"the hub's other names", 0, []string{"connect_webmcp", "disconnect_webmcp", "list_webmcp_tools", "call_webmcp_tool", "call_webmcp_tools"},
			[]string{"page_call_webmcp_tool", "page_call_webmcp_tools", "page_connect_webmcp", "page_disconnect_webmcp", "page_list_webmcp_tools"}},
		{"a full name", 0, []string{"webmcp_bank_example_page0_pay", "webmcp", "webmcp."}, []string{"page_webmcp_", "page_webmcp_bank_example_page0_pay", "webmcp"}},
		{"a digit first", 0, []string{"2fa"}, []string{"page_2fa"}},
		{"two that become one", 0, []string{"a.b", "a_b", "a-b"}, []string{"a_b", "a_b_8dc4d9", "a_b_f5ab4d"}},
		{"two that become one, the other way round", 0, []string{"a_b", "a.b", "a-b"}, []string{"a_b", "a_b_f2eb13", "a_b_f5ab4d"}},
		{"the same of two frames", 0, []string{"pay", "@pay"}, []string{"pay", "pay_45db27"}},
		{"a page that has the other's new name", 0, []string{"page_open_tab", "open_tab"}, []string{"page_open_tab", "page_open_tab_23572b"}},
		{"too long", 0, []string{long + "a", long + "b"}, []string{"search_flights_search_flights_search_flights_016c26", "search_flights_search_flights_search_flights_96d818"}},
		{"a small budget", 32, []string{long}, []string{"search_flights_search_fli_c36f44"}},
		{"a budget that is too small", 1, []string{long}, []string{"search_flights_search_fli_c36f44"}},
		{"equal and too long", 32, []string{long + ".", long + "-"}, []string{"search_flights_search_fli_81e258", "search_flights_search_fli_fa86aa"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			var tools []*registry.PageTool
			for _, name := range c.tools {
				own, iframe := strings.CutPrefix(name, "@")
				frame := registry.FrameID("f0")
				if iframe {
					frame = "f1"
				}
				tools = append(tools, &registry.PageTool{Name: own, Frame: frame, Doc: 1, Runtime: offer.Native})
			}
			bare, _ := bareOf(t, c.max, tools...)
			if got := toolNames(bare); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			for _, b := range bare {
				if limit := bareLimit(c.max); len(b.Name) > limit {
					t.Errorf("%s is longer than %d", b.Name, limit)
				}
			}
		})
	}
	t.Run("first come, first served", func(t *testing.T) {
		_, own := bareOf(t, 0, &registry.PageTool{Name: "a.b"}, &registry.PageTool{Name: "a_b"})
		if own[0] != "a.b" {
			t.Errorf("the plain name went to %q", own[0])
		}
	})
}

// A bare tool is the published one in all but name, description and _meta.
func TestBareToolsAreThePublishedOnes(t *testing.T) {
	yes := true
	h := newHub(t, registry.Options{})
	h.open("other", "https://other.example")
	h.open("p0", "http://localhost:3000/a")
	h.reportTools("p0",
		&registry.PageTool{Name: "pay", Title: `say "it", {"inputSchema":1}`, Description: `x] ,"inputSchema":{}, "page":1,`, Frame: "f", Doc: 1, Runtime: offer.MCPB,
			FrameURL:     `http://localhost:3000/"page":1,`,
			InputSchema:  []byte(`{"type":"object","properties":{"ä":{"type":"string"},"inputSchema":{"type":"object","properties":{"_meta":{"type":"null"}}}}}`),
			OutputSchema: []byte(`{"type":"object","properties":{"ok":{"type":"boolean"}}}`),
			Annotations:  offer.Annotations{ReadOnly: &yes}},
		&registry.PageTool{Name: "plain", Frame: "f", Doc: 1, Runtime: offer.Native})
	tab := h.state.Catalog().Tab("p0")
	bare := BareTools(tab, 0)
	for i, full := range tab.Tools {
		b := bare[i]
		got, want := decoded[map[string]any](t, b.Encoded), decoded[map[string]any](t, full.Encoded)
		if got["name"] != b.Name || got["description"] != b.Description {
			t.Errorf("%s is encoded as %v: %v", b.Name, got["name"], got["description"])
		}
		provenance := want["_meta"].(map[string]any)[sanitize.ProvenanceKey].(map[string]any)
		delete(provenance, "page")
		for _, member := range []string{"name", "description"} {
			delete(got, member)
			delete(want, member)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		if meta := decoded[map[string]any](t, b.Meta); fmt.Sprint(meta) != fmt.Sprint(got["_meta"]) {
			t.Errorf("Meta is %v, encoded %v", meta, got["_meta"])
		}
		if b.Route != full.Route || b.Structured != full.Structured || !bytes.Equal(b.InputSchema, full.InputSchema) || !bytes.Equal(b.ArgumentSchema, full.ArgumentSchema) {
			t.Errorf("%s is not %s", b.Name, full.Name)
		}
		if args := []byte(`{"_":"1"}`); !bytes.Equal(b.PageArguments(args), full.PageArguments(args)) {
			t.Errorf("%s gets other arguments", b.Name)
		}
	}
	if bare[0].Description != `[WebMCP • localhost:3000] x] ,"inputSchema":{}, "page":1,` || bare[1].Description != "[WebMCP • localhost:3000] No description" {
		t.Errorf("descriptions %q, %q", bare[0].Description, bare[1].Description)
	}
	if strings.Contains(tab.Tools[0].Description, bare[0].Description) {
		t.Error("the published tool was changed")
	}

	before := bare
	h.step(registry.PageClosed{Page: "other"}) // the index is another now
	h.flush()
	after := BareTools(h.state.Catalog().Tab("p0"), 0)
	for i := range after {
		if string(before[i].Encoded) != string(after[i].Encoded) {
			t.Errorf("once another tab closed, it is %s\nwas %s", after[i].Encoded, before[i].Encoded)
		}
	}
}

// With publishing switched off no page's tools are listed, the focused tab's
// neither; toolCount still says what the page offers.
func TestFocusWhileNothingIsPublished(t *testing.T) {
	h := newHub(t, registry.Options{})
	h.open("p0", "https://shop.example")
	h.report("p0", "cart")
	var f Focus
	f.Step(h.state.Catalog(), Connect{})
	f.Step(h.state.Catalog(), FocusTab{"p0"})
	seen := f.View(h.state.Catalog())
	if got := toolNames(seen.Tools); !slices.Equal(got, []string{"cart"}) {
		t.Fatalf("got %q", got)
	}
	unlisted := h.state.Catalog().WithOptions(registry.ListOptions{Unlisted: true})
	if !f.Step(unlisted, CatalogChanged{}) {
		t.Error("the client isn't told")
	}
	now := f.View(unlisted)
	if len(now.Tools) != 0 {
		t.Errorf("got %q", toolNames(now.Tools))
	}
	if _, err := ResolveBare(&seen, now, "cart"); err == nil || !strings.Contains(err.Error(), "not registered at present.") || strings.Contains(err.Error(), "call_webmcp_tool") {
		t.Errorf("got %v", err)
	}
	if got := string(ListTabsResult(unlisted, now.Tab).JSON); !strings.Contains(got, `"toolCount":1`) {
		t.Error(got)
	}
}

// One page's two tools can trade their name; the client must be told, or its
// calls would be refused for no reason that it knows of.
func TestAToolThatTakesAnothersName(t *testing.T) {
	h := newHub(t, registry.Options{})
	h.open("p0", "https://shop.example")
	h.report("p0", "c.art")
	var f Focus
	f.Step(h.state.Catalog(), Connect{})
	f.Step(h.state.Catalog(), FocusTab{"p0"})
	seen := f.View(h.state.Catalog())
	h.report("p0", "c-art")
	if !f.Step(h.state.Catalog(), CatalogChanged{}) {
		t.Error("the client isn't told")
	}
	_, err := ResolveBare(&seen, f.View(h.state.Catalog()), "c_art")
	if want := "c_art: its page no longer offers c.art, so c_art now names another tool; list the tools again"; fmt.Sprint(err) != want {
		t.Errorf("got %v", err)
	}
	h.report("p0", "c-art", "c.art") // it is back, under another name
	if tool, err := ResolveBare(&seen, f.View(h.state.Catalog()), "c_art"); err != nil || tool.Route.Tool != "c.art" {
		t.Errorf("got %v (%v)", tool, err)
	}
}

// What a tool says is part of the list, too.
func TestAToolThatSaysSomethingElse(t *testing.T) {
	h := newHub(t, registry.Options{})
	h.open("p0", "https://shop.example")
	h.reportTools("p0", &registry.PageTool{Name: "cart", Description: "one"})
	var f Focus
	f.Step(h.state.Catalog(), Connect{})
	f.Step(h.state.Catalog(), FocusTab{"p0"})
	h.reportTools("p0", &registry.PageTool{Name: "cart", Description: "one"})
	if f.Step(h.state.Catalog(), CatalogChanged{}) {
		t.Error("told of the same tool, registered anew")
	}
	h.reportTools("p0", &registry.PageTool{Name: "cart", Description: "two"})
	if !f.Step(h.state.Catalog(), CatalogChanged{}) {
		t.Error("not told of another description")
	}
}

// Between a catalog and its step, State and Tab go by the catalog.
func TestFocusAsksTheCatalog(t *testing.T) {
	h := newHub(t, registry.Options{})
	h.open("p0", "https://shop.example")
	var f Focus
	f.Step(h.state.Catalog(), Connect{})
	f.Step(h.state.Catalog(), FocusTab{"p0"})
	h.step(registry.BrowserChanged{Status: "Chrome went away"})
	h.flush()
	if v := f.View(h.state.Catalog()); v.State != Disconnected || v.Tab != nil {
		t.Errorf("%v with %v", v.State, v.Tab)
	}
}

// Tools of one name in several frames: a name stays with its frame while that
// is there, and goes on to the frame's successor only if it is nobody else's.
func TestBareNamesOfFrames(t *testing.T) {
	of := func(frame string) *registry.PageTool {
		return &registry.PageTool{Name: "pay", Frame: registry.FrameID(frame), Doc: 1}
	}
	for _, c := range []struct {
		why       string
		had, have []*registry.PageTool
		frame     registry.FrameID // where a call of pay goes, or
		says      string
	}{
		{"the order changed", []*registry.PageTool{of("f0"), of("f1")}, []*registry.PageTool{of("f1"), of("f0")}, "f0", ""},
		{"its frame is new", []*registry.PageTool{of("f0")}, []*registry.PageTool{of("f2")}, "f2", ""},
		{"another known frame has its name", []*registry.PageTool{of("f0"), of("f1")}, []*registry.PageTool{of("f1")}, "", "pay: its page no longer offers pay, so pay now names another tool; list the tools again"},
	} {
		t.Run(c.why, func(t *testing.T) {
			h := newHub(t, registry.Options{})
			h.open("p0", "https://shop.example")
			h.reportTools("p0", c.had...)
			var f Focus
			f.Step(h.state.Catalog(), Connect{})
			f.Step(h.state.Catalog(), FocusTab{"p0"})
			seen := f.View(h.state.Catalog())
			h.reportTools("p0", c.have...)
			tool, err := ResolveBare(&seen, f.View(h.state.Catalog()), "pay")
			switch {
			case c.says == "" && (err != nil || tool.Route.Frame != c.frame):
				t.Errorf("got %v (%v)", tool, err)
			case c.says != "" && (err == nil || err.Error() != c.says):
				t.Errorf("got %v (%v)", tool, err)
			}
		})
	}
}

func TestViewHasTheFocusedTabsToolsAlone(t *testing.T) {
	h := newHub(t, registry.Options{})
	h.open("p0", "https://shop.example")
	h.report("p0", "search")
	h.open("p1", "https://news.example")
	h.report("p1", "read")
	f := Focus{}
	f.Step(h.state.Catalog(), Connect{})
	if v := f.View(h.state.Catalog()); v.Tools != nil {
		t.Errorf("tools without a tab: %q", toolNames(v.Tools))
	}
	f.Step(h.state.Catalog(), FocusTab{"p0"})
	if v := f.View(h.state.Catalog()); !slices.Equal(toolNames(v.Tools), []string{"search"}) {
		t.Errorf("got %q", toolNames(v.Tools))
	}
}

func TestFocusNoneKeepsTheTab(t *testing.T) {
	h := newHub(t, registry.Options{})
	h.open("p0", "https://shop.example")
	f := Focus{}
	f.Step(h.state.Catalog(), Connect{})
	f.Step(h.state.Catalog(), FocusTab{"p0"})
	if !f.Step(h.state.Catalog(), FocusNone{}) || f.State(h.state.Catalog()) != NoneFocused || f.Tab(h.state.Catalog()) != nil {
		t.Errorf("the state is %v", f.State(h.state.Catalog()))
	}
	if f.Step(h.state.Catalog(), FocusNone{}) {
		t.Error("told of nothing")
	}
	f.Step(h.state.Catalog(), FocusTab{"later"})
	f.Step(h.state.Catalog(), FocusNone{}) // the wait is over, too
	h.open("later", "https://later.example")
	f.Step(h.state.Catalog(), CatalogChanged{})
	if got := f.State(h.state.Catalog()).CoreTools(); f.Tab(h.state.Catalog()) != nil || !slices.Equal(got, []string{"focus_tab", "list_tabs", "open_tab"}) {
		t.Errorf("got %q", got)
	}
}

func BenchmarkBareTools(b *testing.B) {
	h := newHub(b, registry.Options{})
	h.open("p0", "https://shop.example")
	h.reportTools("p0", manyTools(1000)...)
	tab := h.state.Catalog().Tabs()[0]
	b.ReportAllocs()
	for b.Loop() {
		BareTools(tab, 0)
	}
}
