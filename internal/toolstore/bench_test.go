package toolstore

import (
	"fmt"
	"testing"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// BenchmarkLook measures a look at the catalog after a tool was toggled on one
// of 1,000 tabs of 100 sites with 10 tools each, two of which may outlive
// their tabs. It happens at most ten times a second.
func BenchmarkLook(b *testing.B) {
	state := registry.NewState(registry.Options{Naming: offer.MCPBNames})
	yes := true
	tools := func(tab int) (all []*registry.PageTool) {
		for i := range 10 {
			t := &registry.PageTool{Name: fmt.Sprint("tool", i), Frame: "F", Doc: 1, Description: "Does something", InputSchema: []byte(`{"type":"object"}`)}
			if i < 2 {
				t.Annotations.Cache = &yes
			}
			all = append(all, t)
		}
		return all
	}
	for i := range 1000 {
		id, url := registry.PageID(fmt.Sprint("p", i)), fmt.Sprintf("https://shop%d.example/", i%100)
		state.Step(registry.PageOpened{Page: id, URL: url})
		state.Step(registry.Navigated{Page: id, Gen: 1, URL: url})
		state.Step(registry.ToolsReported{Page: id, Gen: 1, Tools: tools(i)})
	}
	state.Step(registry.FlushDue{})
	last := tools(999)
	s := Open(Options{})
	s.changed = func([]offer.CachedTool) {}
	now := time.Now()
	s.Apply([]registry.Effect{registry.SetCatalog{Catalog: state.Catalog()}})
	s.look(now)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		list, lives := last, true
		if i%2 == 0 { // its site's other tabs have it still
			list = last[1:]
		}
		b.StopTimer()
		s.Apply(state.Step(registry.ToolsReported{Page: "p999", Gen: 1, Tools: list}))
		s.Apply(state.Step(registry.FlushDue{}))
		b.StartTimer()
		s.look(now)
		if len(s.known) != 200 || len(s.live) != 200 || s.live[key{"https://shop99.example", "tool0"}] != lives {
			b.Fatalf("%d are known, %d live", len(s.known), len(s.live))
		}
	}
}
