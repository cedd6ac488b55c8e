package registry

import (
	"maps"
	"slices"
	"strings"
)

// way is a way by which the hub reaches browsers.
type way int

// Advice begins with the extension where it is expected: its browser is the one
// that the user means.
const (
	byExtension way = iota
	byDevTools
)

// reach notes how one way stands. The agent is told of none while any is well.
func (s *State) reach(w way, status string) {
	s.ways[w] = status
	var ailing []string
	for _, w := range slices.Sorted(maps.Keys(s.ways)) {
		if s.ways[w] == "" {
			ailing = nil
			break
		}
		ailing = append(ailing, s.ways[w])
	}
	if now := strings.Join(ailing, "; "); s.browser != now {
		s.browser, s.stale = now, true
	}
}
