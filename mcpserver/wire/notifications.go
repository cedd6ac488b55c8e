package wire

import (
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
)

// Kind distinguishes the lists whose changes are announced. Resources and their templates are announced together.
type Kind int

const (
	Tools Kind = iota
	Resources
	Prompts
	kinds
)

var listChangedOf = [kinds]string{mcp.MethodNotificationToolsListChanged, mcp.MethodNotificationResourcesListChanged,
	mcp.MethodNotificationPromptsListChanged}

// notifications holds the client's pending notifications: flags and versions, never a queue. It has no lock; the
// Conn's lock guards it.
type notifications struct {
	sessionless bool // see NewConn
	initialized bool // the client's initialize was answered
	ready       bool // the client may be notified (protocols before 2026-07-28)
	listens     []*Listening
	lists       [kinds]notice
	updated     []string // the URIs of updated resources that the client has subscribed to
	held        held
}

// notice is the pending announcement of one list.
type notice struct {
	due       bool
	version   uint64 // the newest version that is to be announced
	announced uint64 // the last version that was announced
	listed    uint64 // the newest version that the client has read
}

// Listening is a subscriptions/listen request in flight (protocol 2026-07-28).
type Listening struct {
	Request *Request
	Filter  mcp.SubscriptionFilter
}

func (l *Listening) wants(kind Kind) bool {
	return [kinds]bool{l.Filter.ToolsListChanged, l.Filter.ResourcesListChanged, l.Filter.PromptsListChanged}[kind]
}

func (l *Listening) meta() map[string]any {
	return map[string]any{mcp.MetaKeySubscriptionID: l.Request.ID}
}

// announce makes the announcement of a change pending.
func (o *notifications) announce(kind Kind, version uint64) {
	n := &o.lists[kind]
	n.due, n.version = true, max(n.version, version)
}

// listed notes that the client has read a list.
func (o *notifications) listed(l Listed) {
	o.lists[l.Kind].listed = max(o.lists[l.Kind].listed, l.Version)
}

// answered removes r from the requests that list_changed waits for, and from those that listen.
func (o *notifications) answered(r *Request) {
	o.listens = slices.DeleteFunc(o.listens, func(l *Listening) bool { return l.Request == r })
	if o.held.answered(r) {
		o.let()
	}
}

// let ends the wait of held, and makes its announcement pending.
func (o *notifications) let() { o.announce(Tools, o.held.release()) }

// take returns the notifications that are to be written now. A change needs no notification if the client has read
// the new list meanwhile. A change stays pending while no recipient wants its notification.
func (o *notifications) take() (out []*entry) {
	if !o.ready && len(o.listens) == 0 {
		return nil
	}
	for kind := range kinds {
		out = o.takeList(kind, out)
	}
	for _, uri := range o.updated {
		heard := false
		for _, l := range o.listens {
			if slices.Contains(l.Filter.ResourceSubscriptions, uri) {
				heard = true
				out = append(out, tell(mcp.MethodNotificationResourceUpdated,
					map[string]any{"uri": uri, "_meta": l.meta()}))
			}
		}
		if !heard && o.ready {
			out = append(out, tell(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": uri}))
		}
	}
	o.updated = nil
	return out
}

func (o *notifications) takeList(kind Kind, out []*entry) []*entry {
	n := &o.lists[kind]
	wants := func(l *Listening) bool { return l.wants(kind) }
	if !n.due || !o.ready && !slices.ContainsFunc(o.listens, wants) {
		return out
	}
	n.due, n.announced = false, n.version
	if n.listed >= n.version {
		return out
	}
	if o.ready {
		e := &entry{Frame: jsonrpc.Notification(listChangedOf[kind], nil)}
		if kind == Tools {
			e.event.list = n.version
		}
		out = append(out, e)
	}
	for _, l := range o.listens {
		if wants(l) {
			out = append(out, tell(listChangedOf[kind], map[string]any{"_meta": l.meta()}))
		}
	}
	return out
}

func tell(method string, params any) *entry {
	return &entry{Frame: jsonrpc.Notification(method, jsonrpc.MustEncode(params))}
}

// again makes announcements pending again whose lists the client has not read. A notification may have been lost with
// a broken stream. lastID is the id of the last event that the client received, or empty.
func (o *notifications) again(lastID string) {
	for kind := range kinds {
		n := &o.lists[kind]
		if n.announced > n.listed && !(kind == Tools && lastID == event{list: n.announced}.id()) {
			o.announce(kind, n.announced)
		}
	}
}

// ListUnread reports whether another list of tools was announced to the client and the client has not read it.
func (c *Conn) ListUnread() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := &c.pending.lists[Tools]
	return n.announced > n.listed
}

// Initialized notes that the client's initialize was answered.
func (c *Conn) Initialized() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending.initialized = true
}

