package gateway

import (
	"sync/atomic"
	"time"

	"webmcphub/cluster/mailbox"
	"webmcphub/internal/runner"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"

	"webmcphub/mcpserver"
)

// notifyInterval is the flush interval of a gateway.
const notifyInterval = 10 * time.Millisecond

// tenantServer is what one tenant has: a registry's State, and the MCP server that it alone writes to.
type tenantServer struct {
	*Gateway
	tenant  string
	leasing bool // it sees the browsers alone that it has leased
	server  *mcpserver.Server
	seen    Overseer
	box     *mailbox.Box[func()] // for run
	over    chan struct{}        // closed when run has ended
	stop    chan struct{}        // closed when it is to end
	tokens  atomic.Int64         // that lead here, see [TokenRouter]
	// requests are those under way over HTTP, event streams included; requested is whether there was one since used.
	requests  atomic.Int64
	requested atomic.Bool
	lingers   atomic.Pointer[[]*registry.HubTool] // sorted by name, see linger
	lives     atomic.Pointer[map[string]string]   // of the browsers that the tenant has leased, by name

	// What follows belongs to run.
	state  *registry.State
	runner runner.Runner
}

// newTenant makes a tenant's server and starts it.
func (g *Gateway) newTenant(tenant string, leasing bool) *tenantServer {
	r := &tenantServer{Gateway: g, tenant: tenant, leasing: leasing, box: mailbox.New[func()](maxWaiting),
		over: make(chan struct{}), stop: make(chan struct{})}
	r.lives.Store(&map[string]string{})
	c := caller{r}
	o := mcpserver.Options{BrowserOptions: calls.BrowserOptions{Browser: c, Several: true}, PageServers: c,
		PageRequests: mcpserver.DuringCalls, Automation: r.automation(), Version: g.options.Build, Logger: g.log}
	if tenant != "" {
		o.Logger = o.Logger.With("tenant", tenant)
	}
	if g.options.Oversee != nil {
		r.seen = g.options.Oversee(tenant)
		o.Oversight = r.seen.Oversight
	}
	r.server = mcpserver.New(o, c)
	if r.seen.Began != nil {
		r.seen.Began(r.server, c)
	}
	r.state = registry.NewState(g.options.Registry)
	r.runner = runner.Runner{Publisher: r, Interval: notifyInterval, Log: g.log, Due: r.takes}
	r.takes(registry.BrowsersNamed{Browsers: []registry.NamedBrowser{}})
	go r.run()
	return r
}

// takes has the tenant take an event.
func (r *tenantServer) takes(e registry.Event) { r.box.Must(func() { r.step(e) }) }

// tell has the tenant take events, which show together, and calls done when it has.
func (r *tenantServer) tell(events registry.EventBatch, done func()) {
	if len(events) == 0 {
		done()
		return
	}
	r.box.Must(func() {
		r.step(events)
		done()
	})
	select {
	case <-r.over:
		r.discard()
	default:
	}
}

// Apply is the tenant's own goroutine's.
func (r *tenantServer) Apply(effects []registry.Effect) {
	for i, e := range effects {
		if s, is := e.(registry.SetCatalog); is {
			s.Catalog = r.lingering(s.Catalog)
			effects[i] = s
		}
	}
	r.server.Apply(effects)
	for _, p := range r.seen.Publishers {
		p.Apply(effects)
	}
}

// close ends the tenant, and returns when it has.
func (r *tenantServer) close() {
	close(r.stop)
	<-r.over
	if r.seen.Ended != nil {
		r.seen.Ended()
	}
}

// run owns the tenant.
func (r *tenantServer) run() {
	defer r.discard()
	defer close(r.over)
	defer r.runner.Stop()
	mailbox.Run(r.box, r.stop, nil)
}

// step takes an event, unless the tenant is over.
func (r *tenantServer) step(e registry.Event) {
	select {
	case <-r.over:
	default:
		r.runner.Run(r.state.Step(e))
	}
}

// discard is for what comes when the tenant is over: nothing is done but to say so.
func (r *tenantServer) discard() {
	for _, do := range r.box.Take() {
		do()
	}
}
