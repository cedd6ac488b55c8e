package commands

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"webmcphub/actors"
	"webmcphub/actors/tab"
	"webmcphub/cmd/webmcp-hub/livepage"
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/live"
	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/trust"
)

// inspection is one page, the hub that is connected to it, and the live page about it.
type inspection struct {
	ui      *livepage.UI
	version string
	log     *slog.Logger
	way     chromeSource
	hub     *actors.Hub
	server  *mcpserver.Server
	console *console

	page    registry.PageID // set before the live page is served
	catalog atomic.Pointer[registry.Catalog]
	changed chan struct{} // filled at each new catalog
}

func newInspection(ui *livepage.UI, version string, log *slog.Logger) *inspection {
	i := &inspection{ui: ui, version: version, log: log, changed: make(chan struct{}, 1)}
	i.catalog.Store(registry.StartingCatalog())
	return i
}

// Apply implements [actors.Publisher]: the MCP server, the live page and the inspection follow the hub.
func (i *inspection) Apply(effects []registry.Effect) {
	i.server.Apply(effects)
	i.ui.Apply(effects)
	for _, e := range effects {
		if served, is := e.(registry.SetCatalog); is {
			i.catalog.Store(served.Catalog)
			select {
			case i.changed <- struct{}{}:
			default:
			}
		}
	}
}

// reach lets the MCP server call the hub, which starts after the server.
type reach struct{ *actors.Hub }

func (r *reach) Call(ctx context.Context, c calls.Call) registry.Result {
	return r.Hub.Call(ctx, c.Tool, c.Args,
		actors.CallExtras{Progress: c.Progress, Meta: c.Meta, Extensions: c.Extensions, Exactly: c.Exactly})
}

// start starts the hub, and returns when the hub is connected to Chrome.
func (i *inspection) start(ctx context.Context, w chromeSource) error {
	i.way = w
	origins := i.ui.KeptOut(nil)
	var oversight calls.Oversight
	var decides trust.Options
	i.ui.Oversee(&oversight, &decides)
	oversight.Trust = trust.New(decides)
	r := &reach{}
	i.server = mcpserver.New(mcpserver.Options{PageServers: r, Oversight: oversight, Version: i.version,
		Naming: offer.WebMCPNames, Logger: i.log}, r)
	r.Hub = actors.Start(actors.Options{
		ConnectOptions: actors.ConnectOptions{Dialer: w},
		Policy:         tab.Policy{Explicit: true, Dialogs: w.dialogs()},
		Publisher:      i,
		Registry: registry.Options{MaxName: names.DefaultMaxName, MaxTools: registry.DefaultMaxTools,
			MaxPages: registry.DefaultMaxPages, Origins: origins, Hints: offer.HintsOfAll},
		Logger: i.log,
	})
	i.hub = r.Hub
	_, err := i.hub.Connect(ctx, false)
	return err
}

// errLoad means that the page can't be inspected. Its text says why.
var errLoad = errors.New("the page can't be inspected")

// open opens the page, connects the hub to it, and starts listening to its console.
func (i *inspection) open(ctx context.Context, url string) error {
	if i.way.browserURL != "" { // otherwise Chrome was started with the page
		if err := i.order(ctx, url); err != nil {
			return fmt.Errorf("%w: %w", errLoad, err)
		}
	}
	for i.tab() == nil {
		select {
		case <-i.changed:
		case <-ctx.Done():
			return fmt.Errorf("%w: Chrome didn't open it: %w", errLoad, context.Cause(ctx))
		}
	}
	if err := i.hub.ConnectPage(ctx, i.page); err != nil {
		return fmt.Errorf("%w: %w", errLoad, err)
	}
	i.console = newConsole(i.hub, i.page, i.log)
	if err := i.console.open(ctx); err != nil {
		return fmt.Errorf("%w: %w", errLoad, err)
	}
	err := i.console.loaded(ctx)
	if errors.Is(err, errUnloaded) {
		err = fmt.Errorf("%w: %s", err, i.unloaded(ctx))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errLoad, err)
	}
	return nil
}

// codeTime limits how long the hub may take to read the error page's code.
const codeTime = 2 * time.Second

// unloaded says why the page doesn't load, and what to do.
func (i *inspection) unloaded(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, codeTime)
	defer cancel()
	for {
		if t := i.tab(); t != nil {
			if _, code, known := strings.Cut(t.State, "("); known && t.NotLoaded() {
				return i.way.whose().Unloaded(strings.TrimSuffix(code, ")"))
			}
		}
		select {
		case <-i.changed:
		case <-ctx.Done():
			return "is the address right, and the server running?"
		}
	}
}

// order makes a running Chrome open a tab. Once the tab is ordered, the end of ctx doesn't cancel that at once: close
// must know the tab, or it would stay behind among the user's own tabs.
func (i *inspection) order(ctx context.Context, url string) (err error) {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopGrace, cancel) })()
	i.page, err = i.hub.OpenTab(longer, registry.NewTab{URL: url})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// tab returns the page's tab; nil while it isn't open. In a Chrome that was started with the page it is the first
// tab.
func (i *inspection) tab() *registry.Tab {
	now := i.catalog.Load()
	if i.page == "" && i.way.browserURL == "" && len(now.Tabs()) > 0 {
		i.page = now.Tabs()[0].Page
	}
	return now.Tab(i.page)
}

// Tab implements [live.Subject], and so does Console.
func (i *inspection) Tab() registry.TabID {
	if t := i.catalog.Load().Tab(i.page); t != nil {
		return t.ID
	}
	return 0
}

func (i *inspection) Console() (messages []live.ConsoleMessage, problem string) {
	return i.console.messages()
}

// serve serves the live page until the returned function is called.
func (i *inspection) serve(ctx context.Context) (stop func()) {
	unfollow := process.Beside(ctx, i.console.follow)
	i.ui.Inspects(i)
	end := i.ui.Beside(ctx, i.hub, i.server, i.version)
	return func() {
		end()
		unfollow()
	}
}

// wait returns when the page is closed, the hub can't go on, or the user ends the command.
func (i *inspection) wait(ctx context.Context) error {
	for i.catalog.Load().Tab(i.page) != nil {
		select {
		case <-i.changed:
		case err := <-i.hub.Failed():
			return err
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), process.ErrInterrupted) {
				return nil // this is the normal end
			}
			return context.Cause(ctx)
		}
	}
	return nil
}

// stopGrace is how long the hub gets to end.
const stopGrace = 3 * time.Second

// close ends everything that was started.
func (i *inspection) close() {
	i.ui.Close()
	if i.console != nil {
		i.console.close()
	}
	if i.hub != nil {
		grace, cancel := context.WithTimeout(context.Background(), stopGrace)
		defer cancel()
		if i.way.browserURL != "" && i.page != "" { // the tab was opened only for this
			_ = i.hub.CloseTab(grace, i.page)
		}
		_ = i.hub.Stop(grace)
	}
	if i.way.started != nil {
		i.way.started.close()
	}
}
