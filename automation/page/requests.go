package page

import (
	"net/http"
	"slices"
	"strings"

	"webmcphub/cdpclient"
)

// Header is a header of a request.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// AddHeaders adds headers to the requests that Chrome pauses while the Fetch domain is enabled (see [Page.Setup]),
// and lets the requests continue. add returns the headers for an address; each replaces a header of the same name.
// add is called on the page's own goroutine and must not block.
func (p *Page) AddHeaders(add func(address string) []Header) {
	p.Subscribe(func(e cdpclient.Event) {
		with(e, func(v struct {
			RequestID string
			Request   struct {
				URL     string
				Headers map[string]string
			}
		},
		) {
			goesOn := map[string]any{"requestId": v.RequestID}
			if more := add(v.Request.URL); len(more) > 0 {
				goesOn["headers"] = WithHeaders(v.Request.Headers, more)
			}
			p.Post(e.Session, "Fetch.continueRequest", goesOn)
		})
	}, "Fetch.requestPaused")
}

// WithHeaders merges headers into a request's own headers and returns them sorted by name. A header in more replaces
// one of the same name in own.
func WithHeaders(own map[string]string, more []Header) []Header {
	all := slices.Clone(more)
	for name, value := range own {
		same := func(h Header) bool { return http.CanonicalHeaderKey(h.Name) == http.CanonicalHeaderKey(name) }
		if !slices.ContainsFunc(more, same) {
			all = append(all, Header{name, value})
		}
	}
	slices.SortFunc(all, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	return all
}
