package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"webmcphub/registry"
	"webmcphub/registry/mcpserver/arguments"
	"webmcphub/registry/sanitize"
)

// Defaults and fixed limits.
const (
	// DefaultCallTimeout is how long a call may take.
	DefaultCallTimeout = 60 * time.Second
	// DefaultMaxLine is the longest message in bytes that a client may send.
	DefaultMaxLine = 64 << 20
	// MaxConcurrent is how many requests of one client run at a time.
	MaxConcurrent = 1024
	// ResultFirst is the longest time that list_changed waits for the answers
	// of calls on the pages whose tools changed.
	ResultFirst = 5 * time.Second
	// Heartbeat is the interval of the progress notifications that keep a
	// client waiting for a slow tool.
	Heartbeat = 5 * time.Second
	// CloseGrace is how long a session's end waits for answers to be written.
	CloseGrace = time.Second
)

// Caller reaches pages. Its methods may be called from any goroutine.
type Caller interface {
	// Call runs a tool in its page. It always returns: when ctx ends, the
	// page is told to stop and a result that says so (see
	// [registry.EndedByTimeout]) comes back at once. context.Cause(ctx) is then
	// a [TimeoutError], or else says who cancelled.
	Call(ctx context.Context, call Call) registry.Result
}

// Browser carries out the tab tools. Its methods may be called from any
// goroutine; they return when Chrome has answered, or ctx ends.
type Browser interface {
	// Connect returns when a browser is reached and its tabs are in the catalog.
	// With launch it starts a Chrome if there is none. The error says what to do.
	Connect(ctx context.Context, launch bool) (name, version string, err error)
	// OpenTab opens a tab and gives the id under which its page will appear.
	OpenTab(ctx context.Context, tab registry.NewTab) (registry.PageID, error)
	// ActivateTab brings a tab to the front.
	ActivateTab(ctx context.Context, page registry.PageID) error
	// CloseTab closes a tab; its page disappears soon after.
	CloseTab(ctx context.Context, page registry.PageID) error
	// ConnectPage attaches to a page and DisconnectPage lets go of it, unless
	// that is so already. The page's state in the catalog follows
	// ([registry.NotConnected]).
	ConnectPage(ctx context.Context, page registry.PageID) error
	DisconnectPage(ctx context.Context, page registry.PageID) error
	// Titles are those that tabs show now, which the catalog may not know yet. Tabs
	// that are missing show the catalog's.
	Titles(ctx context.Context) (map[registry.PageID]string, error)
}

// Unreachable is a [Browser] that reaches none, whatever is called. The browser's
// status says all that can be done about it.
type Unreachable interface{ Unreachable() }

func (o Options) unreachable() bool {
	_, is := o.Browser.(Unreachable)
	return is
}

// PageServers reaches pages' own MCP servers. Its methods may be called from
// any goroutine.
type PageServers interface {
	// Ask sends a request and always returns: with the page's result, or with a
	// [registry.PageError], or when ctx ends, at once, having told the page.
	// params is an object without _meta. progress, if not nil, is given the
	// params of the page's progress notifications and must not block.
	Ask(ctx context.Context, server registry.ServerRef, method string, params json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error)
	// SetLogLevel asks all pages' servers, those to come too, for log messages
	// of that level and worse. It returns at once.
	SetLogLevel(level string)
}

// Call is one call of a page's tool.
type Call struct {
	Tool *registry.HubTool
	// Args is a JSON object that satisfies the tool's schema.
	Args json.RawMessage
	// Progress passes on the params of the page's progress notifications; nil
	// if the client wants none. It never blocks.
	Progress func(params json.RawMessage)
	// Meta is what the client's _meta says to the page, and Extensions MCP-B's
	// extensions of the call; each an object, or nil.
	Meta, Extensions json.RawMessage
}

