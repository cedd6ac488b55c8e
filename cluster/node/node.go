package node

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/actors"
	"webmcphub/cluster/allot"
	"webmcphub/cluster/certs"
	"webmcphub/cluster/link"
	"webmcphub/cluster/mailbox"
	"webmcphub/cluster/replica"
	"webmcphub/cluster/wire"
	"webmcphub/internal/workers"
	"webmcphub/registry"
)

// Bounds of a node.
const (
	// MaxRunning is how many requests of one gateway run at a time. Further ones are refused.
	MaxRunning = 1024
	// idleHands is how many goroutines wait for a request.
	idleHands = 64
	// maxWaiting is how many messages may wait for the node's own goroutine.
	maxWaiting = 100_000
	// DefaultDrain is how long calls that run may take to end when the node leaves.
	DefaultDrain = 30 * time.Second
	// stopGrace is how long browsers may take to end.
	stopGrace = 10 * time.Second
)

// Options are fixed for the life of a [Node].
type Options struct {
	Name   string // [a-z0-9-]{1,32}
	Listen string // host:port for gateways
	// Advertise is the host:port by which gateways reach it; "" is where it listens.
	Advertise string
	TLS       *certs.Files // nil: without encryption, on loopback only
	// Labels are told with each browser, as "key=value".
	Labels   map[string]string
	Browsers []Browser
	// Store is where the node is a member, and lends its own browsers; nil is nowhere.
	Store allot.Store
	// Hub are the hub's options. Its browsers, its publisher and who answers what pages ask are
	// the node's own; Publisher, if not nil, is told beside.
	Hub actors.Options
	// Called is told of calls of pages' tools that are over: how each ended, "ok", "error" or what
	// its result says of it, and how long it took. Any goroutine calls it. Optional.
	Called func(outcome string, took time.Duration)
	// Automation makes what carries out browser tools; nil: nothing does.
	Automation func(Host) Automation
	Build      string        // of the program, for those who watch
	Drain      time.Duration // how long running calls may take to end; default [DefaultDrain]
	Health     time.Duration // how often browsers are asked whether they live; default [DefaultHealth]
	// Trace, if not nil, begins a span of a call in the trace of its gateway's request: parent, own
	// and outcome are as in tracing.Tracer's Span.
	Trace  func(name, parent string) (own string, end func(outcome string))
	Logger *slog.Logger
}

// Node is a running node.
type Node struct {
	options     Options
	incarnation string
	log         *slog.Logger
	hub         *actors.Hub
	link        *link.Link
	browsers    *keeper
	box         *mailbox.Box[any]
	offered
	figures figures
	life    life

	// What follows belongs to run.
	automated
	publishes
	asking
	gateways map[string]*gateway // by name
	leaving  leaving
}

// asking is what pages ask of agents. It belongs to run.
type asking struct {
	questions map[uint64]*question
	asked     uint64 // questions so far
}

// automated is what carries out browser tools, and for whom.
type automated struct {
	automates Automation         // nil for none; anybody may use it
	guests    map[string]*guests // by gateway; belongs to run
	freeing   sync.WaitGroup     // of what those had that are gone
}

// offered is what the pages offer. Any goroutine may look at it.
type offered struct {
	current atomic.Pointer[registry.Catalog] // the newest
	changes atomic.Pointer[chan struct{}]    // closed once another one is
	digests wire.Digests                     // of its tools that are called
}

// publishes is what gateways are told of the pages. It belongs to run.
type publishes struct {
	source *replica.Source
	stand  []registry.Browser // as the keeper of the browsers was told
}

// life is how a node comes to its end.
type life struct {
	ctx   context.Context // of all that the node does
	end   context.CancelFunc
	hands *workers.Pool // carry requests out; those that wait for one end with ctx
	left  chan struct{} // closed when it has nothing more to do
	over  chan struct{} // closed when run has ended
	once  sync.Once
}

// Start starts a node. Its browsers are reached in the background.
func Start(o Options) (*Node, error) {
	o.Drain, o.Health = cmp.Or(o.Drain, DefaultDrain), cmp.Or(o.Health, DefaultHealth)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	n := &Node{options: o, log: o.Logger, incarnation: rand.Text(), box: mailbox.New[any](maxWaiting),
		gateways: map[string]*gateway{}, asking: asking{questions: map[uint64]*question{}},
		automated: automated{guests: map[string]*guests{}}}
	n.current.Store(registry.StartingCatalog())
	n.changes.Store(new(make(chan struct{})))
	welcome := wire.Welcome{Incarnation: n.incarnation, Build: o.Build, Labels: o.Labels}
	if o.Automation != nil {
		n.automates = o.Automation(Host{n})
		welcome.Automation = n.automates.Categories()
	}
	n.source = replica.NewSource(welcome)
	n.life.ctx, n.life.end = context.WithCancel(context.Background())
	n.life.hands = workers.New(idleHands, n.life.ctx.Done())
	n.life.left, n.life.over = make(chan struct{}), make(chan struct{})
	self := link.Peer{Role: link.Node, Name: o.Name, Address: o.Advertise}
	var err error
	n.link, err = link.Open(link.Options{Self: self, Listen: o.Listen, TLS: o.TLS, Receive: n.receive, Lost: n.lost,
		Logger: o.Logger})
	if err != nil {
		n.life.end()
		return nil, fmt.Errorf("the node can't be reached: %w", err)
	}
	n.browsers = newKeeper(n, o.Browsers)
	hub := o.Hub
	hub.Browsers, hub.Publisher, hub.Logger = named(n.browsers.all, o.Labels), publisher{n, hub.Publisher}, o.Logger
	hub.PageRequests = n.ask
	n.hub = actors.Start(hub)
	n.browsers.chromes = n.hub
	err = n.browsers.join()
	go n.browsers.run()
	go n.run()
	if err != nil {
		n.Stop()
		return nil, err
	}
	return n, nil
}

