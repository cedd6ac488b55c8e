package actors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/advice"
	"webmcphub/registry/endings"
)

const (
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 5 * time.Second

	// notNeeded and closed are that with Options.OnNeed.
	notNeeded = "Chrome is not started yet; the first call that needs it starts it, which takes a few seconds"
	closed    = "the Chrome that the hub started was closed; the next call that needs it starts it again, which takes a few seconds"
)

// browserActor owns the connection to one Chrome and says which tabs are there. It
// does not look into their tools, and attaches to none of them.
type browserActor struct {
	hub      *Hub
	shared   *cdpShared
	ctx      context.Context // of dialling; ended by stop
	stop     context.CancelFunc
	stopping bool
	failures failures                // its own
	status   registry.BrowserChanged // as the registry was told last

	connection
	callers
	strip tabStrip // while the hub connects
	tabs
}

// connection is the one to Chrome.
type connection struct {
	epoch       int             // counts connections; messages of older ones are dropped
	conn        *cdpclient.Conn // nil while there is none
	dialling    bool            // an attempt is under way
	backoff     time.Duration
	retry       *time.Timer
	lastFailure string
	closing     bool // the last one is being closed
}

// callers are those who wait for a browser.
type callers struct {
	info    BrowserInfo // of this connection
	ready   bool        // its tabs have been announced
	waiting []connectOrder
}

// tabs are the page targets.
type tabs struct {
	pages     map[registry.PageID]*cdpTab
	spawned   registry.Epoch
	chosen    map[registry.PageID]bool      // see browser_attach.go
	fails     map[registry.PageID]*failures // on this connection
	leftAlone map[registry.PageID]bool      // those that failed too often, on this connection
}

// cdpTab is one page target.
type cdpTab struct {
	id     registry.PageID
	epoch  registry.Epoch // counts the tabs that were taken up
	info   cdpclient.TargetInfo
	to     *tab.Address
	intake *tab.Intake
}

func newBrowserActor(h *Hub) *browserActor {
	b := &browserActor{hub: h, shared: newCDPShared(h.tabs), connection: connection{backoff: firstBackoff},
		tabs: tabs{pages: map[registry.PageID]*cdpTab{}, chosen: h.options.Registry.Before.Chosen(h.options.Explicit)}}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

func (b *browserActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		b.started(ctx)
	case connected:
		b.connected(ctx, m)
	case dialFailed:
		b.dialFailed(ctx, m)
	case redial:
		if m.epoch == b.epoch && !b.stopping && !b.dialling {
			b.dial(ctx, false)
		}
	case connectOrder:
		b.connectOrdered(ctx, m)
	case *tabOrder:
		b.tabOrdered(m)
	case attachOrder:
		b.attachOrdered(m)
	case fromBrowser:
		if m.epoch == b.epoch || isTabOrder(m.message) {
			b.fromBrowser(ctx, m.message)
		}
	case tab.ActorFailed:
		b.replace(m)
	case registryFailed:
		b.retell()
	case watchFront:
		for _, t := range b.pages { // later ones see to it themselves
			b.hub.root.Send(t.to.PID, m)
		}
	case parted:
		b.closing = false
		b.end(ctx)
	case stopBrowser:
		b.shutDown(ctx)
	case *actor.Stopped:
		b.over()
	}
}

func (b *browserActor) tell(e registry.Event) {
	if c, ok := e.(registry.BrowserChanged); ok {
		b.status = c
	}
	b.hub.root.Send(b.hub.registry, e)
}

func (b *browserActor) started(ctx actor.Context) {
	if b.hub.options.Lazy {
		b.tell(registry.BrowserChanged{Status: advice.NotAsked})
		return
	}
	if b.hub.options.OnNeed {
		b.tell(registry.BrowserChanged{Status: notNeeded})
		return
	}
	b.tell(registry.BrowserChanged{Status: "connecting to Chrome; try again in a moment"})
	b.dial(ctx, false)
}

// dial tries to reach Chrome and, with launch, to start one where there is none.
func (b *browserActor) dial(ctx actor.Context, launch bool) {
	b.epoch++
	b.dialling = true
	self, root, o := ctx.Self(), b.hub.root, b.hub.options
	go func() {
		wire, err := o.Dialer.Dial(b.ctx)
		if err != nil && launch && o.Launcher != nil {
			wire, err = o.Launcher.Dial(b.ctx)
		}
		if err != nil {
			root.Send(self, dialFailed{err, launch})
			return
		}
		root.Send(self, connected{wire})
	}()
}

