package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
)

// maxQueuedBytes is how much may wait for a client that doesn't read before
// its input is no longer read either.
const maxQueuedBytes = 64 << 20

// entry is one outgoing message.
type entry struct {
	jsonrpc.Frame
	progressOf *request // not nil: a progress notification of that request
	version    uint64   // not 0: it announces this version of the client's list
	// Of an event on a request's own stream over HTTP, see http_resume.go.
	id    string
	seq   int
	prime bool // it has no message
}

// request is one request of the client that is being answered.
type request struct {
	id     json.RawMessage
	ctx    context.Context
	cancel context.CancelCauseFunc
	direct *direct // not nil: its answer and progress have a stream of their own

	// The rest belongs to the outbox.
	at          registry.ServerRef // the document that is asked; the zero value if none is
	tool        string             // of it, by its own name; "" if another thing is asked
	since       time.Time          // when that began
	clock       *clock             // its time limit; nil if there is none
	changesList bool               // it runs a tool that changes what the client sees
	muted       bool               // cancelled by the client: it wants no answer
	over        bool
	progress    *entry // waiting in the queue
}

// reply is the answer to one request.
type reply struct {
	result json.RawMessage
	err    *jsonrpc.Error
	// What the client has seen once it reads this reply.
	seen   view
	offers *offersSeen // not nil: the reply lists offers
}

// frame makes the message that answers the request of that id.
func (r reply) frame(id json.RawMessage) jsonrpc.Frame {
	if r.err != nil {
		return jsonrpc.Failure(id, r.err)
	}
	return jsonrpc.Result(id, r.result)
}

// outbox is the state of one session that its goroutines share: the requests
// in flight, the messages to write, what the client has seen and what it is
// to be told. One lock guards all of it, because the order in which answers
// and list_changed leave is one of our promises. Nothing blocks under it.
type outbox struct {
	id string // the session's, for other clients to read
	// sessionless says that this is for one request of a client of which no two
	// requests can be told to be its own. It doesn't change.
	sessionless bool
	out         *bufio.Writer       // belongs to the goroutine that writes
	mu          sync.Mutex          // guards all below, but for the channels
	writing     bool                // a goroutine is writing
	failure     error               // why nothing can be written any more
	spare       []*entry            // the space of the last batch
	inflight    map[string]*request // by raw id
	handing     map[*request]bool   // answered, on a stream of its own that may not have written it yet
	kept        []*request          // whose streams a client may come back for, the newest last
	lastStream  int                 // the number of the newest of them
	stream      *eventStream        // of HTTP, on which everything but direct answers goes; nil if there is none
	queue       []*entry
	bytes       int
	client      string                // how the client calls itself
	capable     map[string]bool       // which requests of ours the client answers, by method
	asks        map[string]chan reply // requests of ours that the client has yet to answer, by raw id
	stopping    bool                  // no new requests
	closed      bool                  // the writer ends when the queue is empty
	focusing    chan struct{}         // holds a token while a request chooses the focus and the lease that goes with it
	view        View                  // only Unlisted ever changes
	stay        stayed
	views       views
	lens        lens
	paging      paging
	notice      notice
	offers      offersView

	wake chan struct{} // the writer has something to do
	room chan struct{} // the writer took the queue
	idle chan struct{} // closed when stopping and nothing is in flight
}

func newOutbox() *outbox {
	return &outbox{
		inflight: map[string]*request{},
		handing:  map[*request]bool{},
		focusing: make(chan struct{}, 1),
		wake:     make(chan struct{}, 1),
		room:     make(chan struct{}, 1),
		idle:     make(chan struct{}),
	}
}

// begin takes a request in. It fails if the session is ending, too much is
// running, or the id is in use.
func (o *outbox) begin(r *request) *jsonrpc.Error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.stopping:
		return jsonrpc.Errorf(jsonrpc.CodeServer, "the server is stopping")
	case len(o.inflight)+len(o.handing) >= MaxConcurrent:
		return jsonrpc.Errorf(jsonrpc.CodeServer, "the server is busy: %d requests of this client are running; wait for one to be answered and try again", MaxConcurrent)
	case o.inflight[string(r.id)] != nil:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "the id %s is in use by a request that is still running; give each request its own id", cut(string(r.id), 64))
	}
	o.inflight[string(r.id)] = r
	return nil
}

// asking notes that a document is being asked on behalf of r, by which of its
// tools ("" for what is no call), and within what time.
func (o *outbox) asking(r *request, at registry.ServerRef, tool string, c *clock) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r.at, r.tool, r.since, r.clock = at, tool, time.Now(), c
}

