package lens

import (
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

// Place is where the client stands. Exclusive and Remembered are left to the caller, who
// knows the leases and what decides about calls.
func (l *Lens) Place() Place {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := Place{Connected: l.look.focus.State(l.look.now.Catalog) != focus.Disconnected}
	if tab := l.look.tab(); tab != nil {
		p.Page = tab.Page
	}
	return p
}

// Moved receives after the client has, or may have, another place.
func (l *Lens) Moved() <-chan struct{} { return l.look.moved }

// Touch has Moved receive. It never blocks.
func (l *Lens) Touch() {
	select {
	case l.look.moved <- struct{}{}:
	default:
	}
}

// Resume puts a client that was told nothing yet back where it stood: it is connected
// again, and focuses that page if the page is still there.
func (l *Lens) Resume(p Place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.Connected {
		l.look.step(focus.Connect{})
	}
	if l.look.now.Catalog.Tab(p.Page) != nil {
		l.look.step(focus.FocusTab{Page: p.Page})
	}
	l.followOffers()
}
