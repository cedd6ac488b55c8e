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

// TokenSum is the SHA-256 of a bearer token.
type TokenSum = [sha256.Size]byte

// Guest is a tenant, and by which tokens its clients are known.
type Guest struct {
	Tenant string
	Tokens []TokenSum
}

// errTurnedAway is why a client's sessions end.
var errTurnedAway = errors.New("the token by which this session was begun is no longer valid")

// Doors lead each HTTP client into its tenant's server, by its token. Each token has sessions of its own:
// another's are unknown there. Any goroutine may use them.
type Doors struct {
	gateway *Gateway
	options mcpserver.HTTPOptions

	mu     sync.RWMutex
	all    []*door
	closed bool
}

// door is where one token leads. Its fields are fixed.
type door struct {
	token  TokenSum
	tenant *tenantServer
	mcp    http.Handler
	ctx    context.Context // of requests for browsers
	end    func(cause error)
}

// NewDoors makes doors that lead nowhere yet.
func (g *Gateway) NewDoors(o mcpserver.HTTPOptions) *Doors { return &Doors{gateway: g, options: o} }

// Set says who may come in from now on. Sessions end that were begun by other tokens, and so do those of
// tenants that there are no longer. It is for one goroutine at a time, after each
// [Gateway.SetTenants].
func (d *Doors) Set(guests []Guest) {
	d.mu.RLock()
	was := d.all
	d.mu.RUnlock()
	var next []*door
	for _, guest := range guests {
		r := d.gateway.tenant(guest.Tenant)
		if r == nil {
			continue
		}
		r.tokens.Store(int64(len(guest.Tokens)))
		for _, token := range guest.Tokens {
			at := slices.IndexFunc(was, func(o *door) bool { return o.token == token && o.tenant == r })
			if at >= 0 {
				next = append(next, was[at])
			} else {
				next = append(next, d.newDoor(token, r))
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
			o.end(errTurnedAway)
		}
	}
}

func (d *Doors) newDoor(token TokenSum, r *tenantServer) *door {
	ctx, cancel := context.WithCancelCause(context.Background())
	handler, end := r.server.HTTPHandler(d.options)
	return &door{token: token, tenant: r, mcp: handler, ctx: ctx, end: func(cause error) {
		cancel(cause)
		end(cause)
	}}
}

// Whom is who answers the requests with a token; nil if it is nobody's.
func (d *Doors) Whom(token string) http.Handler {
	sum := sha256.Sum256([]byte(token))
	d.mu.RLock()
	defer d.mu.RUnlock()
	var found http.Handler
	for _, o := range d.all { // all of them, whichever it is
		if subtle.ConstantTimeCompare(sum[:], o.token[:]) == 1 {
			found = o
		}
	}
	return found
}

// Close ends all sessions, with the cause that they are told.
func (d *Doors) Close(cause error) {
	d.mu.Lock()
	all := d.all
	d.all, d.closed = nil, true
	d.mu.Unlock()
	for _, o := range all {
		o.end(cause)
	}
}

// ServeHTTP answers a client that has come in.
func (o *door) ServeHTTP(w http.ResponseWriter, req *http.Request) {
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
