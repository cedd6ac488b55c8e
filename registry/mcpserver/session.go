package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/mcpserver/lines"
)

// session is one client's connection.
type session struct {
	server *Server
	id     string
	log    *slog.Logger
	ctx    context.Context
	out    *outbox
	peer   *peer    // what mcp-go knows of the session
	crew   *workers // of stdio

	ownView bool // it doesn't follow the server's options
}

// newSession makes a session and has it follow the catalog, until remove.
func (s *Server) newSession(ctx context.Context, out *outbox, transport string) *session {
	return s.newSessionWith(ctx, s.options.view(), false, out, transport)
}

func (s *Server) newSessionWith(ctx context.Context, v View, ownView bool, out *outbox, transport string) *session {
	out.view = v
	sess := &session{server: s, ctx: ctx, out: out, ownView: ownView}
	s.add(sess, transport)
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
	return s.serveStream(ctx, s.options.view(), false, nil, in, out)
}

func (s *Server) serveStream(ctx context.Context, v View, ownView bool, listed <-chan bool, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(ErrSessionOver)

	sess := s.newSessionWith(ctx, v, ownView, newOutbox(), "stdio")
	sess.crew = newWorkers()
	defer s.remove(sess)
	if err := s.mcp.RegisterSession(ctx, sess.peer); err != nil {
		return err
	}
	defer s.mcp.UnregisterSession(context.WithoutCancel(ctx), sess.id)
	go sess.peer.pump(ctx, sess.out)

	written := make(chan error, 1)
	sess.out.start(out)
	go func() { written <- sess.out.write() }()
	read := make(chan error, 1)
	go func() { read <- sess.read(in) }()

	var err error
	for open := true; open; {
		open = false
		select {
		case on := <-listed:
			sess.list(on)
			open = true
		case err = <-read:
			sess.log.Debug("end of input", "err", err)
		case <-ctx.Done():
			err = context.Cause(ctx)
		case err = <-written:
			written = nil
		}
	}
	sess.out.stop(ErrSessionOver)
	sess.drain(written)
	return err
}

// drain waits for the last answers to be given and written; written is nil if
// nothing more can be.
func (s *session) drain(written <-chan error) {
	grace := time.NewTimer(CloseGrace)
	defer grace.Stop()
	select {
	case <-s.out.idle:
	case <-grace.C:
		s.log.Warn("calls did not end in time", "grace", CloseGrace)
	}
	s.out.close()
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
		for !s.out.hasRoom() {
			select {
			case <-s.out.room:
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
		s.out.clientAnswered(&m)
	case m.ID == nil:
		s.notified(&m)
	default:
		s.request(&m)
	}
}

func (s *session) notified(m *jsonrpc.Message) {
	switch m.Method {
	case "notifications/initialized":
		s.out.ready()
		s.goesOn()
	case "notifications/cancelled":
		for name, id := range jsonrpc.Members(m.Params) {
			if name == "requestId" {
				s.out.cancelled(id)
			}
		}
	default:
		s.log.Debug("notification ignored", "method", m.Method)
	}
}

func (s *session) request(m *jsonrpc.Message) {
	r := &request{id: m.ID}
	r.ctx, r.cancel = context.WithCancelCause(s.ctx)
	if err := s.out.begin(r); err != nil {
		r.cancel(nil)
		s.refuse(m.ID, err)
		return
	}
	if m.Method == "initialize" {
		s.serve(r, m)
		s.out.awaken() // the reader must not wait for a client that doesn't read
		return
	}
	if m.Method != "ping" {
		s.out.ready()
	}
	s.crew.run(s.ctx, func() {
		s.serve(r, m)
		s.out.flush()
	})
}

// refuse answers a message that became no request.
func (s *session) refuse(id json.RawMessage, err *jsonrpc.Error) {
	s.out.send(jsonrpc.Failure(id, err))
}

// serve answers one request, whatever happens.
func (s *session) serve(r *request, m *jsonrpc.Message) {
	defer r.cancel(nil)
	var answer reply
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", "method", m.Method, "panic", p, "stack", string(debug.Stack()))
			answer = reply{err: internalError(m)}
		}
		s.out.finish(r, answer)
	}()
	answer = s.answer(r, m)
}

func internalError(m *jsonrpc.Message) *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.CodeInternal, "internal error in %s; the hub's log says more", cut(m.Method, 64))
}

func (s *session) answer(r *request, m *jsonrpc.Message) reply {
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
		if answer.err == nil {
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
		if answer.err == nil {
			s.out.introduced(m.Params)
			s.out.initialized()
		}
		return answer
	}
	return s.delegate(r, m)
}

func (s *session) listTools(r *request, m *jsonrpc.Message) reply {
	p, err := readToolParams(m)
	switch {
	case err != nil:
		return reply{err: err}
	case !p.sound():
		return s.delegate(r, m)
	case s.out.view.ListPage > 0:
		raw, seen, err := s.listPage(p.cursor, s.out.view.ListPage)
		if err == nil && p.modern() {
			raw = asModern(raw)
		}
		return reply{result: raw, seen: seen, err: err}
	case p.cursor != "":
		return reply{err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown cursor: the list has one page only")}
	}
	list, seen := s.out.listing(s.server)
	raw := list.legacy()
	if p.modern() {
		raw = list.modern()
	}
	return reply{result: raw, seen: seen}
}
