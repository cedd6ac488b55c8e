package hubs

import (
	"context"
	"io"
	"os"
	"slices"
	"time"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// Browser is how a hub reaches the pages.
type Browser struct {
	Dial     func(ctx context.Context) (cdpclient.Wire, error) // from this process
	Endpoint string                                            // the browser's websocket, for a hub in another process
	Door     *Door                                             // where a hub waits for the extension, nil if it comes over CDP
}

// stopLimit bounds the end of a hub; it costs time only when something is broken.
const stopLimit = 30 * time.Second

// A Hub is a hub in this process.
type Hub struct {
	Serve func(ctx context.Context, in io.Reader, out io.Writer) error // one client's session
	Stop  func(ctx context.Context) error
}

type dialFunc func(ctx context.Context) (cdpclient.Wire, error)

func (d dialFunc) Dial(ctx context.Context) (cdpclient.Wire, error) { return d(ctx) }

// pages lets the server reach the hub that is started after it.
type pages struct{ hub *actors.Hub }

func (p *pages) Call(ctx context.Context, c calls.Call) registry.Result {
	return p.hub.Call(ctx, c.Tool, c.Args, actors.CallExtras{Progress: c.Progress})
}

// tapped tells of each tool that the catalog now has.
type tapped struct {
	*mcpserver.Server
	tap  func(tool string)
	last *registry.Catalog
}

func (t *tapped) Apply(effects []registry.Effect) {
	t.Server.Apply(effects)
	for _, e := range effects {
		served, ok := e.(registry.SetCatalog)
		if !ok {
			continue
		}
		for _, tab := range served.Catalog.Tabs() {
			if before := t.last.Tab(tab.Page); before != tab {
				t.tapNew(before, tab)
			}
		}
		t.last = served.Catalog
	}
}

// tapNew tells of the tools that a tab did not have before.
func (t *tapped) tapNew(before, tab *registry.Tab) {
	for _, tool := range tab.Published() {
		if !slices.Contains(before.Published(), tool) {
			t.tap(tool.Route.Tool)
		}
	}
}

// Start starts a hub that connects to a browser by dial. An interval of 0 is the hub's default. tap, if not nil, is
// told of each tool that comes into the hub's catalog, by the page's name for it.
func Start(dial dialFunc, notifyInterval time.Duration, tap func(tool string)) Hub {
	reach := &pages{}
	server := mcpserver.New(mcpserver.Options{}, reach)
	var publisher actors.Publisher = server
	if tap != nil {
		publisher = &tapped{server, tap, registry.EmptyCatalog()}
	}
	reach.hub = actors.Start(actors.Options{ConnectOptions: actors.ConnectOptions{Dialer: dial},
		Publisher: publisher, NotifyInterval: notifyInterval})
	return Hub{server.ServeStdio, reach.hub.Stop}
}

// Running is a hub and the clients' ends of its pipes.
type Running struct {
	Ends  []Ends
	Usage func(fresh bool) (Usage, error) // see [Own]
	Stop  func() error                    // after the clients have closed their ends
}

// Ends are a client's: it writes to In and reads from Out.
type Ends struct{ In, Out *os.File }

// pipes makes the pipes of n sessions: theirs are the hub's ends.
func pipes(n int) (ours, theirs []Ends, err error) {
	for range n {
		hubIn, in, err := os.Pipe()
		if err != nil {
			return nil, nil, err
		}
		out, hubOut, err := os.Pipe()
		if err != nil {
			return nil, nil, err
		}
		ours = append(ours, Ends{in, out})
		theirs = append(theirs, Ends{hubIn, hubOut})
	}
	return ours, theirs, nil
}

// serveAll serves sessions over the hub's ends and returns a wait for all.
func (h Hub) serveAll(ctx context.Context, theirs []Ends) (wait func() error) {
	served := make(chan error, len(theirs))
	for _, e := range theirs {
		go func() {
			err := h.Serve(ctx, e.In, e.Out)
			e.In.Close()
			e.Out.Close()
			served <- err
		}()
	}
	return func() error {
		var failed error
		for range theirs {
			if err := <-served; err != nil && failed == nil {
				failed = err
			}
		}
		return failed
	}
}

// Here runs a hub in this process, with the tap of [Start].
func Here(b Browser, notifyInterval time.Duration, clients int, tap func(tool string)) (*Running, error) {
	ours, theirs, err := pipes(clients)
	if err != nil {
		return nil, err
	}
	h := Start(b.Dial, notifyInterval, tap)
	ctx, cancel := context.WithCancel(context.Background())
	wait := h.serveAll(ctx, theirs)
	return &Running{
		Ends:  ours,
		Usage: func(fresh bool) (Usage, error) { return Own(fresh), nil },
		Stop: func() error {
			defer cancel()
			err := wait()
			grace, done := context.WithTimeout(context.Background(), stopLimit)
			defer done()
			if e := h.Stop(grace); e != nil && err == nil {
				err = e
			}
			return err
		},
	}, nil
}
