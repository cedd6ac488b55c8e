package mcpserver

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"webmcphub/mcpserver/listing"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// BenchmarkStormWithFind measures a storm of changes in 16 pages of 500 tools, as the
// registry's actor takes it: each change takes a page's tool away or brings it back, and each
// 100th shows in a new catalog. In the first part nobody searches; in the second somebody
// has, so that the index follows; in the third somebody does ten times a second. In the end
// a search must find what the catalog has.
func BenchmarkStormWithFind(b *testing.B) {
	const pages, each = 16, 500
	for _, searches := range []string{"none", "one before", "ten a second"} {
		b.Run(searches, func(b *testing.B) {
			h := newHub(b, echo)
			var all [pages][]*registry.PageTool
			for p := range pages {
				page := fmt.Sprint("P", p)
				var specs []string
				for i := range each {
					specs = append(specs, fmt.Sprintf(`tool_%d_of_%d {"type":"object","properties":{"a%d":{"type":"string"}}}`, i, p, i))
				}
				h.page(page, fmt.Sprintf("https://s%d.test/", p), specs...)
				for _, t := range h.catalog().Tab(registry.PageID(page)).Tools {
					all[p] = append(all[p], t.Source())
				}
			}
			find := func(query string) string {
				l := view.New(view.Settings{Mode: view.AllTabs, MaxName: names.DefaultMaxName}, view.Setup{Served: h.current.Load()})
				r, _ := h.calls.Finder.Answer(b.Context(), listing.FindArguments{Query: query}, listing.Asker{ClientView: l, Kept: func(*registry.Tab) bool { return false }})
				return string(r.JSON)
			}
			if searches != "none" {
				find("tool")
			}
			done := make(chan bool)
			if searches == "ten a second" {
				go func() {
					for tick := time.NewTicker(100 * time.Millisecond); ; {
						select {
						case <-tick.C:
							find("tool 7")
						case <-done:
							tick.Stop()
							done <- true
							return
						}
					}
				}()
			}
			b.ResetTimer()
			for i := range b.N {
				p := i % pages
				tools := all[p]
				if i/pages%2 == 0 {
					tools = tools[:each-1]
				}
				h.Apply(h.state.Step(registry.ToolsReported{Page: registry.PageID(fmt.Sprint("P", p)), Gen: 1, Tools: tools}))
				if i%100 == 99 {
					h.Apply(h.state.Step(registry.FlushDue{}))
				}
			}
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "changes/s")
			if searches == "ten a second" {
				done <- true
				<-done
			}
			h.Apply(h.state.Step(registry.FlushDue{}))
			last := h.catalog().Tools()[len(h.catalog().Tools())/2]
			if !strings.Contains(find(last.Route.Tool), last.Name) {
				b.Fatalf("%s is not found", last.Name)
			}
		})
	}
}
