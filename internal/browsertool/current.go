package browsertool

import (
	"sync"

	"webmcphub/registry"
)

// CurrentPages holds each client's current page. The zero value is ready to use. Any goroutine may call its methods.
type CurrentPages struct {
	mu sync.Mutex
	of map[string]registry.PageID // by client
}

// Of returns a client's current page, or "" if the client has chosen none.
func (c *CurrentPages) Of(client string) registry.PageID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[client]
}

// Select makes a page the client's current one.
func (c *CurrentPages) Select(client string, page registry.PageID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]registry.PageID{}
	}
	c.of[client] = page
}

// Forget removes the entry of a client that is gone.
func (c *CurrentPages) Forget(client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.of, client)
}

// Len returns how many clients have a current page.
func (c *CurrentPages) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.of)
}
