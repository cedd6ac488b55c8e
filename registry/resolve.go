package registry

import (
	"fmt"
	"slices"
	"strings"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// toolNames returns what the names of tools mean in a catalog.
func (c *Catalog) toolNames() *offer.Names[*HubTool] {
	if c == nil {
		return nil
	}
	return &offer.Names[*HubTool]{Find: c.Lookup, Of: func(page PageID) []*HubTool {
		if page == "" {
			return c.routed
		}
		return c.Tab(page).Published()
	}}
}

// Resolve returns the tool that a client means by name, see [offer.Meaning]. seen is the catalog that the client read
// last, or nil; now is the current one. A client can call a site's tool that it knows even after the last tab that had
// the tool is gone: the hub then opens another tab. The error says what happened and what to do. to says which of the
// hub's tools the error may name.
func Resolve(seen, now *Catalog, name string, to VisibleTools) (*HubTool, error) {
	is, was, current := offer.Meaning(seen.toolNames(), *now.toolNames(), name)
	switch {
	case is != nil:
		return is, nil
	case was == nil:
		return nil, unknownTool(to, now, name)
	case was.SiteTool != nil:
		return was, nil
	case current == nil:
		return nil, fmt.Errorf("%s is gone: %s.%s", name, WhatBecame(to, seen, now, was), suggest(to, now, name))
	case current.SiteTool != nil, current.Route.Page == was.Route.Page:
		return nil, fmt.Errorf("%s: %s, so %s now names another tool; list the tools again", name,
			WhatBecame(to, seen, now, was), name)
	}
	return nil, fmt.Errorf("%s: %s, so %s now names another page; list the tools again", name,
		whyAnotherPage(to, seen, now, was, current), name)
}

func unknownTool(to VisibleTools, now *Catalog, name string) error {
	if status := now.BrowserStatus(); status != "" {
		return fmt.Errorf("no tool is called %s: %s", sanitize.Text(name, 200), to.Status(status))
	}
	return fmt.Errorf("no tool is called %s.%s", sanitize.Text(name, 200), suggest(to, now, name))
}

// suggest names the most similar tools that exist.
func suggest(to VisibleTools, now *Catalog, name string) string {
	if near := Nearest(name, now.Tools()); near != "" {
		return " " + near
	}
	return " " + to.SeeWhatThereIs()
}

// Nearest returns a sentence that names at most three tools whose names are similar to an unknown name; "" if none
// is.
func Nearest(name string, tools []*HubTool) string {
	var near []*HubTool
	for _, t := range tools {
		if similarity(name, t) > 0 {
			near = append(near, t)
		}
	}
	if len(near) == 0 {
		return ""
	}
	slices.SortStableFunc(near, func(a, b *HubTool) int { return similarity(name, b) - similarity(name, a) })
	var known []string
	for _, t := range near[:min(3, len(near))] {
		known = append(known, t.Name)
	}
	return "The nearest that exist: " + strings.Join(known, ", ") + ". List the tools again to see all."
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
