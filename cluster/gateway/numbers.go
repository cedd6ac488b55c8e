package gateway

import (
	"webmcphub/cluster/pages"
	"webmcphub/registry"
)

// numbers gives pages the numbers that they have in tools' names and as tabs. They follow from the
// pages' ids alone, so that a page has the same at all gateways and after each start: a client
// goes on at another gateway with the names that it knows. Of two pages that would have one number
// (for any two the chance is one in a thousand million) the one that came here later has the next.
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

// free lets a page's number go.
func (n *numbers) free(page registry.PageID) {
	delete(n.taken, n.of[page])
	delete(n.of, page)
}

// numbered gives pages that are opened their numbers.
func (h *directory) numbered(events registry.EventBatch) registry.EventBatch {
	for i, e := range events {
		if opened, is := e.(registry.PageOpened); is {
			opened.Tab = h.numbers.number(opened.Page)
			events[i] = opened
		}
	}
	return events
}
