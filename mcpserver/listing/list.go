package listing

import (
	"math"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
	"webmcphub/registry/tokencount"
)

// Limits of answers in tokens if the request gives none.
const (
	// DefaultMaxTokens is how long one part of a list may be.
	DefaultMaxTokens = 10_000
	// OverviewTokens is how long the overview of all tabs may be.
	OverviewTokens = 2_000
)

// Request says what to list of a catalog.
type Request struct {
	Catalog *registry.Catalog
	// Tab is the only tab to list; nil means all tabs, with the tools of sites.
	Tab *registry.Tab
	// Detail is the detail of each tool; "" means as much as fits.
	Detail Detail
	// MaxTokens is how long the answer may be; 0 means no limit.
	MaxTokens int
	// From is the cursor at which to continue, from [ReadCursor]; nil means the beginning.
	From *Cursor
	// To says which of the hub's own tools the reader of the answer has.
	To registry.VisibleTools
}

// Answer is a result, with the part of the catalog that its reader has read.
type Answer struct {
	Result registry.Result
	// Read is the catalog with the tools that the result shows; nil if it shows none.
	Read *registry.Catalog
	// Part reports that Read is an excerpt: the result shows no other tools.
	Part bool
	// Page is the only page of Read that was read; "" means all pages.
	Page registry.PageID

	tokens int // about how long the result is for a reader of either its text or its structured content
}

// List carries out a request.
func List(r Request) Answer {
	switch {
	case r.From != nil && r.From.scope == tabsOnly:
		return r.tabs(r.From)
	case r.From != nil:
		return r.part()
	case r.MaxTokens == 0 && (r.Detail == "" || r.Detail == Full):
		return r.whole(Full, false)
	case r.Detail == "":
		return r.asMuchAsFits()
	case r.MaxTokens == 0:
		return r.whole(r.Detail, true)
	}
	return r.part()
}

// asMuchAsFits returns the whole list with the most detail with which it fits. If it fits with none, it returns the
// tabs or, for a single tab, a part of its tools' names.
func (r *Request) asMuchAsFits() Answer {
	n := r.count()
	for _, d := range []Detail{Full, Signature, Names} {
		if n*d.least() > r.MaxTokens {
			continue
		}
		if a := r.whole(d, d != Full); a.tokens <= r.MaxTokens {
			return a
		}
	}
	if r.Tab != nil {
		r.Detail = Names
		return r.part()
	}
	return r.tabs(nil)
}

// room returns how many tokens of the limit are left after cost.
func (r *Request) room(cost int) int {
	if r.MaxTokens == 0 {
		return math.MaxInt / 2
	}
	return r.MaxTokens - cost
}

// count returns how many tools the whole list has.
func (r *Request) count() (n int) {
	for _, t := range r.scope() {
		n += len(t.Tools)
	}
	return n + len(r.sites())
}

// scope returns the tabs that are listed.
func (r *Request) scope() []*registry.Tab {
	if r.Tab != nil {
		return []*registry.Tab{r.Tab}
	}
	return r.Catalog.Tabs()
}

// sites returns the tools of sites that are listed.
func (r *Request) sites() []*registry.HubTool {
	if r.Tab != nil {
		return nil
	}
	return r.Catalog.SiteTools()
}

// least returns the least that a tool can cost.
func (d Detail) least() int {
	switch d {
	case Full:
		return 20
	case Signature:
		return 10
	}
	return 4
}

// whole returns everything that is listed. With withSize, the answer says how long and how detailed it is.
func (r *Request) whole(d Detail, withSize bool) Answer {
	o := browsersOf(r)
	if d == Full && r.MaxTokens == 0 {
		o.Pages = Pages(r.scope(), r.To)
	} else {
		o.Pages = []Page{}
		for _, t := range r.scope() {
			p := d.page(t, r)
			for _, tool := range t.Tools {
				p.Tools = append(p.Tools, d.tool(tool))
			}
			o.Pages = append(o.Pages, p)
		}
	}
	for _, t := range r.sites() {
		o.Sites = append(o.Sites, siteOf(t, d))
	}
	if withSize {
		o.Detail, o.Note = d, r.moreDetail(d)
	}
	a := o.answer(withSize)
	if a.Read = r.Catalog; r.Tab != nil {
		a.Page = r.Tab.Page
	}
	return a
}

// moreDetail says how to see more of each tool than d shows.
func (r *Request) moreDetail(d Detail) string {
	switch {
	case d == Full || r.Detail != "":
		return ""
	case r.Tab != nil:
		return "In full this is longer than maxTokens: for schemas ask with detail full."
	}
	return "In full this is longer than maxTokens: for schemas ask with detail full, or with tab for one tab."
}

// answer makes the answer. With withSize, the answer says about how many tokens it has.
func (o *result) answer(withSize bool) Answer {
	raw := sanitize.Encode(o)
	n := tokencount.Estimate(raw)
	if withSize {
		n += 6 // for the member tokens itself
		o.Tokens = n
		raw = sanitize.Encode(o)
	}
	return Answer{Result: sanitize.StructuredResult(raw), tokens: n}
}
