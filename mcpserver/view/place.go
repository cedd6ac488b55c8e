package view

import (
	"context"
	"sync"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/focus"
)

// Resume restores the place that a new client had with another server. If the client had a tab to itself, it gets the
// lease again, even before the browser is there again, unless another client has the tab by now. memory, which may be
// nil, restores what else was remembered of the client.
func (l *Leases) Resume(c *Client, at Place, memory Memory) {
	if memory != nil {
		memory.Resume(c.ID, at.Remembered)
	}
	c.View.Resume(at)
	if !at.Exclusive {
		return
	}
	l.unhold(at.Page)
	if c.View.StandsAt(at.Page) && l.Take(at.Page, c) {
		l.Begun(c)
	}
}

// Hold keeps tabs for the clients that had leases on them with the previous server, until these clients have resumed
// or [ResumesWithin] has passed.
func (l *Leases) Hold(pages []registry.PageID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = map[registry.PageID]time.Time{}
	for _, page := range pages {
		l.held[page] = time.Now().Add(ResumesWithin)
	}
}

func (l *Leases) unhold(page registry.PageID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, page)
}

// Follow calls moved with a client's place and with what memory remembers of the client, whenever either changes,
// until ctx ends. It reports what memory remembers before the hub sends the client what made the difference, and the
// rest soon after. memory and moved may be nil. moved must not block.
func (l *Leases) Follow(ctx context.Context, c *Client, memory Memory, moved func(Place)) {
	if moved == nil {
		return
	}
	var mu sync.Mutex // held during calls of moved, so that the newest place comes last
	var at, reported Place
	tell := func(change func()) {
		mu.Lock()
		defer mu.Unlock()
		if change(); at != reported {
			reported = at
			moved(at)
		}
	}
	if memory != nil {
		memory.Follow(c.ID, func(remembered string) { tell(func() { at.Remembered = remembered }) })
	}
	go func() {
		for {
			select {
			case <-c.View.look.moved:
			case <-ctx.Done():
				return
			}
			now := c.View.Place()
			now.Exclusive = l.Has(c)
			tell(func() { now.Remembered, at = at.Remembered, now })
		}
	}()
}

// Place describes a client's position in the hub, so that the next server of the same browser can continue from there.
type Place struct {
	Connected bool            `json:"connected,omitempty"` // see [focus.Connect]
	Page      registry.PageID `json:"page,omitempty"`      // the focused page; "" for none
	Exclusive bool            `json:"exclusive,omitempty"` // the client keeps the page's tab to itself
	// Remembered is what else the server remembers of the client, in one line.
	Remembered string `json:"remembered,omitempty"`
}

// ResumesWithin is how long a client's former place is kept for it while the browser or the page is not there yet.
const ResumesWithin = 30 * time.Second

// Place returns the client's place. It leaves Exclusive and Remembered to the caller, who knows the leases and what
// Trust remembers. While [ClientView.Resume] waits to restore the client's former place, Place returns that place.
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

// Resume restores the place of a client that has read nothing yet: it connects the client again, and focuses its page.
// If the browser or the page isn't there yet, the ClientView waits for it until the client chooses another place or
// [ResumesWithin] has passed.
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
				l.look.touch()
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

// Guest says how to serve a client that reaches the hub through another process, or did so before.
type Guest struct {
	View   *Settings   // a valid view; nil means the server's own, also after that changes
	Listed <-chan bool // receives whether page tools are to be listed; may be nil
	Place  Place       // the client's place with another server
	Moved  func(Place) // called with each new place, in order; must not block; may be nil

	// Kind is the prefix of the session's id; "" means "stdio". Clients can't choose it.
	Kind string
}

// Memory is the part of Trust that remembers what the next server of the same browser has to know of a client. Any
// goroutine may call its methods.
type Memory interface {
	// Resume restores what another server remembered of a client. It is called before the client does anything.
	Resume(session, remembered string)
	// Follow calls changed with what Trust remembers of a client, in one line, now and whenever Trust remembers more,
	// until the client is gone. changed returns before the hub sends the client what made the difference. It must not
	// block.
	Follow(session string, changed func(remembered string))
}
