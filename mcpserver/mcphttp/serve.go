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
	// DefaultMaxSessions is how many sessions there may be at a time, and how
	// many subscriptions of clients without a session. Beyond it the session
	// ends that was not used for longest; if all are in use, none is begun.
	DefaultMaxSessions = 64
	// DefaultIdleAfter is when a session ends whose client neither asks
	// anything nor has its event stream open.
	DefaultIdleAfter = 30 * time.Minute
	// KeepAlive is the interval of the comments on event streams, by which
	// both ends find out that the other is gone.
	KeepAlive = 30 * time.Second

	// LeaseGrace is how long a client whose event stream has ended keeps its tab
	// to itself without a word.
	LeaseGrace = time.Minute

	// MaxRunning is how many requests of all clients without a session may run at a
	// time. Further ones are refused.
	MaxRunning = wire.MaxConcurrent

	// MaxConnections is how many connections there may be at a time, of whomever:
	// enough for all sessions, with their streams and some calls each. Further ones wait.
	MaxConnections = 1024

	// PrimeAfter is how long an answer may take before its stream is begun, with
	// an id by which the client can come back.
	PrimeAfter = time.Second

	HeaderLimit    = 10 * time.Second // for a request's header to arrive
	BodyLimit      = 30 * time.Second // for its body
	RefusedLimit   = time.Second      // for the body of a request that is refused, which is not read
	WriteLimit     = 30 * time.Second // for a client to read what it is sent at a time
	keptOpen       = 2 * time.Minute  // an unused connection
	maxHeaderBytes = 64 << 10
)

// Options are fixed for the life of one listener. The zero value asks for
// no token.
type Options struct {
	// Token must come with each request, as a bearer token. Where it is empty
	// none is asked for; the listener must then be on a loopback address.
	Token string
	// Host is the host that the listener was asked to bind to, beside loopback
	// names a good one in the Host header. Optional.
	Host string
	// Names are further good ones in the Host header, with any port: those of a
	// proxy, or of a service's address. They are for listeners with a Token.
	Names []string
	// Origins are allowed in the Origin header, such as https://client.example.
	// With a Token those on loopback addresses are allowed too.
	Origins []string

	// Watch answers GET at the paths of those who watch the hub: /metrics and
	// /pressure, which ask for the token as MCP does, /healthz and /readyz, which
	// ask for none. Web pages are refused. nil: there is nothing at these paths.
	Watch http.Handler

	// Prefix is where the paths begin that [ServeEach] passes on besides [Path], such as /browsers; "" for none.
	Prefix string

	MaxBody     int           // in bytes; default [DefaultMaxBody]
	MaxSessions int           // default [DefaultMaxSessions]
	IdleAfter   time.Duration // default [DefaultIdleAfter]
}

// Hub is what is served.
type Hub interface {
	// Connect begins a session, which is one of the hub's until its End. Its
	// context ends with ctx.
	Connect(ctx context.Context, sessionless bool) (Session, error)
	// Unheard says that a client is not heard of: what it keeps from others ends.
	Unheard(c *view.Client)
	// Answered says that the answer to a sessionless client's request is written.
	Answered(r *wire.Request)
	// Versions are the protocol versions that the hub speaks over HTTP, newest
	// first.
	Versions() []string
}

// Session is one client's session.
type Session interface {
	Client() *view.Client
	Context() context.Context
	Log() *slog.Logger
	// Serve answers a request that has begun.
	Serve(r *wire.Request, m *jsonrpc.Message)
	// Receive takes a message that is no request.
	Receive(message []byte)
	// Notify passes on what mcp-go wants the client to be told, until ctx ends.
	Notify(ctx context.Context)
	// End ends the session: its calls in flight are cancelled.
	End(cause error)
}

// server is MCP's streamable HTTP for one hub.
type server struct {
	hub      Hub
	options  Options
	log      *slog.Logger
	sessions *sessions
	// Ended when the server is, for what belongs to no session.
	ctx context.Context
	end context.CancelCauseFunc
	// A token for each request without a session that runs, and for each
	// subscription.
	running, listening chan struct{}
}

// NewHandler answers MCP's requests for one hub, of clients that have been let in, see [ServeEach].
// end ends its sessions and their calls for good, with the cause that they are told; calls that it
// cancels are still answered. Of the options only those count that bound sessions and messages. Any
// goroutine may use both.
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

// Serve serves any number of clients over MCP's streamable HTTP
// until ctx ends or accepting connections fails. It closes the listener. Calls
// in flight are then cancelled, and what they answer is still written to
// clients that read it within [wire.CloseGrace]. It returns nil when ctx has ended.
func Serve(ctx context.Context, hub Hub, l net.Listener, o Options, log *slog.Logger) error {
	if o.Token == "" && !isLoopback(l.Addr()) {
		_ = l.Close()
		return errors.New("serving beyond this computer needs a token")
	}
	h := newServer(ctx, hub, o, log)
	defer h.end(wire.ErrSessionOver)
	f := &front{options: o, guard: newGuard(l.Addr(), o), log: h.log, whom: onlyBy(o.Token, h)}
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
