package etcd

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"sync"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// transport returns credentials for connections to the endpoints, with TLS or without. They note connections in open.
func (o Options) transport(open *sync.Map) (credentials.TransportCredentials, error) {
	if len(o.Endpoints) == 0 || !strings.HasPrefix(o.Endpoints[0], "https://") {
		return noted{insecure.NewCredentials(), nil, open}, nil
	}
	if o.TLS == nil {
		return noted{credentials.NewTLS(nil), nil, open}, nil
	}
	c, err := o.TLS()
	return noted{credentials.NewTLS(c), o.TLS, open}, err
}

// noted notes open connections by their local and remote addresses. No two open connections have both in common.
type noted struct {
	credentials.TransportCredentials
	// config, if not nil, returns the TLS configuration for each connection, so that files can be read again.
	config func() (*tls.Config, error)
	open   *sync.Map
}

func (n noted) ClientHandshake(ctx context.Context, authority string,
	conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	by := n.TransportCredentials
	if n.config != nil {
		c, err := n.config()
		if err != nil {
			return nil, nil, err
		}
		by = credentials.NewTLS(c)
	}
	c := &notedConn{conn, n.open}
	secured, info, err := by.ClientHandshake(ctx, authority, c)
	if err == nil {
		n.open.Store(endsOf(c.LocalAddr(), c.RemoteAddr()), c)
	}
	return secured, info, err
}

func (n noted) Clone() credentials.TransportCredentials {
	return noted{n.TransportCredentials.Clone(), n.config, n.open}
}

// notedConn is a connection that removes itself from open when it is closed.
type notedConn struct {
	net.Conn
	open *sync.Map
}

func (c *notedConn) Close() error {
	c.open.CompareAndDelete(endsOf(c.LocalAddr(), c.RemoteAddr()), c)
	return c.Conn.Close()
}

// endsOf returns the key of a connection in open. The addresses may be nil.
func endsOf(local, remote net.Addr) string { return fmt.Sprint(local, remote) }

// hangUp closes the connection on which a member was asked, and all others to the same address, so that all requests
// on them go to another member. It reports whether the first connection was still open.
func (k *backend) hangUp(on answer) bool {
	if _, is := k.open.Load(endsOf(on.by.LocalAddr, on.by.Addr)); !is {
		return false
	}
	k.open.Range(func(_, is any) bool {
		if conn := is.(*notedConn); conn.RemoteAddr().String() == on.member() {
			_ = conn.Close()
		}
		return true
	})
	return true
}
