package snapshot

import (
	"encoding/json"
	"slices"
	"strings"
)

// Meant says in words which elements a call's arguments name by their uids, as the client
// was last shown them: a line for each; "" if there are none. What comes to act on them finds
// them by [Tab.Find], which wants them to be so still.
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

// uids are those in a value of a member of that name, in the order of the members' names.
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
