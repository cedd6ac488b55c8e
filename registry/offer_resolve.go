package registry

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"webmcphub/registry/advice"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// offersBy is what names of offers mean in a catalog; find finds one.
func (c *Catalog) offersBy(find func(c *Catalog, name string) *Offer) *Names[*Offer] {
	if c == nil {
		return nil
	}
	return &Names[*Offer]{
		Find: func(name string) *Offer { return find(c, name) },
		Of:   func(page PageID) []*Offer { return slices.Collect(c.offered().byPage[page].each) },
	}
}

// Offer gives the offer of a kind that has that name, or nil.
func (c *Catalog) Offer(kind OfferKind, name string) *Offer { return c.offered().byName[kind][name] }

// Fits says whether a URI fits a template that the catalog lists.
func (c *Catalog) Fits(uri string) bool {
	t, _ := c.matchTemplate(uri)
	return t != nil
}

// Current is what an offer of another catalog is in this one, or nil: the same of
// the same page and site, perhaps of a later document, and preferably of the same
// frame.
func (c *Catalog) Current(was *Offer) (is *Offer) {
	id := was.identity()
	for o := range c.offered().byPage[id.page].each {
		switch {
		case !o.identity().same(id):
		case o.Server.Frame == id.frame:
			return o
		case is == nil:
			is = o
		}
	}
	return is
}

// ResolveOffer finds the prompt or template that a client names, see [Meaning]. Seen
// is the catalog that the client read last, or nil; now is the current one. The
// error's text is for the agent, of whom to is.
func ResolveOffer(kind OfferKind, seen, now *Catalog, name string, to advice.Audience) (*Offer, error) {
	find := func(c *Catalog, name string) *Offer { return c.Offer(kind, name) }
	is, was, _ := Meaning(seen.offersBy(find), *now.offersBy(find), name)
	if is == nil {
		return nil, noOffer(kind, seen, now, was, name, to)
	}
	return is, nil
}

// noOffer says what became of what a client means, or that nothing is called so.
func noOffer(kind OfferKind, seen, now *Catalog, was *Offer, name string, to advice.Audience) error {
	words := offerWords[kind]
	switch {
	case was != nil:
		return fmt.Errorf(words.gone, sanitize.Text(name, 300), WhatBecame(to, seen, now, was))
	case now.BrowserStatus() != "":
		return fmt.Errorf(words.unknown+": %s", sanitize.Text(name, 300), to.Status(now.BrowserStatus()))
	}
	return fmt.Errorf(words.unknown+". "+words.again, sanitize.Text(name, 300))
}

// offerWords is how an agent is told that there is no such offer.
var offerWords = [offerKinds]struct{ gone, unknown, again string }{
	Resource:         {"%s is gone: %s. List the resources again (resources/list)", "there is no resource %s", "List the resources again (resources/list, resources/templates/list)"},
	ResourceTemplate: {"%s is gone: %s. List the templates again (resources/templates/list)", "there is no resource template %s", "List the templates again (resources/templates/list)"},
	Prompt:           {"the prompt %s is gone: %s. List the prompts again (prompts/list)", "no prompt is called %s", "List the prompts again (prompts/list)"},
}

// ResourceTarget is what a client's URI leads to.
type ResourceTarget struct {
	Resource *Offer // a resource, or the template that the URI fits
	URI      string // the page's own
	Hub      string // as the client said
}

// ResolveResource finds what a client means by a URI, likewise: that of a resource,
// one that fits a template, or one that a result may have linked to.
func ResolveResource(seen, now *Catalog, uri string, to advice.Audience) (ResourceTarget, error) {
	find := func(c *Catalog, uri string) *Offer {
		o, _ := c.match(uri)
		return o
	}
	is, was, _ := Meaning(seen.offersBy(find), *now.offersBy(find), uri)
	original := ""
	switch {
	case was != nil:
		_, original = seen.match(uri)
	case is != nil:
		_, original = now.match(uri)
	default:
		is, original = now.unlistedResource(seen, uri)
	}
	if is == nil {
		return ResourceTarget{}, noOffer(Resource, seen, now, was, uri, to)
	}
	return ResourceTarget{is, original, uri}, nil
}

// match finds the resource, or the template that the URI fits, and the page's
// own URI.
func (c *Catalog) match(uri string) (*Offer, string) {
	if r := c.Offer(Resource, uri); r != nil {
		return r, r.Original
	}
	return c.matchTemplate(uri)
}

// matchTemplate finds the template that the URI fits, and the page's own URI.
func (c *Catalog) matchTemplate(uri string) (*Offer, string) {
	for _, t := range c.offered().all.Of(ResourceTemplate) {
		if rest, ok := strings.CutPrefix(uri, t.prefix()); ok {
			if values, fits := t.parts.Match(rest, names.EncodeURI); fits {
				return t, t.parts.Fill(values, names.AsIs)
			}
		}
	}
	return nil, ""
}

// unlistedResource reads a URI that no list has, but that is made as those are: what a
// result links to may not be listed. It leads to a page with one server only,
// which must be the page that the client knows by that number.
func (c *Catalog) unlistedResource(seen *Catalog, uri string) (*Offer, string) {
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
	for _, p := range c.offered().pages {
		all := slices.Concat(p.Of(Resource), p.Of(ResourceTemplate))
		if len(all) == 0 || all[0].index != index || all[0].host != host {
			continue
		}
		if slices.ContainsFunc(all, func(r *Offer) bool { return r.Server != all[0].Server }) {
			return nil, ""
		}
		if seen != nil {
			was := slices.IndexFunc(seen.Tabs(), func(t *Tab) bool { return t.Index == index })
			if was >= 0 && seen.Tabs()[was].Page != p.Page {
				return nil, ""
			}
		}
		return all[0], original
	}
	return nil, ""
}

// prefix is what a resource's URI begins with.
func (o *Offer) prefix() string { return strings.TrimSuffix(o.Name, o.path()) }
