package view

import (
	"fmt"
	"maps"
	"sync"
	"time"

	"webmcphub/registry"
)

// Leases holds the tabs that clients keep to themselves (focus_tab with exclusive). A client has at most one lease,
// on the tab that it has focused. The lease ends when the client no longer focuses that tab, for whatever reason, or
// is gone. The zero value has no leases. Any goroutine may use it.
type Leases struct {
	mu      sync.Mutex
	holders map[registry.PageID]*lease
	held    map[registry.PageID]time.Time // the time until which a tab is kept for its former holder, see Hold
}

type lease struct {
	holder *Client
	begun  bool // the holder has focused the tab; false before that
}

// of returns the lease on a page, or nil. mu must be held.
func (l *Leases) of(page registry.PageID) *lease {
	at := l.holders[page]
	if at != nil && at.begun && !at.holder.View.StandsAt(page) {
		delete(l.holders, page)
		return nil
	}
	return at
}

// Take gives client c the lease on a tab, in place of the lease that c had. It returns false if another client has
// the tab, or if c's session is over: that session's leases have been released already, so nobody would release a new
// one. When c has focused the tab, the caller must call Begun; if c couldn't focus it, Release.
func (l *Leases) Take(page registry.PageID, c *Client) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := l.of(page); at != nil && at.holder != c || c.Conn.Over() || l.isHeld(page) {
		return false
	}
	l.drop(c)
	if l.holders == nil {
		l.holders = map[registry.PageID]*lease{}
	}
	l.holders[page] = &lease{holder: c}
	return true
}

// Begun notes that c has focused the tab that it took.
func (l *Leases) Begun(c *Client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, at := range l.holders {
		if at.holder == c {
			at.begun = true
		}
	}
}

// Has reports whether c keeps a tab to itself.
func (l *Leases) Has(c *Client) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for page := range l.holders {
		if at := l.of(page); at != nil && at.holder == c {
			return true
		}
	}
	return false
}

// Release ends the lease of c.
func (l *Leases) Release(c *Client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(c)
}

func (l *Leases) drop(c *Client) {
	maps.DeleteFunc(l.holders, func(_ registry.PageID, at *lease) bool { return at.holder == c })
}

// Refusal says why c may not use a tab, or returns "" if it may.
func (l *Leases) Refusal(tab *registry.Tab, page registry.PageID, c *Client) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, held := l.of(page), l.isHeld(page)
	if !held && (at == nil || at.holder == c) {
		return ""
	}
	name := "the tab"
	if tab != nil {
		name = fmt.Sprintf("tab %d (%s)", tab.ID, tab.Address.Shown(200))
	}
	if held {
		return fmt.Sprintf("%s is kept by another client, which had focused it with exclusive: true. The webmcp-hub "+
			"process that served both has ended, and that client has not come back yet. Work in another tab, or try again in %v", name, ResumesWithin)
	}
	return fmt.Sprintf("%s is kept by another client, %s, which has focused it with exclusive: true. Work in another "+
		"tab, or try again once that client has let go of it", name, at.holder.Name())
}

// Holder returns the session of the client that keeps a tab, or "" if none does.
func (l *Leases) Holder(page registry.PageID) (session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := l.of(page); at != nil {
		return at.holder.ID
	}
	return ""
}

// PageClosed ends the lease on a page that was closed.
func (l *Leases) PageClosed(page registry.PageID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.holders, page)
	delete(l.held, page)
}

// isHeld reports whether a tab is kept for its former holder. mu must be held.
func (l *Leases) isHeld(page registry.PageID) bool { return time.Now().Before(l.held[page]) }

// Count returns the number of leases, including those whose end has not been noticed yet.
func (l *Leases) Count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.holders)
}

// Held returns the number of tabs that clients keep to themselves now.
func (l *Leases) Held() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for page := range maps.Clone(l.holders) {
		if l.of(page) != nil {
			n++
		}
	}
	return n
}
