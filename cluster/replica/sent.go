package replica

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// sent is a page as it is sent.
type sent struct {
	tab    *registry.Tab // of which it was made
	offers *offer.PageOffers
	facts  *registry.Facts
	page   wire.Page // but for its tools
	tools  []*sentTool
	parts  partBytes
	bytes  int    // of all
	over   bool   // it has no room among all that is sent
	cut    bool   // it is too large to be sent with its frames and offers
	served uint64 // content.serves, when a catalog had it last
	since  since
}

// sentTool is a page's tool as it is sent.
type sentTool struct {
	wire.Tool
	source *registry.PageTool
	bytes  int
	since  uint64 // the version that had it first
}

// partBytes are how many bytes parts of a page have.
type partBytes struct{ page, frames, offers int }

// since are the versions that had first: the page in its document, what is said of it, its frames, its
// offers, and its tools in their order.
type since struct{ all, page, frames, offers, tools uint64 }

// any is the version that had all of it first.
func (s since) any() uint64 { return max(s.all, s.page, s.frames, s.offers, s.tools) }

// send makes a page one that is sent from the version next on; was is what was sent of it before, or nil.
// why says what is left out of it, if anything is. What hasn't changed isn't made, or measured, again.
func (c *content) send(f *registry.Facts, was *sent, next uint64) (p *sent, why string) {
	p = &sent{facts: f, since: since{all: next}}
	switch {
	case was == nil:
		was = &sent{facts: &registry.Facts{}, cut: true}
	case was.facts.Opened == f.Opened && was.facts.Gen == f.Gen:
		p.since, p.over = was.since, was.over
	default:
		p.over = was.over
	}
	p.say(was, next)
	if p.bytes = p.parts.page + p.parts.frames + p.parts.offers; p.bytes > maxPage {
		p.page.Offers, p.page.Frames, p.cut = nil, nil, true
		p.parts.frames, p.parts.offers, p.bytes = 0, 0, p.parts.page
		why = fmt.Sprintf("what it offers besides tools is more than %d bytes", maxPage)
	}
	had := hadTools{all: was.tools}
	for _, t := range f.Tools {
		tool := had.find(t)
		if tool == nil && !sendable(t) {
			continue // it is refused, and so unknown at gateways
		}
		if tool == nil {
			c.numbers++
			tool = &sentTool{Tool: wire.ToolOf(t), source: t, since: next}
			tool.Number = c.numbers
			tool.bytes = size(tool.Tool)
		}
		if p.bytes+tool.bytes > maxPage {
			why = fmt.Sprintf("its tools from %q on: they are more than %d bytes", strings.ToValidUTF8(t.Name, "?"),
				maxPage)
			break
		}
		p.bytes += tool.bytes
		p.tools = append(p.tools, tool)
	}
	if !slices.EqualFunc(p.tools, was.tools, func(a, b *sentTool) bool { return a.Number == b.Number }) {
		p.since.tools = next
	}
	return p, why
}

// say notes what is sent of a page but its tools.
func (p *sent) say(was *sent, next uint64) {
	f := p.facts
	p.page, p.parts = was.page, was.parts
	if !samePage(f, was.facts) {
		p.page = wirePage(f)
		p.parts.page, p.since.page = size(p.page), next
		p.page.Frames, p.page.Offers = was.page.Frames, was.page.Offers
	}
	if was.cut || !slices.Equal(f.Frames, was.facts.Frames) {
		p.page.Frames = wireFrames(f)
		p.parts.frames, p.since.frames = size(p.page.Frames), next
	}
	if was.cut || !sameOffers(f.Offers, was.facts.Offers) {
		p.page.Offers = wireOffers(f)
		p.parts.offers, p.since.offers = size(p.page.Offers), next
	}
}

// hadTools finds tools among those that a page had before.
type hadTools struct {
	all  []*sentTool
	next int              // of all, after the one that was found last
	by   map[string][]int // places in all by tools' names, made when the order differs
}

// find gives a tool as it is sent already, nil if it isn't.
func (h *hadTools) find(t *registry.PageTool) *sentTool {
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

// whole is all of the page.
func (p *sent) whole() wire.Page {
	page := p.page
	page.Tools = make([]wire.Tool, len(p.tools))
	for i, t := range p.tools {
		page.Tools[i] = t.Tool
	}
	return page
}

// edit is what has changed of the page since a version, and about how many bytes that has.
func (p *sent) edit(version uint64) (e wire.Edit, bytes int) {
	e.ID = p.page.ID
	if p.since.page > version {
		page := p.page
		page.ID, page.Frames, page.Offers = "", nil, nil
		e.Page = &page
		bytes += p.parts.page
	}
	if p.since.frames > version {
		frames := append([]wire.Frame{}, p.page.Frames...) // not nil, though there be none
		e.Frames = &frames
		bytes += p.parts.frames
	}
	if p.since.offers > version {
		if e.Offers = p.page.Offers; e.Offers == nil {
			e.Offers = &wire.Offers{}
		}
		bytes += p.parts.offers
	}
	if p.since.tools > version {
		e.Tools = &wire.ToolChanges{Numbers: p.numbers()}
		for _, t := range p.tools {
			if t.since > version {
				e.Tools.New = append(e.Tools.New, t.Tool)
				bytes += t.bytes
			}
		}
	}
	return e, bytes
}

func (p *sent) numbers() []wire.Run {
	return wire.Runs(func(yield func(uint64) bool) {
		for _, t := range p.tools {
			if !yield(t.Number) {
				return
			}
		}
	})
}

// weight is what the page weighs, no less than it does at gateways: what is encoded is longer.
func (p *sent) weight() int {
	return p.bytes + perItem*(1+len(p.tools)+len(p.page.Frames)+offersItems(p.page.Offers))
}

// size is how many bytes something has when it is sent.
func size(v any) int {
	raw, err := json.Marshal(v)
	if err != nil { // nothing is left in it that can't be encoded
		panic(err)
	}
	return len(raw)
}
