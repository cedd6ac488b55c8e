package view

import (
	"context"
	"sync/atomic"

	"webmcphub/registry"
)

// Current is the catalog that is served now. Any goroutine may read it.
type Current struct {
	served atomic.Pointer[Served]
	told   atomic.Pointer[Served] // the newest one that all clients have been told of
}

// NewCurrent begins with that one.
func NewCurrent(s *Served) *Current {
	c := &Current{}
	c.served.Store(s)
	c.told.Store(s)
	return c
}

// Load gives what is served now.
func (c *Current) Load() *Served { return c.served.Load() }

// Catalog is the catalog of that.
func (c *Current) Catalog() *registry.Catalog { return c.served.Load().Catalog }

// Serve makes a catalog the current one. Serve and Told belong to one goroutine.
func (c *Current) Serve(catalog *registry.Catalog) { c.served.Store(c.served.Load().Next(catalog)) }

// Told says that all clients have been told of the current catalog.
func (c *Current) Told() {
	now := c.served.Load()
	if last := c.told.Swap(now); last != now {
		close(last.replaced)
	}
}

// Await returns the first catalog that satisfies the condition, from the newest on that
// all clients have been told of, or nil when ctx ends. So what a client is shown
// afterwards ([Lens.Shown]) is that catalog or a newer one.
func (c *Current) Await(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog {
	for {
		now := c.told.Load()
		if satisfied(now.Catalog) {
			return now.Catalog
		}
		select {
		case <-now.replaced:
		case <-ctx.Done():
			return nil
		}
	}
}
