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
	"webmcphub/internal/runner"
	"webmcphub/internal/workers"
	"webmcphub/registry"

	"webmcphub/registry/offer"
)

// DefaultNotifyInterval is the default flush interval: the shortest time between two notifications to one client.
const DefaultNotifyInterval = 10 * time.Millisecond

// Publisher is the MCP server, as the registry actor uses it.
type Publisher = runner.Publisher

// ConnectOptions says how and when the hub reaches a Chrome. A Dialer connects to the Chrome.
type (
	ConnectOptions = browser.ConnectOptions
	Dialer         = browser.Dialer
)

// Agents carries out what users set for agents in an extension's popup, and AgentStatus says what is set.
type (
	Agents      = extbrowser.Agents
	AgentStatus = extbrowser.AgentStatus
)

// SetDialStatus sets the browser's status to what a [Dialer] waits for, until its Dial returns. ctx is the context of
// Dial. Any goroutine may call SetDialStatus.
func SetDialStatus(ctx context.Context, status string) { browser.SetDialStatus(ctx, status) }

// ReopenAddress returns the address with which a [Dialer] is to start Chrome: the first one that was open in the Chrome
// that crashed before, or "" if there is none. ctx is the context of Dial.
func ReopenAddress(ctx context.Context) string { return browser.ReopenAddress(ctx) }

// Options are fixed for the life of a [Hub].
type Options struct {
	// ConnectOptions says how the hub's one browser is reached, if Browsers is nil.
	ConnectOptions
	// Browsers are the hub's browsers, each with a name. An empty list means that there are none so far; nil means
	// that there is one browser, without a name. See [Hub.SetBrowsers].
	Browsers []BrowserOptions
	// WatchFront tells the publisher when the user switches tabs ([registry.UserSwitched]). This needs a script in
	// each page. See [Hub.WatchFront].
	WatchFront bool
	// Extension says that browsers may also connect by their extension ([Hub.AddExtension]). The hub then tells agents
	// when no extension is connected.
	Extension bool
	// Agents carries out what users set for agents in an extension's popup; nil means that they can set nothing. See
	// [Hub.ShowAgentStatus].
	Agents Agents
	// Policy says how pages are treated.
	tab.Policy
	Publisher Publisher
	Registry  registry.Options
	// NotifyInterval is the flush interval; 0 means [DefaultNotifyInterval].
	NotifyInterval time.Duration
	// Settle is how long a page must be quiet before clients see that it removed tools or registered them again; 0
	// shows that at once. The end of a document or a tab is always shown at once.
	Settle time.Duration
	Logger *slog.Logger

	TestHooks TestHooks
}

// TestHooks lets tests run code in the turns of actors, and let them panic there.
type TestHooks struct {
	// Inside wraps an actor's Receive, inside the guard against panics.
	Inside []actor.ReceiverMiddleware
	// Between is called between the registry's step and the publisher's; it may be nil.
	Between func([]registry.Effect)
}

// Hub is the running system of actors. Any goroutine may call its methods.
type Hub struct {
	options     Options
	log         *slog.Logger
	root        *actor.RootContext
	dispatcher  dispatcher
	registry    *actor.PID
	dialled     dialledBrowsers
	extBrowsers *actor.PID
	extStopped  <-chan struct{} // closed when the extensions' actor has ended
	broken      chan error      // see [Hub.Failed]
	stopping    atomic.Bool
	tabs        *tab.Env
	spawned     atomic.Uint64 // how many tabs have been spawned

	// pages has the address of each page's actor. Only the actor that owns a page's tab writes the page's entry.
	pages sync.Map // registry.PageID -> *tab.Address
}

