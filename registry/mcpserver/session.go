package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"
	"time"
)

// session is one client's connection.
type session struct {
	server *Server
	id     string
	log    *slog.Logger
	ctx    context.Context
	out    *outbox
	peer   *peer // what mcp-go knows of the session
}

// ServeStdio serves one client until its input ends, ctx ends or writing
// fails. Calls in flight are then cancelled, and what they answer is still
// written if the client reads it within [CloseGrace]. It returns nil at the
// end of input and the cause of ctx otherwise.
//
// A read that can't be interrupted keeps one goroutine until it returns, and
// so does a write to a client that doesn't read: close in and out to end them.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(ErrSessionOver)

	sess := &session{server: s, ctx: ctx, out: newOutbox()}
	s.add(sess)
	defer s.remove(sess)
	sess.log = s.log.With("session", sess.id)
	sess.peer = newPeer(sess)
	if err := s.mcp.RegisterSession(ctx, sess.peer); err != nil {
		return err
	}
	defer s.mcp.UnregisterSession(context.WithoutCancel(ctx), sess.id)
	go sess.peer.pump(ctx, sess.out)

	written := make(chan error, 1)
	go func() { written <- sess.out.write(out) }()
	read := make(chan error, 1)
	go func() { read <- sess.read(in) }()

	var err error
	select {
	case err = <-read:
		sess.log.Debug("end of input", "err", err)
	case <-ctx.Done():
		err = context.Cause(ctx)
	case err = <-written:
		written = nil
	}
	sess.out.stop(ErrSessionOver)
	return errors.Join(err, sess.drain(written))
}

// drain waits for the last answers to be given and written.
func (s *session) drain(written <-chan error) error {
	grace := time.NewTimer(CloseGrace)
	defer grace.Stop()
	select {
	case <-s.out.idle:
	case <-grace.C:
		s.log.Warn("calls did not end in time", "grace", CloseGrace)
	}
	s.out.close()
	if written == nil {
		return nil
	}
	select {
	case err := <-written:
		return err
	case <-grace.C:
		s.log.Warn("the client did not read its last answers in time", "grace", CloseGrace)
		return nil
	}
}

// read is the session's only reader. It waits where the client leaves too
// many answers unread.
func (s *session) read(in io.Reader) error {
	lines := newLineReader(in, s.server.options.MaxLine)
	for {
		line, err := lines.next()
		switch {
		case s.ctx.Err() != nil:
			return nil
		case err == errTooLong:
			s.refuse(nil, rpcErrorf(codeParse, "the message is longer than %d bytes and was skipped", s.server.options.MaxLine))
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
	m, err := parseMessage(line)
	switch {
	case err != nil:
		s.log.Debug("bad message", "err", err)
		s.refuse(m.ID, err)
	case m.isResponse():
		s.log.Debug("answer to no request of ours", "id", string(m.ID))
	case m.ID == nil:
		s.notified(m)
	default:
		s.request(m)
	}
}

func (s *session) notified(m *message) {
	switch m.Method {
	case "notifications/initialized":
		s.out.ready()
	case "notifications/cancelled":
		var p struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(m.Params, &p) == nil {
			s.out.cancelled(p.RequestID)
		}
	default:
		s.log.Debug("notification ignored", "method", m.Method)
	}
}

func (s *session) request(m *message) {
	r := &request{id: m.ID}
	r.ctx, r.cancel = context.WithCancelCause(s.ctx)
	if err := s.out.begin(r); err != nil {
		r.cancel(nil)
		s.refuse(m.ID, err)
		return
	}
	switch m.Method {
	case "initialize":
		s.serve(r, m)
	case "ping":
		go s.serve(r, m)
	default:
		s.out.ready()
		go s.serve(r, m)
	}
}

// refuse answers a message that became no request.
func (s *session) refuse(id json.RawMessage, err *rpcError) {
	s.out.send(reply{err: err}.envelope(id))
}

// serve answers one request, whatever happens.
func (s *session) serve(r *request, m *message) {
	defer r.cancel(nil)
	answer := reply{err: rpcErrorf(codeInternal, "internal error in %s; the hub's log says more", cut(m.Method, 64))}
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", "method", m.Method, "panic", p, "stack", string(debug.Stack()))
		}
		s.out.finish(r, answer)
	}()
	answer = s.answer(r, m)
}

func (s *session) answer(r *request, m *message) reply {
	switch m.Method {
	case "tools/list":
		return s.listTools(r, m)
	case "tools/call":
		return s.callTool(r, m)
	case "initialize":
		answer := s.delegate(r, m)
		if answer.err == nil {
			s.out.initialized()
		}
		return answer
	case "subscriptions/listen":
		defer s.out.unsubscribe(canonicalID(m.ID))
	}
	return s.delegate(r, m)
}

// toolParams are the params of tools/list and tools/call.
type toolParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Cursor    string          `json:"cursor"`
	RawMeta   json.RawMessage `json:"_meta"`

	meta requestMeta
}

func (m *message) toolParams() (p toolParams, err *rpcError) {
	if len(m.Params) == 0 {
		return p, nil
	}
	if e := json.Unmarshal(m.Params, &p); e != nil {
		return p, rpcErrorf(codeInvalidParams, "the params of %s are wrong: %v", m.Method, e)
	}
	if len(p.RawMeta) > 0 {
		// Members of the wrong type count as not given.
		_ = json.Unmarshal(p.RawMeta, &p.meta)
	}
	return p, nil
}

func (s *session) listTools(r *request, m *message) reply {
	p, err := m.toolParams()
	if err != nil {
		return reply{err: err}
	}
	if p.meta.modern() && !p.meta.sound() {
		return s.delegate(r, m)
	}
	if p.Cursor != "" {
		return reply{err: rpcErrorf(codeInvalidParams, "unknown cursor: the list has one page only")}
	}
	now := s.server.current.Load()
	raw := now.list().legacy
	if p.meta.modern() {
		raw = now.list().modern()
	}
	return reply{result: raw, seen: view{catalog: now.catalog, list: true}}
}
