package pagemcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
)

// The handshake's payloads, as JSON.
const (
	payloadCheckReady = `"mcp-check-ready"`
	payloadReady      = `"mcp-server-ready"`
	payloadStopped    = `"mcp-server-stopped"`
)

const (
	sendTries     = 3
	sendPause     = time.Second
	cancelTimeout = 5 * time.Second // for telling the page that a call was cancelled
	maxAnswering  = 8               // requests of the page that are being answered at a time; more are ignored
)

// wire carries JSON-RPC over the bridge.
type wire struct {
	send    SendFunc
	limit   int
	remarks *remarks
	on      callbacks

	ready chan struct{} // closed at the first "mcp-server-ready"
	life  context.Context
	end   context.CancelCauseFunc

	answering chan struct{} // has an element for each request of the page that is being answered

	mu      sync.Mutex // guards the fields below; never held during a send or a callback
	calls   calls
	asking  Requests // of the page, for OnRequest
	isReady bool
	closed  error
}

// callbacks are what a wire calls, in their own goroutines or in the one that calls deliver.
type callbacks struct {
	listChanged func()
	readyAgain  func()
	notice      func(method string, params json.RawMessage)
	request     func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	stopped     func()
}

// calls are the pending requests to the page. They are guarded by the wire's mu.
type calls struct {
	pending map[int64]*pending
	telling int           // how many cancellations are being sent to the page
	quiet   chan struct{} // closed when there is none of both; nil if nobody waits for that
}

// begin gives p an id that a page can't guess.
func (c *calls) begin(p *pending) (id int64) {
	for {
		id = 1 + rand.Int64N(1<<53-1) // JavaScript's safe integers
		if _, taken := c.pending[id]; !taken {
			c.pending[id] = p
			return id
		}
	}
}

// take removes and returns a pending request, or returns nil.
func (c *calls) take(id int64) *pending {
	p := c.pending[id]
	delete(c.pending, id)
	c.settled()
	return p
}

// settled is called when something has ended that idle waits for.
func (c *calls) settled() {
	if !c.busy() && c.quiet != nil {
		close(c.quiet)
		c.quiet = nil
	}
}

func (c *calls) busy() bool { return len(c.pending)+c.telling > 0 }

// awaited returns a channel that is closed when nothing is under way; nil if nothing is.
func (c *calls) awaited() <-chan struct{} {
	if c.busy() && c.quiet == nil {
		c.quiet = make(chan struct{})
	}
	return c.quiet
}

// pending is one request that waits for its answer.
type pending struct {
	answered func(answer) // called at most once
	progress func(json.RawMessage)
}

type answer struct {
	result json.RawMessage
	err    error
}

func newWire(send SendFunc, limit int, log *slog.Logger) *wire {
	w := &wire{
		send: send, limit: limit, remarks: newRemarks(log), ready: make(chan struct{}),
		answering: make(chan struct{}, maxAnswering), calls: calls{pending: map[int64]*pending{}},
		asking: Requests{},
	}
	w.life, w.end = context.WithCancelCause(context.Background())
	return w
}

