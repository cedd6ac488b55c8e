package automation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

type newPageArguments struct {
	URL             string `json:"url"`
	Background      *bool  `json:"background"`
	IsolatedContext string `json:"isolatedContext"`
	Timeout         int    `json:"timeout"`
}

// newPage opens a tab, which is the client's current page and its own from then on, also
// if its page doesn't load.
func (r *Request) newPage(ctx context.Context) (*Result, error) {
	var a newPageArguments
	if err := r.decode(&a); err != nil {
		return nil, err
	}
	address, err := r.service.checkAddress(r.tool.Name, a.URL)
	if err != nil {
		return nil, err
	}
	id, err := r.openTab(ctx, address, a)
	if err != nil {
		return nil, fmt.Errorf("the page was not opened: %w", err)
	}
	t := r.service.tab(r.Catalog(ctx), id)
	r.claim(t)
	r.service.selects(&r.Client, id)
	now := r.within(ctx, tabAppears, func(c *registry.Catalog) bool { return c.Tab(id) != nil })
	if now == nil {
		return nil, errors.New("the browser opened the tab but has not shown it yet; call list_pages in a moment")
	}
	limit := cmp.Or(time.Duration(a.Timeout)*time.Millisecond, loads)
	arrived := r.within(ctx, limit, func(c *registry.Catalog) bool {
		tab := c.Tab(id)
		return tab == nil || tab.Arrived || !tab.Connected()
	})
	opened := r.Catalog(ctx).Tab(id)
	if opened == nil {
		return nil, errors.New("the tab was opened and closed again at once")
	}
	r.About(opened)
	switch where := sanitize.Text(opened.URL, 200); {
	case opened.NotLoaded():
		return nil, fmt.Errorf("page %d was opened and is your current page, but %s %s. Check the address, or try again with navigate_page", opened.ID, sanitize.Text(address, 200), opened.WhyNotLoaded())
	case arrived == nil:
		return says("Page %d was opened and is your current page. It is still loading after %v: %s", opened.ID, limit, where), nil
	default:
		return says("Page %d was opened and is your current page: %s%s", opened.ID, where, offers(opened)), nil
	}
}

// offers tells an agent of the page's own tools, which are to be preferred.
func offers(t *registry.Tab) string {
	switch n := len(t.Tools); n {
	case 0:
		return ""
	case 1:
		return "\nThe page offers a tool of its own (WebMCP): " + t.Tools[0].Name
	default:
		return fmt.Sprintf("\nThe page offers %d tools of its own (WebMCP), such as %s", n, t.Tools[0].Name)
	}
}

// openTab opens it in the background unless the call says otherwise: the tab in front is
// the user's.
func (r *Request) openTab(ctx context.Context, address string, a newPageArguments) (registry.PageID, error) {
	background := a.Background == nil || *a.Background
	if a.IsolatedContext != "" {
		return r.openIsolated(ctx, address, a.IsolatedContext, background)
	}
	return r.service.options.Browser.OpenTab(ctx, registry.NewTab{URL: address, Beside: r.service.currentOf(&r.Client), Background: background})
}

// within is Await for a limited time.
func (r *Request) within(ctx context.Context, limit time.Duration, satisfied func(*registry.Catalog) bool) *registry.Catalog {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return r.Await(ctx, satisfied)
}
