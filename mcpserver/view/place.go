package view

import (
	"context"
	"sync"
	"time"

	"webmcphub/registry"
)

// Resume puts a new client where it stood with another server. A tab that it had to
// itself it has so again, even before the browser is there again, unless another client has it by now. memory, which may be nil,
// takes in what else was remembered of it.
func (l *Leases) Resume(c *Client, at Place, memory Memory) {
	if memory != nil {
		memory.Resume(c.ID, at.Remembered)
	}
	c.Lens.Resume(at)
	if !at.Exclusive {
		return
	}
	l.unhold(at.Page)
	if c.Lens.StandsAt(at.Page) && l.Take(at.Page, c) {
		l.Begun(c)
	}
}

// Hold keeps tabs for the clients that had them to themselves with the server before, until these
// have resumed or [lens.ResumesWithin] has passed.
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

// Follow tells where a client stands, and what memory remembers of it, whenever that
// changes, until ctx ends. What is remembered is told before the client is sent what made
// it more, the rest soon. memory and moved may be nil; moved must not block.
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
			case <-c.Lens.Moved():
			case <-ctx.Done():
				return
			}
			at := c.Lens.Place()
			at.Exclusive = l.Has(c)
			t.stands(at)
		}
	}()
}

// teller tells where a client stands.
type teller struct {
	moved func(Place)

	mu       sync.Mutex // held while telling, so that the newest is told last
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
