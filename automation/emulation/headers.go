package emulation

import (
	"sync/atomic"

	"webmcphub/automation/page"
)

// headers adds headers to a page's requests, but only to permitted addresses. Chrome's own setting adds them to all
// requests, including those to which an address redirects. So if there are rules, Chrome pauses each request, and
// headers continues it, with the headers if its address may get them. A request that isn't paused gets no headers.
type headers struct {
	permits func(address string) bool     // nil permits all, and Chrome's own setting is used
	sent    atomic.Pointer[[]page.Header] // not nil once listens is true
	listens bool
}

// everyRequest matches the requests to which Chrome can add headers.
var everyRequest = params{"patterns": []params{{"urlPattern": "http*"}}}

// commands returns the commands for the headers in s.
func (h *headers) commands(s Settings) []command {
	switch {
	case h.permits == nil:
		return chromesHeaders(s)
	case len(s.Headers) == 0:
		return []command{{"Fetch.disable", params{}}}
	}
	return []command{{"Fetch.enable", everyRequest}}
}

// send sets the headers, from the next request on.
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

// to returns the headers for a request to an address.
func (h *headers) to(address string) []page.Header {
	if !h.permits(address) {
		return nil
	}
	return *h.sent.Load()
}
