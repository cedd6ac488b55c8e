package registry

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// BenchmarkRoutes measures a tool toggled on one of 1,000 tabs of 100 sites,
// 10 tools each, with MCP-B's names: every site's tools are routed anew. Its
// pair says what that costs with the hub's own names.
func BenchmarkRoutes(b *testing.B) {
	for _, naming := range []offer.Naming{offer.MCPBNames, offer.WebMCPNames} {
		b.Run("naming="+string(naming), func(b *testing.B) {
			h := newHub(b, Options{Naming: naming})
			var tools []*PageTool
			for i := range 1000 {
				id, url := PageID(fmt.Sprint("p", i)), fmt.Sprintf("https://shop%d.example/", i%100)
				h.open(id, url)
				tools = manyTools(10)
				h.state.Step(ToolsReported{id, 1, tools})
			}
			h.state.Step(FlushDue{})
			h.state.Step(FlushDue{})
			routed := 0
			if naming == offer.MCPBNames {
				routed = 1000
			}
			if n := len(h.state.Catalog().SiteTools()); n != routed || h.state.Catalog().Len() != 10000+routed {
				b.Fatalf("%d tools, %d of them routed", h.state.Catalog().Len(), n)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				now, tabs := tools[:9], 9
				if i%2 == 1 {
					now, tabs = tools, 10
				}
				effects := h.state.Step(ToolsReported{"p999", 1, now})
				h.state.Step(FlushDue{})
				c := h.state.Catalog()
				if !slices.ContainsFunc(effects, isNotice) || len(c.SiteTools()) != routed || c.Len() != 9990+tabs+routed {
					b.Fatalf("%d tools, %d of them routed", c.Len(), len(c.SiteTools()))
				}
				if naming == offer.MCPBNames {
					last := c.Lookup("website_tool_shop99_example_" + names.Sanitize(tools[9].Name))
					if last == nil || !strings.Contains(last.Description, fmt.Sprintf("• %d tabs]", tabs)) {
						b.Fatalf("the routed tool is %+v", last)
					}
				}
			}
		})
	}
}
