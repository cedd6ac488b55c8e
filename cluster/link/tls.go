package link

import (
	"context"
	"fmt"
	"net"
	"sync"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	grpcpeer "google.golang.org/grpc/peer"

	"webmcphub/cluster/certs"
	"webmcphub/internal/loglimit"
)

// identity is a peer as certificates have it.
func (p Peer) identity() certs.Identity { return certs.Identity{Role: string(p.Role), Name: p.Name} }

// openCerts reads our certificates, if there are any.
func (l *Link) openCerts() (err error) {
	if l.options.TLS == nil {
		return nil
	}
	l.certs, err = certs.Open(*l.options.TLS, l.options.Self.identity(), func(err error) {
		if err != nil {
			l.log.Error("the certificates have changed, and won't do: the earlier ones stay in use", "error", err)
			return
		}
		l.log.Info("the certificates have changed, and hold for connections from now on")
	})
	return err
}

func (l *Link) clientCredentials(to Peer) credentials.TransportCredentials {
	if l.certs == nil {
		return insecure.NewCredentials()
	}
	return credentials.NewTLS(l.certs.Client(to.identity()))
}

func (l *Link) serverCredentials() credentials.TransportCredentials {
	if l.certs == nil {
		return insecure.NewCredentials()
	}
	return &telling{credentials.NewTLS(l.certs.Server()), l}
}

// telling are credentials that log why a connection is refused: the other side isn't told.
type telling struct {
	credentials.TransportCredentials
	link *Link
}

func (t *telling) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := t.TransportCredentials.ServerHandshake(raw)
	if err != nil {
		t.link.refused.warn(t.link, raw.RemoteAddr().String(), err)
	}
	return conn, info, err
}

func (t *telling) Clone() credentials.TransportCredentials {
	return &telling{t.TransportCredentials.Clone(), t.link}
}

// identify says why a connection isn't the peer's. Without TLS any may be.
func (l *Link) identify(ctx context.Context, from Peer) error {
	if l.certs == nil {
		return nil
	}
	p, _ := grpcpeer.FromContext(ctx)
	info, ok := p.AuthInfo.(credentials.TLSInfo)
	if !ok {
		return fmt.Errorf("%s came without TLS", from)
	}
	is, err := certs.Peer(info.State)
	if err == nil && is != from.identity() {
		err = fmt.Errorf("it says that it is %s, and its certificate is that of %s", from, is)
	}
	return err
}

func remoteAddress(ctx context.Context) string {
	if p, ok := grpcpeer.FromContext(ctx); ok {
		return p.Addr.String()
	}
	return ""
}

// refusals logs what was refused, however many try.
type refusals struct {
	mu    sync.Mutex
	limit loglimit.Limit
}

func (r *refusals) warn(l *Link, from string, why error) {
	r.mu.Lock()
	unsaid, ok := r.limit.Allow()
	r.mu.Unlock()
	if ok {
		l.log.Warn("a connection was refused", "from", from, "why", why, "unsaid", unsaid)
	}
}
