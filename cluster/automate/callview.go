package automate

import (
	"context"
	"errors"
	"slices"
	"time"

	"webmcphub/cluster/api"
	"webmcphub/cluster/pages"
	"webmcphub/registry"
)

// titlesWait is how long a list of pages waits for the pages' current titles.
const titlesWait = time.Second

// callView is what a call sees of its node: the browsers that the client may see, and their pages with the names and
// numbers that the client's gateway uses.
type callView struct {
	host ServiceHost
	call *api.Automation
}

func (v callView) now() *registry.Catalog { return v.of(v.host.Current()) }

func (v callView) titled(ctx context.Context) *registry.Catalog {
	ctx, cancel := context.WithTimeout(ctx, titlesWait)
	defer cancel()
	titles, _ := v.host.Titles(ctx) // after an error pages keep the titles that they reported last
	return v.of(v.host.Current().WithTitles(titles))
}

func (v callView) await(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog {
	c := v.host.Await(ctx, func(c *registry.Catalog) bool { return satisfied(v.of(c)) })
	if c == nil {
		return nil
	}
	return v.of(c)
}

// of returns what the call sees of a catalog.
func (v callView) of(c *registry.Catalog) *registry.Catalog {
	stand := registry.BrowserStates{}
	may := map[string]bool{}
	named := []registry.NamedBrowser{}
	for _, b := range c.Browsers() {
		if s := v.seen(b.Name); s != nil {
			may[b.Name] = true
			named = append(named, registry.NamedBrowser{Name: v.named(b.Name), Labels: s.Labels})
		}
	}
	stand = stand.Of(named)
	for _, b := range c.Browsers() {
		stand = stand.With(v.named(b.Name), b.Status)
	}
	return c.MapTabs(func(t *registry.Tab) *registry.Tab {
		if !may[t.Browser] {
			return nil
		}
		seen := *t
		seen.Browser, seen.ID = v.named(t.Browser), v.number(t.Page)
		seen.Tools, seen.Shown = nil, nil // the gateway has other names for them
		return &seen
	}, stand)
}

// seen returns the browser as the client sees it, or nil if the client may not see the browser in its current life.
func (v callView) seen(browser string) *api.VisibleBrowser {
	at := slices.IndexFunc(v.call.Browsers, func(s *api.VisibleBrowser) bool { return s.Browser == browser })
	if at < 0 || !v.host.InLife(browser, v.call.Browsers[at].Life) {
		return nil
	}
	return v.call.Browsers[at]
}

// may is for [registry.NewTab].May.
func (v callView) may(browser string) error {
	if v.seen(browser) == nil {
		return errors.New("the browser was started afresh, so its lease has ended: acquire another browser")
	}
	return nil
}

func (v callView) named(browser string) string { return pages.Named(v.host.Name(), browser) }

// number returns the page's number at the gateway.
func (v callView) number(page registry.PageID) registry.TabID {
	if n, other := v.call.Numbers[string(page)]; other {
		return registry.TabID(n)
	}
	return pages.Number(pages.Named(v.host.Name(), page))
}
