package automation

import (
	"context"
	"maps"
	"sync"
	"time"

	"webmcphub/cdpclient"
)

// Contexts are the isolated browser contexts that were made for clients. A context ends with the connection to its
// browser, or when its client and all other clients that use it are gone. The zero value is ready to use. Any
// goroutine may use it.
type Contexts struct {
	mu   sync.Mutex
	made map[key]made
	left map[string]bool // clients that are gone but may still have contexts

	ending sync.WaitGroup
}

// made is a context that a browser has made: the browser's id of it, and the function that closes its tabs.
type made struct {
	id    string
	close CloseTab
}

// CloseTab closes a tab of a context by its target id, and before that the dialog that is open in the tab.
type CloseTab func(ctx context.Context, target string) error

// endTime bounds how long the end of one context may take.
const endTime = 10 * time.Second

// ContextID identifies a context by its client and the name that the client gave it. The zero value is the browser's
// default context.
type ContextID struct{ Client, Name string }

// key identifies a context. Contexts of two clients with the same name are different, and so are those of two
// browsers.
type key struct {
	conn *cdpclient.Conn
	ContextID
}

// Named returns the browser's id of a client's context. It makes the context if there is none, and forgets those of
// browsers that are gone. close closes the context's tabs when the context ends.
func (c *Contexts) Named(ctx context.Context, conn *cdpclient.Conn, client, name string,
	close CloseTab) (string, error) {
	is := key{conn, ContextID{client, name}}
	c.mu.Lock()
	maps.DeleteFunc(c.made, func(is key, _ made) bool { return is.conn.Err() != nil })
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
	case conn.Err() != nil: // the browser is gone, and its contexts with it
	case first != "": // another call was quicker; the new context has no tab yet
		conn.Post("", "Target.disposeBrowserContext", map[string]any{"browserContextId": reply.ID}, nil)
		return first, nil
	case c.made == nil:
		c.made = map[key]made{is: {reply.ID, close}}
	default:
		c.made[is] = made{reply.ID, close}
	}
	return reply.ID, nil
}

// Of says which context a tab is in, however the tab was opened.
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
			return is.ContextID
		}
	}
	return ContextID{}
}

// Left records that a client is gone. [Contexts.Tidy] will end its contexts.
func (c *Contexts) Left(client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == nil {
		c.left = map[string]bool{}
	}
	c.left[client] = true
}

// Tidy ends the contexts of clients that are gone, with their tabs, cookies and storage, except contexts that are in
// use. It doesn't wait for that; see [Contexts.Wait].
func (c *Contexts) Tidy(used func(ContextID) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := map[string]bool{}
	for is, m := range c.made {
		switch {
		case !c.left[is.Client]:
		case used(is.ContextID):
			kept[is.Client] = true
		default:
			delete(c.made, is)
			c.ending.Go(func() { m.end(is.conn) })
		}
	}
	c.left = kept
}

// Wait returns when all contexts that [Contexts.Tidy] ends have ended.
func (c *Contexts) Wait() { c.ending.Wait() }

// end closes the tabs of a context one by one, and then disposes of the context. Chromium 156 without a window
// crashes if a context is disposed of while an out-of-process frame in it shows a dialog.
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
