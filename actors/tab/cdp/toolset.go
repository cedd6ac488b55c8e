package cdp

import (
	"slices"
	"strings"

	"webmcphub/registry"
)

// toolSet are a document's native tools by name. Its list is shared with the
// registry as it is, and copied only when the set changes after that.
type toolSet struct {
	sorted []*registry.PageTool
	shared bool
}

func (s *toolSet) find(name string) (at int, found bool) {
	return slices.BinarySearchFunc(s.sorted, name,
		func(t *registry.PageTool, name string) int { return strings.Compare(t.Name, name) })
}

// get finds a tool, or returns nil.
func (s *toolSet) get(name string) *registry.PageTool {
	if at, found := s.find(name); found {
		return s.sorted[at]
	}
	return nil
}

// put adds a tool, or replaces the one of its name.
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

// own makes the list one that may be changed, with room for so many more.
func (s *toolSet) own(more int) {
	if s.shared {
		s.sorted = append(make([]*registry.PageTool, 0, len(s.sorted)+more), s.sorted...)
		s.shared = false
	}
}

// list gives the tools sorted by name, in a list that doesn't change any more.
func (s *toolSet) list() []*registry.PageTool {
	s.shared = true
	return slices.Clip(s.sorted)
}
