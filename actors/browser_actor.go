package actors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/advice"
)

const (
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 5 * time.Second

	// partTimeout bounds the wait for a Chrome that is let go.
	partTimeout = 500 * time.Millisecond

	// notNeeded and closed are that with Options.OnNeed.
	notNeeded = "Chrome is not started yet; the first call that needs it starts it, which takes a few seconds"
	closed    = "the Chrome that the hub started was closed; the next call that needs it starts it again, which takes a few seconds"
)

// browserActor owns the connection to one Chrome and knows its tabs. It does
// not look into their tools.
type browserActor struct {
	hub  *Hub
	ctx  context.Context // of dialling; ended by stop
	stop context.CancelFunc

	epoch       int             // counts connections; messages of older ones are dropped
	conn        *cdpclient.Conn // nil while there is none
	backoff     time.Duration
	lastFailure string
	retry       *time.Timer
	dialling    bool        // an attempt is under way
	info        BrowserInfo // of this connection
	ready       bool        // its tabs have been announced
	waiting     []connectOrder
	stopping    bool
	parting     bool // the last connection is being closed
	spawned     registry.Epoch
	names       pageNames
	status      registry.BrowserChanged       // as the registry was told last
	failures    failures                      // its own
	pageFails   map[registry.PageID]*failures // its pages', on this connection
	strip       tabStrip                      // while the hub connects
	leftAlone   map[registry.PageID]bool      // those that failed too often, on this connection
	chosen      map[registry.PageID]bool      // see browser_links.go

	pages    map[registry.PageID]*tab
	sessions map[cdpclient.SessionID]*tab
}

// tab is one page target.
type tab struct {
	id      registry.PageID
	epoch   registry.Epoch // counts the tabs that were taken up
	info    cdpclient.TargetInfo
	session cdpclient.SessionID // "" while the hub is not attached to it
	ref     *pageRef
}

func newBrowserActor(h *Hub) *browserActor {
	b := &browserActor{hub: h, backoff: firstBackoff, chosen: h.options.Registry.Before.Chosen(h.options.Explicit), pages: map[registry.PageID]*tab{}, sessions: map[cdpclient.SessionID]*tab{}}
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
	case linkOrder:
		b.linkOrdered(m)
	case fromBrowser:
		if m.epoch == b.epoch || isTabOrder(m.message) {
			b.fromBrowser(ctx, m.message)
		}
	case pageFailed:
		b.replace(m)
	case registryFailed:
		b.retell()
	case watchFront:
		for _, t := range b.pages { // later ones see to it themselves
			b.hub.root.Send(t.ref.pid, m)
		}
	case parted:
		b.parting = false
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
	b.pageFails, b.leftAlone = map[registry.PageID]*failures{}, map[registry.PageID]bool{}
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
	}
}

func (b *browserActor) event(ctx actor.Context, e cdpclient.Event) {
	switch e.Method {
	case cdpclient.TargetAttachedToTarget:
		var at cdpclient.AttachedToTarget
		if json.Unmarshal(e.Params, &at) == nil {
			b.attached(ctx, at)
		}
	case cdpclient.TargetDetachedFromTarget:
		var d cdpclient.DetachedFromTarget
		if json.Unmarshal(e.Params, &d) == nil {
			if t := b.sessions[d.SessionID]; t != nil {
				b.close(t, registry.EndedByClose)
			}
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
			if t := b.pages[registry.PageID(c.TargetID)]; t != nil && t.session == "" {
				b.hub.root.Send(t.ref.pid, unlinkedCrashed{})
			}
		}
	}
}

func (b *browserActor) attached(ctx actor.Context, at cdpclient.AttachedToTarget) {
	t := b.pages[registry.PageID(at.TargetInfo.TargetID)]
	ours := at.TargetInfo.Type == "page" && !isDevTools(at.TargetInfo) && !b.leftAlone[registry.PageID(at.TargetInfo.TargetID)]
	switch {
	case ours && t != nil && t.session == "" && b.wants(t.id):
		b.link(t, at)
	case ours && t == nil && b.wants(registry.PageID(at.TargetInfo.TargetID)):
		b.open(at)
	default:
		b.turnDown(at.SessionID)
		if ours && t == nil {
			b.open(cdpclient.AttachedToTarget{TargetInfo: at.TargetInfo})
		}
	}
}

func isDevTools(info cdpclient.TargetInfo) bool { return strings.HasPrefix(info.URL, "devtools://") }

// open takes up a tab. Without a session the hub knows of it and no more.
func (b *browserActor) open(at cdpclient.AttachedToTarget) {
	id := registry.PageID(at.TargetInfo.TargetID)
	b.spawned++
	t := &tab{id: id, epoch: b.spawned, info: at.TargetInfo, session: at.SessionID, ref: newPageRef(b.hub.browser)}
	b.pages[id] = t
	b.tell(registry.PageOpened{Page: id, URL: at.TargetInfo.URL, Title: at.TargetInfo.Title, Epoch: t.epoch})
	page := newPageActor(b.hub, b.conn, t.ref, at, t.epoch)
	system := b.hub.root.ActorSystem()
	t.ref.pid = system.NewLocalPID(b.names.next(system.ProcessRegistry.LocalPIDs))
	b.hub.spawn(t.ref.pid, func() mender { return page })
	b.hub.pages.Store(id, t.ref)
	if t.session != "" {
		b.sessions[t.session] = t
		b.conn.Attach(t.session, b.hub.inbox(id, t.ref))
	}
}

// close ends a page's actor and withdraws its tools. The message that ends
// it stands behind what the page said last, so answers on their way still count.
func (b *browserActor) close(t *tab, ended func(tool string) registry.Result) {
	b.forget(t, pageGone{ended: ended})
}

// forget is close for a target that may live on.
func (b *browserActor) forget(t *tab, how pageGone) {
	delete(b.pages, t.id)
	delete(b.sessions, t.session)
	b.hub.pages.CompareAndDelete(t.id, t.ref)
	b.hub.root.Send(t.ref.pid, how)
	b.tell(registry.PageClosed{Page: t.id})
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
	if conn := b.letGo(registry.EndedByLoss); conn != nil {
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
		b.close(t, ended)
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
	var refs []*pageRef
	for _, t := range b.pages {
		refs = append(refs, t.ref)
	}
	if conn := b.letGo(registry.EndedByStop); conn != nil {
		b.parting = true
		self, root := ctx.Self(), b.hub.root
		go func() {
			part(conn, refs)
			root.Send(self, parted{})
		}()
	}
	b.end(ctx)
}

// end stops the actor once no Chrome can be left behind.
func (b *browserActor) end(ctx actor.Context) {
	if !b.dialling && !b.parting {
		ctx.Stop(ctx.Self())
	}
}

// part closes a connection once the pages have told their tools to stop, and
// Chrome has heard it.
func part(conn *cdpclient.Conn, refs []*pageRef) {
	ctx, cancel := context.WithTimeout(context.Background(), partTimeout)
	defer cancel()
	for _, ref := range refs {
		select {
		case <-ref.gone:
			hear(ctx, conn, ref.aborting, &ref.parting)
		case <-ctx.Done():
		}
	}
	_ = conn.Close()
}
