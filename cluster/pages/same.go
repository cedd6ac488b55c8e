package pages

import (
	"reflect"
	"slices"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// sameFacts says whether two snapshots of a page are equal.
func sameFacts(a, b *registry.PageSnapshot) bool {
	return a == b || samePage(a, b) && slices.Equal(a.Frames, b.Frames) &&
		slices.EqualFunc(a.Tools, b.Tools, (*registry.PageTool).Same) && sameOffers(a.Offers, b.Offers)
}

// samePage says whether two snapshots of a page are equal, apart from frames, tools and offers.
func samePage(a, b *registry.PageSnapshot) bool {
	return a.Page == b.Page && a.Browser == b.Browser && a.Opened == b.Opened && a.Proxied == b.Proxied &&
		a.URL == b.URL && a.Origin == b.Origin &&
		a.Title == b.Title && a.State == b.State && a.Dialog == b.Dialog && a.Arrived == b.Arrived && a.Gen == b.Gen &&
		a.Moving == b.Moving
}

func sameOffers(a, b registry.OffersReported) bool {
	return a.Browser == b.Browser && slices.EqualFunc(a.Resources, b.Resources, sameResource) &&
		slices.EqualFunc(a.Prompts, b.Prompts, samePrompt)
}

func sameResource(a, b *offer.PageResource) bool { return a == b || reflect.DeepEqual(a, b) }
func samePrompt(a, b *offer.PagePrompt) bool     { return a == b || reflect.DeepEqual(a, b) }

// reuse replaces each element of all by the same element of before, if there is one. key is a quick filter: the same
// elements have the same key.
func reuse[T any](all, before []*T, same func(a, b *T) bool, key func(*T) string) []*T {
	if len(all) == 0 {
		return nil
	}
	had := make(map[string][]*T, len(before))
	for _, b := range before {
		had[key(b)] = append(had[key(b)], b)
	}
	for i, a := range all {
		if at := slices.IndexFunc(had[key(a)], func(b *T) bool { return same(a, b) }); at >= 0 {
			all[i] = had[key(a)][at]
		}
	}
	return all
}
