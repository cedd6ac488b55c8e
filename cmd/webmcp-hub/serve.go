package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"webmcphub/actors"
	"webmcphub/actors/tab"
	"webmcphub/automation"
	"webmcphub/cmd/webmcp-hub/livepage"
	"webmcphub/cmd/webmcp-hub/policy"
	"webmcphub/cmd/webmcp-hub/process"

	"webmcphub/cmd/webmcp-hub/commands"

	"webmcphub/extlink"
	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/share"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// stopGrace is how long the end of the hub waits for Chrome to go.
const stopGrace = 5 * time.Second

// serveCmd runs the hub as an MCP server over stdio, HTTP, or both.
type serveCmd struct {
	serveOptions
	record  commands.RecordFlags // set by recordCmd
	awaited *process.AwaitedChrome
}

// recordCmd is serve with its client's session recorded to a file.
type recordCmd struct {
	commands.RecordFlags `group:"common"`
	serveOptions
}

// Validate checks the flags. The parser calls it.
func (r recordCmd) Validate() error {
	return cmp.Or(usage(r.RecordFlags.Check(r.Web.Stdio)), r.serveOptions.Validate())
}

// Run serves the client and records its session.
func (r *recordCmd) Run() error {
	return (&serveCmd{serveOptions: r.serveOptions, record: r.RecordFlags}).Run()
}

// serveOptions holds everything that serve takes from its command line, the environment and the settings file.
type serveOptions struct {
	chromeFlags       `group:"chrome"`
	hubFlags          `group:"tools"`
	originFlags       `group:"tools"`
	policy.HintFlags  `group:"tools"`
	safeFlags         `group:"trust"`
	policy.Flags      `group:"trust"`
	policy.FlowFlags  `group:"trust"`
	policy.RateFlags  `group:"trust"`
	storeFlags        `group:"tools"`
	pinFlags          `group:"tools"`
	Web               process.HTTPFlags `embed:"" group:"http"`
	shareFlags        `group:"sharing"`
	logFlags          `group:"logging"`
	policy.AuditFlags `group:"logging"`
	livepage.UIFlags  `group:"common"`

	extensionFlags `group:"extension"`
}

// Validate returns an error for flags that contradict each other. The parser calls it once, before anything runs, so
// the rest of serve can rely on valid flags.
func (f serveOptions) Validate() error {
	f = f.withSafe()
	_, origins := f.originFlags.origins()
	_, hints := f.HintFlags.Hints()
	return usage(cmp.Or(
		f.chromeFlags.validate(),
		f.hubFlags.validate(),
		f.extensionFlags.validate(),
		f.Web.Check(),
		origins,
		hints,
		f.Flags.Check(),
		f.storeFlags.validate(f.naming()),
		f.FlowFlags.Validate(),
		f.RateFlags.Check(),
		f.AuditFlags.Check(),
		f.logFlags.Check(),
	))
}

// hubFlags say what clients see. A flag with the tag view concerns only this process's own client, so processes that
// share the hub may differ in it. The other flags belong to the hub. The fields stand in the order in which the flags
// are documented.
type hubFlags struct {
	Mode string `view:"" group:"common" enum:"all,focus" default:"all" help:"all: every tool of every tab is listed. focus: only those of the tab that the client has chosen, after connect_browser and focus_tab."`
	pageFlags
	automationFlags
	FollowUserFocus bool          `view:"" help:"With --mode=focus: when the user switches to another tab, clients' focus follows, unless they keep a tab to themselves."`
	CallTimeout     time.Duration `view:"" default:"60s" help:"How long a tool may take to answer."`
	MaxResultTokens int           `view:"" default:"${maxResult}" placeholder:"N" help:"The longest result of a call in tokens (estimated); 0 is no limit. The hub cuts longer results, and keeps the whole for read_result and resources/read."`
	MaxToolName     int           `view:"" default:"${maxName}" help:"The longest tool name in bytes. The default suits clients that allow 64 and put mcp__webmcp__ before it."`
	listFlags
	surfaceFlags
	askFlags
	Dialogs                   string `enum:"auto,report,dismiss,accept" default:"auto" help:"How to handle pages' alert, confirm and prompt dialogs. report: leave them to the user; list_tabs shows them, and calls that a dialog blocks say so. dismiss: close them at once, confirm and prompt with Cancel. accept: close them with OK, prompt with the text that the page proposes. auto: dismiss where the hub starts a Chrome without a window and the owner of the hub has no --automation, else report; give dismiss where clients differ in it."`
	DisableWebmcpAutoRegister bool   `view:"" group:"common" help:"Don't list page tools as tools of their own; list_webmcp_tools and call_webmcp_tool reach them. SIGUSR2 switches listing on, SIGUSR1 off."`
}

