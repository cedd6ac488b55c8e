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

// TabsBefore is how the State of a hub that has ended had its tabs, for another hub to
// go on with the same browser: tabs that are still there have their ids again,
// and ids of tabs that are gone are not given again.
type TabsBefore struct {
	Tabs []TabBefore `json:"tabs,omitempty"` // in their order
	Last TabID       `json:"last,omitempty"` // the last id that was given, at least
}

// TabBefore is one tab.
type TabBefore struct {
	Page      PageID `json:"page"`
	ID        TabID  `json:"id"`
	Connected bool   `json:"connected,omitempty"` // see [Tab.Connected]
}

// Chosen are the tabs that clients had connected, where none is by itself, or
// otherwise disconnected.
func (b TabsBefore) Chosen(explicit bool) map[PageID]bool {
	chosen := map[PageID]bool{}
	for _, t := range b.Tabs {
		if t.Connected == explicit {
			chosen[t.Page] = t.Connected
		}
	}
	return chosen
}

func (b TabsBefore) numbers() (t tabNumbers) {
	t.last = b.Last
	for _, tab := range b.Tabs {
		t.last = max(t.last, tab.ID)
		t.closed(tab.Page, tabNumber{Tab: tab.ID})
	}
	return t
}

// tabNumber is a page's id, and how often the page has been opened.
type tabNumber struct {
	Tab   TabID
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
		n.Tab = t.last
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

// recovered is for a State that is to be told of the same open pages.
func (t *tabNumbers) recovered(open map[PageID]*page) tabNumbers {
	n := tabNumbers{t.last, maps.Clone(t.recent), maps.Clone(t.earlier)}
	for id, p := range open {
		n.closed(id, tabNumber{p.Tab, p.times - 1})
	}
	return n
}
