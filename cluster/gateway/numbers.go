package gateway

import (
	"webmcphub/cluster/pages"
	"webmcphub/registry"
)

// numbers gives pages the numbers that they have in tools' names and as tabs. A page's number depends only on its id,
// so a page has the same number at all gateways and after each start, and a client can go on at another gateway with
// the names that it knows. If two pages would get the same number (for any two the chance is one in a thousand
// million), the page that came later gets the next number.
type numbers struct {
	of    map[registry.PageID]registry.TabID
	taken map[registry.TabID]bool
}

func (n *numbers) number(page registry.PageID) registry.TabID {
	if known := n.of[page]; known != 0 {
		return known
	}
	tab := pages.Number(page)
	for n.taken[tab] {
		tab = tab%(pages.NumberLimit-1) + 1
	}
	n.of[page], n.taken[tab] = tab, true
	return tab
}

// free makes a page's number available again.
func (n *numbers) free(page registry.PageID) {
	delete(n.taken, n.of[page])
	delete(n.of, page)
}

// numbered sets the numbers of the pages that events open, and returns the events.
func (h *directory) numbered(events registry.EventBatch) registry.EventBatch {
	for i, e := range events {
		if opened, is := e.(registry.PageOpened); is {
			opened.Tab = h.numbers.number(opened.Page)
			events[i] = opened
		}
	}
	return events
}
