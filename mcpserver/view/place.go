package view

import (
	"context"
	"sync"
	"time"

	"webmcphub/registry"
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

// Follow calls moved with where a client stands and with what memory remembers of it, whenever either changes, until
// ctx ends. For what memory remembers, moved is called before the client is sent what made the difference; for the
// rest, soon after. memory and moved may be nil. moved must not block.
func (l *Leases) Follow(ctx context.Context, c *Client, memory Memory, moved func(Place)) {
	if moved == nil {
		return
	}
	t := &teller{moved: moved}
	if memory != nil {
		memory.Follow(c.ID, t.remembers)
	}
	go func() {
		for {
			select {
			case <-c.View.Moved():
			case <-ctx.Done():
				return
			}
			at := c.View.Place()
			at.Exclusive = l.Has(c)
			t.stands(at)
		}
	}()
}

// teller calls moved when a client's place has changed.
type teller struct {
	moved func(Place)

	mu       sync.Mutex // held during calls of moved, so that the newest place comes last
	at, told Place
}

func (t *teller) stands(at Place) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at.Remembered = t.at.Remembered
	t.at = at
	t.tell()
}

func (t *teller) remembers(remembered string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at.Remembered = remembered
	t.tell()
}

func (t *teller) tell() {
	if t.at != t.told {
		t.told = t.at
		t.moved(t.at)
	}
}
