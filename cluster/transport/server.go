package transport

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"webmcphub/cluster/certs"
	"webmcphub/internal/loglimit"
	"webmcphub/internal/socket"
)

const (
	// MaxMessage is how many bytes a call's arguments or its result may have.
	MaxMessage = 64 << 20
	// maxRequest is how many bytes a message to a node may have: the arguments, and what comes with them.
	maxRequest = MaxMessage + 1<<20
	// maxStreams is how many calls of a gateway gRPC accepts. The node refuses calls before that, with the reason.
	maxStreams = 4096
	// closeGrace is how long calls may take to end when the node stops.
	closeGrace = 2 * time.Second
	// Silence is how long a peer may show no sign of life before it counts as lost.
	Silence = 5 * time.Second
	// The windows say how many bytes of a call, and of a connection, may be in flight. They are fixed because with
	// gRPC's own estimate, a ping and its answer would follow each message.
	streamWindow = 1 << 20
	connWindow   = 8 << 20
)

// ServerOptions configure a [Server]. They never change.
type ServerOptions struct {
	Node      string       // the node's name
	Listen    string       // host:port; loopback unless TLS is set
	Advertise string       // host:port at which gateways reach the node; "" means where it listens
	TLS       *certs.Files // nil means without TLS
	Logger    *slog.Logger
}

// Server accepts connections to a node. Register services with it, then call Serve.
type Server struct {
	*grpc.Server
	Address  string // host:port at which gateways reach the node
	name     string
	listener net.Listener
	certs    *certs.Set // nil without TLS
	log      *slog.Logger
	serving  sync.WaitGroup

	mu    sync.Mutex
	limit loglimit.Limit
}

// Listen opens a node's port.
func Listen(o ServerOptions) (*Server, error) {
	s := &Server{name: o.Node, log: cmp.Or(o.Logger, slog.New(slog.DiscardHandler))}
	if err := nodeID(o.Node).Check(); err != nil {
		return nil, err
	}
	if o.TLS == nil {
		for _, address := range []string{o.Listen, o.Advertise} {
			if err := OnLoopback(address); address != "" && err != nil {
				return nil, err
			}
		}
	}
	var err error
	if s.certs, err = openCerts(o.TLS, nodeID(o.Node), s.log); err != nil {
		return nil, err
	}
	if s.listener, err = net.Listen("tcp", o.Listen); err != nil {
		return nil, fmt.Errorf("node %s can't listen for gateways: %w", o.Node, err)
	}
	if s.Address = o.Advertise; s.Address == "" {
		at := s.listener.Addr().(*net.TCPAddr)
		if at.IP.IsUnspecified() {
			_ = s.listener.Close()
			return nil, fmt.Errorf("node %s listens on all its addresses, and has no address at which gateways reach "+
				"it: give one with --advertise", o.Node)
		}
		s.Address = at.String()
	}
	s.Server = grpc.NewServer(grpc.Creds(s.credentials()), grpc.MaxConcurrentStreams(maxStreams),
		grpc.WaitForHandlers(true), grpc.ConnectionTimeout(Silence), grpc.ForceServerCodecV2(newCodec()),
		grpc.StaticStreamWindowSize(streamWindow), grpc.StaticConnWindowSize(connWindow),
		grpc.MaxRecvMsgSize(maxRequest), grpc.UnaryInterceptor(s.unary), grpc.StreamInterceptor(s.stream),
		// A gateway that sends no more bytes is lost after Silence.
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 2 * time.Second, Timeout: Silence - 2*time.Second}))
	return s, nil
}

// Addr returns the address at which the server listens.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Serve serves in the background until Close is called.
func (s *Server) Serve() {
	s.serving.Go(func() { _ = s.Server.Serve(yielding{s.listener}) })
}

// Close gives calls a short time to end, and returns when nothing runs any more.
func (s *Server) Close() {
	late := time.AfterFunc(closeGrace, s.Stop)
	s.GracefulStop()
	late.Stop()
	_ = s.listener.Close() // in case that Serve was never called
	s.serving.Wait()
}

// openCerts reads a process's certificates. It returns nil if files is nil.
func openCerts(files *certs.Files, self certs.Identity, log *slog.Logger) (*certs.Set, error) {
	if files == nil {
		return nil, nil
	}
	return certs.Open(*files, self, func(err error) {
		if err != nil {
			log.Error("the new certificates can't be used: the earlier ones stay in use", "error", err)
			return
		}
		log.Info("the certificates have changed: new connections use the new ones")
	})
}

func (s *Server) credentials() credentials.TransportCredentials {
	if s.certs == nil {
		return insecure.NewCredentials()
	}
	return &logging{credentials.NewTLS(s.certs.Server()), s}
}

// logging is credentials that log why a connection is refused, because the peer doesn't learn the reason.
type logging struct {
	credentials.TransportCredentials
	server *Server
}

// ServerHandshake implements [credentials.TransportCredentials].
func (t *logging) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := t.TransportCredentials.ServerHandshake(raw)
	if err != nil {
		t.server.warn(raw.RemoteAddr().String(), err)
	}
	return conn, info, err
}

// Clone implements [credentials.TransportCredentials].
func (t *logging) Clone() credentials.TransportCredentials {
	return &logging{t.TransportCredentials.Clone(), t.server}
}

// warn logs a refused connection, at a limited rate.
func (s *Server) warn(from string, why error) {
	s.mu.Lock()
	unsaid, ok := s.limit.Allow()
	s.mu.Unlock()
	if ok {
		s.log.Warn("a connection was refused", "from", from, "why", why, "unsaid", unsaid)
	}
}

// yielding accepts connections whose readers first let the goroutines run that they woke: see internal/socket.
type yielding struct{ net.Listener }

// Accept implements [net.Listener].
func (y yielding) Accept() (net.Conn, error) {
	conn, err := y.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return socket.YieldingConn(conn), nil
}

var errClosed = errors.New("the other side has closed the connection")
