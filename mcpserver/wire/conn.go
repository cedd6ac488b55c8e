package wire

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
)

const (
	// MaxConcurrent is how many requests of one client may run at a time.
	MaxConcurrent = 1024
	// CloseGrace is how long the end of a session waits for answers to be written.
	CloseGrace = time.Second
)

// Causes of the end of a request's context.
var (
	// ErrCancelled means that the client cancelled the request.
	ErrCancelled = errors.New("the client cancelled the call")
	// ErrSessionOver means that the client closed the connection or the hub stops.
	ErrSessionOver = errors.New("the client's session is over")
)

// Conn is the connection between the hub and one client. It holds the client's requests that are being answered, the
// messages to write, the pending notifications, and the requests that the hub has sent to the client. Its parts share
// one lock, because the package promises in which order answers and notifications are sent. Nothing blocks under the
// lock.
//
// Any goroutine may use a Conn, except for [Conn.Write] and what its comments say.
type Conn struct {
	mu       sync.Mutex
	inflight map[string]*Request   // requests that are being answered, by raw id
	handing  map[*Request]bool     // answered requests whose own response may not have written the answer yet
	asks     map[string]chan Reply // the hub's requests that the client has yet to answer, by raw id
	queue    queue
	streams  streams
	pending  notifications
	stopping bool // no new requests are accepted

	idle chan struct{} // closed when stopping is set and no request is in flight
}

// NewConn returns a connection over which nothing has passed. sessionless reports that it serves a single request,
// because the hub can't tell whether two requests come from the same client.
func NewConn(sessionless bool) *Conn {
	return &Conn{
		inflight: map[string]*Request{},
		handing:  map[*Request]bool{},
		asks:     map[string]chan Reply{},
		queue:    queue{wake: make(chan struct{}, 1), room: make(chan struct{}, 1)},
		pending:  notifications{sessionless: sessionless},
		idle:     make(chan struct{}),
	}
}

// Request is one request of the client that is being answered.
type Request struct {
	ID     json.RawMessage
	Ctx    context.Context
	Cancel context.CancelCauseFunc

	// These are set before the request begins.
	direct *direct  // not nil: its answer and progress are written on a response of its own
	rounds *Rounds  // not nil: this is the request of the work that rounds carries
	part   *Request // the whole request that this one is a part of; nil if it is whole itself
	sender string   // see [Request.Sender]
	closed string   // see CloseToQuestions

	// The Conn owns the fields below.
	parts       map[*Request]bool // the parts that are not done
	resting     bool              // the work is between two rounds
	work        *Request          // the work of which this request is a round
	inquiry     inquiry
	logs        int  // 1 plus the least severity of log messages that it wants; 0 if it wants none
	changesList bool // it runs a tool that changes what the client sees
	muted       bool // the client cancelled it and wants no answer
	over        bool
	progress    *entry   // its notification that waits in the queue
	lost        func()   // see Reply.Lost
	lacks       []string // see Lacks; only for whole requests
}

// NewRequest returns a request that is answered among the connection's messages. Its context ends with ctx.
func NewRequest(ctx context.Context, id json.RawMessage) *Request {
	r := &Request{ID: id}
	r.Ctx, r.Cancel = context.WithCancelCause(ctx)
	return r
}

// inquiry describes the document that the hub asks on behalf of a request.
type inquiry struct {
	at    registry.DocumentRef // the document; the zero value if none is being asked
	tool  string               // which of its tools, by the page's name; "" if it isn't a call
	since time.Time            // when asking began
	clock *Clock               // the time limit; nil if there is none
	open  int                  // how many of the document's requests to the client are not answered
	last  time.Time            // when the document last made such a request
}

// Reply is the answer to one request.
type Reply struct {
	Result json.RawMessage
	Err    *jsonrpc.Error
	// Read, if not nil, is called when the answer is sent to a client that reads it. It notes what the client has
	// seen, and returns the version of the list that counts as read. It is called with the connection's lock held.
	Read func() Listed
	// Lost, if not nil, is called when it is certain that the client doesn't get the answer.
	Lost func()
}

// Listed is the version of a list that the client has read; 0 means none.
type Listed struct {
	Kind    Kind
	Version uint64
}

func (a Reply) frame(id json.RawMessage) jsonrpc.Frame {
	if a.Err != nil {
		return jsonrpc.Failure(id, a.Err)
	}
	return jsonrpc.Result(id, a.Result)
}

