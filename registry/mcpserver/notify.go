package mcpserver

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
)

// notice is what a session's client still has to be told about its list: a
// flag and the version that it is about, never a queue. It belongs to the
// outbox.
type notice struct {
	initialized bool // the client's initialize was answered
	ready       bool // the client may be notified (protocols before 2026-07-28)
	// subscriptions are the subscriptions/listen requests in flight that asked
	// for list_changed (protocol 2026-07-28).
	subscriptions []*request

	due       bool
	version   uint64 // of the newest catalog that is to be announced
	announced uint64 // the version that was announced last

	// held waits for the answers of calls on the pages that changed.
	held        map[*request]bool
	heldVersion uint64
	release     *time.Timer
	round       int // tells one release from the next
}

// listChanged takes note of a new list. If calls are in flight on the pages
// that changed, or calls of tools that change the list themselves, their
// answers go first, and so do those of elsewhere, requests of other sessions
// that may be the same client's. mu must be held.
func (o *outbox) listChanged(pages []registry.PageID, version uint64, elsewhere []*request) {
	if o.stopping {
		return
	}
	concerned := o.concerned(pages)
	if o.sessionless {
		concerned = append(concerned, elsewhere...)
	}
	for _, r := range concerned {
		o.hold(r, version)
	}
	if len(concerned) == 0 {
		n := &o.notice
		n.due, n.version = true, max(n.version, version)
		o.wakeWriter()
	}
}

// concerned are the requests that have not been answered, or whose answers are
// not written yet, and that ask one of the pages or change the list themselves.
// mu must be held.
func (o *outbox) concerned(pages []registry.PageID) (all []*request) {
	concerns := func(r *request) bool {
		if r.direct != nil && !r.direct.reading {
			return false // its client is gone, and may come back for the answer
		}
		return r.changesList || r.at.Page != "" && slices.Contains(pages, r.at.Page)
	}
	for _, r := range o.inflight {
		if concerns(r) {
			all = append(all, r)
		}
	}
	for r := range o.handing {
		if concerns(r) {
			all = append(all, r)
		}
	}
	return all
}

// hold has the notice of that version wait for the answer to r. mu must be held.
func (o *outbox) hold(r *request, version uint64) {
	n := &o.notice
	if n.held == nil {
		n.held = map[*request]bool{}
	}
	n.held[r] = true
	n.heldVersion = version
	if n.release == nil {
		n.round++
		round := n.round
		n.release = time.AfterFunc(ResultFirst, func() { o.releaseNotice(round) })
	}
}

// releaseNotice ends the waiting for answers that take too long.
func (o *outbox) releaseNotice(round int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := &o.notice; n.release != nil && n.round == round {
		n.let()
		o.wakeWriter()
	}
}

// answered takes r off the calls that are waited for, and off the subscriptions.
func (n *notice) answered(r *request) {
	if i := slices.Index(n.subscriptions, r); i >= 0 {
		n.subscriptions = slices.Delete(n.subscriptions, i, i+1)
	}
	if !n.held[r] {
		return
	}
	delete(n.held, r)
	if len(n.held) == 0 {
		n.let()
	}
}

// let makes the held notice due.
func (n *notice) let() {
	n.stop()
	n.held, n.due = nil, true
	n.version = max(n.version, n.heldVersion)
}

func (n *notice) stop() {
	if n.release != nil {
		n.release.Stop()
		n.release = nil
	}
}

// take gives the notifications that are to be written now. There are none if
// the client has read that list, or a newer one, meanwhile.
func (n *notice) take(listed uint64) (out []*entry) {
	if !n.due || !n.ready && len(n.subscriptions) == 0 {
		return nil
	}
	n.due, n.announced = false, n.version
	if listed >= n.version {
		return nil
	}
	if n.ready {
		out = append(out, &entry{Frame: jsonrpc.Notification(mcp.MethodNotificationToolsListChanged, nil), version: n.version})
	}
	for _, r := range n.subscriptions {
		params := `{"_meta":{"` + mcp.MetaKeySubscriptionID + `":` + string(r.id) + `}}`
		out = append(out, &entry{Frame: jsonrpc.Notification(mcp.MethodNotificationToolsListChanged, []byte(params))})
	}
	return out
}

// initialized says that the client's initialize was answered.
func (o *outbox) initialized() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.notice.initialized = true
}

// ready says that the client has shown that it is initialized.
func (o *outbox) ready() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := &o.notice; n.initialized && !n.ready {
		n.ready = true
		o.wakeWriter()
	}
}

// subscribe makes the request in flight that mcp-go knows by this id a
// subscription.
func (o *outbox) subscribe(id json.RawMessage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.inflight {
		if string(canonicalID(r.id)) == string(id) {
			o.notice.subscriptions = append(o.notice.subscriptions, r)
			o.wakeWriter()
		}
	}
}
