package calls

import (
	"sync"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// ChangedTools remembers when each tool got its current definition. It learns this from the catalogs that the hub
// serves. It also remembers a tool that its page removes and later registers again. The zero value knows no tools. Any
// goroutine may use it.
type ChangedTools struct {
	mu   sync.Mutex
	last *registry.Catalog
	tabs map[registry.PageID]map[registered]*definition
}

// registered identifies a tool. A page that registers the same key again changes the tool.
type registered struct {
	frame        registry.FrameID
	origin, name string
}

// definition is a tool as it was last seen.
type definition struct {
	tool    *registry.PageTool
	at      time.Time // when the tool got this definition
	changed bool      // the tool had a different definition before
}

// maxDefinitions bounds how many definitions of one tab are kept, including those of tools that the tab no longer
// has.
const maxDefinitions = 4096

// Serve notes the tools of a catalog that the hub serves from now on. Catalogs must come in order.
func (s *ChangedTools) Serve(c *registry.Catalog, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last, s.tabs = registry.EmptyCatalog(), map[registry.PageID]map[registered]*definition{}
	}
	for _, tab := range s.last.Tabs() {
		if c.Tab(tab.Page) == nil {
			delete(s.tabs, tab.Page)
		}
	}
	for _, tab := range c.Tabs() {
		if was := s.last.Tab(tab.Page); was == nil || was != tab && was.Version != tab.Version {
			s.see(tab, now)
		}
	}
	s.last = c
}

// see notes the definitions of a tab's tools.
func (s *ChangedTools) see(tab *registry.Tab, now time.Time) {
	known := s.tabs[tab.Page]
	if known == nil || len(known) > maxDefinitions {
		known = remembered(known, tab)
		s.tabs[tab.Page] = known
	}
	for _, t := range tab.Tools {
		k := keyOf(t)
		switch d := known[k]; {
		case t.Source() == nil:
		case d == nil:
			known[k] = &definition{tool: t.Source(), at: now}
		case d.tool == t.Source():
		case learnt(d.tool, t.Source()):
			d.tool = t.Source()
		default:
			known[k] = &definition{tool: t.Source(), at: now, changed: true}
		}
	}
}

// remembered returns the definitions of those tools that the tab still has.
func remembered(known map[registered]*definition, tab *registry.Tab) map[registered]*definition {
	left := make(map[registered]*definition, len(tab.Tools))
	for _, t := range tab.Tools {
		if d := known[keyOf(t)]; d != nil {
			left[keyOf(t)] = d
		}
	}
	return left
}

func keyOf(t *registry.HubTool) registered {
	return registered{t.Route.Frame, t.Origin(), t.Route.Tool}
}

// learnt reports whether the definition is equals was, except for a title, schema or script that was lacks. The
// browser reports these later than the rest, or not every time.
func learnt(was, is *offer.PageTool) bool {
	n := *is
	if was.Title == "" {
		n.Title = ""
	}
	if was.InputSchema == nil {
		n.InputSchema = nil
	}
	if was.Script == "" {
		n.Script = ""
	}
	return n.Repeats(was)
}

// Of returns when t got its definition, and whether t had a different one before. The time is zero if it is unknown.
func (s *ChangedTools) Of(t *registry.HubTool) (at time.Time, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.tabs[t.Route.Page][keyOf(t)]; d != nil && t.Source() != nil &&
		(d.tool == t.Source() || d.tool.Repeats(t.Source())) {
		return d.at, d.changed
	}
	return time.Time{}, false
}
