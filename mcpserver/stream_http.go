package mcpserver

import (
	"context"
	"log/slog"
	"net"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/mcpserver/mcphttp"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
)

// ServeStreamableHTTP serves any number of clients over MCP's streamable HTTP, see [mcphttp.Serve].
func (s *Server) ServeStreamableHTTP(ctx context.Context, l net.Listener, o mcphttp.Options) error {
	return mcphttp.Serve(ctx, overHTTP{s}, l, o, s.log)
}

// HTTPHandler returns a handler for clients of MCP's streamable HTTP that have been admitted, see
// [mcphttp.NewHandler].
func (s *Server) HTTPHandler(o mcphttp.Options) (h http.Handler, end func(cause error)) {
	return mcphttp.NewHandler(context.Background(), overHTTP{s}, o, s.log)
}

// overHTTP is the server as its HTTP transport sees it.
type overHTTP struct{ *Server }

func (s overHTTP) Connect(ctx context.Context, sessionless bool) (mcphttp.Session, error) {
	ctx, end := context.WithCancelCause(ctx)
	sess := &session{server: s.Server, ctx: ctx, end: end}
	s.add(sess, s.options.View, sessionless, "http")
	if sessionless { // mcp-go sends it nothing but the answers to its requests
		return sess, nil
	}
	if err := s.mcp.RegisterSession(ctx, sess.peer); err != nil {
		sess.End(err)
		return nil, err
	}
	return sess, nil
}

func (s overHTTP) Unheard(c *view.Client) { s.calls.Leases.Release(c) }

func (s overHTTP) Answered(r *wire.Request) {
	s.sessions.sessionlessAnswered(r)
	if work := r.Carried(); work != nil {
		s.sessions.sessionlessAnswered(work)
	}
}

// Versions leaves out the versions without sessions if each client has a focus, which can't be kept without a
// session.
func (s overHTTP) Versions() (all []string) {
	for _, v := range mcp.ValidProtocolVersions {
		if s.options.View.Mode != view.FocusedTab || !mcp.IsModernProtocol(v) {
			all = append(all, v)
		}
	}
	return all
}

func (s *session) Client() *view.Client       { return s.client }
func (s *session) Context() context.Context   { return s.ctx }
func (s *session) Log() *slog.Logger          { return s.log }
func (s *session) Notify(ctx context.Context) { s.peer.pump(ctx, s.client.Conn) }

// End ends a session over HTTP. It waits for the answers to what the client was asked in the session.
func (s *session) End(cause error) {
	if !s.work.outlives(func() { s.endNow(cause) }) {
		s.endNow(cause)
	}
}

func (s *session) endNow(cause error) {
	s.stop(cause)
	s.end(cause)
	s.server.mcp.UnregisterSession(context.WithoutCancel(s.ctx), s.client.ID)
	s.server.remove(s)
}
