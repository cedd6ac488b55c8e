package view

import (
	"time"

	"webmcphub/registry"
	"webmcphub/registry/focus"
)

// Place is where a client stands, so that the next server of the same browser can continue from there.
type Place struct {
	Connected bool            `json:"connected,omitempty"` // see [focus.Connect]
	Page      registry.PageID `json:"page,omitempty"`      // the focused page; "" for none
	Exclusive bool            `json:"exclusive,omitempty"` // the client keeps the page's tab to itself
	// Remembered is what else the server remembers of the client, in one line.
	Remembered string `json:"remembered,omitempty"`
}

// ResumesWithin is how long a client's former place is kept for it while the browser or the page is not there yet.
const ResumesWithin = 30 * time.Second

// Place returns where the client stands. It leaves Exclusive and Remembered to the caller, who knows the leases and
// what Trust remembers. While [ClientView.Resume] waits to restore the client's former place, Place returns that
// place.
func (l *ClientView) Place() Place {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.look.resuming; p != nil {
		return Place{Connected: p.Connected, Page: p.Page}
	}
	p := Place{Connected: l.look.focus.State(l.look.now.Catalog) != focus.Disconnected}
	if tab := l.look.tab(); tab != nil {
		p.Page = tab.Page
	}
	return p
}

// StandsAt reports whether the client has focused the page, or will have once the page is there again.
func (l *ClientView) StandsAt(page registry.PageID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	tab := l.look.tab()
	return tab != nil && tab.Page == page || l.look.resuming != nil && l.look.resuming.Page == page
}

// Moved returns a channel that receives after the client's place has changed, or may have.
func (l *ClientView) Moved() <-chan struct{} { return l.look.moved }

// Touch makes the channel of Moved receive. It never blocks.
func (l *ClientView) Touch() {
	select {
	case l.look.moved <- struct{}{}:
	default:
	}
}

// Resume restores the place of a client that has been told nothing yet: it connects the client again, and focuses its
// page. If the browser or the page isn't there yet, the ClientView waits for it until the client chooses another
// place or [ResumesWithin] has passed.
func (l *ClientView) Resume(p Place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.Connected {
		l.look.resuming = &p
		l.look.follow()
	}
	if l.look.resuming == &p {
		time.AfterFunc(ResumesWithin, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.look.resuming == &p {
				l.look.resuming = nil
				l.Touch()
			}
		})
	}
	l.followOffers()
}

// resume restores as much of the client's place as the current catalog allows.
func (l *look) resume() (changed bool) {
	p := l.resuming
	if p == nil || l.now.Catalog.BrowserStatus() != "" {
		return false
	}
	changed = l.step(focus.Connect{})
	there := l.now.Catalog.Tab(p.Page) != nil
	if there {
		changed = l.step(focus.FocusTab{Page: p.Page}) || changed
	}
	if there || p.Page == "" {
		l.resuming = nil
	}
	return changed
}
