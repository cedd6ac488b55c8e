package wire

import (
	"slices"
	"time"

	"webmcphub/registry"
)

// ResultFirst is the longest time that list_changed of tools waits for the answers of calls on the pages whose tools
// changed.
const ResultFirst = 5 * time.Second

// held is a list_changed of tools that waits for answers. It has no lock; the Conn's lock guards it.
type held struct {
	by      map[*Request]bool // the requests whose answers it waits for
	version uint64
	timer   *time.Timer // ends the wait; nil while nothing waits
	round   int         // numbers the waits, so that a late timer can't end the next one
}

// wait makes the announcement of this version wait for the answer to r. If that takes longer than [ResultFirst], late
// is called with the number of the wait.
func (h *held) wait(r *Request, version uint64, late func(round int)) {
	if h.by == nil {
		h.by = map[*Request]bool{}
	}
	h.by[r] = true
	h.version = version
	if h.timer == nil {
		h.round++
		round := h.round
		h.timer = time.AfterFunc(ResultFirst, func() { late(round) })
	}
}

// answered removes r from the requests that are waited for, and reports whether it was the last of them.
func (h *held) answered(r *Request) (last bool) {
	if !h.by[r] {
		return false
	}
	delete(h.by, r)
	return len(h.by) == 0
}

// instead makes whatever waits for the answer to of wait for the answer to r.
func (h *held) instead(of, r *Request) {
	if h.by[of] {
		delete(h.by, of)
		h.by[r] = true
	}
}

// release ends the wait, and returns the version that waited.
func (h *held) release() uint64 {
	h.stop()
	h.by = nil
	return h.version
}

func (h *held) stop() {
	if h.timer != nil {
		h.timer.Stop()
		h.timer = nil
	}
}

// ToolsChanged reports that the client's list of tools has a new version because of changes in these pages. If calls
// on these pages are in flight, or calls of tools that change the list themselves, their answers are sent first. For
// a sessionless client the answers of elsewhere are also sent first: requests on other connections that may be the
// same client's.
func (c *Conn) ToolsChanged(pages []registry.PageID, version uint64, elsewhere []*Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping {
		return
	}
	before := c.concerned(pages)
	if c.pending.sessionless {
		before = append(before, elsewhere...)
	}
	for _, r := range before {
		c.pending.held.wait(r, version, c.late)
	}
	if len(before) == 0 {
		c.pending.announce(Tools, version)
		c.queue.wakeWriter()
	}
}

// concerned returns the requests that ask one of the pages or that may change the list themselves, and that have not
// been answered or whose answers have not been written. mu must be held.
func (c *Conn) concerned(pages []registry.PageID) (all []*Request) {
	c.requests.each(func(r *Request) {
		concerns := r.changesList
		r.asking(func(of *Request) {
			concerns = concerns || of.asked.at.Page != "" && slices.Contains(pages, of.asked.at.Page)
		})
		if concerns {
			all = append(all, r)
		}
	})
	return all
}

// Hold makes the list_changed of this version wait for the answer to r.
func (c *Conn) Hold(r *Request, version uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending.held.wait(r.Whole(), version, c.late)
}

// late ends a wait for answers that takes too long.
func (c *Conn) late(round int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := &c.pending.held; h.timer != nil && h.round == round {
		c.pending.let()
		c.queue.wakeWriter()
	}
}

// Pending returns the requests of a sessionless client that concern the pages. Any of them may come from a client
// that listens for list_changed on another connection. For other clients it returns nil.
func (c *Conn) Pending(pages []registry.PageID) []*Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.pending.sessionless {
		return nil
	}
	return c.concerned(pages)
}

// AnsweredElsewhere removes a request on another connection from those that a sessionless client's list_changed waits
// for.
func (c *Conn) AnsweredElsewhere(r *Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := &c.pending; o.held.answered(r) {
		o.let()
		c.queue.wakeWriter()
	}
}
