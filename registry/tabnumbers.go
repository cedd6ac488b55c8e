package registry

import "maps"

// tabNumbers gives pages their [TabID]s. A page that was closed has its own
// again when it comes back under its [PageID]: that of a browser that was lost
// for a while, or one that the hub takes up anew. The zero value has given none.
type tabNumbers struct {
	last TabID
	// The pages that are gone. When recent is full, what was there before it is
	// forgotten, so at least the newest maxGone are known.
	recent, earlier map[PageID]tabNumber
}

// tabNumber is a page's id, and how often the page has been opened.
type tabNumber struct {
	tab   TabID
	times int
}

// maxGone is how many pages that are gone are remembered at least; it bounds
// what a broken peer can make the hub remember.
const maxGone = 10_000

// opened is the number of a page that is open now.
func (t *tabNumbers) opened(page PageID) tabNumber {
	n, known := t.recent[page]
	if !known {
		n, known = t.earlier[page]
	}
	if !known {
		t.last++
		n.tab = t.last
	}
	n.times++
	return n
}

// closed remembers the number of a page that is gone.
func (t *tabNumbers) closed(page PageID, n tabNumber) {
	if t.recent == nil || len(t.recent) >= maxGone {
		t.recent, t.earlier = map[PageID]tabNumber{}, t.recent
	}
	t.recent[page] = n
}

// anew is for a State that is to be told of the same open pages.
func (t *tabNumbers) anew(open map[PageID]*page) tabNumbers {
	n := tabNumbers{t.last, maps.Clone(t.recent), maps.Clone(t.earlier)}
	for id, p := range open {
		n.closed(id, tabNumber{p.tab, p.times - 1})
	}
	return n
}
