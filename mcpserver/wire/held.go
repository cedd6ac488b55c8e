package wire

import (
	"slices"
	"time"

	"webmcphub/registry"
)

// ResultFirst is the longest time that list_changed of tools waits for the
// answers of calls on the pages whose tools changed.
const ResultFirst = 5 * time.Second

// held is a list_changed of tools that waits for answers. It has no lock; the
// Conn's guards it.
type held struct {
	by      map[*Request]bool // whose answers it waits for
	version uint64
	timer   *time.Timer // ends the waiting; nil while nothing waits
	round   int         // tells one waiting from the next
}

// wait has the notice of that version wait for the answer to r. late is called
// when that takes too long, with the round.
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

// answered takes r off the requests that are waited for, and says whether it was
// the last of them.
func (h *held) answered(r *Request) (last bool) {
	if !h.by[r] {
		return false
	}
	delete(h.by, r)
	return len(h.by) == 0
}

// instead has what waits for one request's answer wait for another's.
func (h *held) instead(of, r *Request) {
	if h.by[of] {
		delete(h.by, of)
		h.by[r] = true
	}
}

// release ends the waiting, and gives the version that waited.
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

// ToolsChanged says that the client's list of tools has another version, because
// of these pages. If calls are in flight on them, or calls of tools that change
// the list themselves, their answers go first, and so do those of elsewhere,
// requests on other connections that may be the same client's.
func (c *Conn) ToolsChanged(pages []registry.PageID, version uint64, elsewhere []*Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping {
		return
	}
	before := c.concerned(pages)
	if c.owed.sessionless {
		before = append(before, elsewhere...)
	}
	for _, r := range before {
		c.owed.held.wait(r, version, c.late)
	}
	if len(before) == 0 {
		c.owed.announce(Tools, version)
		c.queue.wakeWriter()
	}
}

// concerned are the requests that are not answered, or whose answers are not
// written yet, and that ask one of the pages or change the list themselves. mu
// must be held.
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

// Hold has the list_changed of that version wait for the answer to r.
func (c *Conn) Hold(r *Request, version uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owed.held.wait(r.Whole(), version, c.late)
}

// late ends the waiting for answers that take too long.
func (c *Conn) late(round int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := &c.owed.held; h.timer != nil && h.round == round {
		c.owed.let()
		c.queue.wakeWriter()
	}
}

// Pending are the requests of a sessionless client that concern pages: any of
// them may be of the client that listens for list_changed on another connection.
// Of other clients there are none.
func (c *Conn) Pending(pages []registry.PageID) []*Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.owed.sessionless {
		return nil
	}
	return c.concerned(pages)
}

// AnsweredElsewhere takes a request on another connection off those that a
// sessionless client's list_changed waits for.
func (c *Conn) AnsweredElsewhere(r *Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := &c.owed; o.held.answered(r) {
		o.let()
		c.queue.wakeWriter()
	}
}
