package actors

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/browser"
	"webmcphub/actors/extbrowser"
	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/internal/telling"
	"webmcphub/internal/workers"
	"webmcphub/registry"

	"webmcphub/registry/offer"
)

// DefaultNotifyInterval is the flush interval: the shortest time between two
// notifications to one client.
const DefaultNotifyInterval = 10 * time.Millisecond

// Publisher is the MCP server as the registry actor sees it.
type Publisher = telling.Publisher

// Reach is how a Chrome is reached, and when; Dialer is what reaches it.
type (
	Reach  = browser.Reach
	Dialer = browser.Dialer
)

// DialSays has a browser's status be what a [Dialer] waits for, until its Dial returns. ctx
// is the one that Dial was given. Any goroutine may call it.
func DialSays(ctx context.Context, status string) { browser.DialSays(ctx, status) }

// Reopens is the address that a [Dialer] which starts Chrome has it open: the first one that was open in the
// Chrome before, which crashed; "" is none. ctx is the context of its Dial.
func Reopens(ctx context.Context) string { return browser.Reopens(ctx) }

// Options are fixed for the life of a [Hub].
type Options struct {
	// Reach is of the hub's one browser, unless there are Browsers.
	Reach
	// Browsers are several, each with a name; an empty list is none so far, and nil is one
	// without a name. See [Hub.SetBrowsers].
	Browsers []Browser
	// WatchFront has the publisher told when the user switches tabs
	// ([registry.UserSwitched]); it takes a script in each page. See
	// [Hub.WatchFront].
	WatchFront bool
	// Extension says that browsers may come by their extension too
	// ([Hub.AddExtension]), so that agents are told when none has.
	Extension bool
	// Policy is how pages are treated.
	tab.Policy
	Publisher Publisher
	Registry  registry.Options
	// NotifyInterval is the flush interval; 0 means [DefaultNotifyInterval].
	NotifyInterval time.Duration
	// Settle is how long a page must be quiet before clients see what it
	// removed or registered again; 0 shows it at once. What goes with a document
	// or a tab is never held back.
	Settle time.Duration
	Logger *slog.Logger

	Probe Probe
}

// A Probe is how tests get into the turns of actors, and let them panic there.
type Probe struct {
	// Inside stands between the guard against panics and an actor's Receive.
	Inside []actor.ReceiverMiddleware
	// Between is called between the registry's step and the publisher's, nil for
	// nothing.
	Between func([]registry.Effect)
}

// Hub is the running system of actors. Its methods may be called from any
// goroutine.
type Hub struct {
	options     Options
	log         *slog.Logger
	root        *actor.RootContext
	dispatcher  dispatcher
	registry    *actor.PID
	chromes     chromes
	extBrowsers *actor.PID
	extStopped  <-chan struct{} // closed when the actor of extensions has ended
	broken      chan error      // see Failed
	stopping    atomic.Bool
	tabs        *tab.Env
	spawned     atomic.Uint64 // tabs

	// pages finds a page's actor. Only the actor that owns a page's tab writes
	// its entry.
	pages sync.Map // registry.PageID -> *tab.Address
}

