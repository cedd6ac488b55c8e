package registry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// hub drives a [State] as the registry actor does, and keeps what an MCP
// server would hold after the effects.
type hub struct {
	t       testing.TB
	state   *State
	server  map[string]*HubTool
	notices int // NotifyListChanged so far
	gens    map[PageID]Gen
}

func newHub(t testing.TB, o Options) *hub {
	return &hub{t: t, state: NewState(o), server: map[string]*HubTool{}, gens: map[PageID]Gen{}}
}

func (h *hub) step(e Event) []Effect {
	effects := h.state.Step(e)
	for _, effect := range effects {
		switch x := effect.(type) {
		case Withdraw:
			for _, name := range x.Names {
				delete(h.server, name)
			}
		case Publish:
			for _, t := range x.Tools {
				h.server[t.Name] = t
			}
		case NotifyListChanged:
			h.notices++
		}
	}
	return effects
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
		tools = append(tools, &PageTool{Name: n, Frame: FrameID(p), Doc: h.gens[p], Runtime: Native})
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
		tools[i] = &PageTool{Name: fmt.Sprintf("tool_%d", i), Frame: "main", Doc: 1, Runtime: Native,
			Description: "Does one of the many things that this page can do.",
			InputSchema: []byte(`{"type":"object","properties":{"query":{"type":"string","description":"What to look for"}},"required":["query"]}`)}
	}
	return tools
}
