package focus

import (
	"encoding/json"
	"flag"
	"fmt"
	"regexp"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"webmcphub/registry"

	"webmcphub/registry/offer"
)

func TestMain(m *testing.M) {
	// Rapid's own 100 runs are over in no time; -rapid.checks=N says otherwise.
	if err := flag.Set("rapid.checks", "500"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// everybody is a client that is shown all tools.
var everybody = registry.VisibleTools{Browser: true, Connect: true, ByName: true}

var (
	// Domains that clash with each other across pages.
	clashingURLs = rapid.SampledFrom([]string{"https://a/", "https://a.page0/", "https://a.page0.page1/"})

	soundName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
)

// hub drives a [registry.State] as the registry actor does.
type hub struct {
	t     testing.TB
	state *registry.State
	gens  map[registry.PageID]registry.Gen
}

func newHub(t testing.TB, o registry.Options) *hub {
	return &hub{t: t, state: registry.NewState(o), gens: map[registry.PageID]registry.Gen{}}
}

func (h *hub) step(e registry.Event) []registry.Effect { return h.state.Step(e) }

// flush lets the interval end, twice: what waited shows, and nothing cools.
func (h *hub) flush() {
	h.step(registry.FlushDue{})
	h.step(registry.FlushDue{})
}

func (h *hub) open(p registry.PageID, url string) {
	h.step(registry.PageOpened{Page: p, URL: url})
	h.navigate(p, url)
}

func (h *hub) navigate(p registry.PageID, url string) {
	h.gens[p]++
	h.step(registry.Navigated{Page: p, Gen: h.gens[p], URL: url})
}

// report reports tools by name, and flushes.
func (h *hub) report(p registry.PageID, names ...string) {
	var tools []*registry.PageTool
	for _, n := range names {
		tools = append(tools, &registry.PageTool{Name: n, Frame: registry.FrameID(p), Doc: h.gens[p], Runtime: offer.Native})
	}
	h.reportTools(p, tools...)
}

func (h *hub) reportTools(p registry.PageID, tools ...*registry.PageTool) {
	h.step(registry.ToolsReported{Page: p, Gen: h.gens[p], Tools: tools})
	h.flush()
}

// text gives the text of a result's only content block.
func text(t testing.TB, r registry.Result) string {
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

func manyTools(n int) []*registry.PageTool {
	tools := make([]*registry.PageTool, n)
	for i := range tools {
		tools[i] = &registry.PageTool{Name: fmt.Sprintf("tool_%d", i), Frame: "main", Doc: 1, Runtime: offer.Native,
			Description: "Does one of the many things that this page can do.",
			InputSchema: []byte(`{"type":"object","properties":{"query":{"type":"string","description":"What to look for"}},"required":["query"]}`)}
	}
	return tools
}
