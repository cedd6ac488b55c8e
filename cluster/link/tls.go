package link

import (
	"context"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	grpcpeer "google.golang.org/grpc/peer"
)

func (l *Link) clientCredentials(Peer) credentials.TransportCredentials {
	return insecure.NewCredentials()
}

func (l *Link) serverCredentials() (credentials.TransportCredentials, error) {
	return insecure.NewCredentials(), nil
}

// identify says why a connection isn't the peer's.
func (l *Link) identify(context.Context, Peer) error { return nil }

func remoteAddress(ctx context.Context) string {
	if p, ok := grpcpeer.FromContext(ctx); ok {
		return p.Addr.String()
	}
	return ""
}
