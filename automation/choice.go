package automation

import (
	"errors"
	"fmt"
	"sync"

	"webmcphub/registry"
)

// Current is each client's current page. The zero value knows none. Any goroutine may use it.
type CurrentPages struct {
	mu sync.Mutex
	of map[string]registry.PageID // by client
}

// Of is a client's current page, "" if it has chosen none.
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

// Forget ends what is known of a client that is gone.
func (c *CurrentPages) Forget(client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.of, client)
}

// Len is how many clients have one.
func (c *CurrentPages) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.of)
}

// Call is what is known of a call whose page is to be found.
type PageChoice struct {
	Now *registry.Catalog
	ID  *int            // that the call names; nil for none
	At  registry.PageID // the client's current page; "" for none
	// FocusMode says that the client chooses its tab by focus_tab, and Focused which it has; nil for none.
	FocusMode bool
	Focused   *registry.Tab
	// Free says that a tab belongs to no other client. The only tab that there is is meant by a call
	// that names none, if it is free.
	Free  func(registry.PageID) bool
	Shown func(*registry.Tab) string // a tab's address, for errors
}

// Find finds the tab that a call means. The error, for the agent, says which there are.
func FindPage(c PageChoice) (*registry.Tab, error) {
	tabs := c.Now.Tabs()
	open := func() string { return OpenPages(c.Now, c.Shown) }
	if c.ID != nil {
		for _, t := range tabs {
			if int(t.ID) == *c.ID {
				return t, nil
			}
		}
		return nil, fmt.Errorf("there is no page %d; if there was one, it was closed. %s", *c.ID, open())
	}
	switch {
	case c.FocusMode && c.Focused == nil:
		return nil, errors.New("no tab is focused: call focus_tab, or give pageId")
	case c.FocusMode:
		return c.Focused, nil
	case c.At != "":
		if t := c.Now.Tab(c.At); t != nil {
			return t, nil
		}
		return nil, fmt.Errorf("your current page was closed. Call select_page, or give pageId. %s", open())
	case len(tabs) == 1 && c.Free(tabs[0].Page): // another client's isn't meant by who doesn't say so
		return tabs[0], nil
	}
	return nil, fmt.Errorf("you have no current page: call new_page or select_page, or give pageId. %s", open())
}
