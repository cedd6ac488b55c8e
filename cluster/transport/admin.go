package transport

import (
	"context"
	"errors"
	"fmt"

	"webmcphub/cluster/api"
)

// Admin asks the node at an address over a new connection. Operators ask nodes for their status, or to leave. This
// connection doesn't make the operator a gateway that watches the node.
func (d *Dialer) Admin(ctx context.Context, node, address string, ask func(api.AdminClient) error) error {
	conn, err := d.Dial(node, address)
	if err != nil {
		return fmt.Errorf("the node %s can't be asked: %w", node, err)
	}
	defer func() { _ = conn.Close() }()
	if err := ask(api.NewAdminClient(conn)); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else {
			err = errors.New(Reason(err))
		}
		return fmt.Errorf("the node %s at %s doesn't answer: %w", node, address, err)
	}
	return nil
}