// Options are fixed for the life of a [Server]. The zero value is good.
type Options struct {
	Name        string          // the server's name; default "webmcp"
	Version     string          // the server's version; default "dev"
	CallTimeout time.Duration   // default [DefaultCallTimeout]; negative means no limit
	MaxLine     int             // in bytes; default [DefaultMaxLine]
	MaxResult   int             // of a tool, in bytes; default [registry.MaxResult]
	Logger      *slog.Logger    // default: nothing is logged
	MaxName     int             // of a tool, in bytes, in focus mode; default [registry.DefaultMaxName]
	Mode        Mode            // which tools clients see; default [AllTabs]
	Naming      registry.Naming // of page tools in the list of all tabs, for the instructions
	ListPage    int             // tools in one page of tools/list; 0 lists all at once
	Browser     Browser         // for the tab tools; without one they are not there
	PageServers PageServers     // for resources and prompts; without one they can't be read
	// PageRequests says when pages may ask something of an agent; default
	// [DuringCalls]. PageRoots lets them ask for the client's roots, too.
	PageRequests PageRequests
	PageRoots    bool
	// OnRequest says that browsers are reached when connect_browser asks, so
	// that clients that see all tabs need it too.
	OnRequest bool
	// OnNeed says that browsers are reached when a client that sees all tabs
	// needs one: by a call, or by having stayed.
	OnNeed bool
	// Stay is how long a client must have stayed; default [DefaultStay].
	Stay time.Duration
	// Extension says that browsers may come by their extension.
	Extension bool
	// ExplicitConnect says that pages are left alone until connect_webmcp, so
	// that clients in focus mode need to see that too.
	ExplicitConnect bool
	// FollowUser has clients' focus follow the user to another tab.
	FollowUser bool
	// Unlisted keeps page tools out of the list; list_webmcp_tools and
	// call_webmcp_tool reach them.
	Unlisted bool
	// Capabilities are those of MCP-B that the hub has itself, whatever pages
	// have. With the pages' they are declared as experimental.browser.
	Capabilities registry.BrowserCapabilities
	// Called is told of every tools/call when it is over; nil tells nobody. It
	// is called by many goroutines and must not block.
	Called func(CallRecord)
}

// Server is the MCP server of one hub, serving any number of sessions.
type Server struct {
	options Options
	log     *slog.Logger
	caller  Caller
	mcp     *server.MCPServer
	core    []staticTool // the tab tools, sorted
	connect []staticTool // connect_webmcp and its opposite, sorted
	static  []staticTool // those of our own in the list of a client that sees all tabs, sorted
	byName  map[string]staticTool
	schemas *arguments.Checker
	cursors cursors
	leases  leases
	opening openings
	topics  topics
	levels  logLevels

	current atomic.Pointer[served]
	offers  atomic.Pointer[registry.OfferCatalog]
	// changed says that tools were withdrawn or published since the last Serve.
	// Only Apply uses it.
	changed bool

	mu       sync.Mutex
	sessions map[*session]bool
	lastID   int
	unlisted bool // as Options.Unlisted, see ListPageTools
}

