package focus

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// BenchmarkListTabs measures list_tabs with 20,000 tools in 1,000 tabs, whose tokens are
// counted the first time. The first time is reported too, in ms.
func BenchmarkListTabs(b *testing.B) {
	state := registry.NewState(registry.Options{MaxPages: 1000})
	var now *registry.Catalog
	var events []registry.Event
	for i := range 1000 {
		page, url := registry.PageID(fmt.Sprint("P", i)), fmt.Sprintf("https://site%d.example/", i)
		e := registry.ToolsReported{Page: page, Gen: 1}
		for j := range 20 {
			e.Tools = append(e.Tools, &registry.PageTool{Frame: "F", Doc: 1, Runtime: offer.Native, Name: fmt.Sprint("search_products_", j),
				Description: "Searches the catalogue for products by name, brand, colour or price range. Gives at most 20.",
				InputSchema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"Words to look for"},"maxPrice":{"type":"number"}},"required":["query"]}`)})
		}
		events = append(events, registry.PageOpened{Page: page, URL: url}, registry.Navigated{Page: page, Gen: 1, URL: url}, e)
	}
	for _, e := range append(events, registry.BrowserChanged{}, registry.FlushDue{}, registry.FlushDue{}) {
		for _, effect := range state.Step(e) {
			if serve, ok := effect.(registry.SetCatalog); ok {
				now = serve.Catalog
			}
		}
	}
	if now.Len() != 20_000 {
		b.Fatalf("%d tools", now.Len())
	}
	began := time.Now()
	ListTabsResult(now, nil)
	first := time.Since(began)
	for b.Loop() {
		if r := ListTabsResult(now, nil); r.IsError {
			b.Fatal(r.JSON)
		}
	}
	b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
}
