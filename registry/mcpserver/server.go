package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"webmcphub/registry"
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

// Call is one call of a page's tool.
type Call struct {
	Tool *registry.HubTool
	// Args is a JSON object that satisfies the tool's schema.
	Args json.RawMessage
	// Progress passes on the params of the page's progress notifications; nil
	// if the client wants none. It never blocks.
	Progress func(params json.RawMessage)
}

// Options are fixed for the life of a [Server]. The zero value is good.
type Options struct {
	Name        string        // the server's name; default "webmcp"
	Version     string        // the server's version; default "dev"
	CallTimeout time.Duration // default [DefaultCallTimeout]; negative means no limit
	MaxLine     int           // in bytes; default [DefaultMaxLine]
	MaxResult   int           // of a tool, in bytes; default [registry.MaxResult]
	Logger      *slog.Logger  // default: nothing is logged
}

// Server is the MCP server of one hub, serving any number of sessions.
type Server struct {
	options Options
	log     *slog.Logger
	caller  Caller
	mcp     *server.MCPServer
	static  []staticTool
	schemas *schemaCache

	current atomic.Pointer[served]
	// changed says that tools were withdrawn or published since the last Serve.
	// Only Apply uses it.
	changed bool

	mu       sync.Mutex
	sessions map[*session]bool
	lastID   int
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
		o.MaxResult = registry.MaxResult
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		options:  o,
		log:      o.Logger,
		caller:   caller,
		schemas:  newSchemaCache(o.Logger),
		sessions: map[*session]bool{},
	}
	s.static = staticTools(s)
	s.mcp = server.NewMCPServer(o.Name, o.Version,
		server.WithToolCapabilities(true),
		server.WithLogging(),
		server.WithInstructions(instructions))
	s.publishStatic()
	s.current.Store(newServed(registry.EmptyCatalog(), s.static))
	return s
}

// Apply carries out the registry's effects in order. It belongs to the
// registry actor and never blocks. Effects that are not about the MCP server
// are ignored.
func (s *Server) Apply(effects []registry.Effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case registry.Withdraw:
			s.changed = true
			s.mcp.DeleteTools(e.Names...)
		case registry.Publish:
			s.changed = true
			s.publish(e.Tools)
		case registry.Serve:
			s.serve(e.Catalog)
		case registry.NotifyListChanged:
			s.notify(e.Pages)
		}
	}
}

// serve makes c current. A catalog with the same tools (a page's title
// changed) keeps the list that is already serialised.
func (s *Server) serve(c *registry.Catalog) {
	next := newServed(c, s.static)
	if !s.changed {
		next.list = s.current.Load().list
	}
	s.changed = false
	s.current.Store(next)
}

func (s *Server) notify(pages []registry.PageID) {
	version := s.catalog().Version()
	s.mu.Lock()
	defer s.mu.Unlock()
	for sess := range s.sessions {
		sess.out.listChanged(pages, version)
	}
}

// catalog is the current one.
func (s *Server) catalog() *registry.Catalog { return s.current.Load().catalog }

func (s *Server) add(sess *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	sess.id = fmt.Sprintf("stdio-%d", s.lastID)
	s.sessions[sess] = true
}

func (s *Server) remove(sess *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, sess)
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
