package registry

import (
	"fmt"
	"slices"
	"strings"
	"webmcphub/registry/advice"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// Resolve finds the tool that a client means by name. Seen is the catalog
// that the client read last, or nil; now is the current one. A name that has
// come to mean another page's tool is refused, and one whose tool has only
// been renamed still works. The error's text is for the agent, of whom to is:
// what happened and what to do.
func Resolve(seen, now *Catalog, name string, to advice.Audience) (*HubTool, error) {
	current := now.Lookup(name)
	if t := resolveRouted(seen, current, now, name); t != nil {
		return t, nil
	}
	if seen == nil {
		if current == nil {
			return nil, unknownTool(to, now, name)
		}
		return current, nil
	}
	was := seen.Lookup(name)
	switch {
	case was == nil && current == nil:
		return nil, unknownTool(to, now, name)
	case was == nil:
		return current, nil // newer than the client's list, named explicitly
	case current != nil && sameTool(was, current) && was.Route.Frame == current.Route.Frame:
		return current, nil
	}
	if moved := findMoved(now, was); moved != nil {
		return moved, nil
	}
	if current != nil && sameTool(was, current) && !tookOver(seen, current) {
		return current, nil // a reloaded frame is a new one
	}
	switch {
	case current == nil:
		return nil, fmt.Errorf("%s is gone: %s.%s", name, whatBecame(to, seen, now, was), suggest(to, now, name))
	case current.Routed != nil:
		return nil, fmt.Errorf("%s: %s, so %s now names another tool; list the tools again", name, whatBecame(to, seen, now, was), name)
	case current.Route.Page == was.Route.Page:
		return nil, fmt.Errorf("%s: %s, so %s now names another tool; list the tools again", name, whatBecame(to, seen, now, was), name)
	}
	return nil, fmt.Errorf("%s: %s, so %s now names another page; list the tools again", name, whyAnotherPage(to, seen, now, was, current), name)
}

// sameTool says whether two hub tools are the same tool of the same page and
// origin. The document may differ: a reloaded page's tool is the same to a user.
func sameTool(a, b *HubTool) bool {
	return a.Route.Page == b.Route.Page && a.Route.Tool == b.Route.Tool && a.origin == b.origin && a.from == b.from
}

// tookOver says whether current is a tool that the client knows by another
// name: then it only got the name of another frame's tool.
func tookOver(seen *Catalog, current *HubTool) bool {
	return slices.ContainsFunc(seen.Tab(current.Route.Page).Tools, func(t *HubTool) bool {
		return t.Route.Frame == current.Route.Frame && sameTool(t, current)
	})
}

// findMoved finds the tool that was called something else when the client
// last looked, because page indexes shifted or a clash went away.
func findMoved(now *Catalog, was *HubTool) *HubTool {
	tab := now.Tab(was.Route.Page)
	if tab == nil {
		return nil
	}
	for _, t := range tab.Tools {
		if sameTool(was, t) && t.Route.Frame == was.Route.Frame && now.Lookup(t.Name) == t {
			return t
		}
	}
	return nil
}

func unknownTool(to advice.Audience, now *Catalog, name string) error {
	if status := now.BrowserStatus(); status != "" {
		return fmt.Errorf("no tool is called %s: %s", sanitize.Text(name, 200), to.Status(status))
	}
	return fmt.Errorf("no tool is called %s.%s", sanitize.Text(name, 200), suggest(to, now, name))
}

// suggest names the nearest tools that exist, at most three.
func suggest(to advice.Audience, now *Catalog, name string) string {
	type near struct {
		name  string
		score int
	}
	var found []near
	for _, t := range now.Tools() {
		if s := similarity(name, t); s > 0 {
			found = append(found, near{t.Name, s})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return b.score - a.score })
	if len(found) == 0 {
		return " " + to.SeeWhatThereIs()
	}
	var names []string
	for _, n := range found[:min(3, len(found))] {
		names = append(names, n.name)
	}
	return " The nearest that exist: " + strings.Join(names, ", ") + ". List the tools again to see all."
}

func similarity(name string, t *HubTool) int {
	own := names.Sanitize(t.Route.Tool)
	switch {
	case strings.HasSuffix(name, "_"+own) || name == own || name == t.Route.Tool:
		return 3
	case strings.HasSuffix(strings.ToLower(name), strings.ToLower(own)):
		return 2
	case strings.Contains(t.Name, name) || len(own) > 3 && strings.Contains(name, own):
		return 1
	}
	return 0
}
