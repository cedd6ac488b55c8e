package registry

import (
	"encoding/json"
	"slices"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// OffersReported has the whole set of what a page's MCP servers offer besides tools, so it is idempotent. State drops
// it if Gen is older than that of an earlier report. It shows once Gen is the page's current one.
type OffersReported struct {
	Page      PageID
	Gen       Gen
	Resources []*offer.PageResource
	Prompts   []*offer.PagePrompt
	// Browser has those of MCP-B's capabilities that any of the servers has.
	Browser offer.BrowserCapabilities
}

// Empty reports whether nothing is offered.
func (e OffersReported) Empty() bool {
	return len(e.Resources)+len(e.Prompts) == 0 && e.Browser == offer.BrowserCapabilities{}
}

// ResourcesUpdated says that resources of a page's MCP server have changed. URIs are the page's own. State returns
// the event unchanged as an effect.
type ResourcesUpdated struct {
	Server DocumentRef
	URIs   []string
}

// PageLogged is a log message of a page's MCP server; State returns it unchanged as an effect, too. Params are those
// of the server's notifications/message. Origin is the document's.
type PageLogged struct {
	Server DocumentRef
	Origin string
	Params json.RawMessage
}

func (OffersReported) event()    {}
func (ResourcesUpdated) event()  {}
func (PageLogged) event()        {}
func (ResourcesUpdated) effect() {}
func (PageLogged) effect()       {}

// reportedOffers has the offers that a page has reported and that may be published.
type reportedOffers struct {
	offer.Reported
	gen      Gen
	browser  offer.BrowserCapabilities
	refusals reportedRefusals
}

// reportOffers records a page's offers, and refuses those that can't be published.
func (s *State) reportOffers(e OffersReported) {
	p := s.pages[e.Page]
	admitted, refused := offer.Admit(e.Resources, e.Prompts)
	s.effects = append(s.effects, p.offers.refusals.news(p.ID, refused)...)
	version := p.offers.Version
	if p.offers.browser != e.Browser || p.offers.gen != e.Gen && !e.Empty() {
		s.touch(p)
	}
	if p.offers.gen != e.Gen || p.offers.browser != e.Browser || !slices.Equal(p.offers.All, admitted) {
		s.offerReports++
		s.stale, version = true, s.offerReports
	}
	p.offers = reportedOffers{offer.Reported{All: admitted, Version: version}, e.Gen, e.Browser, p.offers.refusals}
}

// offersShow reports whether the page's offers may show at all.
func (s *State) offersShow(p *page) bool {
	return p.offers.gen == p.Gen && p.state == "" && p.place < s.options.MaxPages &&
		p.Origins.Refusal(p.Origin, p.url) == ""
}

// publishOffers returns what all pages offer now besides tools, in page order. Unchanged offers keep their pointers.
func (s *State) publishOffers() *offer.Set {
	if s.sameOffers() {
		return s.catalog.Offered()
	}
	was := s.catalog.Offered()
	var pages []*offer.PageOffers
	var browser offer.BrowserCapabilities
	taken := map[string]bool{} // names of prompts
	for _, p := range s.order {
		if !s.offersShow(p) {
			continue
		}
		browser = browser.Or(p.offers.browser)
		if len(p.offers.All) > 0 {
			pages = append(pages, p.PublishOffers(p.offers.Reported, was.Page(p.ID), taken))
		}
	}
	if slices.Equal(pages, was.Pages()) && browser == was.Browser() {
		return was
	}
	return offer.NewSet(s.catalog.version+1, pages, browser)
}

// sameOffers reports whether the catalog's offers are still current, which is the usual case.
func (s *State) sameOffers() bool {
	was, n := s.catalog.Offered().Pages(), 0
	var browser offer.BrowserCapabilities
	for _, p := range s.order {
		if !s.offersShow(p) {
			continue
		}
		browser = browser.Or(p.offers.browser)
		if len(p.offers.All) == 0 {
			continue
		}
		if n == len(was) || !was[n].MadeOf(p.offers.Reported, &p.Page) {
			return false
		}
		n++
	}
	return n == len(was) && browser == s.catalog.Offered().Browser()
}

// Message returns the params of the notifications/message that clients get.
func (l PageLogged) Message() (params json.RawMessage, severity int, ok bool) {
	return sanitize.LogMessage(l.Params, offer.PageRequest{Origin: l.Origin}.Who(), offer.RequestMeta(l.Origin))
}