func (b *browserActor) dialFailed(ctx actor.Context, m dialFailed) {
	b.dialling = false
	if b.stopping {
		b.end(ctx)
		return
	}
	if !m.launch && b.wantsLaunch() { // asked for during this attempt
		b.dial(ctx, true)
		return
	}
	b.logFailure(m.err)
	b.answerWaiting(connectAnswer{err: m.err})
	if b.hub.options.OnNeed { // the next call tries again
		b.tell(registry.BrowserChanged{Status: m.err.Error()})
		return
	}
	b.redialLater(ctx, m.err)
}

// logFailure says each reason once, not at every attempt.
func (b *browserActor) logFailure(err error) {
	level := slog.LevelWarn
	if err.Error() == b.lastFailure {
		level = slog.LevelDebug
	}
	b.lastFailure = err.Error()
	b.hub.log.Log(b.ctx, level, "Chrome could not be reached; trying again", "err", err, "in", b.backoff)
}

func (b *browserActor) redialLater(ctx actor.Context, why error) {
	b.tell(registry.BrowserChanged{Status: why.Error()})
	if b.hub.options.Lazy {
		return
	}
	epoch, self, root := b.epoch, ctx.Self(), b.hub.root
	b.retry = time.AfterFunc(b.backoff, func() { root.Send(self, redial{epoch}) })
	b.backoff = min(2*b.backoff, maxBackoff)
}