// Addr is where it listens.
func (n *Node) Addr() string { return n.link.Addr() }

// Failed gets why the hub can't go on, at most once.
func (n *Node) Failed() <-chan error { return n.hub.Failed() }

// Left is closed when the node has left: because it was told to drain, or stopped.
func (n *Node) Left() <-chan struct{} { return n.life.left }

// Stop ends the node at once, with all that runs. It may be called more than once.
func (n *Node) Stop() {
	n.life.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
		defer cancel()
		if err := n.hub.Stop(ctx); err != nil { // ends all calls with the reason
			n.log.Warn(err.Error())
		}
		n.life.end()
		<-n.life.over
		n.freeing.Wait()
		if n.automates != nil {
			n.automates.Close()
		}
		<-n.browsers.over
		n.link.Close()
	})
	<-n.life.over
}

// publisher takes what the node's registry publishes.
type publisher struct {
	*Node
	beside actors.Publisher
}

// Apply is called by the registry actor, and doesn't wait.
func (p publisher) Apply(effects []registry.Effect) {
	if p.beside != nil {
		p.beside.Apply(effects)
	}
	for _, e := range effects {
		switch e := e.(type) {
		case registry.Serve:
			p.served(e.Catalog)
		case registry.PageLogged:
			p.box.Put(told{wire.Told{Page: string(e.Server.Page), Frame: string(e.Server.Frame),
				Doc: uint64(e.Server.Doc), Origin: e.Origin, Log: e.Params}})
		case registry.ResourcesUpdated:
			p.box.Put(told{wire.Told{Page: string(e.Server.Page), Frame: string(e.Server.Frame),
				Doc: uint64(e.Server.Doc), Updated: e.URIs}})
		}
	}
}

// send sends a message to a gateway. One that can't be reached is heard of by lost.
func (n *Node) send(to link.Peer, m wire.Message) {
	if err := n.link.Send(to, m); err != nil {
		n.log.Debug("a message was not sent", "gateway", to.Name, "err", err)
	}
}

// receive is the link's: it must not wait.
func (n *Node) receive(from link.Peer, m wire.Message) {
	if n.box.Put(received{from, m}) {
		return
	}
	if r, is := m.(wire.Request); is {
		n.send(from, refused(r.ID, "the node has too much to do; try again in a moment"))
	}
}

func (n *Node) lost(peer link.Peer, why error) { n.box.Must(lost{peer, why}) }

// What comes into the box of run.
type (
	received struct {
		from link.Peer
		m    wire.Message
	}
	lost struct {
		peer link.Peer
		why  error
	}
	published struct{}
	told      struct{ wire.Told }
	// finished says that a request is over and answered.
	finished struct {
		gateway *gateway
		id      uint64
	}
	leave   struct{ why string }
	drained struct{ late bool } // the time for that is up, or the node is quiet
	// status asks how the node is.
	status struct{ to chan<- wire.NodeStatus }
)

// run owns what the gateways have under way.
func (n *Node) run() {
	defer close(n.life.over)
	for {
		select {
		case <-n.life.ctx.Done():
			n.end()
			return
		case <-n.box.Ready():
		}
		for _, m := range n.box.Take() {
			n.handle(m)
		}
	}
}

func (n *Node) handle(m any) {
	switch m := m.(type) {
	case received:
		n.heard(m.from, m.m)
	case lost:
		n.dropped(m.peer, m.why)
	case published:
		n.publish()
	case gone:
		if m.due != nil { // else it came back in time
			n.unhost(m.gateway, m.guests)
		}
	case told:
		n.tell(m.Told)
	case finished:
		n.finished(m)
	case *question:
		n.put(m)
	case withdrawn:
		n.withdraw(m.question)
	case leave:
		n.leave(m.why)
	case drained:
		n.drained(m.late)
	case status:
		m.to <- n.status()
	}
}

// publish tells the gateways what the newest catalog has that they don't know.
func (n *Node) publish() {
	now := n.current.Load()
	if stand := now.Browsers(); !slices.EqualFunc(stand, n.stand, registry.Browser.Same) {
		n.stand = stand
		n.browsers.box.Must(stood{})
	}
	n.effects(n.source.Step(replica.Served{Catalog: now, Lives: n.browsers.lives.all()}))
}

func (n *Node) effects(all []replica.SourceEffect) {
	for _, e := range all {
		switch e := e.(type) {
		case replica.Send:
			to := n.gateways[e.Gateway]
			if to == nil {
				continue
			}
			if err := n.link.Send(to.peer, e.Message); err != nil {
				n.log.Debug("a message was not sent", "gateway", e.Gateway, "err", err)
				n.source.Step(replica.Unsent{Send: e}) // has no effects
			}
			if _, met := e.Message.(wire.Welcome); met && n.leaving.why != "" { // before it hears of pages
				n.send(to.peer, wire.Leaving{Why: n.leaving.why})
			}
		case replica.LeftOut:
			n.log.Warn("gateways aren't told of something", "page", e.Page, "why", e.Why)
		}
	}
}

// end ends what runs, when the node is over.
func (n *Node) end() {
	for name := range n.gateways {
		n.forget(name, actors.ErrStopped)
	}
	for _, g := range n.guests {
		if g.due != nil {
			g.due.Stop()
		}
	}
	n.leaving.done(n.life.left)
}

// refused is the reply to a request that isn't carried out.
func refused(id uint64, why string) wire.Reply {
	return wire.Reply{ID: id, Error: &wire.Error{Message: why}}
}

func encoded(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil { // nothing that is sent has what can't be encoded
		panic(err)
	}
	return raw
}
