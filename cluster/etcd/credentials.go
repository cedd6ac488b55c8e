package etcd

import (
	"context"
	"crypto/tls"
	"net"
	"strings"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/peer"
)

// transport is how connections to the endpoints are secured, if at all.
func (o Options) transport() (credentials.TransportCredentials, error) {
	if len(o.Endpoints) == 0 || !strings.HasPrefix(o.Endpoints[0], "https://") {
		return traced{insecure.NewCredentials()}, nil
	}
	if o.TLS == nil {
		return traced{credentials.NewTLS(nil)}, nil
	}
	c, err := o.TLS()
	if err != nil {
		return nil, err
	}
	return traced{renewing{credentials.NewTLS(c), o.TLS}}, nil
}

// renewing asks for the TLS configuration of each connection, so that files can be read again.
type renewing struct {
	credentials.TransportCredentials // by the configuration at the start; it shakes no hands
	config                           func() (*tls.Config, error)
}

func (r renewing) ClientHandshake(ctx context.Context, authority string,
	conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	c, err := r.config()
	if err != nil {
		return nil, nil, err
	}
	return credentials.NewTLS(c).ClientHandshake(ctx, authority, conn)
}

func (r renewing) Clone() credentials.TransportCredentials {
	return renewing{r.TransportCredentials.Clone(), r.config}
}

// traced has each connection's peer carry the connection, so that whoever gets no answer can hang up.
type traced struct {
	credentials.TransportCredentials
}

func (t traced) ClientHandshake(ctx context.Context, authority string,
	conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	secured, info, err := t.TransportCredentials.ClientHandshake(ctx, authority, conn)
	return secured, line{info, conn}, err
}

func (t traced) Clone() credentials.TransportCredentials {
	return traced{t.TransportCredentials.Clone()}
}

// line is what is known of a connection, and the connection itself.
type line struct {
	credentials.AuthInfo
	conn net.Conn
}

// GetCommonAuthInfo is what gRPC asks before it sends secrets.
func (l line) GetCommonAuthInfo() (info credentials.CommonAuthInfo) {
	if i, ok := l.AuthInfo.(interface {
		GetCommonAuthInfo() credentials.CommonAuthInfo
	}); ok {
		return i.GetCommonAuthInfo()
	}
	return info
}

// hangUp closes the connection by which a peer was asked, so that all that waits on it goes elsewhere.
// It reports whether there was one.
func hangUp(on *peer.Peer) bool {
	l, ok := on.AuthInfo.(line)
	return ok && l.conn.Close() == nil
}
