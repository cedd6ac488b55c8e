package gateway

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"webmcphub/mcpserver"
)

// errTokenRevoked is why a client's sessions end.
var errTokenRevoked = errors.New("the token with which this session began is no longer valid")

// TokenRouter passes each HTTP client to its tenant's server, by the client's token. Each token has its own sessions;
// a client with another token can't use them. Any goroutine may use a TokenRouter.
type TokenRouter struct {
	gateway *Gateway
	options mcpserver.HTTPOptions

	mu     sync.RWMutex
	all    []*tokenRoute
	closed bool
}

// tokenRoute is the route of one token to its tenant. Its fields are fixed.
type tokenRoute struct {
	token  TokenSum
	tenant *tenantServer
	mcp    http.Handler
	ctx    context.Context // of requests for browsers; ends with the token
	end    func(cause error)
}

// NewTokenRouter returns the gateway's router, with the tokens of the tenants. Only the goroutine that calls
// [Gateway.SetTenants] may call it.
func (g *Gateway) NewTokenRouter(o mcpserver.HTTPOptions) *TokenRouter {
	d := &TokenRouter{gateway: g, options: o}
	g.mu.Lock()
	g.router = d
	now := g.known
	g.mu.Unlock()
	d.set(now)
	return d
}

// set replaces the routes by those of the tenants' tokens. It ends the sessions of tokens and of tenants that were
// removed. After Close there are no routes.
func (d *TokenRouter) set(all []Tenant) {
	d.mu.RLock()
	was := d.all
	d.mu.RUnlock()
	var next []*tokenRoute
	for _, one := range all {
		r := d.gateway.tenant(one.Name)
		if r == nil { // the gateway is stopping
			continue
		}
		for _, token := range one.Tokens {
			at := slices.IndexFunc(was, func(o *tokenRoute) bool { return o.token == token && o.tenant == r })
			if at >= 0 {
				next = append(next, was[at])
			} else {
				next = append(next, d.newRoute(token, r))
			}
		}
	}
	d.mu.Lock()
	closed := d.closed
	if !closed {
		d.all = next
	}
	d.mu.Unlock()
	if closed {
		was = next
	}
	for _, o := range was {
		if closed || !slices.Contains(next, o) {
			o.end(errTokenRevoked)
		}
	}
}

func (d *TokenRouter) newRoute(token TokenSum, r *tenantServer) *tokenRoute {
	ctx, cancel := context.WithCancelCause(context.Background())
	handler, end := r.server.HTTPHandler(d.options)
	return &tokenRoute{token: token, tenant: r, mcp: handler, ctx: ctx, end: func(cause error) {
		cancel(cause)
		end(cause)
	}}
}

// Whom returns the handler of requests with a token, or nil if the token is nobody's.
func (d *TokenRouter) Whom(token string) http.Handler {
	sum := sha256.Sum256([]byte(token))
	d.mu.RLock()
	defer d.mu.RUnlock()
	var found http.Handler
	for _, o := range d.all { // compares with all, so that the time it takes reveals nothing
		if subtle.ConstantTimeCompare(sum[:], o.token[:]) == 1 {
			found = o
		}
	}
	return found
}

// Close ends all sessions, and tells their clients the cause.
func (d *TokenRouter) Close(cause error) {
	d.mu.Lock()
	all := d.all
	d.all, d.closed = nil, true
	d.mu.Unlock()
	for _, o := range all {
		o.end(cause)
	}
}

// ServeHTTP answers a client that has the route's token.
func (o *tokenRoute) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if strings.HasPrefix(req.URL.Path+"/", BrowsersPath+"/") {
		ctx, cancel := context.WithCancelCause(req.Context())
		defer cancel(nil)
		defer context.AfterFunc(o.ctx, func() { cancel(context.Cause(o.ctx)) })()
		o.tenant.browsers(w, req.WithContext(ctx))
		return
	}
	o.tenant.requested.Store(true)
	o.tenant.requests.Add(1)
	defer o.tenant.requests.Add(-1)
	o.mcp.ServeHTTP(w, req)
}
