package browser

import (
	"context"
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/registry"
)

const (
	// FirstBackoff and MaxBackoff are the shortest and the longest time before Chrome is dialled again.
	FirstBackoff = 100 * time.Millisecond
	MaxBackoff   = 5 * time.Second

	// ReopenPause is how long a Chrome must live after the hub opened its tabs again. If it crashes earlier, the hub
	// doesn't open them once more, because one of the pages may be what crashes it.
	ReopenPause = 5 * time.Minute

	// notNeeded and closed are status texts for ConnectOptions.OnNeed. needsAnother is the end of the status text for a
	// [cdpclient.Quit].
	notNeeded = "Chrome is not started yet; the first call that needs it starts it, which takes a few seconds"
	closed    = "the Chrome that the hub started was closed; the next call that needs it starts it again, which " +
		"takes a few seconds"
	needsAnother = "; the next call that needs a browser asks for another one"
)

// Dialer reaches Chrome. The hub calls Dial again, with back-off, after each loss. If Dial launched a Chrome, closing
// the wire that it returned ends that Chrome. Agents read Dial's errors, so these should say what to do.
type Dialer interface {
	Dial(ctx context.Context) (cdpclient.Wire, error)
}

// ConnectOptions says how and when the hub reaches a Chrome.
type ConnectOptions struct {
	Dialer Dialer
	// Launcher starts a Chrome for an order that asks for one, if Dialer finds none. It may be nil.
	Launcher Dialer
	// Lazy reaches for Chrome only when an order asks for it, and not by itself after a loss.
	Lazy bool
	// OnNeed is for a Dialer that starts Chrome. It does the same as Lazy, but a Chrome that crashes is started again
	// at once. A Chrome that the user has closed ([cdpclient.ErrQuit]), or that can't be started, is started again
	// when an order asks for it.
	OnNeed bool
}

// Actor owns the connection to one Chrome and reports which tabs there are. It does not look into their tools and
// attaches to none of them.
type Actor struct {
	supervisor.Supervisor
	reach  ConnectOptions
	before registry.TabsBefore // the tabs, as an earlier hub had them
	shared *cdp.Shared
	status registry.BrowserChanged // the last status that the actor reported to the registry

	connection
	callers
	strip  tabStrip // used only while the hub connects
	tabs   *supervisor.Tabs[target]
	chosen map[registry.PageID]bool // which pages callers connected (true) or disconnected, see tabs.go
}

// callers has the callers who wait for a browser.
type callers struct {
	info    supervisor.BrowserInfo // of the browser that is connected
	ready   bool                   // Chrome has announced all its tabs
	removed bool                   // the browser is being removed from the hub
	waiting []*supervisor.Order
}

// target is a page target.
type target struct{ cdpclient.TargetInfo }

// Info returns what a tab's actor and the registry need to know about the target.
func (t target) Info() tab.Info { return tab.Info{URL: t.URL, Title: t.Title} }

// page returns the hub's id of a tab of this browser, and targetOf Chrome's id. Any goroutine may call them.
func (b *Actor) page(target string) registry.PageID {
	return registry.PageID(registry.PageIDIn(b.Browser, target))
}

func (b *Actor) targetOf(page registry.PageID) string {
	return registry.PageIDOf(b.Browser, string(page))
}

func (b *Actor) pageOf(t target) registry.PageID { return b.page(t.TargetID) }

// New returns the actor that will be spawned as self. before has the tabs, as an earlier hub had them.
func New(h supervisor.Hub, self *actor.PID, r ConnectOptions, before registry.TabsBefore) *Actor {
	b := &Actor{Supervisor: supervisor.New(h, self, "the connection to Chrome"), reach: r, before: before,
		shared:     cdp.NewShared(h.Env, h.Browser),
		connection: connection{backoff: FirstBackoff}, chosen: before.Chosen(h.Explicit)}
	b.tabs = supervisor.NewTabs[target](&b.Supervisor)
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
}

