package cdp

import (
	"slices"
	"strings"

	"webmcphub/registry"
)

// toolSet has a document's native tools, sorted by name. The list is shared with the registry. It is copied only if
// the set changes afterwards.
type toolSet struct {
	sorted []*registry.PageTool
	shared bool
}

func (s *toolSet) find(name string) (at int, found bool) {
	return slices.BinarySearchFunc(s.sorted, name,
		func(t *registry.PageTool, name string) int { return strings.Compare(t.Name, name) })
}

// get returns a tool, or nil.
func (s *toolSet) get(name string) *registry.PageTool {
	if at, found := s.find(name); found {
		return s.sorted[at]
	}
	return nil
}

// put adds a tool, or replaces the tool of the same name.
func (s *toolSet) put(t *registry.PageTool) {
	at, found := s.find(t.Name)
	s.own(1)
	if found {
		s.sorted[at] = t
	} else {
		s.sorted = slices.Insert(s.sorted, at, t)
	}
}

func (s *toolSet) remove(name string) {
	if at, found := s.find(name); found {
		s.own(0)
		s.sorted = slices.Delete(s.sorted, at, at+1)
	}
}

// own makes sure that the list may be changed. A copy has room for more further tools.
func (s *toolSet) own(more int) {
	if s.shared {
		s.sorted = append(make([]*registry.PageTool, 0, len(s.sorted)+more), s.sorted...)
		s.shared = false
	}
}

// list returns the tools sorted by name, in a slice that isn't changed any more.
func (s *toolSet) list() []*registry.PageTool {
	s.shared = true
	return slices.Clip(s.sorted)
}
