package registry

import "maps"

// tabNumbers gives pages their [TabID]s. A closed page gets its old number again if it comes back under its [PageID]:
// for example, if its browser was lost for a while, or if the hub attaches to it anew. The zero value has given no
// number.
type tabNumbers struct {
	last TabID
	// recent and earlier have the pages that are gone. When recent is full, it replaces earlier, so at least the
	// newest maxGone pages are known.
	recent, earlier map[PageID]tabNumber
}

// TabsBefore says how the State of a hub that has ended had its tabs, so that another hub can go on with the same
// browser. Tabs that are still open get their ids again, and the ids of closed tabs are not used again.
type TabsBefore struct {
	Tabs []TabBefore `json:"tabs,omitempty"` // in tab order
	Last TabID       `json:"last,omitempty"` // at least the last id that was given
}

// TabBefore is one tab.
type TabBefore struct {
	Page      PageID `json:"page"`
	ID        TabID  `json:"id"`
	Connected bool   `json:"connected,omitempty"` // see [Tab.Connected]
}

// Chosen returns the tabs whose state clients chose: with explicit, those that clients connected; without, those that
// clients disconnected (with value false).
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

// maxGone is how many pages that are gone State remembers at least. It limits what a broken peer can make the hub
// remember.
const maxGone = 10_000

// opened returns the number of a page that opens now.
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

// recovered returns the numbers for a State in which the same open pages will open again.
func (t *tabNumbers) recovered(open map[PageID]*page) tabNumbers {
	n := tabNumbers{t.last, maps.Clone(t.recent), maps.Clone(t.earlier)}
	for id, p := range open {
		n.closed(id, tabNumber{p.Tab, p.times - 1})
	}
	return n
}