// request is a JSON-RPC request or, without an id, a notification.
type request struct {
	JSONRPC string `json:"jsonrpc"`
	ID      int64  `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

// begin registers a request and returns its payload. The parameters come from params, which gets the request's id; the
// id is also the request's progress token.
func (w *wire) begin(p *pending, method string,
	params func(id int64) any) (id int64, payload json.RawMessage, err error) {
	w.mu.Lock()
	if w.closed != nil {
		defer w.mu.Unlock()
		return 0, nil, w.closed
	}
	id = w.calls.begin(p)
	w.mu.Unlock()
	payload, err = jsonrpc.Encode(request{JSONRPC: "2.0", ID: id, Method: method, Params: params(id)})
	if err != nil {
		err = fmt.Errorf("encode %s: %w", method, err)
	} else {
		err = w.fits(payload)
	}
	if err != nil {
		w.take(id)
	}
	return id, payload, err
}

// fits returns an error if a payload is too large to be sent.
func (w *wire) fits(payload json.RawMessage) error {
	if len(payload) > w.limit {
		return fmt.Errorf("%w: %d bytes to the page, the limit is %d", ErrTooLarge, len(payload), w.limit)
	}
	return nil
}

// call does one request. tries is how often to try a send that fails; it is 1 if doing the request twice would be
// wrong. params is as in begin.
func (w *wire) call(ctx context.Context, method string, tries int, progress func(json.RawMessage),
	params func(id int64) any) (json.RawMessage, error) {
	answers := make(chan answer, 1)
	p := &pending{answered: func(a answer) { answers <- a }, progress: progress}
	id, payload, err := w.begin(p, method, params)
	if err != nil {
		return nil, err
	}
	defer w.take(id)
	if err := ctx.Err(); err != nil { // not before begin, so that idle sees everything that is sent
		return nil, err
	}
	sendErr := w.transmit(ctx, payload, tries)
	if sendErr == nil {
		select {
		case a := <-answers:
			return a.result, a.err
		case <-ctx.Done():
		}
	}
	select {
	case a := <-answers: // an answer takes precedence over a failed send, and over an end at the same time
		return a.result, a.err
	default:
	}
	if ctx.Err() == nil {
		return nil, sendErr
	}
	if !errors.Is(sendErr, ErrNotSent) && method != string(mcp.MethodInitialize) { // the page may have received it
		w.cancel(id, ctx.Err())
	}
	return nil, ctx.Err()
}

// take removes and returns a pending request, or returns nil.
func (w *wire) take(id int64) *pending {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls.take(id)
}

// idle waits until no call is pending or ctx ends.
func (w *wire) idle(ctx context.Context) {
	w.mu.Lock()
	quiet := w.calls.awaited()
	w.mu.Unlock()
	if quiet == nil {
		return
	}
	select {
	case <-quiet:
	case <-ctx.Done():
	}
}

// resolve answers the pending request id, once.
func (w *wire) resolve(id int64, a answer) {
	p := w.take(id)
	if p == nil {
		w.remarks.few("page server answered a request that is not pending", "id", id)
		return
	}
	p.answered(a)
}

// transmit sends payload; it returns early when ctx or the wire ends.
func (w *wire) transmit(ctx context.Context, payload json.RawMessage, tries int) error {
	if err := w.fits(payload); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.life, func() { cancel(context.Cause(w.life)) })()
	for try := 1; ; try++ {
		err := w.send(ctx, payload)
		if err == nil {
			return nil
		}
		if closed := w.closedErr(); closed != nil {
			return closed
		}
		if try >= tries || ctx.Err() != nil {
			return fmt.Errorf("send to the page: %w", err)
		}
		select {
		case <-time.After(sendPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// cancel ends a request that is pending, and tells the page's server without making the caller wait.
func (w *wire) cancel(id int64, why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calls.pending[id] == nil {
		return
	}
	w.calls.telling++ // before take, so that idle waits
	w.calls.take(id)
	go func() {
		ctx, cancel := context.WithTimeout(w.life, cancelTimeout)
		defer cancel()
		payload, err := jsonrpc.Encode(request{JSONRPC: "2.0", Method: "notifications/cancelled",
			Params: map[string]any{"requestId": id, "reason": why.Error()}})
		if err == nil {
			err = w.send(ctx, payload)
		}
		if err != nil {
			w.remarks.few("could not tell the page that a call was cancelled", "err", err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.calls.telling--
		w.calls.settled()
	}()
}

// awaitReady returns when the server has said that it is ready. It asks the server only if it has not said so by
// itself.
func (w *wire) awaitReady(ctx context.Context, timeout time.Duration) error {
	if err := w.closedErr(); err != nil {
		return err
	}
	select {
	case <-w.ready:
		return ctx.Err()
	default:
	}
	if err := w.transmit(ctx, json.RawMessage(payloadCheckReady), sendTries); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-w.ready:
		return nil
	case <-timer.C:
		return fmt.Errorf("%w (waited %v)", ErrNotReady, timeout)
	case <-ctx.Done():
		return ctx.Err()
	case <-w.life.Done():
		return w.closedErr()
	}
}

// close ends the wire with a reason and fails all pending calls. It returns whether this was the first call.
func (w *wire) close(reason error) bool {
	w.mu.Lock()
	if w.closed != nil {
		w.mu.Unlock()
		return false
	}
	w.closed = reason
	orphans := w.calls.pending
	w.calls.pending = map[int64]*pending{}
	w.calls.settled()
	w.mu.Unlock()
	w.end(reason)
	for _, p := range orphans {
		p.answered(answer{err: reason})
	}
	return true
}

func (w *wire) closedErr() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

// parseID reads an id of this wire: an integer as JavaScript writes it.
func parseID(raw json.RawMessage) (int64, bool) {
	id, err := strconv.ParseInt(string(raw), 10, 64)
	return id, err == nil
}
