package automation

import (
	"errors"
	"fmt"
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

// PageChoice is what [FindPage] needs to find the page of a call.
type PageChoice struct {
	Now *registry.Catalog
	ID  *int            // the pageId of the call; nil if it has none
	At  registry.PageID // the client's current page; "" for none
	// FocusMode says that the client chooses its tab by focus_tab. Focused is the tab that it has chosen; nil if it
	// has chosen none.
	FocusMode bool
	Focused   *registry.Tab
	// Free says whether a tab belongs to no other client. A call without pageId of a client without a current page
	// means the only open tab, if that is free.
	Free  func(registry.PageID) bool
	Shown func(*registry.Tab) string // the tab's address, for errors
}

// FindPage returns the tab that a call means. The error is for the agent and lists the open pages.
func FindPage(c PageChoice) (*registry.Tab, error) {
	tabs := c.Now.Tabs()
	open := func() string { return ListOpenPages(c.Now, c.Shown) }
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
	case len(tabs) == 1 && c.Free(tabs[0].Page): // a call must name another client's tab to act on it
		return tabs[0], nil
	}
	return nil, fmt.Errorf("you have no current page: call new_page or select_page, or give pageId. %s", open())
}
