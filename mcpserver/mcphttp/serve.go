package mcphttp

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry/sanitize"
)

// Limits of the HTTP transport.
const (
	// Path is where MCP is served.
	Path = "/mcp"
	// DefaultMaxBody is the longest message in bytes that a client may post.
	DefaultMaxBody = 16 << 20
	// DefaultMaxSessions is how many sessions there may be at a time, and how many subscriptions of clients without a
	// session. If a further session begins, the one that has been unused for the longest time ends. If all were used
	// within [UnusedAfter], no further session can begin.
	DefaultMaxSessions = 64
	// UnusedAfter is how long a session stays unused before it ends in favour of a new one.
	UnusedAfter = time.Minute
	// DefaultIdleAfter is after how long a session ends whose client neither sends requests nor has its event stream
	// open.
	DefaultIdleAfter = 30 * time.Minute
	// KeepAlive is the interval of the comments on event streams, with which both ends notice that the other end is
	// gone.
	KeepAlive = 30 * time.Second

	// LeaseGrace is how long a client whose event stream has ended keeps its lease without sending anything.
	LeaseGrace = time.Minute

	// MaxRunning is how many requests of all clients without a session may run at a time. Further ones are refused.
	MaxRunning = wire.MaxConcurrent

	// MaxConnections is how many connections there may be at a time, of all clients together. That is enough for
	// [DefaultMaxSessions] sessions, with their streams and a few calls each; for more sessions there may be four
	// connections each. Further connections wait.
	MaxConnections = 1024

	// PrimeAfter is how long an answer may take before its stream begins with an id with which the client can resume.
	PrimeAfter = time.Second

	HeaderLimit    = 10 * time.Second // for a request's header to arrive
	BodyLimit      = 30 * time.Second // for its body to arrive
	RefusedLimit   = time.Second      // for the body of a refused request, which is not read
	WriteLimit     = 30 * time.Second // for a client to read what it is sent at a time
	keptOpen       = 2 * time.Minute  // how long an unused connection stays open
	maxHeaderBytes = 64 << 10
)

// Options are fixed for the life of one listener. With the zero value the listener requires no token.
type Options struct {
	// Token must come with each request, as a bearer token. If it is empty, no token is required; the listener must
	// then be on a loopback address.
	Token string
	// Host is the host that the listener was asked to bind to. It is accepted in the Host header besides loopback
	// names. It may be "".
	Host string
	// Names are further accepted names in the Host header, with any port: those of a proxy, or of a service's
	// address. Only listeners with a Token accept them.
	Names []string
	// Origins are accepted in the Origin header, such as https://client.example. With a Token, origins on loopback
	// addresses are accepted, too.
	Origins []string

	// Watch answers GET at the paths for those who watch the hub: /metrics and /pressure, which require the token as
	// MCP does, and /healthz and /readyz, which require none. Web pages are refused. If Watch is nil, there is
	// nothing at these paths.
	Watch http.Handler

	// Prefix is the prefix of the paths that [ServeEach] passes on besides [Path], such as /browsers; "" for none.
	Prefix string
	// Missing says, by prefix, why there is nothing at paths where clients may look for something.
	Missing map[string]string

	MaxBody     int           // in bytes; 0 means [DefaultMaxBody]
	MaxSessions int           // 0 means [DefaultMaxSessions]
	IdleAfter   time.Duration // 0 means [DefaultIdleAfter]

	// Drain is how long calls under way may take to end when the listener stops. New calls are refused meanwhile, and
	// event streams end. 0 means that calls are cancelled at once.
	Drain time.Duration
}

// Hub is the MCP server that is served.
type Hub interface {
	// Connect begins a session, which is one of the hub's until its End. The session's context ends with ctx.
	Connect(ctx context.Context, sessionless bool) (Session, error)
	// Unheard reports that nothing has been heard from a client for a while. What the client keeps to itself is
	// released.
	Unheard(c *view.Client)
	// Answered reports that the answer to a sessionless client's request has been written.
	Answered(r *wire.Request)
	// Versions returns the protocol versions that the hub supports over HTTP, the newest first.
	Versions() []string
}

// Session is one client's session.
type Session interface {
	Client() *view.Client
	Context() context.Context
	Log() *slog.Logger
	// Serve answers a request that has begun.
	Serve(r *wire.Request, m *jsonrpc.Message)
	// Receive handles a message that is not a request.
	Receive(message []byte)
	// Notify passes on mcp-go's notifications to the client, until ctx ends.
	Notify(ctx context.Context)
	// End ends the session and cancels its calls in flight.
	End(cause error)
}

// server serves MCP's streamable HTTP for one hub.
type server struct {
	hub      Hub
	options  Options
	log      *slog.Logger
	sessions *sessions
	// Ends with the server; for what belongs to no session.
	ctx context.Context
	end context.CancelCauseFunc
	// A token for each running request without a session, and for each subscription.
	running, listening chan struct{}
}

// NewHandler returns a handler for the MCP requests to one hub, from clients that have been admitted, see
// [ServeEach]. end ends the hub's sessions and their calls for good; cause is the reason that they are given. Calls
// that it cancels are still answered. Of the options only those that bound sessions and messages are used. Any
// goroutine may use both results.
func NewHandler(ctx context.Context, hub Hub, o Options, log *slog.Logger) (h http.Handler, end func(cause error)) {
	s := newServer(ctx, hub, o, log)
	return s, s.close
}

func newServer(ctx context.Context, hub Hub, o Options, log *slog.Logger) *server {
	if o.MaxBody <= 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.MaxSessions <= 0 {
		o.MaxSessions = DefaultMaxSessions
	}
	if o.IdleAfter <= 0 {
		o.IdleAfter = DefaultIdleAfter
	}
	own, end := context.WithCancelCause(context.WithoutCancel(ctx))
	return &server{
		hub:       hub,
		options:   o,
		log:       log.With("transport", "http"),
		sessions:  newSessions(hub, own, o.MaxSessions, o.IdleAfter),
		ctx:       own,
		end:       end,
		running:   make(chan struct{}, MaxRunning),
		listening: make(chan struct{}, o.MaxSessions),
	}
}

func (h *server) close(cause error) {
	h.sessions.close(cause)
	h.end(cause)
}

// Serve serves any number of clients over MCP's streamable HTTP until ctx ends or accepting connections fails. It
// closes the listener. Calls in flight have o.Drain to end; they are then cancelled, and their answers are still written
// to clients that read them within [wire.CloseGrace]. Serve returns nil when ctx has ended.
func Serve(ctx context.Context, hub Hub, l net.Listener, o Options, log *slog.Logger) error {
	if o.Token == "" && !isLoopback(l.Addr()) {
		_ = l.Close()
		return errors.New("serving beyond this computer needs a token")
	}
	h := newServer(ctx, hub, o, log)
	defer h.end(wire.ErrSessionOver)
	f := newFront(l.Addr(), o, onlyBy(o.Token, h), h.log)
	return f.serve(ctx, l, h.close)
}

// ServeHTTP answers one HTTP request.
func (h *server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	switch req.Method {
	case http.MethodPost:
		h.post(w, req)
	case http.MethodGet:
		h.get(w, req)
	case http.MethodDelete:
		h.delete(w, req)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refusef(http.StatusMethodNotAllowed, "MCP is spoken with POST, GET and DELETE, not with %s",
			sanitize.Text(req.Method, 20)).write(w, nil)
	}
}

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