// Results are cut to defaultResultTokens unless the user says otherwise. minResultTokens is the smallest limit that
// --max-result-tokens accepts; a shorter result would say nothing useful.
const (
	defaultResultTokens = 20_000
	minResultTokens     = 500
)

// pageFlags say what the hub does to pages.
type pageFlags struct {
	ExplicitConnect    bool `help:"Don't touch a page until connect_webmcp is called for it; disconnect_webmcp releases it. Default: connect every page as it opens."`
	Introspect         bool `group:"common" help:"Make tools for pages that have none, from what the user sees: one for each form and search box, the main buttons and links, and get_page_content."`
	LegacyModelContext bool `name:"legacy-modelcontext" help:"Give pages navigator.modelContext, an earlier name of document.modelContext. Without this flag, pages that know only the earlier name have no tools in today's Chrome. Reload pages that are open already. A page that uses the earlier name to detect WebMCP may behave differently. Sites that --allow-origin or --deny-origin keep out are not changed."`
}

// listFlags say which tools are listed, by which names, and when.
type listFlags struct {
	MaxToolsPerPage int           `default:"${maxTools}" help:"How many tools of one page are listed; the others are refused."`
	MaxPages        int           `default:"${maxPages}" help:"How many pages' tools are listed."`
	ListPageSize    int           `view:"" default:"0" placeholder:"N" help:"Give tools/list in pages of so many tools; 0 gives all at once. Many clients read the first page only and miss the rest."`
	PageIndex       string        `enum:"position,stable" default:"position" help:"The number in page{idx}: the tab's position among the open tabs, or stable: never changed, never used again."`
	Naming          string        `enum:"webmcp,mcpb" default:"webmcp" help:"webmcp: webmcp_{domain}_page{n}_{tool}. mcpb: website_tool_{domain}_tab{id}_{tool} as MCP-B has it, and website_tool_{domain}_{tool} for whichever tab of the site suits, or one that is opened for it."`
	NotifyInterval  time.Duration `default:"10ms" help:"The shortest time between two list_changed notifications. The first change after a quiet time is announced at once."`
	Settle          time.Duration `default:"0s" placeholder:"TIME" help:"For pages that unregister and register their tools at every render: show removals and changes only after the page has been quiet for this long, for example 150ms. New tools, and removals with their document, show at once."`
}

// surfaceFlags say how much a client's list of tools shows.
type surfaceFlags struct {
	Surface       string `view:"" group:"common" enum:"all,static,auto" default:"all" help:"What tools/list has. all: the tools of all pages. static: the hub's own tools only, the same whatever pages do; agents find and call pages' tools by these. auto: all while the client lists again after list_changed and its list is not longer than --surface-tokens, else static."`
	SurfaceTokens int    `view:"" default:"${surfaceTokens}" placeholder:"N" help:"With --surface=auto: how many tokens a list may have, estimated, with the hub's own tools."`
}

func (f surfaceFlags) validate(mode string) error {
	switch {
	case f.Surface != string(view.All) && mode == string(view.FocusedTab):
		return fmt.Errorf("--surface=%s goes with --mode=all only: in focus mode the list is that of the focused tab",
			f.Surface)
	case f.SurfaceTokens < view.MinTokens || f.SurfaceTokens > view.MaxTokens:
		return fmt.Errorf("--surface-tokens must be from %d to %d, not %d", view.MinTokens, view.MaxTokens,
			f.SurfaceTokens)
	}
	return nil
}

