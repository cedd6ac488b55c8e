package replica

import (
	"testing"
	"time"

	"webmcphub/registry"
)

// What takes long to be told isn't shown if it has been withdrawn meanwhile.
func TestWithdrawnBeforeItArrives(t *testing.T) {
	s := newSlowWay(t, 64<<10)
	never := func() bool { return false }
	s.until(10*time.Second, never) // the whole is on its way
	s.node.step(registry.PageClosed{Page: "p1"})
	s.node.calm()
	closed := s.now
	if s.until(closed+100*time.Second, func() bool { return s.mirror.Page("east/p1") != nil }) && s.now-closed > (Bounds{}).Stale() {
		t.Errorf("a page that is gone appears %v after it was closed; the bound is %v", s.now-closed, Bounds{}.Stale())
	}
}
