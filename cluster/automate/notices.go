package automate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"webmcphub/automation"
	"webmcphub/cluster/api"
	"webmcphub/cluster/pages"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// listTime is how long a gateway's list of pages may take to show what a call has opened or closed.
const listTime = time.Second

// withNotices waits until the gateway's own list shows what the call opened and closed. Then it adds to the result
// what the node can't know: the gateway's names of the page's tools, and a page's number if it differs here.
func (c *call) withNotices(ctx context.Context, node string, done *api.Automated, r registry.Result) registry.Result {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	c.Await(ctx, func(now *registry.Catalog) bool {
		for own := range done.Came {
			if now.Tab(pages.Named(node, registry.PageID(own))) == nil {
				return false
			}
		}
		return !slices.ContainsFunc(done.Gone,
			func(own string) bool { return now.Tab(pages.Named(node, registry.PageID(own))) != nil })
	})
	now := c.Current()
	for own, number := range done.Came {
		t := now.Tab(pages.Named(node, registry.PageID(own)))
		if t == nil {
			continue
		}
		if int64(t.ID) != number {
			r = sanitize.WithNotice(r, fmt.Sprintf("page %d is called page %d from now on", number, t.ID))
		}
		if c.Tool == "new_page" {
			c.About(t)
		}
	}
	if !r.IsError && (c.Tool == "new_page" || c.Tool == "navigate_page") {
		if offers := c.offers(ctx); offers != "" {
			r = sanitize.WithNotice(r, offers)
		}
	}
	return r
}

// offersSoon is how long a call waits for the tools of a page that has just loaded.
const offersSoon = 50 * time.Millisecond

// offers returns a hint at the tools of the page that the call has loaded, or "" if it has none.
func (c *call) offers(ctx context.Context) string {
	id, _ := c.number()
	tabOf := func(now *registry.Catalog) *registry.Tab {
		if id == nil {
			return now.Tab(c.currentPage())
		}
		at := slices.IndexFunc(now.Tabs(), func(t *registry.Tab) bool { return int(t.ID) == *id })
		if at < 0 {
			return nil
		}
		return now.Tabs()[at]
	}
	ctx, cancel := context.WithTimeout(ctx, offersSoon)
	defer cancel()
	now := c.Await(ctx, func(now *registry.Catalog) bool { t := tabOf(now); return t != nil && len(t.Tools) > 0 })
	if now == nil {
		return ""
	}
	t := tabOf(now)
	return strings.TrimSpace(automation.PageToolsHint(len(t.Tools), func(i int) string { return t.Tools[i].Name }))
}
