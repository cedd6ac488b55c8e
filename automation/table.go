package automation

import (
	"slices"
	"strings"

	"webmcphub/automation/schema"
)

// Table gives the tools of these categories, sorted by name.
func Table(on []Category, several bool) []*Tool {
	var all []*Tool
	for _, tools := range [][]Tool{navigationTools(several), inputTools(), keyTools(), emulationTools(),
		performanceTools(), networkTools(), debuggingTools()} {
		for i := range tools {
			if t := &tools[i]; slices.Contains(on, t.Category) {
				all = append(all, t)
			}
		}
	}
	slices.SortFunc(all, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Fields that many tools have. They are described once, in the tool that is used
// first, or by their names: every tool's schema is in every agent's context.
var (
	pageID = schema.Field{Name: "pageId", Schema: `{"type":"integer"}`}
	uid    = schema.Text("uid", "").Must()
	// serviceWorkerID is refused with the reason.
	serviceWorkerID = schema.Text("serviceWorkerId", "")
	withSnapshot    = schema.YesNo("includeSnapshot", "")
	timeout         = schema.Field{Name: "timeout", Schema: `{"type":"integer","description":"ms"}`}
	filePath        = schema.Text("filePath", "Save to this file instead")
)
