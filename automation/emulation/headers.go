package emulation

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// headers adds headers to a page's requests, but only to permitted addresses. Chrome's own setting adds them to all
// requests, including those to which an address redirects. So if there are rules, Chrome pauses each request, and
// headers continues it, with the headers if its address may get them. A request that isn't paused gets no headers.
type headers struct {
	permits func(address string) bool         // nil permits all, and Chrome's own setting is used
	sent    atomic.Pointer[map[string]string] // not nil once listens is true
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
	h.sent.Store(&is)
	if h.permits != nil && len(is) > 0 && !h.listens {
		h.listens = true
		p.Subscribe(func(e cdpclient.Event) { h.paused(p, e) }, "Fetch.requestPaused")
	}
}

// paused continues a request. It is called on the page's own goroutine.
func (h *headers) paused(p *page.Page, e cdpclient.Event) {
	var v struct {
		RequestID string
		Request   struct {
			URL     string
			Headers map[string]string
		}
	}
	if json.Unmarshal(e.Params, &v) != nil {
		return
	}
	goesOn := params{"requestId": v.RequestID}
	if more := *h.sent.Load(); len(more) > 0 && h.permits(v.Request.URL) {
		goesOn["headers"] = merged(v.Request.Headers, more)
	}
	p.Post(e.Session, "Fetch.continueRequest", goesOn)
}

// header is a header of a request.
type header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// merged merges headers into a request's own and returns them sorted by name. A header in more replaces one of the
// same name in own.
func merged(own, more map[string]string) (all []header) {
	given := map[string]bool{}
	for name := range more {
		given[http.CanonicalHeaderKey(name)] = true
	}
	is := maps.Clone(more)
	for name, value := range own {
		if !given[http.CanonicalHeaderKey(name)] {
			is[name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		all = append(all, header{name, is[name]})
	}
	return all
}
