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

// tenantServer has one tenant's registry.State, and the MCP server that it alone updates.
type tenantServer struct {
	*Gateway
	tenant  string
	leasing bool // it sees only the browsers that it has leased
	server  *mcpserver.Server
	seen    Overseer
	box     *mailbox.Box[func()] // for run
	over    chan struct{}        // closed when run has ended
	stop    chan struct{}        // closed to end run
	tokens  atomic.Int64         // how many tokens are the tenant's, see [TokenRouter]
	// requests counts running HTTP requests, event streams included; requested says whether one has come since used.
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

// takes passes an event to the tenant's goroutine.
func (r *tenantServer) takes(e registry.Event) { r.box.Must(func() { r.step(e) }) }

// tell passes events, which take effect together, to the tenant's goroutine. That calls done when it has handled them.
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

// Apply implements [runner.Publisher]. The tenant's goroutine calls it.
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

// close ends the tenant, and returns when it has ended.
func (r *tenantServer) close() {
	close(r.stop)
	<-r.over
	if r.seen.Ended != nil {
		r.seen.Ended()
	}
}

// run owns the tenant's state.
func (r *tenantServer) run() {
	defer r.discard()
	defer close(r.over)
	defer r.runner.Stop()
	mailbox.Run(r.box, r.stop, nil)
}

// step handles an event, unless the tenant has ended.
func (r *tenantServer) step(e registry.Event) {
	select {
	case <-r.over:
	default:
		r.runner.Run(r.state.Step(e))
	}
}

// discard takes the messages that are left after the tenant has ended. They only call done.
func (r *tenantServer) discard() {
	for _, do := range r.box.Take() {
		do()
	}
}
