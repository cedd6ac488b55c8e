package registry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"webmcphub/registry/offer"
)

// hub drives a [State] as the registry actor does, and keeps what an MCP
// server would hold after the effects.
type hub struct {
	t       testing.TB
	state   *State
	server  map[string]*HubTool
	served  *Catalog
	notices int // NotifyListChanged so far
	gens    map[PageID]Gen
}

func newHub(t testing.TB, o Options) *hub {
	return &hub{t: t, state: NewState(o), server: map[string]*HubTool{}, served: EmptyCatalog(), gens: map[PageID]Gen{}}
}

func (h *hub) step(e Event) []Effect {
	effects := h.state.Step(e)
	for _, effect := range effects {
		switch x := effect.(type) {
		case SetCatalog:
			withdrawn, published := differ(h.served, x.Catalog)
			for _, name := range withdrawn {
				delete(h.server, name)
			}
			for _, t := range published {
				h.server[t.Name] = t
			}
			h.served = x.Catalog
		case NotifyListChanged:
			h.notices++
		}
	}
	return effects
}

// differ says which names a catalog no longer publishes, and which tools it
// publishes that the one before it did not. Both are sorted by name.
func differ(was, is *Catalog) (withdrawn []string, published []*HubTool) {
	for _, t := range was.Tools() {
		if is.Lookup(t.Name) == nil {
			withdrawn = append(withdrawn, t.Name)
		}
	}
	for _, t := range is.Tools() {
		if was.Lookup(t.Name) != t {
			published = append(published, t)
		}
	}
	return withdrawn, published
}

// flush lets the interval end, twice: what waited shows, and nothing cools.
func (h *hub) flush() {
	h.step(FlushDue{})
	h.step(FlushDue{})
}

func (h *hub) open(p PageID, url string) {
	h.step(PageOpened{Page: p, URL: url})
	h.navigate(p, url)
}

func (h *hub) navigate(p PageID, url string) {
	h.gens[p]++
	h.step(Navigated{Page: p, Gen: h.gens[p], URL: url})
}

// report reports tools by name, and flushes.
func (h *hub) report(p PageID, names ...string) {
	var tools []*PageTool
	for _, n := range names {
		tools = append(tools, &PageTool{Name: n, Frame: FrameID(p), Doc: h.gens[p], Runtime: offer.Native})
	}
	h.reportTools(p, tools...)
}

func (h *hub) reportTools(p PageID, tools ...*PageTool) {
	h.step(ToolsReported{p, h.gens[p], tools})
	h.flush()
}

// names are those on the server, sorted.
func (h *hub) names() []string {
	names := make([]string, 0, len(h.server))
	for n := range h.server {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// want checks the names on the server.
func (h *hub) want(names ...string) {
	h.t.Helper()
	slices.Sort(names)
	if got := h.names(); !slices.Equal(got, names) {
		h.t.Errorf("published:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(names, "\n  "))
	}
}

// text gives the text of a result's only content block.
func text(t testing.TB, r Result) string {
	t.Helper()
	blocks := decoded[struct {
		Content []struct{ Text string }
	}](t, r.JSON).Content
	if len(blocks) != 1 {
		t.Fatalf("want one content block: %s", r.JSON)
	}
	return blocks[0].Text
}

func decoded[T any](t testing.TB, raw []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func manyTools(n int) []*PageTool {
	tools := make([]*PageTool, n)
	for i := range tools {
		tools[i] = &PageTool{Name: fmt.Sprintf("tool_%d", i), Frame: "main", Doc: 1, Runtime: offer.Native,
			Description: "Does one of the many things that this page can do.",
			InputSchema: []byte(`{"type":"object","properties":{"query":{"type":"string","description":"What to look for"}},"required":["query"]}`)}
	}
	return tools
}
