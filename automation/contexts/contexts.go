// Package contexts makes the browser contexts that agents name: each has cookies and storage
// of its own.
package contexts

import (
	"context"
	"sync"

	"webmcphub/cdpclient"
)

// Contexts are those of one connection to a browser, and end with it, and each with its client.
// The zero value has none. Any goroutine may use it.
type Contexts struct {
	mu   sync.Mutex
	conn *cdpclient.Conn
	ids  map[key]string // the browser's ids
}

// key names a context: two clients' contexts of one name are two.
type key struct{ client, name string }

// Named gives the browser's id of a client's context, which it makes if need be.
func (c *Contexts) Named(ctx context.Context, conn *cdpclient.Conn, client, name string) (string, error) {
	is := key{client, name}
	c.mu.Lock()
	if c.conn != conn {
		c.conn, c.ids = conn, map[key]string{}
	}
	id := c.ids[is]
	c.mu.Unlock()
	if id != "" {
		return id, nil
	}
	var made struct {
		ID string `json:"browserContextId"`
	}
	if err := conn.Call(ctx, "", "Target.createBrowserContext", map[string]any{"disposeOnDetach": true}, &made); err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch first := c.ids[is]; {
	case c.conn != conn: // the browser was lost, and its contexts with it
	case first != "": // somebody else was quicker
		conn.Post("", "Target.disposeBrowserContext", map[string]any{"browserContextId": made.ID}, nil)
		return first, nil
	default:
		c.ids[is] = made.ID
	}
	return made.ID, nil
}

// Forget ends a client's contexts, and with them their tabs, cookies and storage, but for those
// that are to be kept. It doesn't wait.
func (c *Contexts) Forget(client string, keep func(name string) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for is, id := range c.ids {
		if is.client == client && !keep(is.name) {
			delete(c.ids, is)
			c.conn.Post("", "Target.disposeBrowserContext", map[string]any{"browserContextId": id}, nil)
		}
	}
}
