package registry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// OffersReported gives the whole set of what a page's MCP servers offer
// besides tools, so it is idempotent. It is dropped if Gen is older than that
// of an earlier report, and shows once Gen is the page's current one.
type OffersReported struct {
	Page      PageID
	Gen       Gen
	Resources []*PageResource
	Prompts   []*PagePrompt
	// Browser is what any of them has of MCP-B's capabilities.
	Browser BrowserCapabilities
}

// Empty says that nothing is offered.
func (e OffersReported) Empty() bool {
	return len(e.Resources)+len(e.Prompts) == 0 && e.Browser == BrowserCapabilities{}
}

// ResourcesUpdated says that resources of a page's MCP server have changed.
// URIs are the page's own. It is an effect, too: as it came.
type ResourcesUpdated struct {
	Server ServerRef
	URIs   []string
}

// PageLogged is a log message of a page's MCP server, likewise. Params are those
// of its notifications/message; Origin is the document's.
type PageLogged struct {
	Server ServerRef
	Origin string
	Params json.RawMessage
}

func (OffersReported) event()    {}
func (ResourcesUpdated) event()  {}
func (PageLogged) event()        {}
func (ResourcesUpdated) effect() {}
func (PageLogged) effect()       {}

// reportedOffers is what a page has reported, as far as it may be published.
type reportedOffers struct {
	gen     Gen
	version uint64 // of the report, from State.offerReports
	all     []offering
	browser BrowserCapabilities
	told    map[Refusal]bool
}

// reportOffers takes a page's offers, and refuses those that can't be published.
func (s *State) reportOffers(e OffersReported) {
	p := s.pages[e.Page]
	if p == nil || e.Gen < p.offers.gen {
		return
	}
	told := map[Refusal]bool{}
	refuse := func(what, why string) {
		r := Refusal{sanitize.Text(what, 128), why}
		if !told[r] && !p.offers.told[r] {
			s.asked = append(s.asked, Refuse{e.Page, r.Tool, r.Why})
		}
		told[r] = true
	}
	said := make([]offering, 0, len(e.Resources)+len(e.Prompts))
	for _, r := range e.Resources {
		said = append(said, r)
	}
	for _, t := range e.Prompts {
		said = append(said, t)
	}
	var counts [offerKinds]int
	said = slices.DeleteFunc(said, func(o offering) bool {
		why := o.refused()
		if why != "" {
			refuse(o.original(), why)
		} else if counts[o.kind()]++; counts[o.kind()] > MaxOffers {
			why = fmt.Sprintf("the page has more than %d", MaxOffers)
			refuse(o.plural(), why)
		}
		return why != ""
	})
	version := p.offers.version
	if p.offers.gen != e.Gen || p.offers.browser != e.Browser || !slices.Equal(p.offers.all, said) {
		s.offerReports++
		s.stale, version = true, s.offerReports
	}
	p.offers = reportedOffers{e.Gen, version, said, e.Browser, told}
}

// offersShow says whether anything of what the page's MCP servers have reported may
// show.
func (s *State) offersShow(p *page) bool {
	return p.offers.gen == p.gen && p.state == "" && p.place < s.options.MaxPages && s.options.Origins.Refusal(p.origin, p.url) == ""
}

// publishOffers gives what all pages offer now besides tools, in their order. What
// did not change keeps its pointers.
func (s *State) publishOffers() *offerSet {
	if s.sameOffers() {
		return s.catalog.offered()
	}
	var pages []*PageOffers
	var browser BrowserCapabilities
	taken := map[string]bool{} // names of prompts
	for _, p := range s.order {
		if !s.offersShow(p) {
			continue
		}
		browser = browser.Or(p.offers.browser)
		if len(p.offers.all) > 0 {
			pages = append(pages, s.publishPageOffers(p, taken))
		}
	}
	was := s.catalog.offered()
	if slices.Equal(pages, was.pages) && browser == was.browser {
		return was
	}
	return newOfferSet(s.catalog.version+1, pages, browser)
}

// sameOffers says that the catalog's offers are made from what there is: the usual
// case.
func (s *State) sameOffers() bool {
	was, n := s.catalog.offered(), 0
	var browser BrowserCapabilities
	for _, p := range s.order {
		if !s.offersShow(p) {
			continue
		}
		browser = browser.Or(p.offers.browser)
		if len(p.offers.all) == 0 {
			continue
		}
		if n == len(was.pages) || was.pages[n].Page != p.id || was.pages[n].from != p.offersFrom() {
			return false
		}
		n++
	}
	return n == len(was.pages) && browser == was.browser
}

