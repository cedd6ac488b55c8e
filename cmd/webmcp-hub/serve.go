package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"webmcphub/actors"
	"webmcphub/registry"
	"webmcphub/registry/mcpserver"
)

// stopGrace is how long the end of the hub waits for Chrome to go.
const stopGrace = 5 * time.Second

// serveCmd is the hub as an MCP server over stdio.
type serveCmd struct {
	chromeFlags `group:"Chrome"`
	hubFlags    `group:"Tools"`
	logFlags    `group:"Logging"`
}

// hubFlags say what clients see.
type hubFlags struct {
	Mode                      string        `enum:"all,focus" default:"all" help:"all: every tool of every tab is listed. focus: only those of the tab that the client has chosen, after connect_browser and focus_tab."`
	CallTimeout               time.Duration `default:"60s" help:"How long a tool may take to answer."`
	MaxToolName               int           `default:"${maxName}" help:"The longest tool name in bytes. The default suits clients that allow 64 and put mcp__webmcp__ before it."`
	MaxToolsPerPage           int           `default:"${maxTools}" help:"How many tools of one page are listed; the others are refused."`
	MaxPages                  int           `default:"${maxPages}" help:"How many pages' tools are listed."`
	PageIndex                 string        `enum:"position,stable" default:"position" help:"The number in page{idx}: the tab's position among the open tabs, or stable: never changed, never used again."`
	NotifyInterval            time.Duration `default:"10ms" help:"The shortest time between two list_changed notifications. The first change after a quiet time is told at once."`
	DisableWebmcpAutoRegister bool          `help:"Don't list page tools as tools of their own; list_webmcp_tools and call_webmcp_tool reach them. SIGUSR2 switches listing on, SIGUSR1 off."`
}

func (f hubFlags) validate() error {
	switch {
	case f.CallTimeout <= 0:
		return fmt.Errorf("--call-timeout must be more than 0, not %v", f.CallTimeout)
	case f.MaxToolName < registry.MinMaxName || f.MaxToolName > 128:
		return fmt.Errorf("--max-tool-name must be from %d to 128, not %d", registry.MinMaxName, f.MaxToolName)
	case f.MaxToolsPerPage < 1 || f.MaxPages < 1:
		return fmt.Errorf("--max-tools-per-page and --max-pages must be at least 1")
	case f.NotifyInterval < time.Millisecond:
		return fmt.Errorf("--notify-interval must be at least 1ms, not %v", f.NotifyInterval)
	}
	return nil
}

// reach lets the MCP server reach the hub, which is started after it.
type reach struct{ hub *actors.Hub }

func (r *reach) Call(ctx context.Context, c mcpserver.Call) registry.Result {
	return r.hub.Call(ctx, c.Tool, c.Args, c.Progress)
}

func (r *reach) Connect(ctx context.Context, launch bool) (name, version string, err error) {
	info, err := r.hub.Connect(ctx, launch)
	return info.Name, info.Version, err
}

func (r *reach) OpenTab(ctx context.Context, url string) (registry.PageID, error) {
	return r.hub.OpenTab(ctx, url)
}

func (r *reach) ActivateTab(ctx context.Context, page registry.PageID) error {
	return r.hub.ActivateTab(ctx, page)
}

func (r *reach) CloseTab(ctx context.Context, page registry.PageID) error {
	return r.hub.CloseTab(ctx, page)
}

// startHub wires the MCP server and the actors together and starts reaching
// for Chrome.
func startHub(c chromeFlags, h hubFlags, log *slog.Logger) (*mcpserver.Server, *actors.Hub, error) {
	if err := c.validate(); err != nil {
		return nil, nil, err
	}
	if err := h.validate(); err != nil {
		return nil, nil, err
	}
	dialer, launcher, err := c.dialers(h.Mode == "focus", log)
	if err != nil {
		return nil, nil, err
	}
	r := &reach{}
	server := mcpserver.New(mcpserver.Options{
		Version:     version,
		CallTimeout: h.CallTimeout,
		Mode:        mcpserver.Mode(h.Mode),
		MaxName:     h.MaxToolName,
		Browser:     r,
		Logger:      log,
	}, r)
	r.hub = actors.Start(actors.Options{
		Dialer:         dialer,
		Launcher:       launcher,
		Lazy:           h.Mode == "focus",
		Publisher:      server,
		Registry:       registry.Options{MaxName: h.MaxToolName, StableIndex: h.PageIndex == "stable", Manual: h.DisableWebmcpAutoRegister, MaxTools: h.MaxToolsPerPage, MaxPages: h.MaxPages},
		NotifyInterval: h.NotifyInterval,
		AnswerDialogs:  c.launches() && c.headless(slog.New(slog.DiscardHandler)),
		Logger:         log,
	})
	return server, r.hub, nil
}

// Run serves until the client closes stdin, or a signal.
func (s *serveCmd) Run() error {
	log, closeLog, err := s.logger()
	if err != nil {
		return err
	}
	defer closeLog()
	tuneRuntime()
	// Nothing but the protocol reaches stdout, whatever a library prints.
	stdout := os.Stdout
	os.Stdout = os.Stderr

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server, hub, err := startHub(s.chromeFlags, s.hubFlags, log)
	if err != nil {
		return err
	}
	defer onAutoRegisterSignals(hub, log)()
	defer onFiguresSignal(log)()
	serveErr := server.ServeStdio(ctx, pollableStdin(), stdout)
	if ctx.Err() != nil {
		serveErr = nil // a signal is a good reason to stop
	}
	log.Info("stopping")

	grace, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	if err := hub.Stop(grace); err != nil {
		log.Warn(err.Error())
	}
	return serveErr
}

// defaultHubFlags are the flags' defaults, for the commands without them.
func defaultHubFlags() hubFlags {
	return hubFlags{Mode: string(mcpserver.AllTabs), CallTimeout: mcpserver.DefaultCallTimeout, MaxToolName: registry.DefaultMaxName, MaxToolsPerPage: registry.DefaultMaxTools, MaxPages: registry.DefaultMaxPages, PageIndex: "position", NotifyInterval: actors.DefaultNotifyInterval}
}