// Begin accepts a request. It fails if the session is ending, too many requests are running, or the id is in use.
func (c *Conn) Begin(r *Request) *jsonrpc.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.stopping:
		return jsonrpc.Errorf(jsonrpc.CodeServer, "the server is stopping")
	case len(c.inflight)+len(c.handing) >= MaxConcurrent:
		return jsonrpc.Errorf(jsonrpc.CodeServer, "the server is busy: %d requests of this client are running; wait "+
			"for one to be answered and try again", MaxConcurrent)
	case c.inflight[string(r.ID)] != nil:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "the id %s is in use by a request that is still running; "+
			"give each request its own id", cut(string(r.ID), 64))
	}
	c.inflight[string(r.ID)] = r
	return nil
}

// Asking notes that the hub asks a document on behalf of r: with which of its tools ("" if not by a call), and with
// which time limit.
func (c *Conn) Asking(r *Request, at registry.DocumentRef, tool string, limit *Clock) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.inquiry = inquiry{at: at, tool: tool, since: time.Now(), clock: limit}
}

// Limited notes the time limit of r before the hub asks a document. The limit stops while the client is asked
// something on behalf of r.
func (c *Conn) Limited(r *Request, limit *Clock) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.inquiry = inquiry{clock: limit}
}

// Pause stops the time limit of r until the returned function is called, because the hub asks a person other than the
// client's user something on behalf of r.
func (c *Conn) Pause(r *Request) (goesOn func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return r.inquiry.clock.hold()
}

// Changing notes that r may change what the client sees.
func (c *Conn) Changing(r *Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.Whole().changesList = true
}

// Busy reports whether requests of the client are being answered.
func (c *Conn) Busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.inflight) > 0
}

// Over reports whether the session is ending.
func (c *Conn) Over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopping
}

// Finish queues the answer to r, unless the client cancelled r, and releases the list_changed that waited for it. The
// caller flushes afterwards, or wakes the writer.
func (c *Conn) Finish(r *Request, answer Reply) {
	e := &entry{Frame: answer.frame(r.ID)}
	c.mu.Lock()
	if r.over {
		c.mu.Unlock()
		return
	}
	r.over, r.lost = true, answer.Lost
	muted := r.muted
	defer func() {
		c.mu.Unlock()
		if muted {
			c.Lost(r)
		}
	}()
	switch {
	case r.direct != nil:
		c.hand(r, e, answer)
	case !r.muted:
		c.queue.push(e)
		fallthrough
	default:
		c.pending.answered(r)
	}
	if !r.muted && (r.direct == nil || r.direct.reading) {
		c.read(answer)
	}
	c.gone(r)
}

// gone removes a request that is no longer in flight. mu must be held.
func (c *Conn) gone(r *Request) {
	delete(c.inflight, string(r.ID))
	if c.stopping && len(c.inflight) == 0 {
		close(c.idle)
	}
}

// Lost reports that the client has not received the answer to r, after r is finished.
func (c *Conn) Lost(r *Request) {
	c.mu.Lock()
	lost := r.lost
	r.lost = nil
	c.mu.Unlock()
	if lost != nil {
		lost()
	}
}

// read notes what the client has seen once it reads an answer. mu must be held.
func (c *Conn) read(answer Reply) {
	if answer.Read != nil {
		c.pending.listed(answer.Read())
	}
}

// Cancelled carries out notifications/cancelled: it ends the request's context, and the request's answer is not sent.
// Unknown ids are ignored, as MCP requires.
func (c *Conn) Cancelled(id json.RawMessage) {
	c.mu.Lock()
	r := c.inflight[string(id)]
	c.mu.Unlock()
	if r != nil {
		c.Abandoned(r)
	}
}

// Abandoned reports that the client no longer waits for the answer to r.
func (c *Conn) Abandoned(r *Request) {
	c.mu.Lock()
	r.muted = true
	c.mu.Unlock()
	r.Cancel(ErrCancelled)
}

// Stop refuses new requests and cancels those in flight.
func (c *Conn) Stop(cause error) {
	c.mu.Lock()
	c.stopping = true
	all := slices.Collect(maps.Values(c.inflight))
	if len(all) == 0 {
		close(c.idle)
	}
	c.pending.held.stop()
	for id := range c.asks {
		c.answered(id, Reply{Err: jsonrpc.Errorf(jsonrpc.CodeServer, "its session is over")})
	}
	for _, r := range slices.Clone(c.streams.kept) {
		c.streams.drop(r)
	}
	c.mu.Unlock()
	for _, r := range all {
		r.Cancel(cause)
	}
}

