package automate

import (
	"sync"

	"webmcphub/cluster/pages"
	"webmcphub/registry"
)

// Three letters begin the uids of most tabs, so that a uid of one node's page is hardly one of another node's, too:
// for two pages the chance is one in seventeen thousand. At one node it is none.
const (
	beforeThree = 26 + 26*26            // of fewer letters
	ofThree     = 26 * 26 * 26          // of three
	beyond      = beforeThree + ofThree // the first of four
)

// tabNumbers gives each tab of a node a number, from which the letters of its uids follow.
type tabNumbers struct {
	node string

	mu    sync.Mutex
	taken map[int]bool
	more  int // that have four letters
}

func newTabNumbers(node string) *tabNumbers { return &tabNumbers{node: node, taken: map[int]bool{}} }

// next is a tab's number as snapshot.NewTab has it: another one each time.
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