// askFlags say what pages may ask of the agent.
type askFlags struct {
	PageRequests   string `enum:"during-calls,always,none" default:"during-calls" help:"When a page with its own MCP server may ask the agent something (sampling, elicitation). during-calls: while the page carries out a call, and only the client that made the call. always: also at other times, if only one client sees the page. none: never."`
	NoPageRequests bool   `help:"The same as --page-requests=none."`
	PageRoots      bool   `help:"Let pages that may ask something of the agent also ask for the client's roots, which are names of your folders."`
}

func (f hubFlags) validate() error {
	switch {
	case f.FollowUserFocus && f.Mode != "focus":
		return fmt.Errorf("--follow-user-focus goes with --mode=focus only: otherwise all tabs' tools are listed anyway")
	case f.Naming == "mcpb" && f.Mode == "focus":
		return fmt.Errorf("--naming=mcpb goes with --mode=all only: in focus mode tools have the pages' own names")
	case f.NoPageRequests && f.PageRequests == string(mcpserver.AtAnyTime):
		return fmt.Errorf("--no-page-requests and --page-requests=always contradict each other")
	case f.PageRoots && f.noPageRequests():
		return fmt.Errorf("--page-roots lets pages ask for roots; --page-requests=none and --no-page-requests let " +
			"them ask nothing: use only one of these")
	case f.CallTimeout <= 0:
		return fmt.Errorf("--call-timeout must be more than 0, not %v", f.CallTimeout)
	case f.MaxResultTokens < 0 || f.MaxResultTokens > 0 && f.MaxResultTokens < minResultTokens:
		return fmt.Errorf("--max-result-tokens must be 0 (no limit) or at least %d, not %d", minResultTokens,
			f.MaxResultTokens)
	case f.MaxToolName < names.MinMaxName || f.MaxToolName > 128:
		return fmt.Errorf("--max-tool-name must be from %d to 128, not %d", names.MinMaxName, f.MaxToolName)
	case f.MaxToolsPerPage < 1 || f.MaxPages < 1:
		return fmt.Errorf("--max-tools-per-page and --max-pages must be at least 1")
	case f.ListPageSize < 0:
		return fmt.Errorf("--list-page-size must be 0 (no pages) or more, not %d", f.ListPageSize)
	case f.Settle < 0 || f.Settle > time.Minute:
		return fmt.Errorf("--settle must be from 0s to 1m, not %v", f.Settle)
	case f.NotifyInterval < time.Millisecond:
		return fmt.Errorf("--notify-interval must be at least 1ms, not %v", f.NotifyInterval)
	}
	if err := f.surfaceFlags.validate(f.Mode); err != nil {
		return err
	}
	return f.automationFlags.validate(f.naming())
}

// ownCapabilities returns what the hub declares to its clients even if no page declares anything. Only a hub with
// MCP-B's names, which is an MCP-B hub, declares something.
func (f hubFlags) ownCapabilities() offer.BrowserCapabilities {
	if f.naming() != offer.MCPBNames {
		return offer.BrowserCapabilities{}
	}
	return offer.BrowserCapabilities(f.mcpb())
}

// mcpb returns the hub's capabilities as an MCP-B hub. Elicitation means that the hub passes such requests on; the
// client decides each time whether its agent answers.
func (f hubFlags) mcpb() extlink.Capabilities {
	return extlink.Capabilities{MultiTabSupport: true, CacheSupported: f.naming() == offer.MCPBNames,
		Elicitation: !f.noPageRequests()}
}

func (f askFlags) noPageRequests() bool { return f.NoPageRequests || f.PageRequests == "none" }

// plain returns the same flags without synonyms: NoPageRequests becomes PageRequests "none".
func (f hubFlags) plain() hubFlags {
	if f.NoPageRequests {
		f.PageRequests, f.NoPageRequests = "none", false
	}
	return f
}

// dialogs returns the policy for dialogs. unseen says that nobody sees the browser's windows.
func (f hubFlags) dialogs(unseen bool) tab.DialogPolicy {
	switch {
	case f.Dialogs != "auto":
		return tab.DialogPolicy(f.Dialogs)
	case unseen && !f.Automation.Has(automation.Input): // otherwise agents have handle_dialog
		return tab.DismissDialogs
	}
	return tab.ReportDialogs
}

