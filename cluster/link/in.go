package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/remote"
	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// mostUnread is how many bytes of a stream may wait for Receive.
const mostUnread = 8 << 20 // at least largestPart

// in is a peer's stream to us. The goroutine that reads it tells the peer's actor what it brings.
type in struct {
	id    uint64
	gate  *semaphore.Weighted // of the bytes that may be unread
	heard atomic.Bool         // since alive was called last
	held  atomic.Bool         // the gate is closed: the stream isn't read

	once  sync.Once
	ended chan struct{}
	why   string // once ended is closed
}

// alive says whether the stream has brought something since it was called last, or couldn't have.
func (i *in) alive() bool { return i.heard.Swap(false) || i.held.Load() }

// end may be called from any goroutine.
func (i *in) end(why string) {
	i.once.Do(func() {
		i.why = why
		close(i.ended)
	})
}

// pass waits until so many bytes more may be unread.
func (i *in) pass(ctx context.Context, n int) error {
	i.heard.Store(true)
	if i.gate.TryAcquire(int64(n)) {
		return nil
	}
	i.held.Store(true)
	err := i.gate.Acquire(ctx, int64(n))
	i.heard.Store(true)
	i.held.Store(false)
	return err
}

// server takes peers' streams in. It is remote's service without remote's own reader: see the
// package's comment.
type server struct {
	remote.UnimplementedRemotingServer
	link *Link
}

// serve starts the actor system and the server.
func (l *Link) serve() {
	l.system = actor.NewActorSystem(
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }),
		actor.WithDeadLetterRequestLogging(false), actor.WithDeadLetterThrottleCount(0),
	)
	l.server = grpc.NewServer(grpc.Creds(l.serverCredentials()), grpc.MaxConcurrentStreams(1), grpc.WaitForHandlers(true), grpc.ConnectionTimeout(l.options.Silence))
	remote.RegisterRemotingServer(l.server, &server{link: l})
	l.running.Add(1)
	go func() {
		defer l.running.Done()
		_ = l.server.Serve(l.listener) // until Close
	}()
}

// Receive is one stream, from its opening to its end.
func (s *server) Receive(stream remote.Remoting_ReceiveServer) error {
	l := s.link
	first := make(chan *remote.RemoteMessage, 1)
	failed := make(chan error, 1)
	i := &in{id: l.streams.Add(1), gate: semaphore.NewWeighted(l.options.unread), ended: make(chan struct{})}
	accepted := make(chan *peer, 1)
	l.running.Add(1)
	go func() {
		defer l.running.Done()
		failed <- s.read(stream, i, first, accepted)
	}()
	select {
	case m := <-first:
		p, err := s.accept(stream, i, m)
		if err != nil {
			l.refused.warn(l, remoteAddress(stream.Context()), err)
			return status.Error(codes.PermissionDenied, err.Error())
		}
		accepted <- p
		return s.attend(p, i, failed)
	case err := <-failed:
		return err
	case <-time.After(l.options.Silence):
		return status.Error(codes.DeadlineExceeded, "nothing was said")
	}
}

// attend waits for a stream's end.
func (s *server) attend(p *peer, i *in, failed <-chan error) error {
	select {
	case <-i.ended:
		return status.Error(codes.Aborted, i.why)
	case err := <-failed:
		var wrong violation
		if errors.As(err, &wrong) {
			s.link.log.Warn("a peer broke the rules; its connection is ended", "peer", p.who.String(), "why", err)
		}
		p.tell(inEnded{i.id, "its connection to us ended: " + reason(err)})
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

// violation is what a peer mustn't do.
type violation struct{ error }

// accept checks whose stream it is, and gives it to that peer's actor.
func (s *server) accept(stream remote.Remoting_ReceiveServer, i *in, m *remote.RemoteMessage) (*peer, error) {
	l := s.link
	o, err := readOpening(m)
	if err != nil {
		return nil, err
	}
	from, err := peerOf(o.from)
	if err != nil {
		return nil, err
	}
	self := l.options.Self
	switch {
	case o.to != self.id():
		return nil, fmt.Errorf("%s was meant for %s, and this is %s: is an address wrong?", o.from, o.to, self.id())
	case from.Role == self.Role:
		return nil, fmt.Errorf("%s is a %s, too: links are between gateways and nodes", from, from.Role)
	}
	if err := l.identify(stream.Context(), from); err != nil {
		return nil, err
	}
	p, err := l.peer(from)
	if err != nil {
		return nil, err
	}
	if err := stream.Send(accepted(self.id())); err != nil {
		return nil, err
	}
	p.tell(handed{i, came{i.id, o.session, o.address}})
	return p, nil
}

// read tells what a stream brings: its opening to first, and frames to the actor of the peer that
// was accepted for it.
func (s *server) read(stream remote.Remoting_ReceiveServer, i *in, first chan<- *remote.RemoteMessage, accepted <-chan *peer) error {
	m, err := stream.Recv()
	if err != nil {
		return err
	}
	first <- m
	var p *peer
	select {
	case p = <-accepted:
	case <-stream.Context().Done():
		return stream.Context().Err()
	}
	for {
		m, err := stream.Recv()
		if err != nil {
			return err
		}
		if err := s.take(stream.Context(), p, i, m); err != nil {
			return err
		}
	}
}

func (s *server) take(ctx context.Context, p *peer, i *in, m *remote.RemoteMessage) error {
	frames, err := unpack(m, p.who.id(), s.link.options.Self.id())
	if err != nil {
		return violation{err}
	}
	for _, f := range frames {
		kind, data, err := decodeFrame(f)
		if err != nil {
			return violation{err}
		}
		if err := i.pass(ctx, len(data)); err != nil {
			return err
		}
		p.tell(arrived{i, frame{i.id, kind, data}})
	}
	return nil
}