// Receive handles one message. It never blocks.
func (b *Actor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		b.started()
	case connected:
		b.connected(m)
	case dialFailed:
		b.dialFailed(m)
	case dialStatus:
		b.dialStatus(m)
	case redial:
		if m.serial == b.serial && !b.Stopping() && !b.Awaits(dialling{}) {
			b.dial(false)
		}
	case *supervisor.Order:
		b.ordered(m)
	case supervisor.Debug:
		b.debug(m)
	case received:
		if m.serial == b.serial || isOrder(m.message) {
			b.receive(m.message)
		}
	case tab.ActorFailed:
		b.tabs.Replace(m, "Chrome is connected anew", func(t *supervisor.Tab[target]) { b.open(t.Shown, nil) })
	case supervisor.RegistryFailed:
		b.resync()
	case WatchFront:
		for _, t := range b.tabs.InOrder() { // later tabs find out by themselves
			b.tabs.Send(t, cdp.WatchFront{})
		}
	case supervisor.ConnectionClosed:
		b.StopAwaiting(m)
	case supervisor.Stop:
		b.removed = m.Removed
		b.shutDown()
	case *actor.Stopped:
		b.Ended()
	}
}

func (b *Actor) tellStatus(status string) {
	b.status = registry.BrowserChanged{Status: status, Browser: b.Browser}
	b.Tell(b.status)
}

// resync reports everything again, because the registry actor has failed.
func (b *Actor) resync() {
	b.Root.Send(b.Registry, supervisor.Resync{})
	b.Tell(b.status)
	b.tabs.Resync()
}

func (b *Actor) started() {
	switch {
	case b.reach.Lazy:
		b.tellStatus(registry.NotAsked)
	case b.reach.OnNeed:
		b.tellStatus(notNeeded)
	default:
		b.tellStatus("connecting to Chrome; try again in a moment")
		b.dial(false)
	}
}

// errRemoved is the error for orders that wait for a browser that is being removed.
var errRemoved = errors.New("it was taken out of the hub's browsers")

// shutDown ends all tabs, and then the connection. It may be called again.
func (b *Actor) shutDown() {
	b.cancel()
	why, ending := supervisor.ErrStopped, registry.EndedByStop
	if b.removed {
		why, ending = errRemoved, registry.EndedByRemoval
		b.giveUpDial() // because others wait until this browser is removed
	}
	b.answerWaiting(supervisor.Answer{Err: why})
	if b.retry != nil {
		b.retry.Stop()
	}
	if tabs, conn := b.letGo(ending); conn != nil {
		b.CloseAfter(tabs, func() { _ = conn.Close() })
	}
	b.Stop()
}

// Failed goes on after a panic of the actor itself. The state may lack what the message would have changed, and
// nothing else. Failed makes up for that.
func (b *Actor) Failed(_ actor.Context, message any) {
	b.refuse(message)
	switch m := message.(type) {
	case connected:
		b.StopAwaiting(dialling{})
		go m.wire.Close() // a launched Chrome may take a while to end
	case dialFailed:
		b.StopAwaiting(dialling{})
	}
	if !b.Mend(message, b.shutDown) {
		return
	}
	switch m := message.(type) {
	case connected:
		b.lost(supervisor.ErrInternal)
	case received:
		b.missed(m.message)
	case tab.ActorFailed, supervisor.RegistryFailed, WatchFront:
		b.ToSelf(m)
	case *supervisor.Order:
		if m.Does == supervisor.ReachBrowser {
			b.redialIfIdle()
		}
	case *actor.Started, redial, dialFailed:
		b.redialIfIdle()
	}
}

// refuse answers an order that can't be carried out any more.
func (b *Actor) refuse(message any) {
	if m, ok := message.(received); ok && isOrder(m.message) {
		message = m.message.(cdpclient.Reply).Tag
	}
	switch o := message.(type) {
	case *supervisor.Order:
		o.Give(supervisor.Answer{Err: supervisor.ErrInternal})
	case supervisor.Debug:
		o.Give(supervisor.Debugged{}, supervisor.ErrInternal)
	}
}

// missed makes up for a message of Chrome during which the actor panicked.
func (b *Actor) missed(m cdpclient.Message) {
	switch m := m.(type) {
	case cdpclient.Closed:
		if b.conn != nil {
			b.lost(m.Err)
		} else {
			b.redialIfIdle()
		}
	case cdpclient.Reply:
		switch tag := m.Tag.(type) {
		case attachReply, gatheredReply: // a caller may wait for what follows
			if b.conn != nil {
				b.reply(m)
			}
		case reopenReply:
			b.reopenedTab(tag.tab, m)
		case cdp.Attaching:
			b.attachAnswered(tag, m.Err)
		}
	case cdpclient.Event:
		b.missedEvent(m)
	}
}