func (p *page) offersFrom() madeFrom {
	return madeFrom{p.offers.version, p.index, p.tab, p.url, p.origin}
}

// madeFrom is all that a page's offers are made from.
type madeFrom struct {
	version uint64 // of its report
	index   int
	tab     TabID
	url     string
	origin  string
}

// offerNames gives names to one page's offers.
type offerNames struct {
	domain  string
	max     int
	prompts map[string]bool // those that are taken, of all pages
	uris    map[string]int  // how many frames have offered one
	ranks   map[FrameID]int // the frames in the order in which their prompts stand
}

// frameKey tells a name of one frame from that of another.
func (n *offerNames) frameKey(frame FrameID, name string) string {
	return strconv.Itoa(n.ranks[frame]) + "\x00" + name
}

func (s *State) publishPageOffers(p *page, taken map[string]bool) *PageOffers {
	was := s.catalog.offered().byPage[p.id]
	n := &PageOffers{Page: p.id, from: p.offersFrom()}
	if was != nil && was.from == n.from && was.take(taken) {
		return was
	}
	known := map[offering]*Offer{}
	for o := range was.each {
		known[o.source] = o
	}
	naming := &offerNames{p.domain, s.options.MaxName, taken, map[string]int{}, map[FrameID]int{}}
	for _, said := range p.offers.all {
		d := said.document()
		if !p.isOwn(d) && s.options.Origins.DocumentRefusal(d.said, d.url, d.gen == p.gen) != "" {
			continue
		}
		if _, seen := naming.ranks[d.frame]; !seen && said.kind() == Prompt {
			naming.ranks[d.frame] = len(naming.ranks)
		}
		o := &Offer{Kind: said.kind(), Original: said.original(), Server: ServerRef{p.id, d.frame, d.gen}, whose: p.whose(d), source: said}
		o.Meta = newProvenance(d, o.whose, MCPB)
		if o.Name = said.name(o, naming); o.Name == "" {
			continue // a page that works at clashing hashes loses this one
		}
		if k := known[said]; k != nil && k.Name == o.Name && string(k.Meta) == string(o.Meta) {
			o = k
		} else {
			o.keys = s.options.keysOf(o.from)
			o.Encoded = said.encode(o)
		}
		n.lists[o.Kind] = append(n.lists[o.Kind], o)
	}
	if was != nil && slices.EqualFunc(was.lists[:], n.lists[:], slices.Equal[[]*Offer]) {
		return was
	}
	return n
}

// take marks the names of the page's prompts as taken, or none if one is.
func (p *PageOffers) take(taken map[string]bool) bool {
	prompts := p.lists[Prompt]
	if slices.ContainsFunc(prompts, func(t *Offer) bool { return taken[t.Name] }) {
		return false
	}
	for _, t := range prompts {
		taken[t.Name] = true
	}
	return true
}

// ReadResult makes a page's answer to resources/read one that clients take: its
// URIs are those by which the client can read them.
func ReadResult(c *Catalog, t ResourceTarget, raw json.RawMessage) (json.RawMessage, error) {
	return sanitize.ReadResult(raw, t.Resource.Meta, func(uri string) string {
		if uri == t.URI {
			return t.Hub
		}
		return c.HubURI(t.Resource, uri)
	})
}

// PromptResult makes a page's answer to prompts/get one that clients take.
func PromptResult(c *Catalog, t *Offer, raw json.RawMessage) (json.RawMessage, error) {
	return sanitize.PromptResult(raw, t.Meta, t.keys, func(uri string) string { return c.HubURI(t, uri) })
}

// HubURI is under what URI clients know, or can read, what a page's MCP server
// calls uri in what it gave for an offer.
func (c *Catalog) HubURI(from *Offer, uri string) string {
	p := c.offered().byPage[from.Server.Page]
	for r := range p.each {
		switch {
		case r.Server.Frame != from.Server.Frame:
		case r.Kind == Resource && r.Original == uri:
			return r.Name
		case r.Kind == ResourceTemplate:
			if values, ok := r.parts.Match(uri, names.AsIs); ok {
				return r.prefix() + r.parts.Fill(values, names.EncodeURI)
			}
		}
	}
	return names.URIPrefix(from.host, from.index, 0) + names.EncodeURI(uri)
}
