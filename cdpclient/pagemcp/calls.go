package pagemcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
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
	cancelTimeout = 5 * time.Second // for sending the page a cancellation or an answer
	maxAnswering  = 8               // answers to the page's requests that are being sent at a time; more are dropped
)

// calls holds the pending requests to the page. The Client's mu guards it.
type calls struct {
	pending    map[int64]*pending
	cancelling int           // how many cancellations are being sent to the page
	quiet      chan struct{} // closed when both are over; nil if no Idle waits for that
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

// settled wakes Idle if no request is pending and no cancellation is being sent.
func (c *calls) settled() {
	if !c.busy() && c.quiet != nil {
		close(c.quiet)
		c.quiet = nil
	}
}

func (c *calls) busy() bool { return len(c.pending)+c.cancelling > 0 }

// awaited returns a channel that is closed when requests and cancellations are over, or nil if they are.
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

// request is a JSON-RPC request or, without an id, a notification.
type request struct {
	JSONRPC string `json:"jsonrpc"`
	ID      int64  `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

// begin registers a request and returns its payload. The parameters come from params, which gets the request's id; the
// id is also the request's progress token.
func (c *Client) begin(p *pending, method string,
	params func(id int64) any) (id int64, payload json.RawMessage, err error) {
	c.mu.Lock()
	if c.closed != nil {
		defer c.mu.Unlock()
		return 0, nil, c.closed
	}
	id = c.calls.begin(p)
	c.mu.Unlock()
	payload, err = jsonrpc.Encode(request{JSONRPC: "2.0", ID: id, Method: method, Params: params(id)})
	if err != nil {
		err = fmt.Errorf("encode %s: %w", method, err)
	} else {
		err = c.fits(payload)
	}
	if err != nil {
		c.take(id)
	}
	return id, payload, err
}

// fits returns an error if a payload is too large to be sent.
func (c *Client) fits(payload json.RawMessage) error {
	if len(payload) > c.options.MaxMessage {
		return fmt.Errorf("%w: %d bytes to the page, the limit is %d", ErrTooLarge, len(payload), c.options.MaxMessage)
	}
	return nil
}

// call sends one request and waits for the answer. tries is how often it tries a send that fails; it is 1 if the page
// must not get the request twice. params is as in begin.
func (c *Client) call(ctx context.Context, method string, tries int, progress func(json.RawMessage),
	params func(id int64) any) (json.RawMessage, error) {
	answers := make(chan answer, 1)
	p := &pending{answered: func(a answer) { answers <- a }, progress: progress}
	id, payload, err := c.begin(p, method, params)
	if err != nil {
		return nil, err
	}
	defer c.take(id)
	if err := ctx.Err(); err != nil { // not before begin, so that Idle sees every request
		return nil, err
	}
	sendErr := c.transmit(ctx, payload, tries)
	if sendErr == nil {
		select {
		case a := <-answers:
			return a.result, a.err
		case <-ctx.Done():
		}
	}
	select {
	case a := <-answers: // an answer takes precedence over a failed send, and over ctx's end at the same time
		return a.result, a.err
	default:
	}
	if ctx.Err() == nil {
		return nil, sendErr
	}
	if !errors.Is(sendErr, ErrNotSent) && method != string(mcp.MethodInitialize) { // the page may have received it
		c.cancel(id, ctx.Err())
	}
	return nil, ctx.Err()
}

// take removes and returns a pending request, or returns nil.
func (c *Client) take(id int64) *pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls.take(id)
}

// Idle waits until no request is pending and all cancellations have been sent to the page, or until ctx ends. Call it
// between cancelling requests and Close.
func (c *Client) Idle(ctx context.Context) {
	c.mu.Lock()
	quiet := c.calls.awaited()
	c.mu.Unlock()
	if quiet == nil {
		return
	}
	select {
	case <-quiet:
	case <-ctx.Done():
	}
}

// resolve passes an answer to the pending request id, once.
func (c *Client) resolve(id int64, a answer) {
	p := c.take(id)
	if p == nil {
		c.remarks.few("page server answered a request that is not pending", "id", id)
		return
	}
	p.answered(a)
}

// transmit sends payload; it returns early when ctx or the connection ends.
func (c *Client) transmit(ctx context.Context, payload json.RawMessage, tries int) error {
	if err := c.fits(payload); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })()
	for try := 1; ; try++ {
		err := c.send(ctx, payload)
		if err == nil {
			return nil
		}
		if closed := c.closedErr(); closed != nil {
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

// cancel ends a pending request, and sends the page's server a cancellation without making the caller wait.
func (c *Client) cancel(id int64, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls.pending[id] == nil {
		return
	}
	c.calls.cancelling++ // before take, so that Idle waits
	c.calls.take(id)
	go func() {
		ctx, cancel := context.WithTimeout(c.life, cancelTimeout)
		defer cancel()
		payload, err := jsonrpc.Encode(request{JSONRPC: "2.0", Method: "notifications/cancelled",
			Params: map[string]any{"requestId": id, "reason": why.Error()}})
		if err == nil {
			err = c.send(ctx, payload)
		}
		if err != nil {
			c.remarks.few("could not tell the page that a call was cancelled", "err", err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.calls.cancelling--
		c.calls.settled()
	}()
}

// awaitReady waits for "mcp-server-ready". It asks the server for it only if the server has not sent it by itself.
func (c *Client) awaitReady(ctx context.Context) error {
	if err := c.closedErr(); err != nil {
		return err
	}
	select {
	case <-c.ready:
		return ctx.Err()
	default:
	}
	if err := c.transmit(ctx, json.RawMessage(payloadCheckReady), sendTries); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	timer := time.NewTimer(c.options.ReadyTimeout)
	defer timer.Stop()
	select {
	case <-c.ready:
		return nil
	case <-timer.C:
		return fmt.Errorf("%w (waited %v)", ErrNotReady, c.options.ReadyTimeout)
	case <-ctx.Done():
		return ctx.Err()
	case <-c.life.Done():
		return c.closedErr()
	}
}

// close ends the connection with a reason and fails all pending calls. It returns whether this was the first call.
func (c *Client) close(reason error) bool {
	c.mu.Lock()
	if c.closed != nil {
		c.mu.Unlock()
		return false
	}
	c.closed = reason
	orphans := c.calls.pending
	c.calls.pending = map[int64]*pending{}
	c.calls.settled()
	c.mu.Unlock()
	c.end(reason)
	for _, p := range orphans {
		p.answered(answer{err: reason})
	}
	return true
}

func (c *Client) closedErr() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// parseID reads an id of a request to the page: an integer as JavaScript writes it.
func parseID(raw json.RawMessage) (int64, bool) {
	id, err := strconv.ParseInt(string(raw), 10, 64)
	return id, err == nil
}
