package find

import (
	"encoding/json"
	"testing"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// hub drives a [registry.State] as the registry actor does.
type hub struct {
	state *registry.State
	gens  map[registry.PageID]registry.Gen
}

func newHub(o registry.Options) *hub {
	return &hub{state: registry.NewState(o), gens: map[registry.PageID]registry.Gen{}}
}

// catalog lets the interval end, twice, so that what waited shows.
func (h *hub) catalog() *registry.Catalog {
	h.state.Step(registry.FlushDue{})
	h.state.Step(registry.FlushDue{})
	return h.state.Catalog()
}

func (h *hub) open(p registry.PageID, url, title string) {
	h.state.Step(registry.PageOpened{Page: p, URL: url, Title: title})
	h.navigate(p, url)
	h.state.Step(registry.PageChanged{Page: p, URL: url, Title: title})
}

func (h *hub) navigate(p registry.PageID, url string) {
	h.gens[p]++
	h.state.Step(registry.Navigated{Page: p, Gen: h.gens[p], URL: url})
}

func (h *hub) report(p registry.PageID, tools ...*registry.PageTool) {
	for _, t := range tools {
		t.Frame, t.Doc, t.Runtime = registry.FrameID(p), h.gens[p], offer.Native
	}
	h.state.Step(registry.ToolsReported{Page: p, Gen: h.gens[p], Tools: tools})
}

// page opens a page with tools: each a name and a description.
func (h *hub) page(p registry.PageID, url, title string, tools ...[2]string) {
	h.open(p, url, title)
	var all []*registry.PageTool
	for _, t := range tools {
		all = append(all, &registry.PageTool{Name: t[0], Description: t[1]})
	}
	h.report(p, all...)
}

// index is an index of the hub's catalog.
func (h *hub) index(t testing.TB) *Index {
	t.Helper()
	x := NewIndex()
	if !x.Update(h.catalog(), 1<<30) {
		t.Fatal("the index is not there")
	}
	return x
}

// namesOf are what was found.
func namesOf(found []Found) (all []string) {
	for _, f := range found {
		all = append(all, f.Tool.Route.Tool)
	}
	return all
}

func schemaOf(properties string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` + properties + `}}`)
}
