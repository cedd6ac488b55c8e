package mcpb

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

	"github.com/mark3labs/mcp-go/client/transport"
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

// wire is mcp-go's transport over the bridge. Lists and calls use it directly, without mcp-go's decoding.
type wire struct {
	send    SendFunc
	limit   int
	remarks *remarks
	on      callbacks
	// initialized is the result of initialize, byte for byte, because mcp-go drops what it doesn't know. It belongs
	// to Connect.
	initialized json.RawMessage

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
	busy    int           // requests that have not returned, and cancellations that are being sent to the page
	quiet   chan struct{} // closed when busy falls to 0; nil if nobody waits for that
}

// begin gives p an id that a page can't guess.
func (c *calls) begin(p *pending) (id int64) {
	for {
		id = 1 + rand.Int64N(1<<53-1) // JavaScript's safe integers
		if _, taken := c.pending[id]; !taken {
			c.pending[id] = p
			c.busy++
			return id
		}
	}
}

// take removes and returns a pending request, or returns nil.
func (c *calls) take(id int64) *pending {
	p := c.pending[id]
	delete(c.pending, id)
	return p
}

// done decrements busy.
func (c *calls) done() {
	if c.busy--; c.busy == 0 && c.quiet != nil {
		close(c.quiet)
		c.quiet = nil
	}
}

// awaited returns a channel that is closed when busy falls to 0; nil if busy is 0.
func (c *calls) awaited() <-chan struct{} {
	if c.busy > 0 && c.quiet == nil {
		c.quiet = make(chan struct{})
	}
	return c.quiet
}

// pending is one request that waits for its answer.
type pending struct {
	answer   chan answer // gets at most one value
	progress func(json.RawMessage)
}

type answer struct {
	result json.RawMessage
	err    error
}

var _ transport.Interface = (*wire)(nil)

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

// call does one request. tries is how often to try a send that fails; it is 1 if doing the request twice would be
// wrong. The parameters come from params, which gets the request's id; the id is also the request's progress token.
func (w *wire) call(ctx context.Context, method string, tries int, progress func(json.RawMessage),
	params func(id int64) any) (json.RawMessage, error) {
	p := &pending{answer: make(chan answer, 1), progress: progress}
	id, err := w.register(p)
	if err != nil {
		return nil, err
	}
	defer w.forget(id)
	if err := ctx.Err(); err != nil { // not before register, so that idle sees everything that is sent
		return nil, err
	}
	payload, err := jsonrpc.Encode(request{JSONRPC: "2.0", ID: id, Method: method, Params: params(id)})
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", method, err)
	}
	sendErr := w.transmit(ctx, payload, tries)
	if sendErr == nil {
		select {
		case a := <-p.answer:
			return a.result, a.err
		case <-ctx.Done():
		}
	}
	select {
	case a := <-p.answer: // an answer takes precedence over a failed send, and over an end at the same time
		return a.result, a.err
	default:
	}
	if ctx.Err() == nil {
		return nil, sendErr
	}
	if !errors.Is(sendErr, ErrNotSent) && !errors.Is(sendErr, ErrTooLarge) { // the page may have received the request
		w.tellCancelled(id, method, ctx.Err())
	}
	return nil, ctx.Err()
}

// register begins a request, unless the wire is closed.
func (w *wire) register(p *pending) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed != nil {
		return 0, w.closed
	}
	return w.calls.begin(p), nil
}

func (w *wire) forget(id int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls.take(id)
	w.calls.done()
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
	w.mu.Lock()
	p := w.calls.take(id)
	w.mu.Unlock()
	if p == nil {
		w.remarks.few("page server answered a request that is not pending", "id", id)
		return
	}
	p.answer <- a
}

// transmit sends payload; it returns early when ctx or the wire ends.
func (w *wire) transmit(ctx context.Context, payload json.RawMessage, tries int) error {
	if len(payload) > w.limit {
		return fmt.Errorf("%w: %d bytes to the page, the limit is %d", ErrTooLarge, len(payload), w.limit)
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

// tellCancelled tells the page's server about a cancellation, without making the caller wait.
func (w *wire) tellCancelled(id int64, method string, why error) {
	if method == string(mcp.MethodInitialize) || w.closedErr() != nil {
		return
	}
	w.mu.Lock()
	w.calls.busy++
	w.mu.Unlock()
	go func() {
		defer func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.calls.done()
		}()
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
	w.mu.Unlock()
	w.end(reason)
	for _, p := range orphans {
		p.answer <- answer{err: reason}
	}
	return true
}

func (w *wire) closedErr() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

// Start implements transport.Interface.
func (w *wire) Start(context.Context) error { return w.closedErr() }

// SendRequest implements transport.Interface; only mcp-go's Initialize uses it.
func (w *wire) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	result, err := w.call(ctx, r.Method, sendTries, nil, func(int64) any { return r.Params })
	if err != nil {
		return nil, err
	}
	w.initialized = result
	return &transport.JSONRPCResponse{JSONRPC: r.JSONRPC, ID: r.ID, Result: result}, nil
}

// SendNotification implements transport.Interface.
func (w *wire) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	r := request{JSONRPC: "2.0", Method: n.Method}
	if n.Params.Meta != nil || len(n.Params.AdditionalFields) > 0 {
		r.Params = n.Params
	}
	payload, err := jsonrpc.Encode(r)
	if err != nil {
		return err
	}
	return w.transmit(ctx, payload, sendTries)
}

// SetNotificationHandler implements transport.Interface. It does nothing: deliver handles notifications, byte for
// byte.
func (w *wire) SetNotificationHandler(func(mcp.JSONRPCNotification)) {}

// Close implements transport.Interface.
func (w *wire) Close() error { w.close(ErrClosed); return nil }

// GetSessionId implements transport.Interface; the bridge has no sessions.
func (w *wire) GetSessionId() string { return "" }

// parseID reads an id of this wire: an integer as JavaScript writes it.
func parseID(raw json.RawMessage) (int64, bool) {
	id, err := strconv.ParseInt(string(raw), 10, 64)
	return id, err == nil
}
