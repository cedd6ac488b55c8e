package transport

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"webmcphub/cluster/certs"
	"webmcphub/internal/socket"
)

// maxResponse is how many bytes a message from a node may have. Results of calls come in parts.
const maxResponse = 8 << 20

// Dialer dials nodes for a gateway or an operator.
type Dialer struct {
	self  Caller
	certs *certs.Set // nil without TLS
}

// NewDialer returns the dialer of a gateway or an operator, whose certificate must have the name in self. Without
// files it dials only nodes of this computer.
func NewDialer(self Caller, files *certs.Files, log *slog.Logger) (*Dialer, error) {
	id := self.id()
	if err := id.Check(); err != nil {
		return nil, err
	}
	set, err := openCerts(files, id, cmp.Or(log, slog.New(slog.DiscardHandler)))
	return &Dialer{self, set}, err
}

// Conn is a connection to a node.
type Conn struct {
	*grpc.ClientConn
	received atomic.Int64
}

// Received returns how many bytes have come from the node.
func (c *Conn) Received() int64 { return c.received.Load() }

// Dial returns a connection to the node at an address. The first call connects. The caller closes the connection.
func (d *Dialer) Dial(node, address string) (*Conn, error) {
	if d.certs == nil {
		if err := OnLoopback(address); err != nil {
			return nil, err
		}
	}
	secure := insecure.NewCredentials()
	if d.certs != nil {
		secure = credentials.NewTLS(d.certs.Client(nodeID(node)))
	}
	c := &Conn{}
	caller := callMetadata{fromKey: d.self.id().ID(), toKey: nodeID(node).ID(), incarnationKey: d.self.Incarnation}
	var dialer net.Dialer
	// The target is a constant, because grpc parses it as a URL, and an address may not be valid in a URL.
	conn, err := grpc.NewClient("passthrough:///node",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			raw, err := dialer.DialContext(ctx, "tcp", address)
			if err != nil {
				return nil, err
			}
			return counting{socket.YieldingConn(raw), &c.received}, nil
		}),
		grpc.WithTransportCredentials(secure), grpc.WithDisableServiceConfig(), grpc.WithDisableRetry(),
		grpc.WithStaticStreamWindowSize(streamWindow), grpc.WithStaticConnWindowSize(connWindow),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(newCodec()), grpc.MaxCallRecvMsgSize(maxResponse),
			grpc.MaxCallSendMsgSize(maxRequest)),
		grpc.WithPerRPCCredentials(caller))
	if err != nil {
		return nil, err
	}
	c.ClientConn = conn
	return c, nil
}

// callMetadata is the metadata of each call: who calls, in which incarnation, and which node is meant.
type callMetadata map[string]string

// GetRequestMetadata implements [credentials.PerRPCCredentials].
func (m callMetadata) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return m, nil
}

// RequireTransportSecurity implements [credentials.PerRPCCredentials]. The metadata isn't secret.
func (callMetadata) RequireTransportSecurity() bool { return false }

// counting counts the bytes that a connection receives.
type counting struct {
	net.Conn
	n *atomic.Int64
}

// Read implements [net.Conn].
func (c counting) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// Reason returns an error's text without gRPC's wrapping.
func Reason(err error) string {
	if err == nil || errors.Is(err, io.EOF) {
		return errClosed.Error()
	}
	text := err.Error()
	if s, ok := status.FromError(err); ok {
		text = s.Message()
		if s.Code() == codes.Canceled || strings.HasSuffix(text, "reading from server: EOF") {
			return "the connection was interrupted"
		}
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, `connection error: desc = "transport: `), `"`)
	if strings.Contains(text, "remote error: tls:") {
		text += " (it refuses our certificate; its log says why)"
	}
	return text
}

// Refusal returns why a node refused a request. ok is false for other errors, such as those of the connection.
func Refusal(err error) (why string, ok bool) {
	s, is := status.FromError(err)
	switch {
	case !is:
	case s.Code() == codes.Unimplemented:
		return "it doesn't support this request; bring the node and the gateway to neighbouring builds", true
	case s.Code() == codes.FailedPrecondition, s.Code() == codes.InvalidArgument:
		return s.Message(), true
	}
	return "", false
}

// Refuse returns the error by which a node says why it refuses a request.
func Refuse(why string) error {
	return status.Error(codes.FailedPrecondition, strings.ToValidUTF8(why, "\uFFFD"))
}
