package automation

import (
	"slices"
	"strings"
)

// Table gives the tools of these categories, sorted by name.
func Table(on []Category) []*Tool {
	var all []*Tool
	for _, tools := range [][]Tool{navigationTools(), inputTools(), keyTools(), emulationTools(), performanceTools(), networkTools(), debuggingTools()} {
		for i := range tools {
			if t := &tools[i]; slices.Contains(on, t.Category) {
				all = append(all, t)
			}
		}
	}
	slices.SortFunc(all, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	return all
}
