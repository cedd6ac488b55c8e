package snapshot

import (
	"encoding/json"
	"slices"
	"strings"
)

// Meant describes the elements that a call's arguments name by their uids, as the client was last shown them: one
// line for each, "" if there are none. The tool that acts on them finds them by [Tab.Find], which checks that they
// are still so.
func (t *Tab) Meant(client string, args json.RawMessage) string {
	var in any
	if json.Unmarshal(args, &in) != nil {
		return ""
	}
	var lines []string
	for _, uid := range uids(in, "", nil) {
		if known, err := t.Lookup(client, uid); err == nil {
			lines = append(lines, uid+": "+known.Label.String())
		}
	}
	return strings.Join(lines, "\n")
}

// uids collects the uids in the value of the member name, in the order of the members' names.
func uids(in any, name string, found []string) []string {
	switch v := in.(type) {
	case string:
		if (name == "args" || strings.HasSuffix(name, "uid")) && !slices.Contains(found, v) {
			found = append(found, v)
		}
	case []any:
		for _, item := range v {
			found = uids(item, name, found)
		}
	case map[string]any:
		var names []string
		for member := range v {
			names = append(names, member)
		}
		slices.Sort(names)
		for _, member := range names {
			found = uids(v[member], member, found)
		}
	}
	return found
}
