package live

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/mcpserver"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Hub is what the page's user can do with the hub besides looking.
type Hub interface {
	// Version is the hub's, as in "1.2.3".
	Version() string
	Clients() []mcpserver.ClientState
	// Keeper is the session that keeps a tab, or "".
	Keeper(page registry.PageID) string
	ConnectPage(ctx context.Context, page registry.PageID) error
	DisconnectPage(ctx context.Context, page registry.PageID) error
	// Call calls a tool as a person, and returns when that is over. PersonSession begins
	// the id of the session that does.
	Call(ctx context.Context, tool string, args json.RawMessage) error
}

// PersonSession begins the ids of sessions in which a person calls tools here. No client
// can choose it.
const PersonSession = "person"

// Server is the live page of one hub, or of one tenant of a gateway.
type Server struct {
	*Site   // where it is served
	tenant  string
	log     *slog.Logger
	book    *owner
	pauses  atomic.Pointer[paused] // the owner of the book alone stores
	last    atomic.Uint64          // the id that a call got last
	subject Subject                // nil where the hub is for all pages

	// Those whom it serves have these of Show.
	hub   Hub
	ended context.Context

	streams sync.WaitGroup // of pictures
}

// New makes the page of a hub that has no tenants, and the site for it. Nobody is served yet. It is
// for Serve or Close to end it.
func New(o Options) *Server { return NewSite(o).Page("") }

// Close ends a page that is not shown, and its site.
func (s *Server) Close() {
	s.Site.Close()
	s.book.close()
}

// Serve serves the page of a hub until ctx ends. It is called once.
func (s *Server) Serve(ctx context.Context, hub Hub) error {
	defer s.Show(ctx, hub)()
	return s.Site.Serve(ctx)
}

// Show has the site serve the page of a hub until end is called, or ctx ends. It is called once, and
// so is end, which waits for those who look.
func (s *Server) Show(ctx context.Context, hub Hub) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	s.hub, s.ended = hub, ctx
	s.hall.ask(func(h *hall) { h.pages[s.tenant] = s })
	return func() {
		s.hall.ask(func(h *hall) {
			if h.pages[s.tenant] == s {
				delete(h.pages, s.tenant)
			}
		})
		cancel()
		s.end()
		s.book.close()
	}
}

// path is under which the page is.
func (s *Server) path() string {
	if s.tenant == "" {
		return s.door.path
	}
	return s.door.path + s.tenant + "/"
}

// stay is a context for a stream that a session has of this page: it ends with ctx, with the session,
// and with the page. Whoever has it calls leave.
func (s *Server) stay(ctx context.Context, session string) (_ context.Context, leave func()) {
	ctx, cancel := context.WithCancel(ctx)
	forget := context.AfterFunc(s.ended, cancel)
	ctx, gone := s.Site.stay(ctx, session)
	return ctx, func() {
		forget()
		cancel()
		gone()
	}
}

// Apply follows the catalogs, as a publisher beside the MCP server.
func (s *Server) Apply(effects []registry.Effect) {
	for _, e := range effects {
		if served, is := e.(registry.Serve); is {
			now := Served{At: time.Now(), Catalog: served.Catalog}
			s.book.change(func(b *book) {
				b.state.Step(now)
				s.forgetTabs(b)
			})
		}
	}
}

// Watch follows calls; it is a [mcpserver.Oversight].Watch.
func (s *Server) Watch(r mcpserver.CallRecord, cancel func()) (over func(mcpserver.CallRecord, json.RawMessage)) {
	id := s.last.Add(1)
	began := Began{Call: callOf(id, r)}
	s.book.follow(func(b *book) {
		b.running[id] = cancel
		b.state.Step(began)
	})
	return func(r mcpserver.CallRecord, answer json.RawMessage) {
		c := known(began.Call, r)
		c.Ended, c.Outcome = r.Began.Add(r.Took), r.Outcome
		c.Result = Cut(answer)
		s.book.follow(func(b *book) {
			delete(b.running, id)
			b.state.Step(Ended{Call: c})
		})
	}
}

// maxName is the longest name in bytes that is kept of a client or of what it called.
const maxName = 200

func callOf(id uint64, r mcpserver.CallRecord) Call {
	// The client chooses the name of what it calls, and its own.
	return known(Call{ID: id, Began: r.Began, Session: r.Session, Client: sanitize.Text(r.Client, maxName),
		Name: sanitize.Text(r.Name, maxName)}, r)
}

// known is a call with what is known of it by now.
func known(c Call, r mcpserver.CallRecord) Call {
	c.Asked, c.Answered, c.Tab = r.Asked, r.Answered, r.Tab
	if c.Args.Size != len(r.Args) || !bytes.Equal(c.Args.JSON, r.Args[:len(c.Args.JSON)]) {
		c.Args = Cut(r.Args)
	}
	if r.Tool != nil {
		c.Name, c.Tool, c.Origin = r.Tool.Name, r.Tool.Route.Tool, r.Tool.Origin()
	}
	return c
}
