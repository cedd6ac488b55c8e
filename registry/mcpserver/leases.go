package mcpserver

import (
	"fmt"
	"sync"

	"webmcphub/registry"
)

// leases are the tabs that clients keep to themselves: focus_tab with
// exclusive. A client has one at most, on the tab that it has focused; it ends
// when the client focuses another, closes the tab, or is gone. Any goroutine
// may use it.
type leases struct {
	mu      sync.Mutex
	holders map[registry.PageID]*outbox
}

// take gives the tab to o alone, in place of the one that o had. It fails
// if another client has it, which is returned.
func (l *leases) take(page registry.PageID, o *outbox) (holder *outbox) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.holders[page]; h != nil && h != o {
		return h
	}
	l.drop(o)
	if l.holders == nil {
		l.holders = map[registry.PageID]*outbox{}
	}
	l.holders[page] = o
	return nil
}

// release ends what o holds.
func (l *leases) release(o *outbox) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(o)
}

func (l *leases) drop(o *outbox) {
	for page, h := range l.holders {
		if h == o {
			delete(l.holders, page)
		}
	}
}

// refusal says why o may not touch a tab, or is empty. A caller that is no
// session of ours has a nil o.
func (l *leases) refusal(tab *registry.Tab, page registry.PageID, o *outbox) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.holders[page]
	if h == nil || h == o {
		return ""
	}
	name := "the tab"
	if tab != nil {
		name = fmt.Sprintf("tab %d (%s)", tab.ID, cut(tab.URL, 200))
	}
	return fmt.Sprintf("%s is kept by another client, %s, which has focused it with exclusive: true. Work in another tab, or try again once that client has let go of it", name, h.name())
}

// left forgets a page that was closed; its id never comes back.
func (l *leases) left(page registry.PageID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.holders, page)
}