// Start starts the actors and returns at once; Chrome is reached in the
// background. Stop the hub when done.
func Start(o Options) *Hub {
	if o.NotifyInterval <= 0 {
		o.NotifyInterval = DefaultNotifyInterval
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Registry.Settle = o.Settle > 0
	h := &Hub{options: o, log: o.Logger, broken: make(chan error, 1)}
	system := newSystem(o.Logger)
	// Before either runs, since each sends to the other.
	h.root, h.registry, h.extBrowsers = system.Root, system.NewLocalPID("registry"), system.NewLocalPID("extBrowsers")
	h.tabs = &tab.Env{Switches: &tab.Switches{}, Policy: o.Policy, Origins: o.Registry.Origins, Root: h.root,
		Registry: h.registry, Log: o.Logger}
	h.tabs.Fronts.Store(o.WatchFront)
	h.chromes.stopping, h.chromes.stopped = make(chan struct{}), make(chan struct{})
	h.dispatcher = dispatcher{workers.New(maxIdle, h.chromes.stopped)}
	var lone *actor.PID // the one browser, where there is one without a name
	extension := registry.ExtensionBrowser
	if o.Browsers == nil {
		lone, extension = system.NewLocalPID("browser"), ""
	}
	extensions := extbrowser.New(h.keeps(extension, lone), h.extBrowsers, o.Extension)
	h.extStopped = extensions.Done()
	h.spawn(h.registry, newRegistryActor(h))
	h.spawn(h.extBrowsers, extensions)
	h.startChromes(lone)
	return h
}

// keeps is what a supervisor of tabs is given, whose browser has that name.
func (h *Hub) keeps(name string, other *actor.PID) supervisor.Hub {
	return supervisor.Hub{Env: h.tabs, Browser: name, Spawn: h.spawnTab, Forget: h.forgetTab, GiveUp: h.giveUp,
		Other: other}
}

func (h *Hub) spawn(pid *actor.PID, a mender) {
	if _, err := h.root.SpawnNamed(props(h, a), pid.Id); err != nil {
		panic(err) // the system is new, so no name is taken
	}
}

// Stop ends all calls, lets go of Chrome (one that was launched is closed) and
// returns when that is done or ctx ends. It may be called more than once.
func (h *Hub) Stop(ctx context.Context) error {
	if !h.stopping.Swap(true) {
		h.root.Send(h.extBrowsers, supervisor.Stop{})
		h.chromes.stop(h.root)
	}
	for _, ended := range []<-chan struct{}{h.extStopped, h.chromes.stopped} {
		select {
		case <-ended:
		case <-ctx.Done():
			return errors.New("the hub did not stop in time")
		}
	}
	h.root.Stop(h.registry)
	return nil
}

// WatchFront has the publisher told from now on when the user switches tabs,
// as with Options.WatchFront. It returns at once.
func (h *Hub) WatchFront() {
	if !h.tabs.Fronts.Swap(true) {
		for _, c := range h.chromes.list() {
			h.root.Send(c.pid, browser.WatchFront{})
		}
	}
}

// CacheTools says which tools outlive their tabs: all of them, each time.
func (h *Hub) CacheTools(tools []offer.CachedTool) {
	h.root.Send(h.registry, registry.CacheChanged{Tools: tools})
}

// Accepted says how tools stand from now on with what was accepted of their origins. It
// returns at once.
func (h *Hub) Accepted(s offer.Standing) {
	h.root.Send(h.registry, registry.StandingChanged{Standing: s})
}

// CallExtras are what a call may bring with it besides its arguments.
type CallExtras = tab.CallExtras

// Call asks a page to run one of its tools and always returns: with the
// tool's answer, or with how its page or document ended, or, when ctx ends,
// at once, having told the page to stop; a ctx whose cause is [ErrStopped] ends
// with the hub. args is a JSON object.
func (h *Hub) Call(ctx context.Context, tool *registry.HubTool, args json.RawMessage,
	extras CallExtras) registry.Result {
	name := tool.Route.Tool
	if ctx.Err() != nil {
		return endedByContext(ctx, name, "")
	}
	found, ok := h.pages.Load(tool.Route.Page)
	switch {
	case !ok && h.stopping.Load():
		return registry.EndedByStop(name)
	case !ok:
		return registry.NotThere(name, "its page is gone")
	}
	to := found.(*tab.Address)
	c := tab.NewCall(tool.Route, args, extras)
	h.root.Send(to.PID, tab.StartCall{Call: c})
	select {
	case r := <-c.Answer():
		return r
	case <-to.Gone():
		select {
		case r := <-c.Answer():
			return r
		default:
			return to.Ended(name)
		}
	case <-ctx.Done():
		h.root.Send(to.PID, tab.CancelCall{Call: c})
		return endedByContext(ctx, name, c.Hurdle())
	}
}

// endedByContext is the result of a call whose context ended. A cause with a
// Timeout method, as the errors of package net have, says that its time was up.
func endedByContext(ctx context.Context, tool, hurdle string) registry.Result {
	cause := context.Cause(ctx)
	if errors.Is(cause, ErrStopped) {
		return registry.EndedByStop(tool)
	}
	if errors.Is(cause, registry.ErrEndedByUser) {
		return registry.EndedByUser(tool)
	}
	var timeout interface{ Timeout() bool }
	late := errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.As(cause, &timeout) && timeout.Timeout()
	if !late {
		return registry.EndedByCancel(tool)
	}
	why := cause.Error()
	if hurdle != "" {
		why += ", and " + hurdle
	}
	return registry.EndedByTimeout(tool, why)
}
