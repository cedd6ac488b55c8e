package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"time"

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
)

// PageServers reaches pages' own MCP servers. Its methods may be called from
// any goroutine.
type PageServers interface {
	// Ask sends a request and always returns: with the page's result, or with a
	// [registry.PageError], or when ctx ends, at once, having told the page.
	// params is an object without _meta. progress, if not nil, is given the
	// params of the page's progress notifications and must not block.
	Ask(ctx context.Context, server registry.ServerRef, method string, params json.RawMessage,
		progress func(json.RawMessage)) (json.RawMessage, error)
	// SetLogLevel asks all pages' servers, those to come too, for log messages
	// of that level and worse. It returns at once.
	SetLogLevel(level string)
}

// Options are fixed for the life of a [Server]. The zero value is good.
type Options struct {
	// View is what clients see that bring no view of their own: all tabs, within
	// [DefaultCallTimeout] and names of [names.DefaultMaxName], unless it says
	// otherwise.
	view.View
	BrowserOptions
	Automation  calls.Automation // tools that see and operate pages themselves; nil for none
	PageServers PageServers      // for resources and prompts; without one they can't be read
	// PageRequests says when pages may ask something of an agent; default
	// [DuringCalls]. PageRoots lets them ask for the client's roots, too.
	PageRequests PageRequests
	PageRoots    bool
	// Stay is how long a client must have stayed before the browser comes for it;
	// default [DefaultStay].
	Stay time.Duration
	// Capabilities are those of MCP-B that the hub has itself, whatever pages
	// have. With the pages' they are declared as experimental.browser.
	Capabilities offer.BrowserCapabilities
	calls.Oversight

	Name      string       // the server's name; default "webmcp"
	Version   string       // the server's version; default "dev"
	MaxLine   int          // in bytes; default [DefaultMaxLine]
	MaxResult int          // of a tool, in bytes; default [sanitize.MaxResult]
	Naming    offer.Naming // of page tools in the list of all tabs, for the instructions
	Logger    *slog.Logger // default: nothing is logged
}

// withDefaults fills in what is not given.
func (o Options) withDefaults() Options {
	o.Name = cmp.Or(o.Name, "webmcp")
	o.Version = cmp.Or(o.Version, "dev")
	o.View.Mode = cmp.Or(o.View.Mode, view.AllTabs)
	o.View.CallTimeout = cmp.Or(o.View.CallTimeout, DefaultCallTimeout)
	o.View.MaxName = cmp.Or(o.View.MaxName, names.DefaultMaxName)
	if o.MaxLine <= 0 {
		o.MaxLine = DefaultMaxLine
	}
	if o.MaxResult <= 0 {
		o.MaxResult = sanitize.MaxResult
	}
	if o.Stay <= 0 {
		o.Stay = DefaultStay
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// Server is the MCP server of one hub, serving any number of sessions.
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

// New makes a server that has no page tools yet.
func New(o Options, caller Caller) *Server {
	o = o.withDefaults()
	s := &Server{options: o, log: o.Logger, works: newWorks()}
	s.calls = calls.New(calls.Options{BrowserOptions: o.BrowserOptions, Automation: o.Automation,
		MaxResult: o.MaxResult, Logger: o.Logger, Oversight: o.Oversight}, caller)
	s.current = s.calls.Current
	s.sessions.all, s.sessions.unlisted = map[*session]bool{}, o.Unlisted
	s.topics.all = map[topicKey]*topic{}
	s.mcp = server.NewMCPServer(o.Name, o.Version,
		server.WithTitle("WebMCP Hub"),
		server.WithHooks(s.declaring()),
		server.WithToolCapabilities(true),
		// Announced from the start: the page that brings the first is yet to come.
		server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(true),
		server.WithCompletions(),
		server.WithLogging(),
		server.WithInstructions(instructions(o, s.OwnTools())))
	return s
}

// OwnTools are the hub's own tools that clients may be shown: what each says of itself, by
// name.
func (s *Server) OwnTools() map[string]string { return s.calls.OwnTools() }

// Apply carries out the registry's effects in order. It belongs to the
// registry actor and never blocks. Effects that are not about the MCP server
// are ignored.
func (s *Server) Apply(effects []registry.Effect) {
	served, before := false, s.catalog()
	var pages []registry.PageID
	for _, e := range effects {
		switch e := e.(type) {
		case registry.Serve:
			served = true
			s.calls.Served(e.Catalog)
			s.current.Serve(e.Catalog)
			s.calls.Finder.Served()
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
		s.current.Told()
	}
	s.applyOffers(effects)
	if now := s.catalog(); now.Offered() != before.Offered() {
		s.resubscribe(now)
	}
}

// tell gives every session the current catalog; pages are those whose
// published tools changed.
func (s *Server) tell(pages []registry.PageID) {
	now := s.current.Load()
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	elsewhere := s.sessions.pending(pages)
	for sess := range s.sessions.all {
		sess.client.Served(now, pages, elsewhere)
	}
}

// userSwitched has the clients' focus follow the user, but for those that keep
// a tab to themselves.
func (s *Server) userSwitched(page registry.PageID) {
	s.sessions.each(func(sess *session) {
		if c := sess.client; c.Lens.View().FollowUser && !s.calls.Leases.Has(c) {
			c.UserSwitched(page)
		}
	})
}

// catalog is the current one.
func (s *Server) catalog() *registry.Catalog { return s.current.Catalog() }
