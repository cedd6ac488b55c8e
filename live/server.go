package live

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Hub is the part of the hub that the live page uses, and through which its user acts.
type Hub interface {
	// Version returns the hub's version, such as "1.2.3".
	Version() string
	Clients() []mcpserver.ClientState
	// ExclusiveHolder returns the session that keeps a tab to itself, or "".
	ExclusiveHolder(page registry.PageID) string
	ConnectPage(ctx context.Context, page registry.PageID) error
	DisconnectPage(ctx context.Context, page registry.PageID) error
	// Call calls a tool as a person, and returns when the call has ended. The id of the session that calls begins
	// with PersonSession.
	Call(ctx context.Context, tool string, args json.RawMessage) error
}

// Permitter is a [Hub] whose user chooses permissions for whole sites, in the extension's popup.
type Permitter interface {
	// Permissions returns the permissions by the origins of their sites.
	Permissions() map[string]string
	// Permit sets the permission for a site; "" takes it back.
	Permit(origin, permission string) error
}

// PersonSession is the prefix of the ids of sessions in which a person calls tools here. No client can choose it.
const PersonSession = "person"

// Server is the live page of one hub, or of one tenant of a gateway.
type Server struct {
	*Pages  // where the page is served
	Pauses  // what its user has paused
	tenant  string
	log     *slog.Logger
	store   *store
	last    atomic.Uint64 // the id of the last call
	subject Subject       // nil if the hub serves all pages

	// Show sets these. They are set whenever a request is served.
	hub   Hub
	ended context.Context

	streams sync.WaitGroup // streams of pictures
}

// Close ends a live page that is not being served, and its Pages.
func (s *Server) Close() {
	s.Pages.Close()
	s.store.close()
}

// Show makes the Pages serve the live page of a hub until end is called or ctx ends. Show may be called once, and so
// may end, which waits for the viewers of pictures.
func (s *Server) Show(ctx context.Context, hub Hub) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	s.hub, s.ended = hub, ctx
	s.state.do(func(st *pagesState) { st.pages[s.tenant] = s })
	return func() {
		s.state.do(func(st *pagesState) {
			if st.pages[s.tenant] == s {
				delete(st.pages, s.tenant)
			}
		})
		cancel()
		s.end()
		s.store.close()
	}
}

// path returns the path of the page.
func (s *Server) path() string {
	if s.tenant == "" {
		return s.auth.path
	}
	return s.auth.path + s.tenant + "/"
}

// stay returns a context for a stream of this page that a session has open. The context ends with ctx, with the
// session, and with the page. The caller must call leave.
func (s *Server) stay(ctx context.Context, session string) (_ context.Context, leave func()) {
	ctx, cancel := context.WithCancel(ctx)
	forget := context.AfterFunc(s.ended, cancel)
	ctx, gone := s.Pages.stay(ctx, session)
	return ctx, func() {
		forget()
		cancel()
		gone()
	}
}

// Apply follows the catalogs. The page is a publisher beside the MCP server.
func (s *Server) Apply(effects []registry.Effect) {
	for _, e := range effects {
		if served, is := e.(registry.SetCatalog); is {
			now := Served{At: time.Now(), Catalog: served.Catalog}
			s.store.tell(func(b *store) {
				b.state.Step(now)
				s.forgetTabs(b)
			})
		}
	}
}

// Watch follows calls. It is used as [calls.Oversight].Watch.
func (s *Server) Watch(r calls.Record, cancel func()) (over func(calls.Record, json.RawMessage)) {
	id := s.last.Add(1)
	began := callOf(id, r)
	s.store.tell(func(b *store) {
		b.running[id] = cancel
		c := began
		c.Args = b.withhold(r.Name, r.Args, r.Tool)
		b.state.Step(Began{c})
		if strings.HasPrefix(r.Session, PersonSession) {
			b.begins(c.Name, r.Args, id)
		}
	})
	return func(r calls.Record, answer json.RawMessage) {
		c := known(began, r)
		c.Ended, c.Outcome = r.Began.Add(r.Took), r.Outcome
		c.Result = Cut(answer)
		var snapshot json.RawMessage
		if bytes.Contains(answer, []byte("box")) { // perhaps a snapshot with a field
			snapshot = answer
		}
		s.store.tell(func(b *store) {
			delete(b.running, id)
			c.Args = b.withhold(r.Name, r.Args, r.Tool)
			b.fields.Result(snapshot)
			b.state.Step(Ended{Call: c})
		})
	}
}

// maxName is how many bytes are kept of a client's name and of the name that it called.
const maxName = 200

func callOf(id uint64, r calls.Record) Call {
	// The client chooses both names.
	return known(Call{ID: id, Began: r.Began, Session: r.Session, Client: sanitize.Text(r.Client, maxName),
		Name: sanitize.Text(r.Name, maxName)}, r)
}

// known adds to a call what its record contains by now.
func known(c Call, r calls.Record) Call {
	c.Asked, c.Answered, c.Person, c.Tab, c.Origin = r.Asked, r.Answered, r.Person, r.Tab, r.Origin
	if r.Tool != nil {
		c.Name, c.Tool, c.Origin = r.Tool.Name, r.Tool.Route.Tool, r.Tool.Origin()
	}
	return c
}
