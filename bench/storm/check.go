package storm

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

var (
	// ownName finds the page's own name at the end of a hub's.
	ownName   = regexp.MustCompile(`(?:^|_)(k\d+_[a-z0-9]+)$`)
	versionIn = regexp.MustCompile(`version (\d+)\.`)
)

// pageTools reads a tools/list response: version by the page's own name, and
// the hub's name by it. The hub's own tools are left out.
func pageTools(line []byte) (versions map[string]int, names map[string]string, err error) {
	var r struct {
		Result struct {
			Tools []struct{ Name, Description string }
		}
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, nil, fmt.Errorf("a list can't be read: %w", err)
	}
	versions, names = map[string]int{}, map[string]string{}
	for _, t := range r.Result.Tools {
		own := ownName.FindStringSubmatch(t.Name)
		if own == nil {
			continue
		}
		v := versionIn.FindStringSubmatch(t.Description)
		if v == nil {
			return nil, nil, fmt.Errorf("the description of %s has no version: %.100q", t.Name, t.Description)
		}
		if other, twice := names[own[1]]; twice {
			return nil, nil, fmt.Errorf("%s and %s are one page's same tool", other, t.Name)
		}
		versions[own[1]], _ = strconv.Atoi(v[1])
		names[own[1]] = t.Name
	}
	return versions, names, nil
}

// wrong counts the updates that a list lost: tools that are missing, too many,
// or of another version. The first few are named.
func wrong(list, truth map[string]int) (n int, which []string) {
	add := func(what, name string) {
		if n++; len(which) < 5 {
			which = append(which, what+" "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(truth)) {
		v, there := list[name]
		switch {
		case !there:
			add("missing:", name)
		case v != truth[name]:
			add("stale:", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		if _, there := truth[name]; !there {
			add("too many:", name)
		}
	}
	return n, which
}
