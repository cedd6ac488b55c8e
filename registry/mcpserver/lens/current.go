package lens

import (
	"context"
	"sync/atomic"

	"webmcphub/registry"
)

// Current is the catalog that is served now. Any goroutine may read it.
type Current struct{ served atomic.Pointer[Served] }

// NewCurrent begins with that one.
func NewCurrent(s *Served) *Current {
	c := &Current{}
	c.served.Store(s)
	return c
}

// Load gives what is served now.
func (c *Current) Load() *Served { return c.served.Load() }

// Catalog is the catalog of that.
func (c *Current) Catalog() *registry.Catalog { return c.served.Load().Catalog }

// Serve makes a catalog the current one. It belongs to one goroutine.
func (c *Current) Serve(catalog *registry.Catalog) {
	last := c.served.Load()
	c.served.Store(last.Next(catalog))
	close(last.Replaced)
}

// Await returns the first catalog that satisfies the condition, from the
// current one on, or nil when ctx ends.
func (c *Current) Await(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog {
	for {
		now := c.served.Load()
		if satisfied(now.Catalog) {
			return now.Catalog
		}
		select {
		case <-now.Replaced:
		case <-ctx.Done():
			return nil
		}
	}
}
