package automate

import (
	"sync"

	"webmcphub/cluster/pages"
	"webmcphub/registry"
)

// The uids of most tabs begin with three letters, so pages of two nodes rarely share uids: for two pages the chance is
// one in seventeen thousand. Two pages of one node never share uids.
const (
	beforeThree = 26 + 26*26            // how many numbers have one or two letters
	ofThree     = 26 * 26 * 26          // how many have three
	beyond      = beforeThree + ofThree // the first that has four
)

// tabNumbers gives each tab of a node a number. The number determines the letters with which the tab's uids begin.
type tabNumbers struct {
	node string

	mu    sync.Mutex
	taken map[int]bool
	more  int // how many numbers with four letters are taken
}

func newTabNumbers(node string) *tabNumbers { return &tabNumbers{node: node, taken: map[int]bool{}} }

// next returns a new number for a tab, for snapshot.NewTab. It never returns the same number twice.
func (t *tabNumbers) next(id registry.PageID) int {
	n := beforeThree + int(pages.Number(pages.Named(t.node, id)))%ofThree
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[n] {
		t.more++
		return beyond + t.more
	}
	t.taken[n] = true
	return n
}
