package automation

import (
	"context"
	"sync"
	"time"

	"webmcphub/cdpclient"
)

// Contexts are those of connections to browsers, and end with these, and each with its client and the
// others that are in it.
// The zero value has none. Any goroutine may use it.
type Contexts struct {
	mu   sync.Mutex
	made map[key]made
	left map[string]bool // clients that are gone, and may have contexts still

	ending sync.WaitGroup
}

// made is a context that a browser has made: the browser's id of it, and what closes a tab there.
type made struct {
	id    string
	close CloseTab
}

// CloseTab closes a tab of a context by its target's id, and before it the dialog that is open in it.
type CloseTab func(ctx context.Context, target string) error

// endTime is how long the end of one context may take.
const endTime = 10 * time.Second

// Is is one of a client's contexts by its name; the zero value is the browser's own.
type ContextID struct{ Client, Name string }

// key names a context: two clients' contexts of one name are two, and so are two browsers'.
type key struct {
	conn         *cdpclient.Conn
	client, name string
}

// forgetLost forgets the contexts of browsers that are gone. The lock is held.
func (c *Contexts) forgetLost() {
	for is := range c.made {
		if lost(is.conn) {
			delete(c.made, is)
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

// Named gives the browser's id of a client's context, which it makes if need be. close closes its tabs at its end.
func (c *Contexts) Named(ctx context.Context, conn *cdpclient.Conn, client, name string,
	close CloseTab) (string, error) {
	is := key{conn, client, name}
	c.mu.Lock()
	c.forgetLost()
	id := c.made[is].id
	c.mu.Unlock()
	if id != "" {
		return id, nil
	}
	var reply struct {
		ID string `json:"browserContextId"`
	}
	if err := conn.Call(ctx, "", "Target.createBrowserContext", map[string]any{"disposeOnDetach": true},
		&reply); err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch first := c.made[is].id; {
	case lost(conn): // the browser is gone, and its contexts with it
	case first != "": // another call was quicker; no tab is in this one yet
		conn.Post("", "Target.disposeBrowserContext", map[string]any{"browserContextId": reply.ID}, nil)
		return first, nil
	case c.made == nil:
		c.made = map[key]made{is: {reply.ID, close}}
	default:
		c.made[is] = made{reply.ID, close}
	}
	return reply.ID, nil
}

// Of says which context a tab is in, however it was opened.
func (c *Contexts) Of(ctx context.Context, conn *cdpclient.Conn, target string) ContextID {
	c.mu.Lock()
	none := len(c.made) == 0
	c.mu.Unlock()
	var tab struct {
		TargetInfo struct{ BrowserContextID string }
	}
	if none || conn.Call(ctx, "", "Target.getTargetInfo", map[string]any{"targetId": target}, &tab) != nil {
		return ContextID{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for is, m := range c.made {
		if is.conn == conn && m.id == tab.TargetInfo.BrowserContextID {
			return ContextID{is.client, is.name}
		}
	}
	return ContextID{}
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
// for those that are in use. It doesn't wait; see [Contexts.Wait].
func (c *Contexts) Tidy(used func(ContextID) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := map[string]bool{}
	for is, m := range c.made {
		switch {
		case !c.left[is.client]:
		case used(ContextID{is.client, is.name}):
			kept[is.client] = true
		default:
			delete(c.made, is)
			c.ending.Go(func() { m.end(is.conn) })
		}
	}
	c.left = kept
}

// Wait returns when the contexts have ended that [Contexts.Tidy] ends.
func (c *Contexts) Wait() { c.ending.Wait() }

// end closes the tabs of a context one by one, and then the context. Chromium 156 without a window crashes
// if a context is disposed of while a frame there of another process than its page shows a dialog.
func (m made) end(conn *cdpclient.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	var is struct {
		TargetInfos []cdpclient.TargetInfo `json:"targetInfos"`
	}
	pages := map[string]any{"filter": []cdpclient.TargetFilterEntry{{Type: cdpclient.TypePage}}}
	_ = conn.Call(ctx, "", cdpclient.TargetGetTargets, pages, &is) // if it fails, the connection is lost
	for _, tab := range is.TargetInfos {
		if tab.BrowserContextID == m.id {
			_ = m.close(ctx, tab.TargetID) // a tab that can't be closed goes with the context
		}
	}
	conn.Post("", "Target.disposeBrowserContext", map[string]any{"browserContextId": m.id}, nil)
}
