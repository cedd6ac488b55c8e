package offer

import (
	"slices"
	"strconv"
	"strings"

	"webmcphub/registry/names"
)

// ResourceTarget is the resource to which a client's URI leads.
type ResourceTarget struct {
	Resource *Offer // a resource, or the template that the URI fits
	URI      string // the page's own
	Hub      string // as the client wrote it
}

// Match returns the resource, or the template that the URI fits, and the page's own URI.
func (s *Set) Match(uri string) (*Offer, string) {
	if r := s.Offer(Resource, uri); r != nil {
		return r, r.Original
	}
	return s.matchTemplate(uri)
}

// matchTemplate returns the template that the URI fits, and the page's own URI.
func (s *Set) matchTemplate(uri string) (*Offer, string) {
	for _, t := range s.all.Of(ResourceTemplate) {
		if rest, ok := strings.CutPrefix(uri, t.prefix()); ok {
			if values, fits := t.parts.Match(rest, names.EncodeURI); fits {
				return t, t.parts.Fill(values, names.AsIs)
			}
		}
	}
	return nil, ""
}

// Unlisted reads a URI that is in no list but has the form of the hub's URIs, because a result may link to something
// unlisted. It finds the page only if that page has one server. known must report whether the client knows the page
// by that index.
func (s *Set) Unlisted(uri string, known func(index int, page PageID) bool) (*Offer, string) {
	rest, ok := strings.CutPrefix(uri, "webmcp://")
	host, rest, _ := strings.Cut(rest, "/page") // no host has a slash
	number, encoded, found := strings.Cut(rest, "/")
	index, err := strconv.Atoi(number)
	if !ok || !found || err != nil || strings.Contains(encoded, "/") {
		return nil, ""
	}
	original, ok := names.DecodeURI(encoded)
	if !ok || original == "" || names.EncodeURI(original) != encoded {
		return nil, ""
	}
	for _, p := range s.pages {
		all := slices.Concat(p.Of(Resource), p.Of(ResourceTemplate))
		if len(all) == 0 || all[0].index != index || all[0].host != host {
			continue
		}
		if slices.ContainsFunc(all, func(r *Offer) bool { return r.Server != all[0].Server }) || !known(index, p.Page) {
			return nil, ""
		}
		return all[0], original
	}
	return nil, ""
}

// prefix returns the beginning of the resource's URI.
func (o *Offer) prefix() string { return strings.TrimSuffix(o.Name, o.path()) }

// Fits reports whether a URI fits a template that is listed.
func (s *Set) Fits(uri string) bool {
	t, _ := s.matchTemplate(uri)
	return t != nil
}

// Current returns the offer in s that matches one of another set, or nil: the same offer of the same page and site,
// perhaps of a later document, and preferably of the same frame.
func (s *Set) Current(was *Offer) (is *Offer) {
	id := was.Identity()
	for o := range s.byPage[id.Page].Each {
		switch {
		case !o.Identity().Same(id):
		case o.Server.Frame == id.Frame:
			return o
		case is == nil:
			is = o
		}
	}
	return is
}
