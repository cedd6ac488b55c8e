package leases

import (
	"context"

	"webmcphub/registry/mcpserver/client"
	"webmcphub/registry/mcpserver/lens"
)

// Resume puts a new client where it stood with another server. A tab that it had to
// itself it has so again, unless another client has it by now. memory, which may be nil,
// takes in what else was remembered of it.
func (l *Leases) Resume(c *client.Client, at lens.Place, memory client.Memory) {
	if memory != nil {
		memory.Resume(c.ID, at.Remembered)
		memory.Follow(c.ID, c.Lens.Touch)
	}
	c.Lens.Resume(at)
	if at.Exclusive && c.Lens.Focuses(at.Page) && l.Take(at.Page, c) {
		l.Begun(c)
	}
}

// Follow tells where a client stands, and what memory remembers of it, whenever that
// changes, until ctx ends. memory and moved may be nil.
func (l *Leases) Follow(ctx context.Context, c *client.Client, memory client.Memory, moved func(lens.Place)) {
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
		if memory != nil {
			at.Remembered = memory.Remembered(c.ID)
		}
		if at != last && ctx.Err() == nil {
			last = at
			moved(at)
		}
	}
}
