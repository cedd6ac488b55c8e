package view

import (
	"context"
	"sync/atomic"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Current is the catalog that is served now. Any goroutine may read it.
type Current struct {
	served    atomic.Pointer[ServedCatalog]
	delivered atomic.Pointer[ServedCatalog] // the newest catalog that has been given to all clients
}

// NewCurrent returns a Current that begins with s.
func NewCurrent(s *ServedCatalog) *Current {
	c := &Current{}
	c.served.Store(s)
	c.delivered.Store(s)
	return c
}

// Load returns what is served now.
func (c *Current) Load() *ServedCatalog { return c.served.Load() }

// Catalog returns the catalog that is served now.
func (c *Current) Catalog() *registry.Catalog { return c.served.Load().Catalog }

// Set makes a catalog the current one. Set and Delivered must be called by the same goroutine.
func (c *Current) Set(catalog *registry.Catalog) { c.served.Store(c.served.Load().Next(catalog)) }

// Delivered notes that all clients have been given the current catalog.
func (c *Current) Delivered() {
	now := c.served.Load()
	if last := c.delivered.Swap(now); last != now {
		close(last.replaced)
	}
}

// Await returns the first catalog that satisfies the condition, beginning with the newest that has been given to all
// clients. It returns nil when ctx ends. Because the clients already have that catalog, what [ClientView.Shown]
// returns afterwards is from that catalog or a newer one.
func (c *Current) Await(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog {
	for {
		now := c.delivered.Load()
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

// maxStatus is the maximum length in bytes of a browser's status for a client.
const maxStatus = 300

// TellStatus calls tell with first. Then, while no browser is connected, it calls tell with each new status of the
// browser. The returned function ends this, and waits for a running call of tell to return. Any goroutine may call
// TellStatus.
func (c *Current) TellStatus(first string, tell func(status string)) (end func()) {
	tell(first)
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	was := c.delivered.Load().Catalog.BrowserStatus()
	changed := func(now *registry.Catalog) bool { return now.BrowserStatus() != was }
	go func() {
		defer close(over)
		for now := c.Await(ctx, changed); now != nil; now = c.Await(ctx, changed) {
			if was = now.BrowserStatus(); was != "" {
				tell(sanitize.Text(was, maxStatus))
			}
		}
	}()
	return func() {
		cancel()
		<-over
	}
}
