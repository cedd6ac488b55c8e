package emulation

import (
	"sync/atomic"

	"webmcphub/automation/page"
)

// headers sends headers with the requests of a page that go to permitted addresses only.
// Chrome's own setting sends them everywhere, also where an address redirects to, so
// while there are rules each request is stopped on its way, and let go with the headers
// if it may have them. What nobody stops goes without.
type headers struct {
	permits func(address string) bool     // nil permits all, and leaves it to Chrome
	sent    atomic.Pointer[[]page.Header] // not nil once it listens
	listens bool
}

// everyRequest are those that Chrome can add headers to.
var everyRequest = params{"patterns": []params{{"urlPattern": "http*"}}}

// commands are what Chrome is told.
func (h *headers) commands(s Settings) []command {
	switch {
	case h.permits == nil:
		return chromesHeaders(s)
	case len(s.Headers) == 0:
		return []command{{"Fetch.disable", params{}}}
	}
	return []command{{"Fetch.enable", everyRequest}}
}

// send sends these from the next request on.
func (h *headers) send(p *page.Page, is map[string]string) {
	if h.permits == nil {
		return
	}
	var all []page.Header
	for name, value := range is {
		all = append(all, page.Header{Name: name, Value: value})
	}
	h.sent.Store(&all)
	if len(all) > 0 && !h.listens {
		h.listens = true
		p.AddHeaders(h.to)
	}
}

// to are those that a request to an address gets.
func (h *headers) to(address string) []page.Header {
	if !h.permits(address) {
		return nil
	}
	return *h.sent.Load()
}
