package pagemcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// SendFunc sends one payload to the page: a JSON-RPC object, or one of the handshake's JSON strings. It may block for
// a round trip but must return soon after ctx has ended. An error means that the payload was not delivered; but if ctx
// has ended, the payload may have been delivered, unless the error matches [ErrNotSent].
type SendFunc func(ctx context.Context, payload json.RawMessage) error

// Options of a [Client] are all optional.
type Options struct {
	// ReadyTimeout bounds the wait for "mcp-server-ready", and after that the wait for the answer to initialize.
	// Default 10 s.
	ReadyTimeout time.Duration
	// OnListChanged is called when the list of tools may have changed: for each notifications/tools/list_changed (one
	// per registration; coalesce them), and for a repeated "mcp-server-ready" of a connected server, which was
	// restored from the back/forward cache or restarted.
	OnListChanged func()
	// OnResourcesChanged and OnPromptsChanged are the same for resources (with templates) and prompts.
	OnResourcesChanged, OnPromptsChanged func()
	// OnResourceUpdated is called for each notifications/resources/updated; uri is the page's own.
	OnResourceUpdated func(uri string)
	// OnLog gets the params of each notifications/message, which are at most MaxLog bytes.
	OnLog func(params json.RawMessage)
	// OnRequest carries out a request of the page's server: sampling/createMessage, elicitation/create or roots/list.
	// It runs in its own goroutine, at most MaxRequests at a time, and must return soon after ctx has ended: with the
	// connection, or when the page cancels the request. An *RPCError is sent to the page unchanged, any other error
	// as an internal one. Without OnRequest the client answers that the methods don't exist.
	OnRequest func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Roots makes the client declare to the page's server that OnRequest answers roots/list.
	Roots bool
	// OnClosed is called once, when the page's server has stopped. Close doesn't call it.
	OnClosed func()
	// Logger logs what the client ignores, at debug level. By default nothing is logged.
	Logger *slog.Logger
	// MaxMessage is the limit for one message in bytes, in either direction. Default 64 MiB.
	MaxMessage int
}

const (
	defaultReadyTimeout = 10 * time.Second
	defaultMaxMessage   = 64 << 20
)

// Client is an MCP client of the server of one document. All methods may be called from any goroutine. The callbacks
// of Options, except OnRequest, and the progress callbacks run in the goroutine that calls Deliver. They must
// return at once, and may call Close but no other method.
type Client struct {
	options   Options
	send      SendFunc
	remarks   *remarks
	connected atomic.Bool
	offers    Capabilities // set before connected

	ready chan struct{} // closed at the first "mcp-server-ready"
	life  context.Context
	end   context.CancelCauseFunc

	answering chan struct{} // has an element for each answer that is being sent to the page

	mu      sync.Mutex // guards the fields below; never held during a send or a callback
	calls   calls
	asking  Requests // of the page, for OnRequest
	isReady bool
	closed  error
}

// New returns a client that sends with send. Before Connect it sends nothing and has no goroutine.
func New(send SendFunc, o Options) *Client {
	if o.ReadyTimeout <= 0 {
		o.ReadyTimeout = defaultReadyTimeout
	}
	if o.MaxMessage <= 0 {
		o.MaxMessage = defaultMaxMessage
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Client{options: o, send: send, remarks: newRemarks(o.Logger), ready: make(chan struct{}),
		answering: make(chan struct{}, maxAnswering), calls: calls{pending: map[int64]*pending{}}, asking: Requests{}}
	c.life, c.end = context.WithCancelCause(context.Background())
	return c
}

// Connect waits until the page's server is ready, and asks the server once if it has not said so yet. Then it does
// MCP's handshake. It tries failed sends three times, a second apart. If the client is connected, Connect returns nil
// at once.
func (c *Client) Connect(ctx context.Context) error {
	if c.connected.Load() {
		return c.closedErr()
	}
	if err := c.awaitReady(ctx); err != nil {
		return err
	}
	if err := c.initialize(ctx); err != nil {
		return err
	}
	c.connected.Store(true)
	return nil
}

func (c *Client) initialize(ctx context.Context) error {
	hurry, cancel := context.WithTimeout(ctx, c.options.ReadyTimeout)
	defer cancel()
	err := c.handshake(hurry)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: no answer to initialize within %v", ErrNotReady, c.options.ReadyTimeout)
	}
	return fmt.Errorf("initialize the page's MCP server: %w", err)
}

// handshake does MCP's handshake. Page servers don't answer a probe for the stateless protocol of 2026-07-28.
func (c *Client) handshake(ctx context.Context) error {
	params := mcp.InitializeParams{ProtocolVersion: mcp.LATEST_LEGACY_PROTOCOL_VERSION,
		ClientInfo: mcp.Implementation{Name: "webmcp-hub", Version: "0"}}
	if c.options.OnRequest != nil {
		params.Capabilities = requestCapabilities(c.options.Roots)
	}
	raw, err := c.call(ctx, string(mcp.MethodInitialize), sendTries, nil, func(int64) any { return params })
	if err != nil {
		return err
	}
	var result mcp.InitializeResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return err
	}
	if !mcp.IsValidProtocolVersion(result.ProtocolVersion) {
		return mcp.UnsupportedProtocolVersionError{Version: result.ProtocolVersion}
	}
	c.offers = capabilitiesOf(result.Capabilities)
	c.offers.Browser = browserOf(raw) // mcp-go drops unknown capabilities
	return c.transmit(ctx, json.RawMessage(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), sendTries)
}

// Close ends the connection. Pending and later calls fail with reason (ErrClosed if nil). Close sends nothing and
// never blocks. Only the first call counts.
func (c *Client) Close(reason error) {
	if reason == nil {
		reason = ErrClosed
	}
	c.close(reason)
}

// IsReady reports whether payload is a server's "mcp-server-ready", the sign that a document has a server to connect
// to.
func IsReady(payload json.RawMessage) bool { return string(payload) == payloadReady }
