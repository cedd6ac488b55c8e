package mcpserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"webmcphub/mcpserver/wire"
	"webmcphub/registry/sanitize"
)

// Limits of the HTTP transport.
const (
	// HTTPPath is the path at which the hub serves MCP.
	HTTPPath = "/mcp"
	// DefaultMaxBody is the longest message in bytes that a client may post.
	DefaultMaxBody = 16 << 20
	// DefaultMaxSessions is how many sessions there may be at a time, and how many subscriptions of clients without a
	// session. If a further session begins, the one that has been unused for the longest time ends. If all were used
	// within [unusedAfter], no further session can begin.
	DefaultMaxSessions = 64
	// unusedAfter is how long a session stays unused before it ends in favour of a new one.
	unusedAfter = time.Minute
	// defaultIdleAfter is how long a session lasts while its client neither sends requests nor has its event stream
	// open.
	defaultIdleAfter = 30 * time.Minute
	// keepAlive is the interval of the comments on event streams. They let each end notice that the other end is gone.
	keepAlive = 30 * time.Second

	// leaseGrace is how long a client whose event stream has ended keeps its lease without sending anything.
	leaseGrace = time.Minute

	// MaxRunning is how many requests of all clients without a session may run at a time. Further ones are refused.
	MaxRunning = wire.MaxConcurrent

	// maxConnections is how many connections there may be at a time, of all clients together. That is enough for
	// [DefaultMaxSessions] sessions, with their streams and a few calls each; for more sessions there may be four
	// connections each. Further connections wait.
	maxConnections = 1024

	// primeAfter is how long an answer may take before its stream begins with an id with which the client can resume.
	primeAfter = time.Second

	headerLimit    = 10 * time.Second // for a request's header to arrive
	bodyLimit      = 30 * time.Second // for its body to arrive
	refusedLimit   = time.Second      // for the body of a refused request, which is not read
	writeLimit     = 30 * time.Second // for a client to read what it is sent at a time
	keptOpen       = 2 * time.Minute  // how long an unused connection stays open
	maxHeaderBytes = 64 << 10
)

// HTTPOptions are fixed for the life of one listener. With the zero value the listener requires no token.
type HTTPOptions struct {
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

	// Prefix is the prefix of the paths that [ServeEachOverHTTP] passes on besides [HTTPPath], such as /browsers; ""
	// for none.
	Prefix string
	// Missing says, by prefix, why there is nothing at paths where clients may look for something.
	Missing map[string]string

	MaxBody     int           // in bytes; 0 means [DefaultMaxBody]
	MaxSessions int           // 0 means [DefaultMaxSessions]
	IdleAfter   time.Duration // 0 means [defaultIdleAfter]

	// Drain is how long calls under way may take to end when the listener stops. New calls are refused meanwhile, and
	// event streams end. 0 means that calls are cancelled at once.
	Drain time.Duration
}

// httpHandler serves MCP's streamable HTTP to clients that have been admitted.
type httpHandler struct {
	server   *Server
	options  HTTPOptions
	log      *slog.Logger
	sessions *httpSessions
	// ctx ends with the handler. It is for what belongs to no session.
	ctx context.Context
	end context.CancelCauseFunc
	// They hold a token for each running request without a session, and for each subscription.
	running, listening chan struct{}
}

// HTTPHandler returns a handler for the MCP requests of clients that have been admitted, see [ServeEachOverHTTP]. end
// ends the handler's sessions and their calls for good, with cause as the reason. Calls that it cancels are still
// answered. Of the options only those that bound sessions and messages are used. Any goroutine may use both results.
func (s *Server) HTTPHandler(o HTTPOptions) (h http.Handler, end func(cause error)) {
	serves := s.newHTTPHandler(context.Background(), o)
	return serves, serves.close
}

func (s *Server) newHTTPHandler(ctx context.Context, o HTTPOptions) *httpHandler {
	if o.MaxBody <= 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.MaxSessions <= 0 {
		o.MaxSessions = DefaultMaxSessions
	}
	if o.IdleAfter <= 0 {
		o.IdleAfter = defaultIdleAfter
	}
	own, end := context.WithCancelCause(context.WithoutCancel(ctx))
	return &httpHandler{
		server:    s,
		options:   o,
		log:       s.log.With("transport", "http"),
		sessions:  newHTTPSessions(s, own, o.MaxSessions, o.IdleAfter),
		ctx:       own,
		end:       end,
		running:   make(chan struct{}, MaxRunning),
		listening: make(chan struct{}, o.MaxSessions),
	}
}

func (h *httpHandler) close(cause error) {
	h.sessions.close(cause)
	h.end(cause)
}

// ServeStreamableHTTP serves any number of clients over MCP's streamable HTTP until ctx ends or accepting connections
// fails. It closes the listener. Calls in flight have o.Drain to end; they are then cancelled, and their answers are
// still written to clients that read them within [wire.CloseGrace]. ServeStreamableHTTP returns nil when ctx has ended.
func (s *Server) ServeStreamableHTTP(ctx context.Context, l net.Listener, o HTTPOptions) error {
	if o.Token == "" && !isLoopback(l.Addr()) {
		_ = l.Close()
		return errors.New("serving beyond this computer needs a token")
	}
	h := s.newHTTPHandler(ctx, o)
	defer h.end(wire.ErrSessionOver)
	f := newHTTPListener(l.Addr(), o, onlyBy(o.Token, h), h.log)
	return f.serve(ctx, l, h.close)
}

// ServeHTTP answers one HTTP request.
func (h *httpHandler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
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
