package node

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/actors"
	"webmcphub/cluster/api"
	"webmcphub/cluster/certs"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/mailbox"
	"webmcphub/cluster/pages"
	"webmcphub/cluster/transport"
	"webmcphub/internal/workers"
	"webmcphub/registry"
)

// Limits of a node.
const (
	// MaxRunning is how many requests of one gateway run at a time. Further ones are refused.
	MaxRunning = 1024
	// idleWorkers is how many goroutines wait for a request.
	idleWorkers = 64
	// maxWaiting is how many messages may wait for the node's own goroutine.
	maxWaiting = 100_000
	// DefaultDrain is how long running calls may take to end when the node leaves.
	DefaultDrain = 30 * time.Second
	// stopGrace is how long browsers may take to end.
	stopGrace = 10 * time.Second
)

// Options are fixed for the life of a [Node].
type Options struct {
	Name   string // [a-z0-9-]{1,32}
	Listen string // host:port for gateways
	// Advertise is the host:port at which gateways reach the node; "" means the address at which it listens.
	Advertise string
	TLS       *certs.Files // nil means no encryption, which is allowed on loopback only
	// Labels are added to the labels of each browser, as "key=value".
	Labels   map[string]string
	Browsers []Browser
	// Store makes the node a member of the cluster, and lends the node's own browsers. It may be nil.
	Store *leases.Store
	// Hub has the hub's options. The node itself sets Browsers, Publisher, Logger and PageRequests.
	Hub actors.Options
	// Called, if not nil, is called when a call of a page's tool has ended: with the outcome ("ok", "error" or the
	// ending that its result names), and with how long the call took. Any goroutine calls it.
	Called func(outcome string, took time.Duration)
	// Automation returns what carries out browser tools. If it is nil, the node has no browser tools.
	Automation func(Host) Automation
	Build      string        // of the program, for gateways and operators
	Drain      time.Duration // how long running calls may take to end; default [DefaultDrain]
	Health     time.Duration // how often browsers are asked whether they live; default [DefaultHealth]
	// Trace, if not nil, begins a span for a call in the trace of the gateway's request. parent, own and outcome are
	// as in tracing.Tracer's Span.
	Trace  func(name, parent string) (own string, end func(outcome string))
	Logger *slog.Logger
}

// Node is a running node.
type Node struct {
	options     Options
	incarnation string
	log         *slog.Logger
	hub         *actors.Hub
	server      *transport.Server
	browsers    *browserPool
	box         *mailbox.Box[func()] // for run
	figures     figures
	life        life
	hello       *api.WatchResponse_Hello
	automates   Automation     // carries out browser tools; nil for none
	freeing     sync.WaitGroup // goroutines that tell automates which clients have gone

	current atomic.Pointer[registry.Catalog] // the newest catalog
	changes atomic.Pointer[chan struct{}]    // closed when current changes
	newest  atomic.Pointer[pages.Snapshot]   // the snapshot of current that gateways are sent

	// What follows belongs to run.
	source       *pages.Source
	stand        []registry.Browser         // the browsers when the browserPool was last told that they changed
	gateways     map[string]*gateway        // by name
	replaced     map[string][]string        // by gateway: incarnations that another one has replaced
	clientsOf    map[string]*gatewayClients // by gateway
	questions    map[uint64]*question       // by id: what pages ask agents
	lastQuestion uint64                     // the id of the newest question
	leaving      leaving
	stopping     bool // no request begins any more
}

// life has what a node needs to stop.
type life struct {
	ctx     context.Context // of all that the node does
	end     context.CancelFunc
	workers *workers.Pool // carry out requests; idle ones end with ctx
	left    chan struct{} // closed when the node has left
	over    chan struct{} // closed when run has ended
	once    sync.Once
	calls   sync.WaitGroup // calls of pages, which end with the hub; run adds to it
}

// lastWords is how long a stopping node waits for the results of the calls that it has ended.
const lastWords = 2 * time.Second

// awaitCalls lets no further request begin, and waits until running calls of pages have ended, at most for lastWords.
func (n *Node) awaitCalls() {
	done := make(chan struct{})
	n.box.Must(func() {
		n.stopping = true
		go func() {
			n.life.calls.Wait()
			close(done)
		}()
	})
	select {
	case <-done:
	case <-time.After(lastWords):
	}
}

