package leases

import (
	"context"

	"webmcphub/registry/mcpserver/client"
	"webmcphub/registry/mcpserver/lens"
)

// Resume puts a new client where it stood with another server. A tab that it had to
// itself it has so again, unless another client has it by now.
func (l *Leases) Resume(c *client.Client, at lens.Place) {
	c.Lens.Resume(at)
	if at.Exclusive && c.Lens.Focuses(at.Page) && l.Take(at.Page, c) {
		l.Begun(c)
	}
}

// Follow tells where a client stands, whenever that changes, until ctx ends. moved
// may be nil.
func (l *Leases) Follow(ctx context.Context, c *client.Client, moved func(lens.Place)) {
	if moved == nil {
		return
	}
	for last := (lens.Place{}); ; {
		select {
		case <-c.Lens.Moved():
		case <-ctx.Done():
			return
		}
		at := c.Lens.Place()
		at.Exclusive = l.Has(c)
		if at != last && ctx.Err() == nil {
			last = at
			moved(at)
		}
	}
}
