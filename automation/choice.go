package automation

import (
	"errors"
	"fmt"

	"webmcphub/registry"
)

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