func (b *browserActor) connected(ctx actor.Context, m connected) {
	b.dialling = false
	if b.stopping { // it was on its way when the end came
		_ = m.wire.Close()
		b.end(ctx)
		return
	}
	epoch, self, root := b.epoch, ctx.Self(), b.hub.root
	b.fails, b.leftAlone = map[registry.PageID]*failures{}, map[registry.PageID]bool{}
	b.conn = cdpclient.NewConn(m.wire, func(m cdpclient.Message) { root.Send(self, fromBrowser{epoch, m}) })
	b.hub.log.Info("connected to Chrome")
	b.tell(registry.BrowserChanged{})
	b.info, b.ready = BrowserInfo{}, false
	b.askStrip()
	b.conn.Post("", cdpclient.BrowserGetVersion, nil, versionReply{})
	const discover = `{"discover":true,"filter":[{"type":"page"}]}`
	if b.hub.options.Explicit {
		b.conn.Post("", cdpclient.TargetSetDiscoverTargets, json.RawMessage(discover), attachReply{})
		return
	}
	b.conn.Post("", cdpclient.TargetSetDiscoverTargets, json.RawMessage(discover), cdpclient.TargetSetDiscoverTargets)
	b.conn.Post("", "Target.setAutoAttach", json.RawMessage(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,"filter":[{"type":"page"}]}`), attachReply{})
}

func (b *browserActor) fromBrowser(ctx actor.Context, m cdpclient.Message) {
	switch m := m.(type) {
	case cdpclient.Event:
		if !b.gather(m) {
			b.event(ctx, m)
		}
	case cdpclient.Reply:
		b.reply(ctx, m)
	case cdpclient.Closed:
		b.lost(ctx, m.Err)
	}
}

func (b *browserActor) reply(ctx actor.Context, r cdpclient.Reply) {
	if o, ok := r.Tag.(*tabOrder); ok {
		b.carriedOut(o, r)
		o.answer <- r
		return
	}
	if errors.Is(r.Err, cdpclient.ErrConnClosed) {
		return // Closed follows
	}
	b.backoff, b.lastFailure = firstBackoff, "" // it speaks: not one that hangs up at once
	if r.Err != nil {
		b.hub.log.Error("Chrome refused a command", "command", fmt.Sprintf("%T%v", r.Tag, r.Tag), "err", r.Err)
	}
	switch tag := r.Tag.(type) {
	case versionReply:
		b.named(r)
	case stripReply:
		b.stripped(r)
	case windowReply:
		b.windowIs(r, tag.place)
	case attachReply:
		b.gathered(ctx, false)
	case gatheredReply:
		b.gathered(ctx, true)
	case attaching:
		b.refused(tag, r.Err)
	}
}

func (b *browserActor) event(ctx actor.Context, e cdpclient.Event) {
	switch e.Method {
	case cdpclient.TargetAttachedToTarget:
		var at cdpclient.AttachedToTarget
		if json.Unmarshal(e.Params, &at) == nil {
			b.attached(at)
		}
	case cdpclient.TargetDetachedFromTarget:
		var d cdpclient.DetachedFromTarget
		if json.Unmarshal(e.Params, &d) == nil {
			b.detached(d)
		}
	case cdpclient.TargetTargetInfoChanged:
		var c cdpclient.TargetInfoChanged
		if json.Unmarshal(e.Params, &c) == nil {
			if t := b.pages[registry.PageID(c.TargetInfo.TargetID)]; t != nil {
				b.infoIs(t, c.TargetInfo)
			}
		}
	case cdpclient.TargetTargetCreated:
		var c cdpclient.TargetInfoChanged
		if json.Unmarshal(e.Params, &c) == nil {
			b.discovered(c.TargetInfo)
		}
	case cdpclient.TargetTargetDestroyed:
		var d cdpclient.TargetDestroyed
		if json.Unmarshal(e.Params, &d) == nil {
			b.destroyed(registry.PageID(d.TargetID))
		}
	case cdpclient.TargetTargetCrashed:
		var c cdpclient.TargetCrashed
		if json.Unmarshal(e.Params, &c) == nil {
			if t := b.pages[registry.PageID(c.TargetID)]; t != nil {
				b.hub.root.Send(t.to.PID, tab.TargetCrashed{})
			}
		}
	}
}

// lost withdraws everything of a Chrome that is gone, and looks for it again.
func (b *browserActor) lost(ctx actor.Context, err error) {
	quit := b.hub.options.OnNeed && errors.Is(err, cdpclient.ErrQuit)
	if quit {
		b.hub.log.Info("Chrome was closed; it is started again when it is needed")
		err = errors.New(closed)
	} else {
		b.hub.log.Warn("the connection to Chrome was lost; reconnecting", "err", err)
		err = fmt.Errorf("the connection to Chrome was lost (%v) and is being made again; try again in a moment", err)
	}
	b.tell(registry.BrowserChanged{Status: err.Error()}) // first, so that who misses a tool is told why
	b.ready = false
	b.answerWaiting(connectAnswer{err: err})
	if conn := b.letGo(endings.ByLoss); conn != nil {
		go conn.Close() // a launched Chrome may take a while to go
	}
	if !quit {
		b.redialLater(ctx, err)
	}
}

// letGo ends all pages and forgets the connection, which is returned for the
// caller to close; nil if there is none.
func (b *browserActor) letGo(ended func(tool string) registry.Result) *cdpclient.Conn {
	for _, t := range b.pages {
		b.close(t, tab.End{Why: ended})
	}
	conn := b.conn
	b.conn = nil
	b.epoch++
	return conn
}

func (b *browserActor) shutDown(ctx actor.Context) {
	if b.stopping {
		return
	}
	b.stopping = true
	b.stop()
	b.answerWaiting(connectAnswer{err: ErrStopped})
	if b.retry != nil {
		b.retry.Stop()
	}
	var all []*tab.Address
	for _, t := range b.pages {
		all = append(all, t.to)
	}
	if conn := b.letGo(endings.ByStop); conn != nil {
		b.closing = true
		self, root := ctx.Self(), b.hub.root
		go func() {
			part(conn, all)
			root.Send(self, parted{})
		}()
	}
	b.end(ctx)
}

// end stops the actor once no Chrome can be left behind.
func (b *browserActor) end(ctx actor.Context) {
	if !b.dialling && !b.closing {
		ctx.Stop(ctx.Self())
	}
}

// part closes a connection once the pages have heard that their tools are to stop.
func part(conn *cdpclient.Conn, all []*tab.Address) {
	ctx, cancel := context.WithTimeout(context.Background(), tab.PartTimeout)
	defer cancel()
	for _, to := range all {
		select {
		case <-to.Released():
		case <-ctx.Done():
		}
	}
	_ = conn.Close()
}
