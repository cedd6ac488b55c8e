// Package contexts makes the browser contexts that agents name: each has cookies and storage
// of its own.
package contexts

import (
	"context"
	"sync"

	"webmcphub/cdpclient"
)

// Contexts are those of one connection to a browser, and end with it. The zero value has
// none. Any goroutine may use it.
type Contexts struct {
	mu   sync.Mutex
	conn *cdpclient.Conn
	ids  map[string]string // the browser's ids by agents' names
}

// Named gives the browser's id of a context, which it makes if need be.
func (c *Contexts) Named(ctx context.Context, conn *cdpclient.Conn, name string) (string, error) {
	c.mu.Lock()
	if c.conn != conn {
		c.conn, c.ids = conn, map[string]string{}
	}
	id := c.ids[name]
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
	switch first := c.ids[name]; {
	case c.conn != conn: // the browser was lost, and its contexts with it
	case first != "": // somebody else was quicker
		conn.Post("", "Target.disposeBrowserContext", map[string]any{"browserContextId": made.ID}, nil)
		return first, nil
	default:
		c.ids[name] = made.ID
	}
	return made.ID, nil
}
