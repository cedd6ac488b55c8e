// Package operator asks nodes how they are, and to leave, as operators do: without being a gateway
// that offers their pages.
package operator

import (
	"context"
	"errors"
	"fmt"

	"webmcphub/cluster/api"
	"webmcphub/cluster/certs"
	"webmcphub/cluster/transport"
)

// Operator asks nodes. Its methods may be called from any goroutine.
type Operator struct{ dialer *transport.Dialer }

// Open makes one with this name, which is an operator's in its certificate. Without certificates it asks nodes of this
// machine alone.
func Open(as string, tls *certs.Files) (*Operator, error) {
	d, err := transport.NewDialer(transport.Caller{Role: transport.Operator, Name: as}, tls, nil)
	return &Operator{d}, err
}

// Status says how a node is, which listens at that address.
func (o *Operator) Status(ctx context.Context, node, address string) (s *api.NodeStatus, err error) {
	err = o.ask(ctx, node, address, func(c api.AdminClient) error {
		s, err = c.Status(ctx, &api.StatusRequest{})
		return err
	})
	return s, err
}

// Drain has a node leave. It returns when the node has begun to.
func (o *Operator) Drain(ctx context.Context, node, address string) error {
	return o.ask(ctx, node, address, func(c api.AdminClient) error {
		_, err := c.Drain(ctx, &api.DrainRequest{})
		return err
	})
}

func (o *Operator) ask(ctx context.Context, node, address string, do func(api.AdminClient) error) error {
	conn, err := o.dialer.Dial(node, address)
	if err != nil {
		return fmt.Errorf("the node %s can't be asked: %w", node, err)
	}
	defer func() { _ = conn.Close() }()
	if err := do(api.NewAdminClient(conn)); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else {
			err = errors.New(transport.Reason(err))
		}
		return fmt.Errorf("the node %s at %s doesn't answer: %w", node, address, err)
	}
	return nil
}