// name tells other clients whose session this is.
func (o *outbox) name() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.client == "" {
		return o.id
	}
	return o.client + " (" + o.id + ")"
}

// introduced notes how the client calls itself in initialize.
func (o *outbox) introduced(params json.RawMessage) {
	var p struct {
		ClientInfo   struct{ Name string }      `json:"clientInfo"`
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	if json.Unmarshal(params, &p) == nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.client = cut(p.ClientInfo.Name, 64)
		o.capable = answers(p.Capabilities)
	}
}

// changing notes that r may change what the client sees.
func (o *outbox) changing(r *request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r.changesList = true
}

// finish queues the answer to r, unless the client cancelled it, and lets go
// of the list_changed that waited for it. The caller flushes, or wakes the writer.
func (o *outbox) finish(r *request, answer reply) {
	e := entry{Frame: answer.frame(r.id)}
	o.mu.Lock()
	defer o.mu.Unlock()
	if r.over {
		return
	}
	r.over = true
	delete(o.inflight, string(r.id))
	switch {
	case r.direct != nil:
		o.hand(r, &e, answer)
	case !r.muted:
		o.push(&e)
		fallthrough
	default:
		o.notice.answered(r)
	}
	if !r.muted && (r.direct == nil || r.direct.reading) {
		o.views.saw(answer.seen)
		o.offers.saw(answer.offers)
	}
	if o.stopping && len(o.inflight) == 0 {
		close(o.idle)
	}
}

// cancelled carries out notifications/cancelled: the request's context ends
// and its answer is not sent. Unknown ids are ignored, as MCP asks.
func (o *outbox) cancelled(id json.RawMessage) {
	o.mu.Lock()
	r := o.inflight[string(id)]
	if r != nil {
		r.muted = true
	}
	o.mu.Unlock()
	if r != nil {
		r.cancel(ErrCancelled)
	}
}

// send queues a message that answers no request in flight.
func (o *outbox) send(f jsonrpc.Frame) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.push(&entry{Frame: f})
	o.wakeWriter()
}

// progress queues a progress notification of r. One that the writer hasn't
// taken yet is replaced: only the newest matters.
func (o *outbox) progress(r *request, f jsonrpc.Frame) {
	e := entry{Frame: f, progressOf: r}
	o.mu.Lock()
	defer o.mu.Unlock()
	if r.over || r.muted {
		return
	}
	if r.direct != nil {
		r.direct.progress = &e
		r.direct.wake()
		return
	}
	if r.progress != nil {
		o.bytes += e.Size() - r.progress.Size()
		*r.progress = e
		return
	}
	r.progress = &e
	o.push(&e)
	o.wakeWriter()
}

func (o *outbox) push(e *entry) {
	o.queue = append(o.queue, e)
	o.bytes += e.Size()
}

func (o *outbox) wakeWriter() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take gives everything that is to be written now, into the space of the last
// batch. The list_changed notice comes last, so that answers go first. mu must
// be held.
func (o *outbox) take() (batch []*entry) {
	batch, o.queue, o.bytes = o.queue, o.spare[:0], 0
	o.spare = nil
	for _, e := range batch {
		if e.progressOf != nil {
			e.progressOf.progress = nil
		}
	}
	batch = append(batch, o.notice.take(o.views.listed)...)
	batch = append(batch, o.offers.take(o.notice.ready)...)
	select {
	case o.room <- struct{}{}:
	default:
	}
	return batch
}

// hasRoom says whether the client may ask for more.
func (o *outbox) hasRoom() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue) < MaxConcurrent && o.bytes < maxQueuedBytes
}

// stop refuses new requests and cancels those in flight.
func (o *outbox) stop(cause error) {
	o.mu.Lock()
	o.stopping = true
	all := make([]*request, 0, len(o.inflight))
	for _, r := range o.inflight {
		all = append(all, r)
	}
	if len(all) == 0 {
		close(o.idle)
	}
	o.notice.stop()
	o.stay.gone()
	for _, waiting := range o.asks {
		waiting <- reply{err: jsonrpc.Errorf(jsonrpc.CodeServer, "its session is over")}
	}
	o.asks = nil
	for _, r := range slices.Clone(o.kept) {
		o.drop(r)
	}
	o.mu.Unlock()
	for _, r := range all {
		r.cancel(cause)
	}
}

// close ends the writer once the queue is empty.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.wakeWriter()
}
