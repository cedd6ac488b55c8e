package view

import (
	"time"

	"webmcphub/registry"
	"webmcphub/registry/focus"
)

// Place is where a client stands, so that the next server of the same browser can go
// on from there.
type Place struct {
	Connected bool            `json:"connected,omitempty"` // see [focus.Connect]
	Page      registry.PageID `json:"page,omitempty"`      // the focused one, "" for none
	Exclusive bool            `json:"exclusive,omitempty"` // the client keeps it to itself
	// Remembered is what else the server remembers of the client, in one line.
	Remembered string `json:"remembered,omitempty"`
}

// ResumesWithin is how long a client's former place is kept for it while the browser, or the page, isn't there yet.
const ResumesWithin = 30 * time.Second

// Place is where the client stands. Exclusive and Remembered are left to the caller, who
// knows the leases and what decides about calls. While [Lens.Resume] waits for the former
// place, that is the client's place.
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

// StandsAt says whether a page is the client's focused one, or will be once it is there again.
func (l *ClientView) StandsAt(page registry.PageID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	tab := l.look.tab()
	return tab != nil && tab.Page == page || l.look.resuming != nil && l.look.resuming.Page == page
}

// Moved receives after the client has, or may have, another place.
func (l *ClientView) Moved() <-chan struct{} { return l.look.moved }

// Touch has Moved receive. It never blocks.
func (l *ClientView) Touch() {
	select {
	case l.look.moved <- struct{}{}:
	default:
	}
}

// Resume puts a client that was told nothing yet back where it stood: it is connected
// again, and focuses that page. What isn't there yet is waited for, until the client
// chooses another place or [ResumesWithin] has passed.
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

// resume puts the client back as far as that is possible with the current catalog.
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