// Start starts a node. The node connects to its browsers in the background.
func Start(o Options) (*Node, error) {
	o.Drain, o.Health = cmp.Or(o.Drain, DefaultDrain), cmp.Or(o.Health, DefaultHealth)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	n := &Node{options: o, log: o.Logger, incarnation: rand.Text(), box: mailbox.New[func()](maxWaiting),
		gateways: map[string]*gateway{}, replaced: map[string][]string{}, questions: map[uint64]*question{},
		clientsOf: map[string]*gatewayClients{}}
	n.current.Store(registry.StartingCatalog())
	n.changes.Store(new(make(chan struct{})))
	n.hello = &api.WatchResponse_Hello{Incarnation: n.incarnation, Build: o.Build}
	n.source = pages.NewSource()
	n.newest.Store(n.source.Newest())
	n.life.ctx, n.life.end = context.WithCancel(context.Background())
	n.life.workers = workers.New(idleWorkers, n.life.ctx.Done())
	n.life.left, n.life.over = make(chan struct{}), make(chan struct{})
	var err error
	n.server, err = transport.Listen(transport.ServerOptions{Node: o.Name, Listen: o.Listen, Advertise: o.Advertise,
		TLS: o.TLS, Logger: o.Logger})
	if err != nil {
		n.life.end()
		return nil, fmt.Errorf("the node can't be reached: %w", err)
	}
	n.serve()
	n.browsers = newBrowserPool(n, o.Browsers)
	hub := o.Hub
	hub.Browsers, hub.Publisher, hub.Logger = n.browsers.now(), publisher{n}, o.Logger
	hub.PageRequests = n.ask
	n.hub = actors.Start(hub)
	if o.Automation != nil {
		n.automates = o.Automation(Host{n})
		n.hello.Automation = n.automates.Categories()
	}
	n.browsers.chromes = n.hub
	err = n.browsers.join()
	go n.browsers.run()
	go n.run()
	n.server.Serve()
	if err != nil {
		n.Stop()
		return nil, err
	}
	return n, nil
}

// Addr returns the address at which the node listens.
func (n *Node) Addr() string { return n.server.Addr() }

// Failed returns a channel that receives, at most once, the reason why the hub can't go on.
func (n *Node) Failed() <-chan error { return n.hub.Failed() }

// Left returns a channel that is closed when the node has left, because it was told to drain, or was stopped.
func (n *Node) Left() <-chan struct{} { return n.life.left }

// Stop ends the node at once, with everything that runs. It may be called more than once.
func (n *Node) Stop() {
	n.life.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
		defer cancel()
		if err := n.hub.Stop(ctx); err != nil { // ends all calls with the reason
			n.log.Warn(err.Error())
		}
		n.awaitCalls()
		n.life.end()
		<-n.life.over
		n.server.Close()
		n.freeing.Wait()
		if n.automates != nil {
			n.automates.Close()
		}
		<-n.browsers.over
	})
	<-n.life.over
}

// publisher takes what the node's registry publishes.
type publisher struct{ *Node }

// Apply is called by the registry actor, and doesn't wait.
func (p publisher) Apply(effects []registry.Effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case registry.SetCatalog:
			p.served(e.Catalog)
		case registry.PageLogged:
			p.tell(&api.PageEvent{Document: documentOf(e.Server), Origin: e.Origin, Log: e.Params})
		case registry.ResourcesUpdated:
			p.tell(&api.PageEvent{Document: documentOf(e.Server), Updated: e.URIs})
		}
	}
}

// tell sends all gateways what a page's own server reports.
func (n *Node) tell(e *api.PageEvent) {
	n.box.Put(func() {
		for _, g := range n.gateways {
			g.watch.unsent.Put(&api.WatchResponse{Event: &api.WatchResponse_Page{Page: e}})
		}
	})
}

// run owns the gateways and their requests.
func (n *Node) run() {
	defer close(n.life.over)
	mailbox.Run(n.box, n.life.ctx.Done(), nil)
	n.end()
}

// publish makes a snapshot of the newest catalog, and wakes the gateways' streams if it differs from the last one.
func (n *Node) publish() {
	c := n.current.Load()
	if stand := c.Browsers(); !slices.EqualFunc(stand, n.stand, registry.Browser.Same) {
		n.stand = stand
		n.browsers.box.Must(func() {}) // makes the browserPool report the browsers to the store
	}
	now, left := n.source.Serve(c, n.browsers.lives.all())
	for _, l := range left {
		n.log.Warn("something of a page isn't passed on to gateways", "page", l.Page, "why", l.Why)
	}
	if n.newest.Swap(now) == now {
		return
	}
	for _, g := range n.gateways {
		g.watch.unsent.Wake()
	}
}

// end ends all requests when the node stops.
func (n *Node) end() {
	for _, g := range n.gateways {
		n.forget(g, actors.ErrStopped)
	}
	for _, g := range n.clientsOf {
		if g.due != nil {
			g.due.Stop()
		}
	}
	n.leaving.done(n.life.left)
}
