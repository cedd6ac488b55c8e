package wire

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
)

const (
	// MaxConcurrent is how many requests of one client run at a time.
	MaxConcurrent = 1024
	// CloseGrace is how long a session's end waits for answers to be written.
	CloseGrace = time.Second
)

// Causes of a request's context that ended early.
var (
	// ErrCancelled means that the client cancelled the request.
	ErrCancelled = errors.New("the client cancelled the call")
	// ErrSessionOver means that the client closed the connection or the hub stops.
	ErrSessionOver = errors.New("the client's session is over")
)

// Conn is what passes between the hub and one client: the client's requests that
// are being answered, the messages to write, what is owed to the client, and what
// it is asked. Its parts share one lock, because the order in which answers and
// notifications leave is one of our promises. Nothing blocks under it.
//
// Any goroutine may use it, but for [Conn.Write] and what is said there.
type Conn struct {
	mu       sync.Mutex
	requests requests
	asks     asks
	queue    queue
	streams  streams
	owed     owed
	stopping bool // no new requests

	idle chan struct{} // closed when stopping and nothing is in flight
}

// NewConn makes a connection over which nothing has passed. sessionless says that
// it is for one request of a client of which no two requests can be told to be
// its own.
func NewConn(sessionless bool) *Conn {
	return &Conn{
		requests: requests{inflight: map[string]*Request{}, handing: map[*Request]bool{}},
		queue:    queue{wake: make(chan struct{}, 1), room: make(chan struct{}, 1)},
		owed:     owed{sessionless: sessionless},
		idle:     make(chan struct{}),
	}
}

// Request is one request of the client that is being answered.
type Request struct {
	ID     json.RawMessage
	Ctx    context.Context
	Cancel context.CancelCauseFunc

	direct *direct // not nil: its answer and progress have a stream of their own

	carry carriage
	of    string // see Of; set before it is carried out

	// The rest belongs to the Conn.
	asked       asked
	logs        int  // the least severity of log messages that it wants, from 1 on; 0 for none
	changesList bool // it runs a tool that changes what the client sees
	muted       bool // cancelled by the client: it wants no answer
	over        bool
	deaf        bool     // its listening is over, see Unlisten
	progress    *entry   // waiting in the queue
	lost        func()   // see Reply.Lost
	lacks       []string // see Lacks; of whole requests

	family
}

// NewRequest makes a request that is answered among the connection's messages.
// Its context ends with ctx.
func NewRequest(ctx context.Context, id json.RawMessage) *Request {
	r := &Request{ID: id}
	r.Ctx, r.Cancel = context.WithCancelCause(ctx)
	return r
}

// asked is what a document is asked on behalf of a request.
type asked struct {
	at    registry.ServerRef // the document; the zero value if none is asked
	tool  string             // of it, by its own name; "" if another thing is asked
	since time.Time          // when that began
	clock *Clock             // its time limit; nil if there is none
	open  int                // what the document asks of the client meanwhile, and has no answer to
	last  time.Time          // when it asked that last
}

// Reply is the answer to one request.
type Reply struct {
	Result json.RawMessage
	Err    *jsonrpc.Error
	// Asks says that the result asks for input (protocol 2026-07-28): it isn't complete.
	Asks bool
	// Read, if not nil, is called when the answer goes out to a client that reads
	// it: it takes note of what the client has seen then, and gives what counts as
	// read of the lists whose changes are announced. It is called with the
	// connection's lock held.
	Read func() Listed
	// Lost, if not nil, is called when the client is known not to get the answer.
	Lost func()
}

// Listed is the version of a list that the client has read; 0 is none.
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

// requests are those of the client that are being answered.
type requests struct {
	inflight map[string]*Request // by raw id
	handing  map[*Request]bool   // answered, on a stream of its own that may not have written it yet
}

// each visits those that have not been answered, or whose answers are not
// written yet, unless their client is gone and may come back for the answer.
func (rs *requests) each(visit func(*Request)) {
	for _, r := range rs.inflight {
		if !r.carry.resting && (r.direct == nil || r.direct.reading) {
			visit(r)
		}
	}
	for r := range rs.handing {
		visit(r)
	}
}

// Begin takes a request in. It fails if the session is ending, too much is
// running, or the id is in use.
func (c *Conn) Begin(r *Request) *jsonrpc.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	rs := &c.requests
	switch {
	case c.stopping:
		return jsonrpc.Errorf(jsonrpc.CodeServer, "the server is stopping")
	case len(rs.inflight)+len(rs.handing) >= MaxConcurrent:
		return jsonrpc.Errorf(jsonrpc.CodeServer, "the server is busy: %d requests of this client are running; wait "+
			"for one to be answered and try again", MaxConcurrent)
	case rs.inflight[string(r.ID)] != nil:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "the id %s is in use by a request that is still running; "+
			"give each request its own id", cut(string(r.ID), 64))
	}
	rs.inflight[string(r.ID)] = r
	return nil
}

// Asking notes that a document is being asked on behalf of r, by which of its
// tools ("" for what is no call), and within what time.
func (c *Conn) Asking(r *Request, at registry.ServerRef, tool string, limit *Clock) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.asked = asked{at: at, tool: tool, since: time.Now(), clock: limit}
}

