package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// Defaults and fixed limits.
const (
	// DefaultCallTimeout is how long a call may take.
	DefaultCallTimeout = 60 * time.Second
	// DefaultMaxLine is the longest message in bytes that a client may send.
	DefaultMaxLine = 64 << 20

	title = "WebMCP Hub"
)

// PageServers reaches pages' own MCP servers. Any goroutine may call its methods.
type PageServers interface {
	// Ask sends a request and always returns: with the page's result, with a [registry.PageError], or, when ctx ends,
	// at once after telling the page. params is a JSON object without _meta. progress, if not nil, receives the
	// params of the page's progress notifications and must not block.
	Ask(ctx context.Context, server registry.DocumentRef, method string, params json.RawMessage,
		progress func(json.RawMessage)) (json.RawMessage, error)
	// SetLogLevel asks all pages' servers, including future ones, for log messages of this level and of more severe
	// ones. It returns at once.
	SetLogLevel(level string)
}

// Options are fixed for the life of a [Server]. The zero value can be used.
type Options struct {
	// Settings are those of clients that bring none of their own. By default such clients see all tabs, with
	// [DefaultCallTimeout] and with names of at most [names.DefaultMaxName] bytes.
	view.Settings
	calls.BrowserOptions
	Automation  calls.Automation // tools that look at pages and operate them; nil for none
	PageServers PageServers      // for resources and prompts; if it is nil, they can't be read
	// PageRequests says when pages may ask something of an agent; the default is [DuringCalls]. PageRoots also lets
	// them ask for the client's roots.
	PageRequests PageRequests
	PageRoots    bool
	// LaunchDelay is how long a client must stay before the hub starts a browser for it; the default is
	// [DefaultLaunchDelay].
	LaunchDelay time.Duration
	// Capabilities are the hub's own capabilities of MCP-B. The hub declares them together with the pages' as
	// experimental.browser.
	Capabilities offer.BrowserCapabilities
	calls.Oversight

	Name      string       // the server's name; default "webmcp"
	Version   string       // the server's version; default "dev"
	MaxLine   int          // longest message in bytes; default [DefaultMaxLine]
	MaxResult int          // longest result of a tool in bytes; default [sanitize.MaxResult]
	Naming    offer.Naming // of page tools in the list of all tabs, for the instructions
	Logger    *slog.Logger // default: nothing is logged
}

// withDefaults returns the options with the defaults filled in.
func (o Options) withDefaults() Options {
	o.Name = cmp.Or(o.Name, "webmcp")
	o.Version = cmp.Or(o.Version, "dev")
	o.Settings.Mode = cmp.Or(o.Settings.Mode, view.AllTabs)
	o.Settings.CallTimeout = cmp.Or(o.Settings.CallTimeout, DefaultCallTimeout)
	o.Settings.MaxName = cmp.Or(o.Settings.MaxName, names.DefaultMaxName)
	if o.MaxLine <= 0 {
		o.MaxLine = DefaultMaxLine
	}
	if o.MaxResult <= 0 {
		o.MaxResult = sanitize.MaxResult
	}
	if o.LaunchDelay <= 0 {
		o.LaunchDelay = DefaultLaunchDelay
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// Server is the MCP server of one hub. It serves any number of sessions.
type Server struct {
	options  Options
	log      *slog.Logger
	mcp      *server.MCPServer
	calls    *calls.Handler
	current  *view.Current
	topics   topics
	levels   logLevels
	sessions sessions
	works    *works
}

// New returns a Server that has no page tools yet.
func New(o Options, caller calls.Caller) *Server {
	o = o.withDefaults()
	s := &Server{options: o, log: o.Logger, works: newWorks()}
	s.calls = calls.New(calls.Options{BrowserOptions: o.BrowserOptions, Automation: o.Automation,
		Categories: o.Settings.Automation,
		MaxResult:  o.MaxResult, Logger: o.Logger, Oversight: o.Oversight}, caller)
	s.current = s.calls.Current
	s.sessions.all, s.sessions.unlisted = map[*session]bool{}, o.Unlisted
	s.topics.all = map[topicKey]*topic{}
	s.mcp = server.NewMCPServer(o.Name, o.Version,
		server.WithTitle(title),
		server.WithHooks(s.declaring()),
		server.WithToolCapabilities(true),
		// Declared at once, because clients read this before the first page with a resource opens.
		server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(true),
		server.WithCompletions(),
		server.WithLogging(),
		server.WithInstructions(instructions(o, s.OwnTools(o.Settings.Automation))))
	return s
}

// info describes the server as mcp-go does in the results that it makes.
func (s *Server) info() mcp.Implementation {
	return mcp.Implementation{Name: s.options.Name, Title: title, Version: s.options.Version}
}

// OwnTools returns the descriptions of the hub's own tools for clients with these categories of browser tools, by name.
func (s *Server) OwnTools(categories string) map[string]string { return s.calls.OwnTools(categories) }

// Apply carries out the registry's effects in order. It belongs to the registry actor and never blocks. It ignores
// effects that are not about the MCP server.
func (s *Server) Apply(effects []registry.Effect) {
	served, before := false, s.catalog()
	var pages []registry.PageID
	for _, e := range effects {
		switch e := e.(type) {
		case registry.SetCatalog:
			served = true
			s.calls.Served(e.Catalog)
			s.current.Set(e.Catalog)
		case registry.UserSwitched:
			s.userSwitched(e.Page)
		case registry.NotifyListChanged:
			pages = append(pages, e.Pages...)
		case registry.Announce:
			s.log.Info(e.Text)
			s.sessions.each(func(sess *session) { sess.client.Announce(e.Text) })
		}
	}
	if served || len(pages) > 0 {
		s.tell(pages)
		s.current.Delivered()
	}
	s.applyOffers(effects)
	if now := s.catalog(); now.Offered() != before.Offered() {
		s.resubscribe(now)
	}
}

// tell gives every session the current catalog. pages are the pages whose published tools changed.
func (s *Server) tell(pages []registry.PageID) {
	now := s.current.Load()
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	elsewhere := s.sessions.pending(pages)
	for sess := range s.sessions.all {
		sess.client.Served(now, pages, elsewhere)
	}
}

// userSwitched makes the clients' focus follow the user, except for clients that keep a tab to themselves.
func (s *Server) userSwitched(page registry.PageID) {
	s.sessions.each(func(sess *session) {
		if c := sess.client; c.View.Settings().FollowUser && !s.calls.Leases.Has(c) {
			c.UserSwitched(page)
		}
	})
}

// catalog returns the current catalog.
func (s *Server) catalog() *registry.Catalog { return s.current.Catalog() }

// declaring returns hooks that add to the server's description of itself what depends on the pages that are open when
// a client asks. MCP has no message that announces a change of this.
func (s *Server) declaring() *server.Hooks {
	hooks := &server.Hooks{}
	hooks.AddAfterInitialize(func(_ context.Context, _ any, _ *mcp.InitializeRequest, r *mcp.InitializeResult) {
		r.Capabilities.Experimental = s.experimental()
	})
	hooks.AddAfterDiscover(func(_ context.Context, _ any, _ *mcp.DiscoverRequest, r *mcp.DiscoverResult) {
		declareTasks(r)
		r.Capabilities.Experimental = s.experimental()
	})
	return hooks
}

// experimental returns the experimental capabilities, or nil if there are none to declare.
func (s *Server) experimental() map[string]any {
	pages := s.catalog().Offered().Browser()
	browser := s.options.Capabilities.Declared(pages, s.options.PageRequests != Never)
	if !browser.MultiTabSupport {
		return nil
	}
	return map[string]any{"browser": browser}
}
