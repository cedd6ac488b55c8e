package registry

import (
	"fmt"
	"slices"

	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// offersBy returns what names of offers mean in a catalog. find finds an offer by its name.
func (c *Catalog) offersBy(find func(c *Catalog, name string) *offer.Offer) *offer.Names[*offer.Offer] {
	if c == nil {
		return nil
	}
	return &offer.Names[*offer.Offer]{
		Find: func(name string) *offer.Offer { return find(c, name) },
		Of:   func(page PageID) []*offer.Offer { return slices.Collect(c.Offered().Page(page).Each) },
	}
}

// ResolveOffer returns the prompt or template that a client means by name, see [offer.Meaning]. seen is the catalog
// that the client read last, or nil; now is the current one. to says which of the hub's tools the error may name.
func ResolveOffer(kind offer.OfferKind, seen, now *Catalog, name string, to VisibleTools) (*offer.Offer, error) {
	find := func(c *Catalog, name string) *offer.Offer { return c.Offered().Offer(kind, name) }
	is, was, _ := offer.Meaning(seen.offersBy(find), *now.offersBy(find), name)
	if is == nil {
		return nil, noOffer(kind, seen, now, was, name, to)
	}
	return is, nil
}

// noOffer says what became of the offer that a client means, or that there is none with that name.
func noOffer(kind offer.OfferKind, seen, now *Catalog, was *offer.Offer, name string, to VisibleTools) error {
	words := offerWords[kind]
	switch {
	case was != nil:
		return fmt.Errorf(words.gone, sanitize.Text(name, 300), WhatBecame(to, seen, now, was))
	case now.BrowserStatus() != "":
		return fmt.Errorf(words.unknown+": %s", sanitize.Text(name, 300), to.Status(now.BrowserStatus()))
	}
	return fmt.Errorf(words.unknown+". "+words.again, sanitize.Text(name, 300))
}

// offerWords has the texts that tell an agent that there is no such offer.
var offerWords = [...]struct{ gone, unknown, again string }{
	offer.Resource: {"%s is gone: %s. List the resources again (resources/list)", "there is no resource %s",
		"List the resources again (resources/list, resources/templates/list)"},
	offer.ResourceTemplate: {"%s is gone: %s. List the templates again (resources/templates/list)",
		"there is no resource template %s", "List the templates again (resources/templates/list)"},
	offer.Prompt: {"the prompt %s is gone: %s. List the prompts again (prompts/list)", "no prompt is called %s",
		"List the prompts again (prompts/list)"},
}

// ResolveResource returns what a client means by a URI: a resource, a template that the URI fits, or a resource that
// a result may have linked to. The other parameters are as in [ResolveOffer].
func ResolveResource(seen, now *Catalog, uri string, to VisibleTools) (offer.ResourceTarget, error) {
	find := func(c *Catalog, uri string) *offer.Offer {
		o, _ := c.Offered().Match(uri)
		return o
	}
	is, was, _ := offer.Meaning(seen.offersBy(find), *now.offersBy(find), uri)
	original := ""
	switch {
	case was != nil:
		_, original = seen.Offered().Match(uri)
	case is != nil:
		_, original = now.Offered().Match(uri)
	default:
		is, original = now.Offered().Unlisted(uri, func(index int, page PageID) bool {
			if seen == nil {
				return true
			}
			was := slices.IndexFunc(seen.Tabs(), func(t *Tab) bool { return t.Index == index })
			return was < 0 || seen.Tabs()[was].Page == page
		})
	}
	if is == nil {
		return offer.ResourceTarget{}, noOffer(offer.Resource, seen, now, was, uri, to)
	}
	return offer.ResourceTarget{Resource: is, URI: original, Hub: uri}, nil
}