// Idle returns a channel that is closed when the connection is stopped and every request is answered.
func (c *Conn) Idle() <-chan struct{} { return c.idle }

// Concern says how a request from a document concerns a client.
type Concern struct {
	// Request is a request of the client that the document is carrying out, or nil if there is none. It is the newest
	// of those for which the document has no open request to the client or, if there are none, the newest.
	Request        *Request
	WaitsForAnswer bool      // the document has made a request for it, and waits for the answer
	LastQuestion   time.Time // when the document last made such a request
	Tool           string    // the tool with which the document carries it out
	Ready          bool      // the client may be notified, and so be asked
}

// Concerned says how a request from the document at concerns the client.
func (c *Conn) Concerned(at registry.DocumentRef) (it Concern) {
	c.mu.Lock()
	defer c.mu.Unlock()
	it.Ready = c.pending.ready
	for _, whole := range c.inflight {
		whole.asking(func(r *Request) {
			if r.inquiry.at != at || whole.muted {
				return
			}
			waits := r.inquiry.open > 0
			if it.Request == nil || it.WaitsForAnswer && !waits ||
				it.WaitsForAnswer == waits && r.inquiry.since.After(it.Request.inquiry.since) {
				it = Concern{r, waits, r.inquiry.last, r.inquiry.tool, it.Ready}
			}
		})
	}
	return it
}

// NoteLacking notes that a document needed, on behalf of r, a capability that the client had not declared.
func (c *Conn) NoteLacking(r *Request, capability string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.Whole().lacks = append(r.Whole().lacks, capability)
}

// Lacking returns the capabilities that [Conn.NoteLacking] noted.
func (c *Conn) Lacking(r *Request) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(r.Whole().lacks)
}

// Holdings says what a connection holds at one moment, for logs.
type Holdings struct {
	InFlight  int    // requests that are being answered
	Handing   int    // answers on responses of their own that are not written yet
	Waiting   int    // messages in the queue
	Kept      int    // streams that the client may resume
	KeptBytes int    // the size of these streams
	ToolsRead uint64 // the newest version of the list of tools that the client has read
}

// Holds returns what the connection holds now.
func (c *Conn) Holds() Holdings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Holdings{
		InFlight:  len(c.inflight),
		Handing:   len(c.handing),
		Waiting:   len(c.queue.waiting),
		Kept:      len(c.streams.kept),
		KeptBytes: c.streams.bytes(),
		ToolsRead: c.pending.lists[Tools].listed,
	}
}

// Part begins a part of a request that is being answered: one of several steps that the client requested at once. A
// part has its own context, its own time limit, and its own document to ask. Progress, questions to the client and the
// answer are those of the whole request. When the part is done, and before the whole request is answered, the caller
// calls [Conn.PartOver]. A part of a part is a part of the whole request.
func (c *Conn) Part(of *Request) *Request {
	whole := of.Whole()
	p := &Request{ID: whole.ID, part: whole}
	p.Ctx, p.Cancel = context.WithCancelCause(of.Ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if whole.parts == nil {
		whole.parts = map[*Request]bool{}
	}
	whole.parts[p] = true
	return p
}

// PartOver reports that a part is done.
func (c *Conn) PartOver(p *Request) {
	c.mu.Lock()
	delete(p.part.parts, p)
	c.mu.Unlock()
	p.Cancel(nil)
}

// Whole returns the request that r is a part of, or r itself.
func (r *Request) Whole() *Request {
	if r.part != nil {
		return r.part
	}
	return r
}

// SetSender notes the name that the sender of r gives itself, because several clients may use one connection. It must
// be called before r is carried out.
func (r *Request) SetSender(client string) { r.sender = client }

// Sender returns the name that the sender of r, or of the whole request, gives itself. It returns "" if that is the
// name with which the connection was initialized.
func (r *Request) Sender() string {
	if r == nil {
		return ""
	}
	return r.Whole().sender
}

// asking calls visit with r and with each of its parts. mu must be held.
func (r *Request) asking(visit func(of *Request)) {
	visit(r)
	for p := range r.parts {
		visit(p)
	}
}
