package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"webmcphub/cluster/certs"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/transport"
	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// maxWaiting is how many messages may wait for one of a gateway's goroutines.
const maxWaiting = 100_000

// errStopped is why calls and sessions end when the gateway stops.
var errStopped = errors.New("the gateway is stopping")

// Options are fixed for the life of a [Gateway].
type Options struct {
	Name string       // [a-z0-9-]{1,32}; each gateway needs its own
	TLS  *certs.Files // nil means no encryption, which is allowed to nodes on loopback only
	// Store knows the nodes and leases browsers. If it is nil, SetNodes sets the nodes, and the gateway lends no
	// browsers.
	Store *leases.Store
	// Departure is how long the gateway keeps a node that is no longer a member; the default is [DefaultDeparture].
	Departure time.Duration
	// Tenants may lease browsers. Each tenant sees only the browsers that it has leased. If Tenants is nil, there is
	// one tenant, which sees all browsers.
	Tenants []Tenant
	// Limits, if not nil, are set for all gateways of the Store, with the quotas of Tenants.
	Limits *leases.Limits
	// Oversee returns the overseer of a tenant's new server. It is called for one tenant after the other. If it is
	// nil, tenants have no overseers.
	Oversee func(tenant string) Overseer
	// Automation returns the browser tools of a tenant's clients. If it is nil, there are none.
	Automation func(n Nodes, tenant string) calls.Automation
	Registry   registry.Options
	Build      string // of the program
	Logger     *slog.Logger
}

// Gateway is a running gateway.
type Gateway struct {
	options     Options
	incarnation string
	log         *slog.Logger
	dialer      *transport.Dialer
	directory   *directory
	ctx         context.Context // of all that the gateway does
	end         context.CancelCauseFunc
	figures     figures

	returning sync.WaitGroup // goroutines that give browsers back
	removed   []string       // removed tenants, since the start; belongs to the goroutine that calls SetTenants

	mu      sync.RWMutex
	nodes   map[string]*nodeSession  // by name
	tenants map[string]*tenantServer // by tenant
	known   []Tenant                 // the Tenant of each of tenants
	router  *TokenRouter             // nil without HTTP
	// levels has the lowest level of pages' log messages that each tenant wants.
	levels map[*tenantServer]string
}

// Start starts a gateway. The gateway connects to its nodes in the background.
func Start(o Options) (*Gateway, error) {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	g := &Gateway{options: o, incarnation: rand.Text(), log: o.Logger, nodes: map[string]*nodeSession{},
		tenants: map[string]*tenantServer{}, levels: map[*tenantServer]string{}}
	g.ctx, g.end = context.WithCancelCause(context.Background())
	g.directory = newDirectory(g)
	var err error
	self := transport.Caller{Role: transport.Gateway, Name: o.Name, Incarnation: g.incarnation}
	g.dialer, err = transport.NewDialer(self, o.TLS, o.Logger)
	if err != nil {
		g.end(errStopped)
		return nil, fmt.Errorf("the gateway can't dial nodes: %w", err)
	}
	if err := g.join(); err != nil {
		g.end(errStopped)
		return nil, err
	}
	go g.directory.run()
	g.SetTenants(o.Tenants)
	if o.Store != nil {
		go g.follow()
		go g.tellUse()
	}
	return g, nil
}

// sessionWith returns the session with a node, or nil if there is none.
func (g *Gateway) sessionWith(node string) *nodeSession {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.nodes[node]
}

// sessions returns all sessions.
func (g *Gateway) sessions() (all []*nodeSession) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, s := range g.nodes {
		all = append(all, s)
	}
	return all
}

// SetNodes replaces the nodes, by name and address. The gateway drops nodes that are no longer among them, with all
// their pages. Only one goroutine at a time may call SetNodes, and only at a gateway without a store.
func (g *Gateway) SetNodes(now map[string]string) {
	for _, s := range g.sessions() {
		if _, stays := now[s.node]; !stays {
			g.letGo(s, nil)
		}
	}
	for name, address := range now {
		g.meet(name, address)
	}
}

// meet begins a session with a node, or updates the address if there is a session.
func (g *Gateway) meet(name, address string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.nodes[name]; s != nil {
		s.box.Must(func() { s.moved(address) })
	} else if g.ctx.Err() == nil {
		s, err := g.newSession(name, address)
		if err != nil {
			g.log.Error("a node is not dialled", "err", err)
			return
		}
		g.nodes[name] = s
	}
}

// letGo ends the session with a node, and removes the node's pages. If the node still answers, it counts as lost with
// the error as the reason, unless the error is nil.
func (g *Gateway) letGo(s *nodeSession, lost error) {
	g.mu.Lock()
	ours := g.nodes[s.node] == s
	if ours {
		delete(g.nodes, s.node)
	}
	g.mu.Unlock()
	if ours {
		s.stop <- lost
		<-s.over
		g.directory.gone(s.node)
	}
}

// SetTenants replaces the tenants; nil means one tenant, which sees all browsers. If a tenant is removed, its sessions
// and its leases end. If a tenant loses a token, the sessions that began with the token end. A tenant that this
// gateway has never had keeps its leases until nobody has used them for [leases.Limits].Idle. Only one goroutine at a
// time may call SetTenants.
func (g *Gateway) SetTenants(now []Tenant) {
	if g.options.Limits != nil && g.options.Store != nil {
		g.options.Store.Limit(limitsOf(*g.options.Limits, now))
	}
	leasing := now != nil
	if !leasing {
		now = []Tenant{{}}
	}
	next := map[string]*tenantServer{}
	var all []*tenantServer
	for _, t := range now {
		r := g.tenant(t.Name)
		if r == nil || r.leasing != leasing {
			r = g.newTenant(t.Name, leasing)
		}
		r.tokens.Store(int64(len(t.Tokens)))
		next[t.Name] = r
		all = append(all, r)
	}
	g.mu.Lock()
	was, router := g.tenants, g.router
	g.tenants, g.known = next, now
	g.mu.Unlock()
	g.directory.box.Must(func() { g.directory.setTenants(all) })
	g.revokeRemoved(was, next)
	for tenant, r := range was {
		if next[tenant] != r {
			r.close()
			g.setLevel(r, "")
		}
	}
	if router != nil {
		router.set(now)
	}
}

// tenant returns a tenant's server, or nil if there is no such tenant.
func (g *Gateway) tenant(tenant string) *tenantServer {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.tenants[tenant]
}

// Server returns a tenant's MCP server, or nil if there is no such tenant. Without tenants, the name is "".
func (g *Gateway) Server(tenant string) *mcpserver.Server {
	if r := g.tenant(tenant); r != nil {
		return r.server
	}
	return nil
}

// Stop ends the gateway and all its calls, with the reason. It may be called more than once.
func (g *Gateway) Stop() {
	g.end(errStopped)
	g.SetNodes(nil)
	<-g.directory.over
	g.mu.Lock()
	tenants := g.tenants
	g.tenants = map[string]*tenantServer{}
	g.mu.Unlock()
	for _, r := range tenants {
		r.close()
	}
	g.returning.Wait()
}
