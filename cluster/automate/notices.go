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

// shows is how long a gateway's list of pages may take to show what a call has opened or closed.
const shows = time.Second

// known waits until the gateway's own list has what the call opened and closed, and tells what the node
// couldn't know: what the page offers is called otherwise here, and rarely has another number.
func (c *call) known(ctx context.Context, node string, done *api.Automated, r registry.Result) registry.Result {
	ctx, cancel := context.WithTimeout(ctx, shows)
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

// offersSoon is how long tools of a page that was loaded just now are waited for.
const offersSoon = 50 * time.Millisecond

// offers tells of the tools of the page that the call has loaded.
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
