package listing

import (
	"fmt"
	"strings"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
	"webmcphub/registry/tokencount"
)

// frame is the most that an answer costs besides what it lists: a note and a cursor.
const frame = 120

// part returns as much of the list as the limit allows, in the requested detail, from the requested place on.
func (r *Request) part() Answer {
	b := builder{request: r, left: r.room(frame), out: browsersOf(r)}
	b.out.Pages, b.out.Detail = []Page{}, r.Detail
	tabs, sites := r.scope(), r.sites()
	if from := r.From; from != nil {
		if b.at = *from; from.tab == 0 {
			sites = b.rest(sites)
		} else {
			tabs, sites = tabs[max(0, place(tabs, from.tab)):], nil
		}
	}
	all := b.addSites(sites) && b.addPages(tabs)
	if !all {
		b.out.NextCursor = b.at.String()
		b.out.Note += fmt.Sprintf("Not all: this part is about as long as maxTokens (%d) lets it be. nextCursor, "+
			"given as cursor, gives what follows.", r.MaxTokens)
	}
	b.out.Note = strings.TrimRight(b.out.Note, " ")
	a := b.out.answer(true)
	switch {
	case !all || r.From != nil:
		a.Read, a.Part = r.Catalog.WithTools(b.shown), true
	case r.Tab != nil:
		a.Read, a.Page = r.Catalog, r.Tab.Page
	default:
		a.Read = r.Catalog
	}
	return a
}

// builder builds an answer until the answer is full.
type builder struct {
	request *Request
	out     result
	left    int  // tokens
	any     bool // something was added
	at      Cursor
	shown   []*registry.HubTool
}

// fits reports whether v fits in the tokens that are left, and subtracts its cost if so. The first thing always fits.
func (b *builder) fits(v any) bool {
	cost := tokencount.Estimate(sanitize.Encode(v)) + 1
	if cost > b.left && b.any {
		return false
	}
	b.left -= cost
	return true
}

// addSites adds tools of sites, and reports whether all fitted.
func (b *builder) addSites(sites []*registry.HubTool) bool {
	for _, t := range sites {
		s := siteOf(t, b.request.Detail)
		if !b.fits(s) {
			return false
		}
		b.out.Sites = append(b.out.Sites, s)
		b.add(t, 0)
	}
	return true
}

// add notes that a tool is shown.
func (b *builder) add(t *registry.HubTool, tab registry.TabID) {
	if b.at.tab != tab {
		b.at.at = 0
	}
	b.shown = append(b.shown, t)
	b.reached(tab, b.at.at+1, t.Name)
}

// reached notes the place that the answer has reached.
func (b *builder) reached(tab registry.TabID, at int, after string) {
	b.any = true
	b.at = Cursor{allTabs, b.request.Detail, tab, at, after}
	if b.request.Tab != nil {
		b.at.scope = oneTab
	}
}

// rest returns those of the cursor's tools that come after the cursor. If the tools have changed, the answer says so.
func (b *builder) rest(tools []*registry.HubTool) []*registry.HubTool {
	rest, begunAgain, changed := b.request.From.rest(tools)
	switch {
	case begunAgain && len(rest) > 0:
		b.out.Note = "The tool at which the list stopped is gone; the tools beside it are listed from the first again. "
	case changed:
		b.out.Note = "The tools before these have changed meanwhile: begin without cursor to see all. "
	default:
		return rest
	}
	b.left -= tokencount.Estimate(b.out.Note)
	return rest
}

// addPages adds pages, and reports whether all fitted.
func (b *builder) addPages(tabs []*registry.Tab) bool {
	for i, t := range tabs {
		tools, from := t.Tools, b.request.From
		if i == 0 && from != nil && from.tab == t.ID {
			if tools = b.rest(tools); len(tools) == 0 {
				continue
			}
		}
		if !b.addPage(t, tools) {
			return false
		}
	}
	return true
}

// addPage adds a page with these of its tools, and reports whether all fitted.
func (b *builder) addPage(t *registry.Tab, tools []*registry.HubTool) bool {
	p := b.request.Detail.page(t, b.request)
	if !b.fits(p) {
		return false
	}
	for _, tool := range tools {
		is := b.request.Detail.tool(tool)
		if !b.fits(is) {
			if len(p.Tools) > 0 { // a page without any of its tools is of no use
				b.out.Pages = append(b.out.Pages, p)
			}
			return false
		}
		p.Tools = append(p.Tools, is)
		b.add(tool, t.ID)
	}
	b.out.Pages = append(b.out.Pages, p)
	if len(tools) == 0 {
		b.reached(t.ID, 0, "")
	}
	return true
}
