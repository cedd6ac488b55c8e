package rules

import "fmt"

// Careful is the preset that asks before anything that isn't known to be read-only.
const Careful = "careful"

// Preset returns the rules of the preset with this name.
func Preset(name string) ([]*Rule, error) {
	if name != Careful {
		return nil, fmt.Errorf("%s is no preset; there is %s", quoted(name), Careful)
	}
	var all []*Rule
	for _, r := range []struct {
		action Action
		text   string
	}{
		{Allow, "class=read-only"},
		{Allow, "kind=automation tool=select_page"}, // it chooses the page that the client's later calls mean
		{Ask, "*"},
	} {
		rule, err := Parse(r.action, r.text, "preset "+name)
		if err != nil {
			return nil, err
		}
		all = append(all, rule)
	}
	return all, nil
}