// Limited notes the time limit of r, which stands still while the client is asked
// something on its behalf. No document is being asked yet.
func (c *Conn) Limited(r *Request, limit *Clock) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.asked = asked{clock: limit}
}

// Pauses has the time limit of r stand still until the returned function is called: somebody
// else than the client is asked something on its behalf.
func (c *Conn) Pauses(r *Request) (goesOn func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return r.asked.clock.hold()
}

// Changing notes that r may change what the client sees.
func (c *Conn) Changing(r *Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.Whole().changesList = true
}

// Busy says whether requests of the client are being answered.
func (c *Conn) Busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.requests.inflight) > 0
}

// Over says that the session is ending.
func (c *Conn) Over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopping
}

// Finish queues the answer to r, unless the client cancelled it, and lets go of
// the list_changed that waited for it. The caller flushes, or wakes the writer.
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
	delete(c.requests.inflight, string(r.ID))
	switch {
	case r.direct != nil:
		c.hand(r, e, answer)
	case !r.muted:
		c.queue.push(e)
		fallthrough
	default:
		c.owed.answered(r)
	}
	if !r.muted && (r.direct == nil || r.direct.reading) {
		c.read(answer)
	}
	if c.stopping && len(c.requests.inflight) == 0 {
		close(c.idle)
	}
}

// Lost says that the client has not got the answer to r, once that is finished.
func (c *Conn) Lost(r *Request) {
	c.mu.Lock()
	lost := r.lost
	r.lost = nil
	c.mu.Unlock()
	if lost != nil {
		lost()
	}
}

// read takes note of what the client has seen once it reads an answer. mu must
// be held.
func (c *Conn) read(answer Reply) {
	if answer.Read != nil {
		c.owed.listed(answer.Read())
	}
}

// Cancelled carries out notifications/cancelled: the request's context ends
// and its answer is not sent. Unknown ids are ignored, as MCP asks.
func (c *Conn) Cancelled(id json.RawMessage) {
	c.mu.Lock()
	r := c.requests.inflight[string(id)]
	c.mu.Unlock()
	if r != nil {
		c.Abandoned(r)
	}
}

// Abandoned says that nobody waits for the answer to r any more.
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
	all := make([]*Request, 0, len(c.requests.inflight))
	for _, r := range c.requests.inflight {
		all = append(all, r)
	}
	if len(all) == 0 {
		close(c.idle)
	}
	c.owed.held.stop()
	c.asks.stop()
	for _, r := range slices.Clone(c.streams.kept) {
		c.streams.drop(r)
	}
	c.mu.Unlock()
	for _, r := range all {
		r.Cancel(cause)
	}
}

// Idle is closed when the connection is stopped and everything is answered.
func (c *Conn) Idle() <-chan struct{} { return c.idle }

// Concern is how a document's request concerns a client.
type Concern struct {
	// Request is one of the client's that the document is carrying out, or nil: the newest of those for which it has not
	// asked the client something already, or else the newest.
	Request *Request
	Asks    bool      // it has asked something for that one, and waits for the answer
	Asked   time.Time // when it did so last
	Tool    string    // by which it does
	Ready   bool      // the client may be notified, and so be asked
}

// Concerned says how what a document asks concerns the client.
func (c *Conn) Concerned(at registry.ServerRef) (it Concern) {
	c.mu.Lock()
	defer c.mu.Unlock()
	it.Ready = c.owed.ready
	for _, whole := range c.requests.inflight {
		whole.asking(func(r *Request) {
			if r.asked.at != at || whole.muted {
				return
			}
			asks := r.asked.open > 0
			if it.Request == nil || it.Asks && !asks || it.Asks == asks && r.asked.since.After(it.Request.asked.since) {
				it = Concern{r, asks, r.asked.last, r.asked.tool, it.Ready}
			}
		})
	}
	return it
}

// Lacks notes that a document needed a capability of the client's on behalf of r, which the client had not declared.
func (c *Conn) Lacks(r *Request, capability string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.Whole().lacks = append(r.Whole().lacks, capability)
}

// Lacking are the capabilities that [Conn.Lacks] noted.
func (c *Conn) Lacking(r *Request) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(r.Whole().lacks)
}

// Holdings is what a connection holds at a moment, for logs.
type Holdings struct {
	InFlight  int    // requests that are being answered
	Handing   int    // answers on responses of their own that are not written yet
	Waiting   int    // messages in the queue
	Kept      int    // streams for a client that comes back
	KeptBytes int    // what they hold
	ToolsRead uint64 // the newest version of the list of tools that the client has read
}

// Holds says what the connection holds now.
func (c *Conn) Holds() Holdings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Holdings{
		InFlight:  len(c.requests.inflight),
		Handing:   len(c.requests.handing),
		Waiting:   len(c.queue.waiting),
		Kept:      len(c.streams.kept),
		KeptBytes: c.streams.bytes(),
		ToolsRead: c.owed.lists[Tools].listed,
	}
}