// Ready notes that the client has shown that it is initialized.
func (c *Conn) Ready() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := &c.pending; o.initialized && !o.ready {
		o.ready = true
		c.queue.wakeWriter()
	}
}

// ListChanged reports that one of the client's lists has a new version.
func (c *Conn) ListChanged(kind Kind, version uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stopping {
		c.pending.announce(kind, version)
		c.queue.wakeWriter()
	}
}

// ForgetListed forgets which version of a list the client has read, because the client is shown a different list
// now.
func (c *Conn) ForgetListed(kind Kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending.lists[kind].listed = 0
}

// ResourceUpdated makes the notification pending that a subscribed resource was updated.
func (c *Conn) ResourceUpdated(uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := &c.pending; !c.stopping && !slices.Contains(o.updated, uri) {
		o.updated = append(o.updated, uri)
		c.queue.wakeWriter()
	}
}

// Listen acknowledges a subscriptions/listen request, which gets the notifications that it asks for from then on.
func (c *Conn) Listen(r *Request, filter mcp.SubscriptionFilter) *Listening {
	l := &Listening{Request: r, Filter: filter}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue.push(tell(mcp.MethodNotificationSubscriptionsAcknowledged,
		map[string]any{"_meta": l.meta(), "notifications": filter}))
	c.pending.listens = append(c.pending.listens, l)
	c.queue.wakeWriter()
	return l
}

// Unlisten ends the listening. It returns the resources to which the client's other listening requests are subscribed.
func (c *Conn) Unlisten(l *Listening) (others []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending.listens = slices.DeleteFunc(c.pending.listens, func(is *Listening) bool { return is == l })
	for _, is := range c.pending.listens {
		others = append(others, is.Filter.ResourceSubscriptions...)
	}
	return others
}

// ResultFirst is the longest time that list_changed of tools waits for the answers of calls on the pages whose tools
// changed.
const ResultFirst = 5 * time.Second

// held is a list_changed of tools that waits for answers. It has no lock; the Conn's lock guards it.
type held struct {
	by      map[*Request]bool // the requests whose answers it waits for
	version uint64
	timer   *time.Timer // ends the wait; nil while nothing waits
}

// wait makes the announcement of this version wait for the answer to r, but no longer than [ResultFirst]. mu must be
// held.
func (c *Conn) wait(r *Request, version uint64) {
	h := &c.pending.held
	if h.by == nil {
		h.by = map[*Request]bool{}
	}
	h.by[r] = true
	h.version = version
	if h.timer != nil {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(ResultFirst, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if h.timer == timer { // otherwise this wait is over
			c.pending.let()
			c.queue.wakeWriter()
		}
	})
	h.timer = timer
}

// answered removes r from the requests whose answers list_changed waits for, and reports whether r was the last.
func (h *held) answered(r *Request) (last bool) {
	if !h.by[r] {
		return false
	}
	delete(h.by, r)
	return len(h.by) == 0
}

// instead replaces the request of by r, if list_changed waits for the answer to of.
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
		c.wait(r, version)
	}
	if len(before) == 0 {
		c.pending.announce(Tools, version)
		c.queue.wakeWriter()
	}
}

// unanswered yields the requests that have not been answered and those whose answers have not been written. It skips
// those whose client is gone and may come back for the answer. mu must be held.
func (c *Conn) unanswered(yield func(*Request) bool) {
	for _, r := range c.inflight {
		if !r.resting && (r.direct == nil || r.direct.reading) && !yield(r) {
			return
		}
	}
	for r := range c.handing {
		if !yield(r) {
			return
		}
	}
}

// concerned returns the requests that ask one of the pages or that may change the list themselves, and that have not
// been answered or whose answers have not been written. mu must be held.
func (c *Conn) concerned(pages []registry.PageID) (all []*Request) {
	for r := range c.unanswered {
		concerns := r.changesList
		r.asking(func(of *Request) {
			concerns = concerns || of.inquiry.at.Page != "" && slices.Contains(pages, of.inquiry.at.Page)
		})
		if concerns {
			all = append(all, r)
		}
	}
	return all
}

// Hold makes the list_changed of this version wait for the answer to r.
func (c *Conn) Hold(r *Request, version uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wait(r.Whole(), version)
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
