package replica

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// What a node tells at most; the rest it leaves out.
const (
	// maxMessage is how many bytes of pages go into one message, unless one page alone is larger.
	maxMessage = 1 << 20
	// maxPage is how many bytes one page has.
	maxPage = 2 << 20
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
}

// sent is a page as it is sent.
type sent struct {
	tab     *registry.Tab // of which it was made
	offers  *offer.PageOffers
	facts   *registry.Facts
	page    wire.Page
	bytes   int
	changed uint64               // the version that had it first
	served  uint64               // content.serves, when a catalog had it last
	sources []*registry.PageTool // of page.Tools
	sizes   []int
}

type goneAt struct {
	page string
	at   uint64
}

func newContent() content {
	return content{version: 1, floor: 1, pages: map[registry.PageID]*sent{}, browsersAt: 1}
}

// serve takes a catalog, and says whether it tells something new. What hasn't changed is recognized
// by its pointers.
func (c *content) serve(now *registry.Catalog, lives map[string]string) (changed bool, left []SourceEffect) {
	if now == c.catalog && maps.Equal(lives, c.lives) {
		return false, nil
	}
	c.lives = lives
	c.serves++
	next := c.version + 1
	tabs := now.Tabs()
	order := make([]*sent, len(tabs))
	for i, tab := range tabs {
		p := c.pages[tab.Page]
		if offers := now.Offered().Page(tab.Page); p == nil || p.tab != tab || p.offers != offers {
			facts := now.Facts(tab)
			if p == nil || !sameFacts(p.facts, facts) {
				var why string
				p, why = send(facts, p)
				p.changed, changed = next, true
				if why != "" {
					left = append(left, LeftOut{Page: string(tab.Page), Why: why})
				}
				c.pages[tab.Page] = p
			}
			p.tab, p.offers = tab, offers
		}
		p.served, order[i] = c.serves, p
	}
	for _, p := range c.order {
		id := p.facts.Page
		if is := c.pages[id]; is.served == c.serves && is.facts.Opened == p.facts.Opened {
			continue
		} else if is.served != c.serves {
			delete(c.pages, id)
		}
		c.gone, changed = append(c.gone, goneAt{string(id), next}), true
	}
	if n := len(c.gone) - maxGone; n > 0 {
		c.floor = c.gone[n-1].at
		c.gone = slices.Clone(c.gone[n:])
	}
	c.order, c.catalog = order, now
	if all := browsersOf(now, lives); !slices.EqualFunc(all, c.browsers, sameBrowser) {
		c.browsers, c.browsersAt, changed = all, next, true
	}
	if changed {
		c.version = next
	}
	return changed, left
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

// send makes a page one that is sent; was is what was sent of it before, or nil. why says what is
// left out of it, if anything is.
func send(f *registry.Facts, was *sent) (p *sent, why string) {
	p = &sent{facts: f, page: wirePage(f)}
	p.bytes = size(p.page)
	if p.bytes > maxPage {
		p.page.Offers, p.page.Frames = nil, nil
		p.bytes = size(p.page)
		why = fmt.Sprintf("what it offers besides tools is more than %d bytes", maxPage)
	}
	for _, t := range f.Tools {
		tool, n := was.tool(t)
		switch {
		case n == 0 && !sendable(t):
			continue // it is refused, and so unknown at gateways
		case n == 0:
			tool = wire.ToolOf(t)
			n = size(tool)
		}
		if p.bytes+n > maxPage {
			return p, fmt.Sprintf("its tools from %q on: they are more than %d bytes", strings.ToValidUTF8(t.Name, "?"), maxPage)
		}
		p.bytes += n
		p.page.Tools, p.sources, p.sizes = append(p.page.Tools, tool), append(p.sources, t), append(p.sizes, n)
	}
	return p, why
}

// tool is a tool as it was sent before, and its size; the size is 0 if it wasn't.
func (p *sent) tool(t *registry.PageTool) (wire.Tool, int) {
	if p == nil {
		return wire.Tool{}, 0
	}
	if i := slices.Index(p.sources, t); i >= 0 {
		return p.page.Tools[i], p.sizes[i]
	}
	return wire.Tool{}, 0
}

// size is how many bytes something has when it is sent.
func size(v any) int {
	raw, err := json.Marshal(v)
	if err != nil { // nothing is left in it that can't be encoded
		panic(err)
	}
	return len(raw)
}

// since is what has changed since a version. It doesn't fit if it is too much for one message.
func (c *content) since(version uint64) (changes wire.Changes, fits bool) {
	changes.From = version
	bytes := 0
	for _, p := range c.order {
		if p.changed > version {
			changes.Pages = append(changes.Pages, p.page)
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
	return changes, bytes <= maxMessage || len(changes.Pages) == 1
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
		part.Pages = append(part.Pages, p.page)
		bytes += p.bytes
	}
	return append(parts, part)
}
