package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/share"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// standIn serves a client whose hub is out of reach now, because another webmcp-hub has the Chrome that it needs. The
// client sees a working server without a browser: list_webmcp_tools and every tab tool say why, and what to do.
func standIn(h hubFlags, why func() error, log *slog.Logger) share.Server {
	server := mcpserver.New(mcpserver.Options{
		Settings: view.Settings{Mode: view.Mode(h.Mode)},
		BrowserOptions: calls.BrowserOptions{
			Browser:     noBrowser{why},
			OnRequest:   true, // connect_browser says why, too
			Unreachable: true,
		},
		Version: version,
		Naming:  h.naming(),
		Logger:  log,
	}, noBrowser{why})
	s := &standInServer{server, why, registry.NewState(registry.Options{}), ""}
	s.tell()
	return s
}

type standInServer struct {
	*mcpserver.Server
	why        func() error
	state      *registry.State
	lastStatus string
}

// ServeStdio serves the client, and tells it each second what the reason is at that time.
func (s *standInServer) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, end := context.WithCancel(ctx)
	var notifying sync.WaitGroup
	defer notifying.Wait()
	defer end()
	notifying.Go(func() {
		again := time.NewTicker(time.Second)
		defer again.Stop()
		for {
			select {
			case <-again.C:
				s.tell()
			case <-ctx.Done():
				return
			}
		}
	})
	return s.Server.ServeStdio(ctx, in, out)
}

func (s *standInServer) tell() {
	if why := s.why().Error(); why != s.lastStatus {
		s.lastStatus = why
		s.Apply(s.state.Step(registry.BrowserChanged{Status: why}))
		s.Apply(s.state.Step(registry.FlushDue{}))
	}
}

// noBrowser refuses everything that needs a browser.
type noBrowser struct{ why func() error }

func (n noBrowser) refuse() error { return fmt.Errorf("nothing was done: %w", n.why()) }

func (n noBrowser) Call(context.Context, calls.Call) registry.Result {
	return sanitize.ErrorResult(n.refuse().Error())
}

func (n noBrowser) Connect(context.Context, bool, ...string) (name, version string, err error) {
	return "", "", calls.ErrorWithAdvice{Err: n.why()}
}

func (n noBrowser) OpenTab(context.Context, registry.NewTab) (registry.PageID, error) {
	return "", n.refuse()
}
func (n noBrowser) ActivateTab(context.Context, registry.PageID) error    { return n.refuse() }
func (n noBrowser) CloseTab(context.Context, registry.PageID) error       { return n.refuse() }
func (n noBrowser) ConnectPage(context.Context, registry.PageID) error    { return n.refuse() }
func (n noBrowser) DisconnectPage(context.Context, registry.PageID) error { return n.refuse() }
func (n noBrowser) Titles(context.Context) (map[registry.PageID]registry.Title, error) {
	return nil, n.refuse()
}
