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

// letters tells tabs apart by the letters of their uids.
type letters struct {
	node string

	mu    sync.Mutex
	taken map[int]bool
	more  int // that have four letters
}

func newLetters(node string) *letters { return &letters{node: node, taken: map[int]bool{}} }

// of is a tab's number as snapshot.NewTab has it: another one each time.
func (l *letters) of(id registry.PageID) int {
	n := beforeThree + int(pages.Number(pages.Named(l.node, id)))%ofThree
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.taken[n] {
		l.more++
		return beyond + l.more
	}
	l.taken[n] = true
	return n
}