// New makes a server that has no page tools yet.
func New(o Options, caller Caller) *Server {
	if o.Name == "" {
		o.Name = "webmcp"
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.CallTimeout == 0 {
		o.CallTimeout = DefaultCallTimeout
	}
	if o.MaxLine <= 0 {
		o.MaxLine = DefaultMaxLine
	}
	if o.MaxResult <= 0 {
		o.MaxResult = sanitize.MaxResult
	}
	if o.Stay <= 0 {
		o.Stay = DefaultStay
	}
	if o.Mode == "" {
		o.Mode = AllTabs
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		options:  o,
		log:      o.Logger,
		caller:   caller,
		schemas:  arguments.New(o.Logger),
		cursors:  newCursors(),
		sessions: map[*session]bool{},
		unlisted: o.Unlisted,
	}
	s.static = staticTools(s)
	if o.Browser != nil {
		s.core = tabTools{s, o.Browser}.staticTools()
		s.connect = tabTools{s, o.Browser}.connectTools()
		s.static = append(s.static, s.connect...)
		for _, t := range s.core {
			if t.name != registry.ConnectBrowser || o.OnRequest { // connected they are all the same
				s.static = append(s.static, t)
			}
		}
		slices.SortFunc(s.static, byToolName)
	}
	s.byName = map[string]staticTool{}
	for _, t := range append(slices.Clone(s.core), s.static...) {
		s.byName[t.name] = t
	}
	s.mcp = server.NewMCPServer(o.Name, o.Version,
		server.WithTitle("WebMCP Hub"),
		server.WithHooks(s.declaring()),
		server.WithToolCapabilities(true),
		// Announced from the start: the page that brings the first is yet to come.
		server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(true),
		server.WithCompletions(),
		server.WithLogging(),
		server.WithInstructions(instructions(o)))
	s.current.Store(newServed(registry.StartingCatalog(), s.static))
	s.offers.Store(registry.EmptyOfferCatalog())
	return s
}

// Apply carries out the registry's effects in order. It belongs to the
// registry actor and never blocks. Effects that are not about the MCP server
// are ignored.
func (s *Server) Apply(effects []registry.Effect) {
	served := false
	var pages []registry.PageID
	for _, e := range effects {
		switch e := e.(type) {
		case registry.Withdraw:
			s.changed = true
		case registry.Publish:
			s.changed = true
		case registry.Serve:
			served = true
			s.serve(e.Catalog)
		case registry.UserSwitched:
			s.userSwitched(e.Page)
		case registry.NotifyListChanged:
			pages = append(pages, e.Pages...)
		}
	}
	if served || len(pages) > 0 {
		s.tell(pages)
	}
	s.applyOffers(effects)
}

// serve makes c current. A catalog with the same tools (a page's title
// changed) keeps the list that is already serialised.
func (s *Server) serve(c *registry.Catalog) {
	next, last := newServed(c, s.static), s.current.Load()
	if !s.changed {
		next.list = last.list
	}
	if next.reached = last.reached; last.catalog.BrowserStatus() != "" && c.BrowserStatus() == "" {
		next.reached = time.Now()
	}
	s.changed = false
	s.current.Store(next)
	close(last.replaced)
}

// tell gives every session the current catalog; pages are those whose
// published tools changed.
func (s *Server) tell(pages []registry.PageID) {
	now := s.current.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	elsewhere := s.sessionlessAsking(pages)
	for sess := range s.sessions {
		sess.out.served(now, pages, elsewhere)
	}
}

// catalog is the current one.
func (s *Server) catalog() *registry.Catalog { return s.current.Load().catalog }

// add names a session and makes it one of the server's: from then on any
// goroutine may look at it, so all that it consists of is there before.
func (s *Server) add(sess *session, transport string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	sess.id = fmt.Sprintf("%s-%d", transport, s.lastID)
	sess.out.id = sess.id
	sess.log = s.log.With("session", sess.id)
	sess.peer = newPeer(sess)
	s.sessions[sess] = true
	if !sess.ownView {
		sess.out.view.Unlisted = s.unlisted
	}
	sess.out.open(s.sight(sess.out.view), s.current.Load(), s.options.focusAudience())
	sess.out.offersServed(s.offers.Load())
}

// eachSession holds up sessions that come and go: do must not block.
func (s *Server) eachSession(do func(*session)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sess := range s.sessions {
		do(sess)
	}
}

func (s *Server) remove(sess *session) {
	s.leases.release(sess.out)
	s.unsubscribeAll(sess.out)
	s.mu.Lock()
	delete(s.sessions, sess)
	s.mu.Unlock()
	s.logLevelSet(false)
}

// TimeoutError is the cause of a call's context that ended because the tool
// took longer than Options.CallTimeout.
type TimeoutError struct{ After time.Duration }

func (e TimeoutError) Error() string { return fmt.Sprintf("the time limit of %s is over", e.After) }

// Timeout tells it from other causes, as for the errors of package net.
func (e TimeoutError) Timeout() bool { return true }

// Causes of a call's context that ended otherwise.
var (
	// ErrCancelled means that the client cancelled the call.
	ErrCancelled = errors.New("the client cancelled the call")
	// ErrSessionOver means that the client closed the connection or the hub stops.
	ErrSessionOver = errors.New("the client's session is over")
)
