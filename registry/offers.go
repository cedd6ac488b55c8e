package registry

import (
	"encoding/json"
	"slices"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// OffersReported gives the whole set of what a page's MCP servers offer
// besides tools, so it is idempotent. It is dropped if Gen is older than that
// of an earlier report, and shows once Gen is the page's current one.
type OffersReported struct {
	Page      PageID
	Gen       Gen
	Resources []*offer.PageResource
	Prompts   []*offer.PagePrompt
	// Browser is what any of them has of MCP-B's capabilities.
	Browser offer.BrowserCapabilities
}

// Empty says that nothing is offered.
func (e OffersReported) Empty() bool {
	return len(e.Resources)+len(e.Prompts) == 0 && e.Browser == offer.BrowserCapabilities{}
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
	offer.Reported
	gen     Gen
	browser offer.BrowserCapabilities
	told    told
}

// reportOffers takes a page's offers, and refuses those that can't be published.
func (s *State) reportOffers(e OffersReported) {
	p := s.pages[e.Page]
	said, refused := offer.Admit(e.Resources, e.Prompts)
	s.asked = append(s.asked, p.offers.told.news(p.ID, refused)...)
	version := p.offers.Version
	if p.offers.browser != e.Browser || p.offers.gen != e.Gen && !e.Empty() {
		s.touch(p)
	}
	if p.offers.gen != e.Gen || p.offers.browser != e.Browser || !slices.Equal(p.offers.All, said) {
		s.offerReports++
		s.stale, version = true, s.offerReports
	}
	p.offers = reportedOffers{offer.Reported{All: said, Version: version}, e.Gen, e.Browser, p.offers.told}
}

// offersShow says whether anything of what the page's MCP servers have reported may
// show.
func (s *State) offersShow(p *page) bool {
	return p.offers.gen == p.Gen && p.state == "" && p.place < s.options.MaxPages &&
		p.Origins.Refusal(p.Origin, p.url) == ""
}

// publishOffers gives what all pages offer now besides tools, in their order. What
// did not change keeps its pointers.
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

// sameOffers says that the catalog's offers are made from what there is: the usual
// case.
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

// Message makes the params of the notifications/message that clients get.
func (l PageLogged) Message() (params json.RawMessage, severity int, ok bool) {
	return sanitize.LogMessage(l.Params, offer.PageRequest{Origin: l.Origin}.Who(), offer.RequestMeta(l.Origin))
}
