package rules

import (
	"fmt"
	"strings"
)

// presetRule is one rule of a preset.
type presetRule struct {
	outcome Outcome
	text    string
}

// presets are the presets by name. In each, the rules that allow come first.
var presets = map[string][]presetRule{
	Careful: {
		{Allow, "class=read-only"},
		{Allow, "kind=automation tool=select_page"}, // it chooses the page that the client's later calls mean
		{Ask, "*"},
	},
	Safe: {
		{Allow, "class=read-only"},
		{Allow, "kind=automation tool=select_page,close_page,resize_page,performance_*"},
		{Allow, "kind=automation tool=focus_tab,close_tab,connect_browser,connect_webmcp,disconnect_webmcp"},
		{AskSite, "*"},
	},
}

// The names of the presets. Careful asks before anything that isn't known to be read-only. Safe asks before the first
// action of each kind on each site.
const (
	Careful = "careful"
	Safe    = "safe"
)

// Preset returns the rules of the preset with this name.
func Preset(name string) ([]*Rule, error) {
	preset := presets[name]
	if preset == nil {
		return nil, fmt.Errorf("%s is no preset; there are %s", quoted(name), strings.Join([]string{Careful, Safe}, " and "))
	}
	var all []*Rule
	for _, r := range preset {
		rule, err := Parse(r.outcome, r.text, "preset "+name)
		if err != nil {
			return nil, err
		}
		all = append(all, rule)
	}
	return all, nil
}
