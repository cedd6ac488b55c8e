package pages

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"webmcphub/cluster/api"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Snapshot is what a node's pages offer at one time. It is immutable. The zero value has version 0 and no pages.
type Snapshot struct {
	Version  uint64
	pages    map[registry.PageID]*page
	order    []*page
	browsers *api.Browsers
}

// page has the messages about a page. It is immutable, and so are its parts.
type page struct {
	facts  *registry.PageSnapshot
	info   *api.PageInfo
	frames *api.Frames
	offers *api.Offers
	tools  []*tool
	cut    bool // frames and offers are empty, because the page was too large with them
	bytes  int
	weight int
}

// tool has the message about a page's tool.
type tool struct {
	*api.Tool
	source *registry.PageTool
	bytes  int
}

// Source makes snapshots. Make one with [NewSource]. A Source belongs to one goroutine.
type Source struct {
	newest  *Snapshot
	catalog *registry.Catalog
	lives   map[string]string // of browsers
	seen    map[registry.PageID]seen
	numbers uint64 // the last number that a tool has got
	most    int    // maxWeight; less in tests
}

// seen is a page, and what it was made from.
type seen struct {
	*page
	tab    *registry.Tab
	offers *offer.PageOffers
	over   bool // it is left out, since all pages together would be too large
}

// NewSource returns a Source without pages.
func NewSource() *Source {
	return &Source{newest: &Snapshot{Version: 1, browsers: &api.Browsers{}}, most: maxWeight}
}

// Newest returns the last snapshot.
func (s *Source) Newest() *Snapshot { return s.newest }

// Serve takes the catalog that the node's registry has served, and the lives that the node's browsers were in then, by
// the browsers' names. lives is nil if the node doesn't count lives. Serve returns the newest snapshot, which is the
// previous one if nothing has changed, and what is newly left out.
func (s *Source) Serve(now *registry.Catalog, lives map[string]string) (*Snapshot, []LeftOut) {
	if now == s.catalog && maps.Equal(lives, s.lives) {
		return s.newest, nil
	}
	var left []LeftOut
	was, weight := s.seen, 0
	s.catalog, s.lives, s.seen = now, lives, map[registry.PageID]seen{}
	next := &Snapshot{Version: s.newest.Version + 1, pages: map[registry.PageID]*page{}, browsers: s.newest.browsers}
	for _, tab := range now.Tabs() {
		p, why := s.page(now, tab, was[tab.Page])
		if why != "" {
			left = append(left, LeftOut{Page: string(tab.Page), Why: why})
		}
		if p.over = weight+p.weight > s.most; p.over {
			if !was[tab.Page].over {
				left = append(left, LeftOut{Page: string(tab.Page),
					Why: fmt.Sprintf("the node's pages offer more than %d MiB", s.most>>20)})
			}
		} else {
			weight += p.weight
			next.pages[tab.Page] = p.page
			next.order = append(next.order, p.page)
		}
		s.seen[tab.Page] = p
	}
	if all := browsersOf(now, lives); !proto.Equal(all, next.browsers) {
		next.browsers = all
	}
	if next.browsers != s.newest.browsers || !slices.Equal(next.order, s.newest.order) {
		s.newest = next
	}
	return s.newest, left
}

// page returns the messages about a tab's page. was is the page in the previous snapshot, if it was there. why says
// what is newly left out of the page.
func (s *Source) page(now *registry.Catalog, tab *registry.Tab, was seen) (is seen, why string) {
	offers := now.Offered().Page(tab.Page)
	if was.page != nil && was.tab == tab && was.offers == offers {
		return was, ""
	}
	is = seen{page: was.page, tab: tab, offers: offers}
	if facts := now.PageSnapshot(tab); was.page == nil || !sameFacts(was.facts, facts) {
		is.page, why = s.make(facts, was.page)
	}
	return is, why
}

// make makes a page from f. It reuses the unchanged parts of was, the previous page, unless was is nil.
func (s *Source) make(f *registry.PageSnapshot, was *page) (p *page, why string) {
	if was == nil {
		was = &page{facts: &registry.PageSnapshot{}, cut: true}
	}
	p = &page{facts: f, info: was.info, frames: was.frames, offers: was.offers}
	if p.info == nil || !samePage(f, was.facts) {
		p.info = infoOf(f)
	}
	if was.cut || !slices.Equal(f.Frames, was.facts.Frames) {
		p.frames = framesOf(f)
	}
	if was.cut || !sameOffers(f.Offers, was.facts.Offers) {
		p.offers = offersOf(f)
	}
	if p.bytes = proto.Size(p.info) + proto.Size(p.frames) + proto.Size(p.offers); p.bytes > maxPage {
		p.frames, p.offers, p.cut = &api.Frames{}, &api.Offers{}, true
		p.bytes = proto.Size(p.info)
		why = fmt.Sprintf("what it offers besides tools is more than %d bytes", maxPage)
	}
	p.weight = infoWeight(p.info) + framesWeight(p.frames) + offersWeight(p.offers)
	had := hadTools{all: was.tools}
	for _, t := range f.Tools {
		is := had.find(t)
		if is == nil && !sendable(t) {
			continue // registries refuse it, so gateways needn't know it
		}
		if is == nil {
			s.numbers++
			is = &tool{Tool: toolOf(t, s.numbers), source: t}
			is.bytes = proto.Size(is.Tool)
		}
		if p.bytes+is.bytes > maxPage {
			why = fmt.Sprintf("its tools from %q on: they are more than %d bytes", text(t.Name), maxPage)
			break
		}
		p.bytes += is.bytes
		p.weight += perItem + is.bytes
		p.tools = append(p.tools, is)
	}
	return p, why
}

// hadTools finds tools among those that a page had before.
type hadTools struct {
	all  []*tool
	next int              // the index in all after the tool that was found last
	by   map[string][]int // indexes in all, by the tools' names; nil until the order differs
}

// find returns the earlier message about a tool, or nil if the tool is new.
func (h *hadTools) find(t *registry.PageTool) *tool {
	if h.next < len(h.all) && h.all[h.next].source == t {
		h.next++
		return h.all[h.next-1]
	}
	if h.by == nil {
		h.by = make(map[string][]int, len(h.all))
		for i, had := range h.all {
			h.by[had.source.Name] = append(h.by[had.source.Name], i)
		}
	}
	for _, i := range h.by[t.Name] {
		if had := h.all[i]; had.source.Same(t) {
			h.next = i + 1
			return had
		}
	}
	return nil
}
