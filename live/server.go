package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/live/model"
	"webmcphub/registry"
	"webmcphub/registry/mcpserver"
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
	// Screen begins to show a tab; whoever asks closes it.
	Screen(ctx context.Context, tab *registry.Tab) (Screen, error)
}

// PersonSession begins the ids of sessions in which a person calls tools here. No client
// can choose it.
const PersonSession = "person"

// Options are fixed for the life of a [Server].
type Options struct {
	Listener net.Listener
	Hosts    []string // by which the listener is reached besides the names of this computer
	Logger   *slog.Logger
}

// Server is the live page of one hub.
type Server struct {
	log      *slog.Logger
	listener net.Listener
	door     *door
	book     *owner
	pauses   atomic.Pointer[paused] // the owner of the book alone stores
	last     atomic.Uint64          // the id that a call got last
	subject  Subject                // nil where the hub is for all pages

	// Those whom it serves have these of Serve.
	hub   Hub
	ended context.Context

	streams sync.WaitGroup // of pictures
}

// New makes a page that nobody is served yet. It is for Serve or Close to end it.
func New(o Options) *Server {
	return &Server{log: o.Logger, listener: o.Listener, door: newDoor(o.Listener.Addr(), o.Hosts), book: newOwner()}
}

// Address is where the page is, which is no secret to whoever has come in.
func (s *Server) Address() string { return "http://" + s.listener.Addr().String() + s.door.path }

// Link is an address that lets one browser in, once, within [LinkTime].
func (s *Server) Link() string {
	var token string
	s.book.ask(func(b *book) { token = b.link(time.Now()) })
	return s.Address() + "?token=" + token
}

// Secret lets a program of this user have a link: by a POST to [Server.Address] and "link",
// with the secret as a bearer token and the address's own Origin.
func (s *Server) Secret() string { return s.door.secret }

// Close ends a page that is not served.
func (s *Server) Close() {
	_ = s.listener.Close()
	s.book.close()
}

// Serve serves the page of a hub until ctx ends. It is called once.
func (s *Server) Serve(ctx context.Context, hub Hub) error {
	defer s.book.close()
	defer s.end()
	s.hub, s.ended = hub, ctx
	server := &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	defer server.Close() // ends those who look at tabs, whom end waits for
	if err := server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Apply follows the catalogs, as a publisher beside the MCP server.
func (s *Server) Apply(effects []registry.Effect) {
	for _, e := range effects {
		if served, is := e.(registry.Serve); is {
			now := model.Served{At: time.Now(), Catalog: served.Catalog}
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
	began := model.Began{Call: callOf(id, r)}
	s.book.follow(func(b *book) {
		b.running[id] = cancel
		b.state.Step(began)
	})
	return func(r mcpserver.CallRecord, answer json.RawMessage) {
		c := known(began.Call, r)
		c.Ended, c.Outcome = r.Began.Add(r.Took), r.Outcome
		c.Result = model.Cut(answer)
		s.book.follow(func(b *book) {
			delete(b.running, id)
			b.state.Step(model.Ended{Call: c})
		})
	}
}

// maxName is the longest name in bytes that is kept of a client or of what it called.
const maxName = 200

func callOf(id uint64, r mcpserver.CallRecord) model.Call {
	// The client chooses the name of what it calls, and its own.
	return known(model.Call{ID: id, Began: r.Began, Session: r.Session, Client: sanitize.Text(r.Client, maxName), Name: sanitize.Text(r.Name, maxName)}, r)
}

// known is a call with what is known of it by now.
func known(c model.Call, r mcpserver.CallRecord) model.Call {
	c.Asked, c.Answered, c.Tab = r.Asked, r.Answered, r.Tab
	if c.Args.Size != len(r.Args) || !bytes.Equal(c.Args.JSON, r.Args[:len(c.Args.JSON)]) {
		c.Args = model.Cut(r.Args)
	}
	if r.Tool != nil {
		c.Name, c.Tool, c.Origin = r.Tool.Name, r.Tool.Route.Tool, r.Tool.Origin()
	}
	return c
}
