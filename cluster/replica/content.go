package replica

import (
	"fmt"
	"maps"
	"slices"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// What a node tells at most; the rest it leaves out.
const (
	// maxMessage is how many bytes of pages go into one message, unless one page alone is larger.
	maxMessage = 1 << 20
	// maxPage is how many bytes one page has.
	maxPage = 2 << 20
	// maxWeight is how many bytes all pages have, with perItem more for each of their items.
	maxWeight = 32 << 20
	perItem   = 256
	// maxGone is how many pages are remembered that are gone. A gateway that has missed more is told
	// the whole.
	maxGone = 4096
)

// content is what a node's pages offer, and when each changed last.
type content struct {
	version    uint64
	floor      uint64 // what is gone since an earlier version isn't known any more
	catalog    *registry.Catalog
	lives      map[string]string // of browsers
	pages      map[registry.PageID]*sent
	order      []*sent
	gone       []goneAt // the earliest first
	browsers   []wire.Browser
	browsersAt uint64
	serves     uint64 // counts catalogs
	numbers    uint64 // of tools, so far
	told       map[from]wire.Changes
	most       int // maxWeight, but in tests
}

// from is since when, and in what form, somebody is told what has changed.
type from struct {
	version uint64
	edits   bool
}

type goneAt struct {
	page string
	at   uint64
}

func newContent() content {
	return content{version: 1, floor: 1, pages: map[registry.PageID]*sent{}, browsersAt: 1,
		told: map[from]wire.Changes{}, most: maxWeight}
}

// serve takes a catalog, and says whether it tells something new. What hasn't changed is recognized
// by its pointers.
func (c *content) serve(now *registry.Catalog, lives map[string]string) (changed bool, left []SourceEffect) {
	if now == c.catalog && maps.Equal(lives, c.lives) {
		return false, nil
	}
	c.lives = lives
	c.serves++
	next, weight := c.version+1, 0
	tabs := now.Tabs()
	order := make([]*sent, 0, len(tabs))
	for _, tab := range tabs {
		p, news, why := c.page(now, tab, next)
		if why != "" {
			left = append(left, LeftOut{Page: string(tab.Page), Why: why})
		}
		changed = changed || news
		p.served = c.serves
		if weight += p.weight(); weight > c.most {
			if weight -= p.weight(); !p.over {
				left = append(left, LeftOut{Page: string(tab.Page),
					Why: fmt.Sprintf("the node's pages offer more than %d MiB", c.most>>20)})
			}
			p.over = true
			continue
		}
		if p.over {
			p.over, p.since.all, changed = false, next, true
		}
		order = append(order, p)
	}
	changed = c.close(next) || changed
	c.order, c.catalog = order, now
	if all := browsersOf(now, lives); !slices.EqualFunc(all, c.browsers, sameBrowser) {
		c.browsers, c.browsersAt, changed = all, next, true
	}
	if changed {
		c.version = next
		clear(c.told)
	}
	return changed, left
}

// page is a tab's page as it is sent, and whether that is something new.
func (c *content) page(now *registry.Catalog, tab *registry.Tab, next uint64) (p *sent, news bool, why string) {
	p = c.pages[tab.Page]
	offers := now.Offered().Page(tab.Page)
	if p != nil && p.tab == tab && p.offers == offers {
		return p, false, ""
	}
	if facts := now.Facts(tab); p == nil || !sameFacts(p.facts, facts) {
		p, why = c.send(facts, p, next)
		news = !p.over
		c.pages[tab.Page] = p
	}
	p.tab, p.offers = tab, offers
	return p, news, why
}

// close notes which of the pages that were told of are gone.
func (c *content) close(next uint64) (any bool) {
	for _, p := range c.order {
		id := p.facts.Page
		if is := c.pages[id]; is.served == c.serves && is.facts.Opened == p.facts.Opened && !is.over {
			continue
		}
		c.gone, any = append(c.gone, goneAt{string(id), next}), true
	}
	maps.DeleteFunc(c.pages, func(_ registry.PageID, p *sent) bool { return p.served != c.serves })
	if n := len(c.gone) - maxGone; n > 0 {
		c.floor = c.gone[n-1].at
		c.gone = slices.Clone(c.gone[n:])
	}
	return any
}

// browsersOf are a catalog's browsers: where there is only one, without a name, that one.
func browsersOf(c *registry.Catalog, lives map[string]string) []wire.Browser {
	if c.Browsers() == nil {
		return []wire.Browser{{Status: c.BrowserStatus()}}
	}
	all := []wire.Browser{}
	for _, b := range c.Browsers() {
		all = append(all, wire.Browser{Name: b.Name, Labels: b.Labels, Status: b.Status, Life: lives[b.Name]})
	}
	return all
}

func sameBrowser(a, b wire.Browser) bool {
	return a.Name == b.Name && a.Status == b.Status && a.Life == b.Life && slices.Equal(a.Labels, b.Labels)
}

// since is what has changed since a version, with edits or without. It doesn't fit if it is too much
// for one message. Those who are told the same share it.
func (c *content) since(version uint64, edits bool) (changes wire.Changes, fits bool) {
	if told, known := c.told[from{version, edits}]; known {
		return told, true
	}
	changes.From = version
	bytes := 0
	for _, p := range c.order {
		switch at := p.since.any(); {
		case at <= version:
		case edits && p.since.all <= version:
			e, n := p.edit(version)
			changes.Edits = append(changes.Edits, e)
			bytes += n
		default:
			changes.Pages = append(changes.Pages, p.whole())
			bytes += p.bytes
		}
	}
	for _, g := range c.gone {
		if g.at > version {
			changes.Gone = append(changes.Gone, g.page)
			bytes += len(g.page)
		}
	}
	if c.browsersAt > version {
		changes.Browsers = c.browsers
	}
	if bytes > maxMessage && len(changes.Pages)+len(changes.Edits) > 1 {
		return changes, false
	}
	changes = changes.Shared()
	c.told[from{version, edits}] = changes
	return changes, true
}

// all is everything, in as many parts as it takes.
func (c *content) all() (parts []wire.Whole) {
	part, bytes := wire.Whole{Browsers: c.browsers}, 0
	for _, p := range c.order {
		if bytes > 0 && bytes+p.bytes > maxMessage {
			part.More = true
			parts = append(parts, part)
			part, bytes = wire.Whole{Part: part.Part + 1}, 0
		}
		part.Pages = append(part.Pages, p.whole())
		bytes += p.bytes
	}
	return append(parts, part)
}
