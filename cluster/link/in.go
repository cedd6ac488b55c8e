package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/remote"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"webmcphub/internal/socket"
)

// window is how many bytes of a stream may wait for Receive. It is a fixed one, because gRPC's own
// guess has each message followed by a ping and its answer.
const window = 8 << 20

// in is a peer's stream to us. The goroutine that reads it has its messages heard.
type in struct {
	id    uint64
	heard atomic.Bool // since alive was called last
	busy  atomic.Bool // a message is being heard, and nothing is read meanwhile

	taken chan struct{} // closed when the peer's actor knows of the stream
	once  sync.Once
	ended chan struct{}
	why   string // once ended is closed
}

// alive says whether the stream has brought something since it was called last, or couldn't have.
func (i *in) alive() bool { return i.heard.Swap(false) || i.busy.Load() }

// end may be called from any goroutine.
func (i *in) end(why string) {
	i.once.Do(func() {
		i.why = why
		close(i.ended)
	})
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
	l.server = grpc.NewServer(grpc.Creds(l.serverCredentials()), grpc.MaxConcurrentStreams(1),
		grpc.WaitForHandlers(true), grpc.ConnectionTimeout(l.options.Silence),
		grpc.ForceServerCodecV2(newCodec()), grpc.StaticStreamWindowSize(l.options.window),
		grpc.StaticConnWindowSize(l.options.window))
	remote.RegisterRemotingServer(l.server, &server{link: l})
	l.running.Add(1)
	go func() {
		defer l.running.Done()
		_ = l.server.Serve(yielding{l.listener}) // until Close
	}()
}

// Receive is one stream, from its opening to its end.
func (s *server) Receive(stream remote.Remoting_ReceiveServer) error {
	l := s.link
	first := make(chan *remote.RemoteMessage, 1)
	failed := make(chan error, 1)
	i := &in{id: l.streams.Add(1), taken: make(chan struct{}), ended: make(chan struct{})}
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
	case (from.Role == Node) == (self.Role == Node):
		return nil, fmt.Errorf("%s can't talk with %s: links are between gateways and nodes, and operators and nodes",
			from, self)
	}
	if err := l.identify(stream.Context(), from); err != nil {
		return nil, err
	}
	if err := stream.Send(accepted(self.id())); err != nil {
		return nil, err
	}
	var to *peer
	err = l.with(from, func(p *peer) error {
		to = p
		p.entrust(handed{i, came{i.id, o.session, o.address}})
		return nil
	})
	return to, err
}

// read tells what a stream brings: its opening to first, and messages to the peer that was accepted
// for it.
func (s *server) read(stream remote.Remoting_ReceiveServer, i *in, first chan<- *remote.RemoteMessage,
	accepted <-chan *peer) error {
	m, err := stream.Recv()
	if err != nil {
		return err
	}
	first <- m
	p, err := i.await(stream.Context(), accepted)
	if err != nil {
		return err
	}
	var parts parts
	peer, self := p.who.id(), s.link.options.Self.id()
	for {
		var came packet
		if err := stream.RecvMsg(&came); err != nil {
			return err
		}
		i.heard.Store(true)
		frames, err := came.unpack(peer, self)
		if err != nil {
			return violation{err}
		}
		for _, f := range frames {
			before := len(parts)
			raw, err := parts.add(f)
			if err != nil {
				return violation{err}
			}
			if raw == nil {
				if len(parts) > before {
					p.hearing(i)
				}
				continue
			}
			if err := p.hear(i, raw); err != nil {
				return err
			}
		}
	}
}

// await waits for the peer that is accepted for the stream, until its actor knows of the stream.
func (i *in) await(ctx context.Context, accepted <-chan *peer) (*peer, error) {
	var p *peer
	select {
	case p = <-accepted:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case <-i.taken:
		return p, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// yielding accepts connections whose readers let those run first whom they woke: see internal/socket.
type yielding struct{ net.Listener }

func (y yielding) Accept() (net.Conn, error) {
	conn, err := y.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return socket.YieldingConn(conn), nil
}