// Start starts the actors and returns at once; Chrome is reached in the background. The caller stops the hub when
// done.
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
	// The PIDs come before the actors run, because the actors send messages to each other.
	h.root, h.registry, h.extBrowsers = system.Root, system.NewLocalPID("registry"), system.NewLocalPID("extBrowsers")
	h.tabs = &tab.Env{Switches: &tab.Switches{}, Policy: o.Policy, Origins: o.Registry.Origins, Root: h.root,
		Registry: h.registry, Log: o.Logger}
	h.tabs.Fronts.Store(o.WatchFront)
	h.dialled.stopping, h.dialled.stopped = make(chan struct{}), make(chan struct{})
	h.dispatcher = dispatcher{workers.New(maxIdle, h.dialled.stopped)}
	extension := registry.ExtensionBrowser
	if o.Browsers == nil {
		extension = ""
	}
	extensions := extbrowser.New(h.keeps(extension), h.extBrowsers, o.Extension, o.Agents)
	h.extStopped = extensions.Done()
	h.spawn(h.registry, newRegistryActor(h))
	h.spawn(h.extBrowsers, extensions)
	h.startDialled()
	return h
}

// keeps returns what a supervisor of tabs needs of the hub. name is the name of its browser.
func (h *Hub) keeps(name string) supervisor.Hub {
	return supervisor.Hub{Env: h.tabs, Browser: name, Spawn: h.spawnTab, Forget: h.forgetTab, GiveUp: h.giveUp}
}

func (h *Hub) spawn(pid *actor.PID, a mender) {
	if _, err := h.root.SpawnNamed(props(h, a), pid.Id); err != nil {
		panic(err) // the system is new, so no name is taken
	}
}

// Stop ends all calls, detaches from Chrome (a launched Chrome is closed), and returns when that is done or ctx ends.
// It may be called more than once.
func (h *Hub) Stop(ctx context.Context) error {
	if !h.stopping.Swap(true) {
		h.root.Send(h.extBrowsers, supervisor.Stop{})
		h.dialled.stop(h.root)
	}
	for _, ended := range []<-chan struct{}{h.extStopped, h.dialled.stopped} {
		select {
		case <-ended:
		case <-ctx.Done():
			return errors.New("the hub did not stop in time")
		}
	}
	h.root.Stop(h.registry)
	return nil
}

// WatchFront tells the publisher from now on when the user switches tabs, as Options.WatchFront does. It returns at
// once.
func (h *Hub) WatchFront() {
	if !h.tabs.Fronts.Swap(true) {
		for _, c := range h.dialled.list() {
			h.root.Send(c.pid, browser.WatchFront{})
		}
	}
}

// CacheTools sets which tools outlive their tabs. tools is always the whole list.
func (h *Hub) CacheTools(tools []offer.CachedTool) {
	h.root.Send(h.registry, registry.CacheChanged{Tools: tools})
}

// SetPins sets the Pins, which say what a person has accepted of each origin's tools, and how a tool differs from
// that. It returns at once.
func (h *Hub) SetPins(s offer.Pins) {
	h.root.Send(h.registry, registry.PinsChanged{Pins: s})
}

// CallExtras has what a call may have besides its arguments.
type CallExtras = tab.CallExtras

// Call asks a page to run one of its tools. It always returns: with the tool's answer, or with a result that says how
// the page or document ended. When ctx ends, Call tells the page to stop and returns at once. If the cause of ctx is
// [ErrStopped], the result says that the hub ended. args is a JSON object.
func (h *Hub) Call(ctx context.Context, tool *registry.HubTool, args json.RawMessage,
	extras CallExtras) registry.Result {
	name := tool.Route.Tool
	if ctx.Err() != nil {
		return endedByContext(ctx, name, "")
	}
	to := h.address(tool.Route.Page)
	switch {
	case to == nil && h.stopping.Load():
		return registry.EndedByStop(name)
	case to == nil:
		return registry.NotThere(name, "its page is gone")
	}
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

// address returns the address of a page's actor, or nil if the page is gone.
func (h *Hub) address(page registry.PageID) *tab.Address {
	to, _ := h.pages.Load(page)
	address, _ := to.(*tab.Address)
	return address
}

// endedByContext returns the result of a call whose context ended. If the cause has a Timeout method, as the errors
// of package net have, that method says whether the call's time was up.
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
