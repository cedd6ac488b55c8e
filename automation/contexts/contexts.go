// Package contexts makes the browser contexts that agents name: each has cookies and storage
// of its own.
package contexts

import (
	"context"
	"sync"

	"webmcphub/cdpclient"
)

// Contexts are those of connections to browsers, and end with these, and each with its client and the
// others that are in it.
// The zero value has none. Any goroutine may use it.
type Contexts struct {
	mu   sync.Mutex
	ids  map[key]string  // the browser's ids
	left map[string]bool // clients that are gone, and may have contexts still
}

// Is is one of a client's contexts by its name; the zero value is the browser's own.
type Is struct{ Client, Name string }

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

// Of says which context a tab is in, however it was opened.
func (c *Contexts) Of(ctx context.Context, conn *cdpclient.Conn, target string) Is {
	c.mu.Lock()
	none := len(c.ids) == 0
	c.mu.Unlock()
	var tab struct {
		TargetInfo struct{ BrowserContextID string }
	}
	if none || conn.Call(ctx, "", "Target.getTargetInfo", map[string]any{"targetId": target}, &tab) != nil {
		return Is{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for is, id := range c.ids {
		if is.conn == conn && id == tab.TargetInfo.BrowserContextID {
			return Is{is.client, is.name}
		}
	}
	return Is{}
}

// Left notes that a client is gone: [Contexts.Tidy] ends its contexts.
func (c *Contexts) Left(client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == nil {
		c.left = map[string]bool{}
	}
	c.left[client] = true
}

// Tidy ends the contexts of clients that are gone, and with them their tabs, cookies and storage, but
// for those that are in use. It doesn't wait.
func (c *Contexts) Tidy(used func(Is) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := map[string]bool{}
	for is, id := range c.ids {
		switch {
		case !c.left[is.client]:
		case used(Is{is.client, is.name}):
			kept[is.client] = true
		default:
			delete(c.ids, is)
			is.conn.Post("", "Target.disposeBrowserContext", map[string]any{"browserContextId": id}, nil)
		}
	}
	c.left = kept
}
