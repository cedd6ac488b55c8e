package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"webmcphub/cluster/api"
	"webmcphub/cluster/certs"
)

// Caller identifies the process that makes a call.
type Caller struct {
	Role        string // Gateway or Operator
	Name        string
	Incarnation string // for a gateway; different after each start
}

// The roles of callers. Operators may call only the service Admin, and only operators may call it.
const (
	Gateway  = "gateway"
	Operator = "operator"
)

// The keys of metadata.
const (
	fromKey        = "webmcp-from"
	toKey          = "webmcp-to"
	incarnationKey = "webmcp-incarnation"
)

// nodeID and Caller.id return the identities that the metadata contains.
func nodeID(name string) certs.Identity { return certs.Identity{Role: "node", Name: name} }
func (c Caller) id() certs.Identity     { return certs.Identity{Role: c.Role, Name: c.Name} }

// OnLoopback returns an error if an address, host:port, must not be used without TLS.
func OnLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%q is not an address: give HOST:PORT: %w", address, err)
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s is beyond this machine, and there are no certificates: others could read and forge the "+
		"messages. Make certificates with webmcp-hub cluster cert, or stay on 127.0.0.1", address)
}

type callerKey struct{}

// CallerOf returns who made the call that a handler of a [Server] carries out.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// identified checks who calls a method, whether that process may call it, and whether the process means this node.
func (s *Server) identified(ctx context.Context, method string) (context.Context, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	first := func(key string) string {
		if all := md.Get(key); len(all) > 0 {
			return all[0]
		}
		return ""
	}
	from, err := certs.Parse(first(fromKey))
	to, self := first(toKey), nodeID(s.name).ID()
	switch {
	case err != nil:
		err = errors.New("it didn't say who it is: is something other than a gateway connecting here?")
	case to != self:
		err = fmt.Errorf("%s wants to reach %s, but this is %s: is an address wrong?", from.ID(), to, self)
	case (from.Role == Operator) != strings.HasPrefix(method, "/"+api.Admin_ServiceDesc.ServiceName+"/"):
		err = fmt.Errorf("%s may not call %s: only operators may call the service Admin, and they may call nothing else",
			from, method)
	case len(first(incarnationKey)) > 64:
		err = errors.New("its incarnation is too long")
	default:
		err = s.checkPeer(ctx, from)
	}
	if err != nil {
		s.warn(remoteAddress(ctx), err)
		return nil, status.Error(codes.PermissionDenied, err.Error())
	}
	return context.WithValue(ctx, callerKey{}, Caller{from.Role, from.Name, first(incarnationKey)}), nil
}

// checkPeer returns an error if a connection isn't the caller's. Without TLS it accepts every connection.
func (s *Server) checkPeer(ctx context.Context, from certs.Identity) error {
	if s.certs == nil {
		return nil
	}
	p, _ := peer.FromContext(ctx)
	info, ok := p.AuthInfo.(credentials.TLSInfo)
	if !ok || len(info.State.PeerCertificates) == 0 {
		return fmt.Errorf("%s connected without TLS", from)
	}
	is, err := certs.Of(info.State.PeerCertificates[0])
	if err == nil && is != from {
		err = fmt.Errorf("it says that it is %s, but its certificate is that of %s", from, is)
	}
	return err
}

func remoteAddress(ctx context.Context) string {
	if p, ok := peer.FromContext(ctx); ok {
		return p.Addr.String()
	}
	return ""
}

// identifiedStream is a stream whose context contains its caller.
type identifiedStream struct {
	grpc.ServerStream
	ctx context.Context
}

// Context implements [grpc.ServerStream].
func (s identifiedStream) Context() context.Context { return s.ctx }

func (s *Server) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	ctx, err := s.identified(ctx, info.FullMethod)
	if err != nil {
		return nil, err
	}
	return next(ctx, req)
}

func (s *Server) stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	ctx, err := s.identified(stream.Context(), info.FullMethod)
	if err != nil {
		return err
	}
	return next(srv, identifiedStream{stream, ctx})
}
