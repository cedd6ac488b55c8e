package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/mcpserver/calls"
	"webmcphub/registry/mcpserver/client"
	"webmcphub/registry/mcpserver/lens"
	"webmcphub/registry/mcpserver/lines"
	"webmcphub/registry/mcpserver/wire"
	"webmcphub/registry/sanitize"
)

// session is one client's connection.
type session struct {
	server *Server
	client *client.Client
	log    *slog.Logger
	ctx    context.Context
	peer   *peer    // what mcp-go knows of the session
	crew   *workers // of stdio
	stay   stayed

	ownView bool // it doesn't follow the server's options
}

// newSession makes a session that sees what the server's options say and has it
// follow the catalog, until remove. For sessionless, see [wire.NewConn].
func (s *Server) newSession(ctx context.Context, sessionless bool, transport string) *session {
	sess := &session{server: s, ctx: ctx}
	s.add(sess, s.options.View, sessionless, transport)
	return sess
}

// ServeStdio serves one client until its input ends, ctx ends or writing
// fails. Calls in flight are then cancelled, and what they answer is still
// written if the client reads it within [CloseGrace]. It returns nil at the
// end of input and the cause of ctx otherwise.
//
// A read that can't be interrupted keeps one goroutine until it returns, and
// so does a write to a client that doesn't read: close in and out to end them.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return s.serveStream(ctx, &session{server: s}, s.options.View, nil, in, out)
}

// ServeView is [Server.ServeStdio] for a client with a view of its own, which
// is a valid one. What comes from listed switches the listing of page tools on
// and off for this client; it may be nil.
func (s *Server) ServeView(ctx context.Context, v lens.View, listed <-chan bool, in io.Reader, out io.Writer) error {
	return s.serveStream(ctx, &session{server: s, ownView: true}, v, listed, in, out)
}

func (s *Server) serveStream(ctx context.Context, sess *session, v lens.View, listed <-chan bool, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(wire.ErrSessionOver)

	sess.ctx, sess.crew = ctx, newWorkers()
	s.add(sess, v, false, "stdio")
	defer s.remove(sess)
	if err := s.mcp.RegisterSession(ctx, sess.peer); err != nil {
		return err
	}
	defer s.mcp.UnregisterSession(context.WithoutCancel(ctx), sess.client.ID)
	conn := sess.client.Conn
	go sess.peer.pump(ctx, conn)

	written := make(chan error, 1)
	conn.Start(out)
	go func() { written <- conn.Write() }()
	read := make(chan error, 1)
	go func() { read <- sess.read(in) }()

	var err error
	for open := true; open; {
		open = false
		select {
		case on := <-listed:
			sess.client.List(on, s.current.Load())
			open = true
		case err = <-read:
			sess.log.Debug("end of input", "err", err)
		case <-ctx.Done():
			err = context.Cause(ctx)
		case err = <-written:
			written = nil
		}
	}
	sess.stop(wire.ErrSessionOver)
	sess.drain(written)
	return err
}

// drain waits for the last answers to be given and written; written is nil if
// nothing more can be.
func (s *session) drain(written <-chan error) {
	grace := time.NewTimer(CloseGrace)
	defer grace.Stop()
	select {
	case <-s.client.Conn.Idle():
	case <-grace.C:
		s.log.Warn("calls did not end in time", "grace", CloseGrace, "held", s.client.Conn.Holds())
	}
	s.client.Conn.Close()
	if written == nil {
		return
	}
	select {
	case err := <-written:
		if err != nil {
			s.log.Debug("the client did not wait for its last answers", "err", err)
		}
	case <-grace.C:
		s.log.Warn("the client did not read its last answers in time", "grace", CloseGrace)
	}
}

// read is the session's only reader. It waits where the client leaves too
// many answers unread.
func (s *session) read(in io.Reader) error {
	messages := lines.New(in, s.server.options.MaxLine)
	for {
		line, err := messages.Next()
		switch {
		case s.ctx.Err() != nil:
			return nil
		case err == lines.ErrTooLong:
			s.refuse(nil, jsonrpc.Errorf(jsonrpc.CodeParse, "the message is longer than %d bytes and was skipped", s.server.options.MaxLine))
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		default:
			s.receive(line)
		}
		for !s.client.Conn.HasRoom() {
			select {
			case <-s.client.Conn.Room():
			case <-s.ctx.Done():
				return nil
			}
		}
	}
}

// receive routes one message. Notifications and initialize are handled in
// order, here; every other request has a goroutine of its own.
func (s *session) receive(line []byte) {
	m, err := jsonrpc.Parse(line)
	switch {
	case err != nil:
		s.log.Debug("bad message", "err", err)
		s.refuse(m.ID, err)
	case m.Response:
		s.client.Conn.ClientAnswered(&m)
	case m.ID == nil:
		s.notified(&m)
	default:
		s.request(&m)
	}
}

