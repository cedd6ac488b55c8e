package calls

import (
	"sync"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Tools knows it of all tools. It goes by what catalogs show, and remembers a tool that its
// page takes away and registers again. The zero value knows none; any goroutine may use it.
type ChangedTools struct {
	mu   sync.Mutex
	last *registry.Catalog
	tabs map[registry.PageID]map[registered]*definition
}

// registered is what a page replaces when it changes a tool.
type registered struct {
	frame        registry.FrameID
	origin, name string
}

// definition is a tool as it was seen last.
type definition struct {
	tool    *registry.PageTool
	at      time.Time // when it came to be so
	changed bool      // it was another before
}

// maxDefinitions is how many tools of a tab are remembered that it may no longer have.
const maxDefinitions = 4096

// Serve takes note of a catalog, which is served from now on. Catalogs must come in order.
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

// see takes note of a tab's tools.
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

// remembered are those of a tab's definitions that it still has.
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

// learnt says that a tool is what it was, of which only more may be known by now: the
// browser tells titles, schemas and scripts later than the rest, or not each time.
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

// Of says since when a tool is what it is, zero if that isn't known, and whether it was
// another before.
func (s *ChangedTools) Of(t *registry.HubTool) (at time.Time, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.tabs[t.Route.Page][keyOf(t)]; d != nil && t.Source() != nil &&
		(d.tool == t.Source() || d.tool.Repeats(t.Source())) {
		return d.at, d.changed
	}
	return time.Time{}, false
}
