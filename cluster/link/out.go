package link

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/remote"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"webmcphub/internal/socket"
)

const (
	// firstPause and longestPause bound the time between two tries to reach a peer: it is reached
	// at the latest longestPause after it has begun to listen.
	firstPause   = 20 * time.Millisecond
	longestPause = 250 * time.Millisecond
	// lastWords is how long a link that is closed may still send.
	lastWords = 2 * time.Second
)

// out is our stream to a peer, for one link. Its goroutine dials and writes; what becomes of it is
// told to the peer's actor.
type out struct {
	peer             *peer
	account          *account
	session, address string
	box              *socket.Outbox
	cancel           context.CancelFunc
}

// opened is a stream on which the peer has accepted our opening, and its connection.
type opened struct {
	remote.Remoting_ReceiveClient
	conn *grpc.ClientConn
}

func (o *out) start() {
	var ctx context.Context
	ctx, o.cancel = context.WithCancel(context.Background())
	o.peer.link.running.Add(2)
	o.peer.link.sending.Add(1)
	go func() {
		defer o.peer.link.running.Done()
		o.beat(ctx)
	}()
	go func() {
		defer o.peer.link.running.Done()
		defer o.peer.link.sending.Done()
		defer o.cancel()
		if err := o.run(ctx); err != nil {
			o.peer.tell(outEnded{o.session, "our connection to it ended: " + reason(err)})
		}
		o.box.Discard()
	}()
}

// beat sends signs of life until ctx ends, except while something else waits to be one. It doesn't
// need the peer's actor, which may be busy with a long message.
func (o *out) beat(ctx context.Context) {
	ticker := time.NewTicker(o.peer.link.period())
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if o.account.waiting.Load() == 0 {
			f := encodeFrame(beating, nil)
			o.account.waiting.Add(int64(len(f)))
			o.box.Push(f)
		}
	}
}

// hangUp ends the stream at once.
func (o *out) hangUp() {
	o.box.Discard()
	o.cancel()
}

// finish ends the stream when all is sent.
func (o *out) finish() {
	o.box.Finish()
	time.AfterFunc(lastWords, o.cancel)
}

// run reaches the peer and sends what is handed over, until one of both ends it.
func (o *out) run(ctx context.Context) error {
	stream, err := o.reach(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = stream.conn.Close() }()
	o.peer.tell(reached{o.session})
	ended := make(chan error, 1)
	o.peer.link.running.Add(1)
	go func() { // the peer says nothing more on it: this is to hear of its end
		defer o.peer.link.running.Done()
		_, err := stream.Recv()
		ended <- err
		o.box.Discard()
	}()
	if err := o.write(stream); err != nil {
		return err
	}
	_ = stream.CloseSend()
	return <-ended
}

// reach dials until the peer accepts the stream.
func (o *out) reach(ctx context.Context) (*opened, error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		stream, err := o.open(ctx)
		if err == nil || ctx.Err() != nil {
			return stream, err
		}
		o.peer.tell(unreached{o.session, reason(err)})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// open dials once. The stream's context is ctx; the opening must be accepted within the time of
// silence.
func (o *out) open(ctx context.Context) (*opened, error) {
	l := o.peer.link
	if l.options.TLS == nil {
		if err := OnLoopback(o.address); err != nil {
			return nil, err
		}
	}
	conn, err := grpc.NewClient("passthrough:///"+o.address, l.dialOptions(o.peer.who)...)
	if err != nil {
		return nil, err
	}
	late := time.AfterFunc(l.options.Silence, func() { _ = conn.Close() })
	defer late.Stop()
	stream, err := o.greet(ctx, conn)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &opened{stream, conn}, nil
}

func (o *out) greet(ctx context.Context, conn *grpc.ClientConn) (remote.Remoting_ReceiveClient, error) {
	stream, err := remote.NewRemotingClient(conn).Receive(ctx, grpc.ForceCodecV2(newCodec()))
	if err != nil {
		return nil, err
	}
	self := o.peer.link.options.Self
	hello := opening{from: self.id(), to: o.peer.who.id(), session: o.session, address: self.Address}
	if err := stream.Send(hello.message()); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	answer, err := stream.Recv() // tells why Send met an io.EOF, too
	if err != nil {
		return nil, err
	}
	if answer.GetConnectResponse().GetMemberId() != o.peer.who.id() {
		return nil, errors.New("what listens there is no " + o.peer.who.String())
	}
	return stream, nil
}

// write sends what is handed over, until there is no more or it can't.
func (o *out) write(stream *opened) error {
	self := o.peer.link.options.Self
	route, err := newRoute(actor.NewPID(self.Address, self.id()), actor.NewPID(o.address, o.peer.who.id()))
	if err != nil {
		return err
	}
	var spare [][]byte
	for more := true; more; {
		var all [][]byte
		all, more = o.box.Take(spare)
		for rest := all; len(rest) > 0; {
			n, size := 0, 0
			for n < len(rest) && (n == 0 || size+len(rest[n]) <= largestBatch) {
				size += len(rest[n])
				n++
			}
			if err := stream.SendMsg(route.pack(rest[:n])); err != nil {
				return err
			}
			o.box.Wrote(size)
			o.account.waiting.Add(-int64(size))
			rest = rest[n:]
		}
		clear(all)
		spare = all
	}
	return nil
}

func (l *Link) dialOptions(to Peer) []grpc.DialOption {
	var d net.Dialer
	return []grpc.DialOption{
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
			conn, err := d.DialContext(ctx, "tcp", address)
			if err != nil {
				return nil, err
			}
			return socket.YieldingConn(conn), nil
		}),
		grpc.WithTransportCredentials(l.clientCredentials(to)),
		grpc.WithDisableServiceConfig(),
		grpc.WithStaticStreamWindowSize(l.options.window), grpc.WithStaticConnWindowSize(l.options.window),
	}
}

// reason is an error's text without gRPC's wrapping.
func reason(err error) string {
	if err == nil || errors.Is(err, io.EOF) {
		return "it was closed there"
	}
	text := err.Error()
	if s, ok := status.FromError(err); ok {
		text = s.Message()
		if s.Code() == codes.Canceled || strings.HasSuffix(text, "reading from server: EOF") {
			return "it broke off"
		}
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, `connection error: desc = "transport: `), `"`)
	if strings.Contains(text, "remote error: tls:") {
		text += " (it refuses our certificate; its log says why)"
	}
	return text
}
