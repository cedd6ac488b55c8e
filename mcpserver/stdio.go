package mcpserver

import (
	"cmp"
	"context"
	"io"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/internal/workers"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
)

// maxIdle is how many goroutines of a session wait for more requests.
const maxIdle = 16

// ServeStdio serves one client until its input ends, ctx ends or writing fails. Calls in flight are then cancelled,
// and their answers are still written if the client reads them within [wire.CloseGrace]. ServeStdio returns nil at
// the end of input, the cause of ctx when ctx has ended, and otherwise the error of reading or writing.
//
// A read that can't be interrupted keeps one goroutine until it returns, and so does a write to a client that doesn't
// read: close in and out to end them.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return s.ServeGuest(ctx, view.Guest{}, in, out)
}

// ServeGuest does what [Server.ServeStdio] does for a guest.
func (s *Server) ServeGuest(ctx context.Context, g view.Guest, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(wire.ErrSessionOver)

	sess := &session{server: s, ctx: ctx, crew: workers.New(maxIdle, ctx.Done()), ownView: g.View != nil}
	s.add(sess, *cmp.Or(g.View, &s.options.Settings), false, cmp.Or(g.Kind, "stdio"))
	defer s.remove(sess)
	memory, _ := s.options.Trust.(view.Memory)
	s.calls.Leases.Resume(sess.client, g.Place, memory)
	s.calls.Leases.Follow(ctx, sess.client, memory, g.Moved)
	conn := sess.client.Conn
	written := make(chan error, 1)
	conn.Start(out)
	go func() { written <- conn.Write() }()
	read := make(chan error, 1)
	go func() { read <- sess.read(in) }()

	var err error
	for open := true; open; {
		open = false
		select {
		case on := <-g.Listed:
			sess.client.SetListing(on, s.current.Load())
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

// HoldTabs keeps tabs for the clients that had leases on them with another server of the same browser, until these
// clients have connected or [view.ResumesWithin] has passed. It must be called before any client is served.
func (s *Server) HoldTabs(pages []registry.PageID) { s.calls.Leases.Hold(pages) }

// drain waits until the last answers are written. written is nil if nothing more can be written.
func (s *session) drain(written <-chan error) {
	grace := time.NewTimer(wire.CloseGrace)
	defer grace.Stop()
	select {
	case <-s.client.Conn.Idle():
	case <-grace.C:
		s.log.Warn("calls did not end in time", "grace", wire.CloseGrace, "held", s.client.Conn.Holds())
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
		s.log.Warn("the client did not read its last answers in time", "grace", wire.CloseGrace)
	}
}

// read is the session's only reader. It waits while the client leaves too many answers unread.
func (s *session) read(in io.Reader) error {
	messages := jsonrpc.NewLineReader(in, s.server.options.MaxLine)
	for {
		line, err := messages.Next()
		switch {
		case s.ctx.Err() != nil:
			return nil
		case err == jsonrpc.ErrLineTooLong:
			s.refuse(nil, jsonrpc.Errorf(jsonrpc.CodeParse, "the message is longer than %d bytes and was skipped",
				s.server.options.MaxLine))
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
