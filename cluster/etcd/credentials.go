package etcd

import (
	"context"
	"crypto/tls"
	"net"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// renewing asks for the TLS configuration of each connection, so that files can be read again.
type renewing struct {
	credentials.TransportCredentials // by the configuration at the start; it shakes no hands
	config                           func() (*tls.Config, error)
}

func (r renewing) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	c, err := r.config()
	if err != nil {
		return nil, nil, err
	}
	return credentials.NewTLS(c).ClientHandshake(ctx, authority, conn)
}

func (r renewing) Clone() credentials.TransportCredentials {
	return renewing{r.TransportCredentials.Clone(), r.config}
}

// secured are the options by which https endpoints are dialled; none for http.
func (o Options) secured() ([]grpc.DialOption, error) {
	if o.TLS == nil || len(o.Endpoints) == 0 || !strings.HasPrefix(o.Endpoints[0], "https://") {
		return nil, nil
	}
	c, err := o.TLS()
	if err != nil {
		return nil, err
	}
	return []grpc.DialOption{grpc.WithTransportCredentials(renewing{credentials.NewTLS(c), o.TLS})}, nil
}
