package replica

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"webmcphub/registry"
)

// On a way that is too slow for what changes all the time, what the node has withdrawn isn't shown longer than it may,
// though changes come steadily, each of them older than the one before.
func TestStaleInAStormOnASlowWay(t *testing.T) {
	s := newSlowWay(t, 64<<10)
	if !s.until(time.Minute, s.mirror.Known) {
		t.Fatal("it isn't known")
	}
	never := func() bool { return false }
	change := func(n int) {
		s.node.step(registry.ToolsReported{Page: "p0", Tools: []*registry.PageTool{{Name: "y", Description: fmt.Sprint(n, strings.Repeat("y", 90<<10))}}})
		s.node.calm()
	}
	for n := range 200 { // in 20 s
		change(n)
		s.until(s.now+100*time.Millisecond, never)
	}
	s.node.step(registry.PageClosed{Page: "p1"})
	s.node.calm()
	closed, shown := s.now, s.now
	for n := range 300 {
		change(1000 + n)
		s.until(s.now+100*time.Millisecond, never)
		if s.mirror.Page("east/p1") != nil {
			shown = s.now
		}
	}
	if shown-closed > (Bounds{}).Stale() {
		t.Errorf("a page that is gone is shown %v after it was closed; the bound is %v", shown-closed, Bounds{}.Stale())
	}
}
