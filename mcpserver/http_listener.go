package mcpserver

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"webmcphub/mcpserver/wire"
)

// httpListener is one listener. It admits allowed requests, and passes each on to its handler.
type httpListener struct {
	options HTTPOptions
	guard   httpGuard
	log     *slog.Logger
	whom    func(token string) http.Handler // returns the handler for a token; nil if the token is nobody's
	many    bool                            // tokens distinguish clients
	active  atomic.Int64                    // requests that are being answered, streams included
	idle    chan struct{}                   // gets a value when active has become 0; holds one
}

func newHTTPListener(bound net.Addr, o HTTPOptions, whom func(token string) http.Handler,
	log *slog.Logger) *httpListener {
	return &httpListener{options: o, guard: newHTTPGuard(bound, o), log: log, whom: whom, idle: make(chan struct{}, 1)}
}

// ServeEachOverHTTP does what [Server.ServeStreamableHTTP] does, for several servers and clients that are distinguished
// by their bearer tokens. whom returns the handler for requests with a token, see [Server.HTTPHandler], or nil for a
// token that is nobody's. Any goroutine calls whom, for each request; it must take the same time for every wrong token.
// Requests for paths below o.Prefix are passed on, too. When ServeEachOverHTTP ends, it calls end, which must end
// everything that the handlers have started. o.Watch answers only probes, because the metrics describe all clients
// together and no client may read them.
func ServeEachOverHTTP(ctx context.Context, l net.Listener, o HTTPOptions, whom func(token string) http.Handler,
	end func(cause error), log *slog.Logger) error {
	f := newHTTPListener(l.Addr(), o, whom, log.With("transport", "http"))
	f.guard.tokens, f.guard.source = true, "whoever runs this server gave you"
	f.guard.prefix, f.many = o.Prefix, true
	return f.serve(ctx, l, end)
}

// onlyBy returns the whom of a listener with a single server: h for that token, or for any token if it is "".
func onlyBy(token string, h http.Handler) func(string) http.Handler {
	sum := sha256.Sum256([]byte(token))
	return func(given string) http.Handler {
		// The comparison takes the same time for every wrong token.
		if given := sha256.Sum256([]byte(given)); token == "" || subtle.ConstantTimeCompare(given[:], sum[:]) == 1 {
			return h
		}
		return nil
	}
}

// serve serves until ctx ends. It then drains, and calls end, which ends what is still running.
func (f *httpListener) serve(ctx context.Context, l net.Listener, end func(cause error)) error {
	requests := context.Background()
	if f.options.Drain > 0 {
		requests = context.WithValue(requests, stoppingKey{}, ctx)
	}
	web := &http.Server{
		BaseContext:       func(net.Listener) context.Context { return requests },
		Handler:           f,
		ReadHeaderTimeout: headerLimit,
		ReadTimeout:       bodyLimit, // ServeHTTP lifts it for streams
		WriteTimeout:      writeLimit,
		IdleTimeout:       keptOpen,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(f.log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- web.Serve(netutil.LimitListener(l, max(maxConnections, 4*f.options.MaxSessions))) }()

	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		f.drain()
	}
	end(cmp.Or(context.Cause(ctx), wire.ErrSessionOver))
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), wire.CloseGrace)
	defer cancel()
	if web.Shutdown(grace) != nil {
		f.log.Warn("clients did not read their last answers in time", "grace", wire.CloseGrace)
		_ = web.Close()
	}
	return err
}

// stoppingKey is the key of a context in the context of each request to a listener that drains.
type stoppingKey struct{}

// stopping returns a context that ends when the listener begins to drain: from then on it refuses new calls, and
// streams that belong to no call end.
func stopping(req *http.Request) context.Context {
	if ctx, ok := req.Context().Value(stoppingKey{}).(context.Context); ok {
		return ctx
	}
	return context.Background()
}

// refuseStopping makes the refusal of a request to a listener that drains. Another server may accept the client's next
// connection.
func refuseStopping(w http.ResponseWriter) *refusal {
	w.Header().Set("Connection", "close")
	w.Header().Set("Retry-After", "1")
	return refusef(http.StatusServiceUnavailable, "the server is stopping; try again on a new connection")
}

// drain waits until no request is being answered, at most for as long as the options say. The listener stays open
// meanwhile, because clients must be able to answer what the calls under way ask them.
func (f *httpListener) drain() {
	if f.options.Drain == 0 {
		return
	}
	late := time.NewTimer(f.options.Drain)
	defer late.Stop()
	for f.active.Load() > 0 {
		select {
		case <-f.idle:
		case <-late.C:
			f.log.Warn("calls did not end in time and are cancelled", "limit", f.options.Drain)
			return
		}
	}
}

// answered notes that a request has been answered.
func (f *httpListener) answered() {
	if f.active.Add(-1) == 0 {
		select {
		case f.idle <- struct{}{}:
		default:
		}
	}
}

// ServeHTTP answers one HTTP request.
func (f *httpListener) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if f.watched(req.URL.Path) {
		f.watch(w, req)
		return
	}
	var to http.Handler
	refused := f.guard.check(w, req)
	if refused == nil {
		to, refused = f.authorize(w, req)
	}
	if refused == nil && req.URL.Path != HTTPPath && req.Method == http.MethodPost && stopping(req).Err() != nil {
		refused = refuseStopping(w)
	}
	if refused != nil {
		f.log.Debug("request refused", "status", refused.status, "why", refused.text)
		if req.ContentLength != 0 { // read no more from a client that is refused
			w.Header().Set("Connection", "close")
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(refusedLimit))
		}
		refused.write(w, nil)
		return
	}
	if req.Method != http.MethodPost { // a stream may last long; for POST, body lifts the limit
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	f.active.Add(1)
	defer f.answered()
	to.ServeHTTP(w, req)
}

// authorize returns the handler for a request by its token, or refuses the request. It may set headers of the answer.
func (f *httpListener) authorize(w http.ResponseWriter, req *http.Request) (http.Handler, *refusal) {
	given, ok := bearer(req)
	if !ok {
		given = ""
	}
	if to := f.whom(given); to != nil {
		return to, nil
	}
	challenge, text := `Bearer realm="webmcp-hub"`, "this server asks for a bearer token: send the header "+
		"Authorization: Bearer TOKEN with the token that "+f.guard.source
	if ok {
		challenge += `, error="invalid_token"`
		text = "the bearer token is wrong; take the one that " + f.guard.source
	}
	w.Header().Set("WWW-Authenticate", challenge)
	return nil, refusef(http.StatusUnauthorized, "%s", text)
}
