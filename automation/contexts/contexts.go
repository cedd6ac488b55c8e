// Package contexts makes the browser contexts that agents name: each has cookies and storage
// of its own.
package contexts

import (
	"context"
	"sync"

	"webmcphub/cdpclient"
)

// Contexts are those of connections to browsers, and end with these, and each with its client.
// The zero value has none. Any goroutine may use it.
type Contexts struct {
	mu  sync.Mutex
	ids map[key]string // the browser's ids
}

// key names a context: two clients' contexts of one name are two, and so are two browsers'.
type key struct {
	conn         *cdpclient.Conn
	client, name string
}

// forgetLost forgets the contexts of browsers that are gone. The lock is held.
func (c *Contexts) forgetLost() {
	for is := range c.ids {
		if lost(is.conn) {
			delete(c.ids, is)
		}
	}
}

func lost(conn *cdpclient.Conn) bool {
	select {
	case <-conn.Done():
		return true
	default:
		return false
	}
}

// Named gives the browser's id of a client's context, which it makes if need be.
func (c *Contexts) Named(ctx context.Context, conn *cdpclient.Conn, client, name string) (string, error) {
	is := key{conn, client, name}
	c.mu.Lock()
	c.forgetLost()
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
	case lost(conn): // the browser is gone, and its contexts with it
	case first != "": // somebody else was quicker
		conn.Post("", "Target.disposeBrowserContext", map[string]any{"browserContextId": made.ID}, nil)
		return first, nil
	case c.ids == nil:
		c.ids = map[key]string{is: made.ID}
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
			is.conn.Post("", "Target.disposeBrowserContext", map[string]any{"browserContextId": id}, nil)
		}
	}
}