func (s *session) notified(m *jsonrpc.Message) {
	switch m.Method {
	case "notifications/initialized":
		s.client.Conn.Ready()
		s.goesOn()
	case "notifications/cancelled":
		for name, id := range jsonrpc.Members(m.Params) {
			if name == "requestId" {
				s.client.Conn.Cancelled(id)
			}
		}
	default:
		s.log.Debug("notification ignored", "method", m.Method)
	}
}

func (s *session) request(m *jsonrpc.Message) {
	r := wire.NewRequest(s.ctx, m.ID)
	if err := s.client.Conn.Begin(r); err != nil {
		r.Cancel(nil)
		s.refuse(m.ID, err)
		return
	}
	if m.Method == "initialize" {
		s.serve(r, m)
		s.client.Conn.Awaken() // the reader must not wait for a client that doesn't read
		return
	}
	if m.Method != "ping" {
		s.client.Conn.Ready()
	}
	s.crew.run(s.ctx, func() {
		s.serve(r, m)
		s.client.Conn.Flush()
	})
}

// refuse answers a message that became no request.
func (s *session) refuse(id json.RawMessage, err *jsonrpc.Error) {
	s.client.Conn.Send(jsonrpc.Failure(id, err))
}

// serve answers one request, whatever happens.
func (s *session) serve(r *wire.Request, m *jsonrpc.Message) {
	defer r.Cancel(nil)
	var answer wire.Reply
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", "method", m.Method, "panic", p, "stack", string(debug.Stack()))
			answer = wire.Reply{Err: internalError(m)}
		}
		s.client.Conn.Finish(r, answer)
	}()
	answer = s.answer(r, m)
}

func internalError(m *jsonrpc.Message) *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.CodeInternal, "internal error in %s; the hub's log says more", sanitize.Text(m.Method, 64))
}

func (s *session) answer(r *wire.Request, m *jsonrpc.Message) wire.Reply {
	switch m.Method {
	case "initialize", "ping", "server/discover":
	default:
		s.goesOn()
	}
	switch m.Method {
	case "tools/list":
		return s.listTools(r, m)
	case "tools/call":
		return s.callTool(r, m)
	case "resources/list", "resources/templates/list", "prompts/list":
		return s.listOffers(r, m)
	case "resources/read", "resources/subscribe", "resources/unsubscribe", "prompts/get", "completion/complete":
		return s.askPage(r, m)
	case "logging/setLevel":
		answer := s.delegate(r, m)
		if answer.Err == nil {
			s.server.logLevelSet(true)
		}
		return answer
	case "subscriptions/listen":
		defer s.unlisten(r)
		answer := s.delegate(r, m)
		s.peer.settle() // the acknowledgement goes before the answer
		return answer
	case "server/discover":
		return s.ownInstructions(s.delegate(r, m))
	case "initialize":
		answer := s.ownInstructions(s.delegate(r, m))
		if answer.Err == nil {
			s.client.Introduced(m.Params)
			s.client.Conn.Initialized()
		}
		return answer
	}
	return s.delegate(r, m)
}

func (s *session) listTools(r *wire.Request, m *jsonrpc.Message) wire.Reply {
	p, err := readToolParams(m)
	l := s.client.Lens
	switch {
	case err != nil:
		return wire.Reply{Err: err}
	case !p.sound():
		return s.delegate(r, m)
	case l.View().ListPage > 0:
		raw, seen, ok := l.ListPage(p.cursor, l.View().ListPage)
		if !ok {
			return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown cursor: the list has changed since it was given; ask for tools/list without a cursor again")}
		}
		if p.modern() {
			raw = lens.AsModern(raw)
		}
		return s.client.Reads(wire.Reply{Result: raw}, seen)
	case p.cursor != "":
		return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown cursor: the list has one page only")}
	}
	list, seen := l.Listing()
	raw := list.Legacy
	if p.modern() {
		raw = list.Modern
	}
	return s.client.Reads(wire.Reply{Result: raw()}, seen)
}

func (s *session) callTool(r *wire.Request, m *jsonrpc.Message) wire.Reply {
	p, err := readToolParams(m)
	switch {
	case err != nil:
		return wire.Reply{Err: err}
	case !p.sound():
		return s.delegate(r, m)
	case p.name == "":
		return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, `tools/call needs the tool's "name"`)}
	}
	answer := s.server.calls.Handle(r.Ctx, calls.ToolCall{
		Name:   p.name,
		Args:   p.arguments,
		Token:  p.token,
		Meta:   p.meta,
		Cancel: r.Cancel,

		Extensions: p.extensions,
		Client:     s.client,
		Request:    r,
	})
	if p.modern() && answer.Err == nil {
		answer.Result = withResultType(answer.Result)
	}
	return answer
}

// withResultType adds what protocol 2026-07-28 asks for in results.
func withResultType(result json.RawMessage) json.RawMessage {
	rest, ok := bytes.CutPrefix(result, []byte("{"))
	if !ok {
		return result
	}
	return append([]byte(`{"resultType":"complete",`), rest...)
}