func (f listFlags) naming() offer.Naming {
	if f.Naming == "mcpb" {
		return offer.MCPBNames
	}
	return offer.WebMCPNames
}

// reach lets the MCP server call the hub, which starts after the server.
type reach struct{ *actors.Hub }

func (r *reach) Call(ctx context.Context, c calls.Call) registry.Result {
	return r.Hub.Call(ctx, c.Tool, c.Args,
		actors.CallExtras{Progress: c.Progress, Meta: c.Meta, Extensions: c.Extensions, Exactly: c.Exactly})
}

func (r *reach) Connect(ctx context.Context, launch bool, in ...string) (name, version string, err error) {
	info, err := r.Hub.Connect(ctx, launch, in...)
	return info.Name, info.Version, err
}

// onRequest reports whether the hub connects to Chrome only when connect_browser asks for it.
func (s *serveCmd) onRequest() bool {
	return s.Mode == string(view.FocusedTab) || !s.reaches() && (s.Extension || s.forbidsLaunch())
}

// startHub wires the MCP server and the actors together. It starts connecting to Chrome unless onRequest is set. With
// extension, browsers may also connect by their extension.
func startHub(c chromeFlags, h hubFlags, onRequest, extension bool, x extras,
	log *slog.Logger) (*mcpserver.Server, *actors.Hub, error) {
	way, several, err := c.connectOptions(onRequest, x, log)
	if err != nil {
		return nil, nil, err
	}
	x.awaited.Watch(&way, several)
	r := &reach{}
	oversight, set := x.oversight(extension)
	server := mcpserver.New(mcpserver.Options{
		Settings: h.view(),
		BrowserOptions: calls.BrowserOptions{
			Browser:         r,
			OnRequest:       onRequest,
			OnNeed:          c.when(onRequest).OnNeed || onRequest && c.reaches(),
			Several:         several != nil,
			Extension:       extension,
			ExplicitConnect: h.ExplicitConnect,
		},
		Automation:   x.ui.Lends(newBrowserTools(h.automationFlags, several != nil, r, x.origins, log)),
		PageServers:  r,
		PageRequests: mcpserver.PageRequests(h.plain().PageRequests),
		PageRoots:    h.PageRoots,
		LaunchDelay:  c.stay(),
		Capabilities: h.ownCapabilities(),
		Oversight:    oversight,
		Version:      version,
		Naming:       h.naming(),
		Logger:       log,
	}, r)
	x.pinOwn(server)
	pageRequests := server.PageRequest
	if h.noPageRequests() {
		pageRequests = nil
	}
	r.Hub = actors.Start(actors.Options{
		ConnectOptions: way,
		Browsers:       several,
		Extension:      extension,
		Agents:         set.agents(),
		Policy: tab.Policy{
			Explicit:           h.ExplicitConnect,
			CallTimeout:        h.CallTimeout,
			Introspect:         h.Introspect,
			LegacyModelContext: h.LegacyModelContext,
			Dialogs:            h.dialogs(c.launches() && c.headless(slog.New(slog.DiscardHandler))),
			PageRequests:       pageRequests,
			PageRoots:          h.PageRoots,
		},
		WatchFront: h.FollowUserFocus || h.naming() == offer.MCPBNames,
		Publisher:  append(publishers{server}, x.publishers...),
		Registry: registry.Options{MaxName: h.MaxToolName, StableIndex: h.PageIndex == "stable",
			MaxTools: h.MaxToolsPerPage, MaxPages: h.MaxPages, Origins: x.origins, Naming: h.naming(),
			Hints: x.hints.HintPolicy, TrustHints: x.hints.Trusted, Site: registeredDomain, Before: x.before,
			Pins: x.registryPins(), Registrations: x.registrations},
		NotifyInterval: h.NotifyInterval,
		Settle:         h.Settle,
		Logger:         log,
	})
	set.shownBy(r.Hub, server)
	for _, begin := range x.started {
		begin(r.Hub)
	}
	return server, r.Hub, nil
}

