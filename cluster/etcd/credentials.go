package etcd

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
	"sync"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// transport is how connections to the endpoints are secured, if at all. They are noted in open.
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

// noted notes connections by the addresses of those who are reached.
type noted struct {
	credentials.TransportCredentials
	// config, if not nil, is asked for the TLS configuration of each connection, so that files can be read again.
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
	n.open.Store(conn.RemoteAddr().String(), conn)
	return by.ClientHandshake(ctx, authority, conn)
}

func (n noted) Clone() credentials.TransportCredentials {
	return noted{n.TransportCredentials.Clone(), n.config, n.open}
}

// hangUp closes the connection by which a member was asked, so that all that waits on it goes elsewhere. It reports
// whether that is still there.
func (k *backend) hangUp(on answer) bool {
	is, _ := k.open.Load(on.member())
	conn, ok := is.(net.Conn)
	return ok && conn.LocalAddr().String() == on.by.LocalAddr.String() && conn.Close() == nil
}
