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
		return traced{insecure.NewCredentials(), nil}, nil
	}
	if o.TLS == nil {
		return traced{credentials.NewTLS(nil), nil}, nil
	}
	c, err := o.TLS()
	return traced{credentials.NewTLS(c), o.TLS}, err
}

// traced has each connection's peer carry the connection, so that whoever gets no answer can hang up.
type traced struct {
	credentials.TransportCredentials
	// config, if not nil, is asked for the TLS configuration of each connection, so that files can be read again.
	config func() (*tls.Config, error)
}

func (t traced) ClientHandshake(ctx context.Context, authority string,
	conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	by := t.TransportCredentials
	if t.config != nil {
		c, err := t.config()
		if err != nil {
			return nil, nil, err
		}
		by = credentials.NewTLS(c)
	}
	secured, info, err := by.ClientHandshake(ctx, authority, conn)
	return secured, line{info, conn}, err
}

func (t traced) Clone() credentials.TransportCredentials {
	return traced{t.TransportCredentials.Clone(), t.config}
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