// Run serves until a signal arrives, or until the client closes stdin (where stdin is served) and no other process
// uses this process's hub any more.
func (s *serveCmd) Run() error {
	s.serveOptions = s.withSafe()
	s.awaited = process.AwaitChrome(os.Stderr, s.Quiet)
	defer s.awaited.Close()
	log, closeLog, err := s.logger(s.awaited)
	if err != nil {
		return err
	}
	defer closeLog()
	process.Tune()
	process.SurviveBrokenPipes()
	// Only the protocol may write to stdout, whatever a library prints.
	stdout := os.Stdout
	os.Stdout = os.Stderr

	signals, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var overHTTP *process.HTTPListener
	if !s.Web.Stdio { // with stdio, only the owner of the hub opens the port, and this process may become the owner
		if overHTTP, err = s.Web.Open(log); err != nil {
			return err
		}
		defer overHTTP.Close()
	} else if _, _, err := s.Web.ReadToken(); err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(context.Background())
	defer end(nil)
	defer context.AfterFunc(signals, func() { end(actors.ErrStopped) })()
	sharing, err := s.sharing()
	if err != nil {
		return err
	}
	own := newOwnHub(s, end, func() bool { return signals.Err() != nil }, log)
	defer process.OnListing(own.autoRegister)()
	defer process.OnFigures(log)()
	own.terms, sharing.Logger = s.terms(sharing.Settings), log
	sharing.View, sharing.Changes, sharing.CheckView = own.viewJSON, own.changes, own.checkView
	sharing.Joined = s.logsUnusedFlags(log)
	sharing.Start = func(o share.Owner) (share.Hub, error) { return own.start(ctx, overHTTP, o) }
	sharing.StandIn = func(why func() error) share.Server { return standIn(s.hubFlags, why, log) }
	var stdin io.Reader
	if s.Web.Stdio {
		process.SayWhoIsAwaited(os.Stdin, os.Stderr)
		stdin = process.Stdin()
	}
	in, out, recorded, err := s.record.Between(stdin, stdout, version, log)
	if err != nil {
		return err
	}
	defer recorded()
	err = share.Run(ctx, sharing, in, out)
	switch {
	case signals.Err() != nil:
		return nil // a signal is a normal end
	case ctx.Err() != nil:
		return context.Cause(ctx) // the hub can't go on
	}
	return err
}

// logsUnusedFlags returns a function that logs which of this process's flags have no effect while another process
// owns the hub.
func (s *serveCmd) logsUnusedFlags(log *slog.Logger) func() {
	return func() {
		if idle := ownersFlags(s.Web.Listen, s.UI, s.OTLPEndpoint); idle != nil {
			log.Warn("this process joined another webmcp-hub, which goes by its own flags: these of this one do "+
				"nothing unless it takes over", "flags", strings.Join(idle, " "))
		}
	}
}

// ownersFlags returns those of the given flags that have no effect in a process that joins another process's hub. All
// other flags concern the process or its client, or must agree with the owner's (see [serveCmd.sharing]).
func ownersFlags(listen string, ui livepage.Address, otlpEndpoint string) (flags []string) {
	if listen != "" {
		flags = append(flags, "--listen")
	}
	if otlpEndpoint != "" {
		flags = append(flags, "--otlp-endpoint")
	}
	if ui != "" {
		flags = append(flags, "--ui")
	}
	return flags
}

// defaultHubFlags returns the defaults of hubFlags, for commands that don't have these flags.
func defaultHubFlags() hubFlags {
	return hubFlags{
		Mode:            string(view.AllTabs),
		CallTimeout:     mcpserver.DefaultCallTimeout,
		MaxResultTokens: defaultResultTokens,
		MaxToolName:     names.DefaultMaxName,
		Dialogs:         "auto",
		listFlags: listFlags{MaxToolsPerPage: registry.DefaultMaxTools, MaxPages: registry.DefaultMaxPages,
			PageIndex: "position", Naming: "webmcp", NotifyInterval: actors.DefaultNotifyInterval},
		surfaceFlags: surfaceFlags{Surface: string(view.All), SurfaceTokens: view.DefaultTokens},
		askFlags:     askFlags{PageRequests: string(mcpserver.DuringCalls)},
	}
}
