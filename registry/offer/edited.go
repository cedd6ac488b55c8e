package offer

import (
	"slices"
	"strings"
)

// ApplyEdits returns a copy of tools without the names in withdraw and with the tools in publish, which may replace
// others. All lists are sorted by name, and no name is both withdrawn and published.
func ApplyEdits(tools []*HubTool, withdraw []string, publish []*HubTool) []*HubTool {
	all := make([]*HubTool, 0, max(0, len(tools)+len(publish)-len(withdraw)))
	for len(withdraw)+len(publish) > 0 {
		publishing := len(withdraw) == 0 || len(publish) > 0 && publish[0].Name < withdraw[0]
		var name string
		if publishing {
			name = publish[0].Name
		} else {
			name = withdraw[0]
		}
		at, found := slices.BinarySearchFunc(tools, name, ByName)
		all = append(all, tools[:at]...)
		tools = tools[at:]
		if found {
			tools = tools[1:]
		}
		if publishing {
			all, publish = append(all, publish[0]), publish[1:]
		} else {
			withdraw = withdraw[1:]
		}
	}
	return append(all, tools...)
}

// ByName compares a tool's name with another one.
func ByName(t *HubTool, name string) int { return strings.Compare(t.Name, name) }
