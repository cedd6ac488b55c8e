package registry

import (
	"maps"
	"slices"
	"strings"
)

// status says how the ways of reaching browsers stand that were told of.
type status struct {
	of   map[connection]string // "" while it is well, else a sentence for the agent
	text string                // what to tell the agent: "" while any way is well
}

// connection is a way by which the hub reaches browsers.
type connection int

// Advice begins with the extension where it is expected: its browser is the one
// that the user means.
const (
	byExtension connection = iota
	byDevTools
)

// with is the status with one way standing as text says.
func (s status) with(by connection, text string) status {
	of := maps.Clone(s.of)
	of[by] = text
	var ailing []string
	for _, by := range slices.Sorted(maps.Keys(of)) {
		if of[by] == "" {
			return status{of, ""}
		}
		ailing = append(ailing, of[by])
	}
	return status{of, strings.Join(ailing, "; ")}
}

func (s *State) statusChanged(by connection, text string) {
	was := s.status.text
	s.status = s.status.with(by, text)
	s.stale = s.stale || s.status.text != was
}
