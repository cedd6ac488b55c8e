package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"webmcphub/cluster/api"
	"webmcphub/cluster/transport"
)

// A node that doesn't answer costs those that are asked after it none of their time.
func TestADeadNodeIsAskedForItself(t *testing.T) {
	n, _ := watchedNode(t, nil)
	flags := reachFlags{Node: map[string]string{"dead": "127.0.0.1:1", "one": n.Addr()}, Timeout: 2 * time.Second}
	var answered []string
	err := flags.each(func(ctx context.Context, op *transport.Dialer, name, address string) error {
		return op.Admin(ctx, name, address, func(node api.AdminClient) error {
			_, err := node.Status(ctx, &api.StatusRequest{})
			if err == nil {
				answered = append(answered, name)
			}
			return err
		})
	})
	if err == nil || !slices.Equal(answered, []string{"one"}) {
		t.Errorf("%v answered; the error is %v", answered, err)
	}
}
