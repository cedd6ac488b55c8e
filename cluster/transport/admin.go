package transport

import (
	"context"
	"errors"
	"fmt"

	"webmcphub/cluster/api"
	"webmcphub/cluster/certs"
)

// Admin asks nodes how they are, and to leave, as operators do: without being a gateway that offers their pages. Its
// methods may be called from any goroutine.
type Admin struct{ dialer *Dialer }

// NewAdmin makes one with this name, which is an operator's in its certificate. Without certificates it asks nodes of
// this machine alone.
func NewAdmin(as string, tls *certs.Files) (*Admin, error) {
	d, err := NewDialer(Caller{Role: Operator, Name: as}, tls, nil)
	return &Admin{d}, err
}

// Status says how a node is, which listens at that address.
func (a *Admin) Status(ctx context.Context, node, address string) (s *api.NodeStatus, err error) {
	err = a.ask(ctx, node, address, func(c api.AdminClient) error {
		s, err = c.Status(ctx, &api.StatusRequest{})
		return err
	})
	return s, err
}

// Drain has a node leave. It returns when the node has begun to.
func (a *Admin) Drain(ctx context.Context, node, address string) error {
	return a.ask(ctx, node, address, func(c api.AdminClient) error {
		_, err := c.Drain(ctx, &api.DrainRequest{})
		return err
	})
}

func (a *Admin) ask(ctx context.Context, node, address string, do func(api.AdminClient) error) error {
	conn, err := a.dialer.Dial(node, address)
	if err != nil {
		return fmt.Errorf("the node %s can't be asked: %w", node, err)
	}
	defer func() { _ = conn.Close() }()
	if err := do(api.NewAdminClient(conn)); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else {
			err = errors.New(Reason(err))
		}
		return fmt.Errorf("the node %s at %s doesn't answer: %w", node, address, err)
	}
	return nil
}
