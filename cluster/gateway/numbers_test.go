package gateway

import (
	"testing"

	"webmcphub/cluster/pages"
	"webmcphub/registry"
)

func TestNumbers(t *testing.T) {
	n := numbers{of: map[registry.PageID]registry.TabID{}, taken: map[registry.TabID]bool{}}
	a := n.number("one/a")
	if a <= 0 || a >= pages.NumberLimit || n.number("one/a") != a {
		t.Errorf("a page has the numbers %d and %d", a, n.number("one/a"))
	}
	n.free("one/a")
	if n.number("one/a") != a {
		t.Error("a page that comes back has another number")
	}
	n.free("one/a")
	n.taken[a] = true // another page's
	if b := n.number("one/a"); b == a || b <= 0 || b >= pages.NumberLimit {
		t.Errorf("two pages have the number %d", b)
	}
}
