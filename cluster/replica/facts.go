package replica

import (
	"encoding/json"
	"reflect"
	"slices"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// sameFacts says whether both tell the same of a page.
func sameFacts(a, b *registry.Facts) bool {
	return a == b || samePage(a, b) && slices.Equal(a.Frames, b.Frames) &&
		slices.EqualFunc(a.Tools, b.Tools, (*registry.PageTool).Same) && sameOffers(a.Offers, b.Offers)
}

// samePage says whether both tell the same of the page itself: of all but its frames, tools and offers.
func samePage(a, b *registry.Facts) bool {
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

// wirePage is a page as it is sent, but for its frames, tools and offers.
func wirePage(f *registry.Facts) wire.Page {
	return wire.Page{ID: string(f.Page), Browser: f.Browser, URL: cut(f.URL, maxURL), Title: cut(f.Title, maxText),
		State: cut(f.State, maxText), Dialog: cut(f.Dialog, maxText), Arrived: f.Arrived,
		Opened: f.Opened, Proxied: f.Proxied, Moving: f.Moving, Document: uint64(f.Gen), Origin: f.Origin}
}

// wireFrames and wireOffers are a page's frames and offers as they are sent.
func wireFrames(f *registry.Facts) (all []wire.Frame) {
	for _, frame := range f.Frames {
		all = append(all, wire.Frame{ID: string(frame.ID), Doc: uint64(frame.Doc), URL: cut(frame.URL, maxText)})
	}
	return all
}

func wireOffers(f *registry.Facts) *wire.Offers {
	if f.Offers.Empty() {
		return nil
	}
	o := &wire.Offers{Prompts: f.Offers.Prompts, Browser: f.Offers.Browser}
	for _, r := range f.Offers.Resources {
		o.Resources = append(o.Resources, wire.ResourceOf(r))
	}
	return o
}

// factsOf is a node's page as its gateway knows it. Tools and offers that haven't changed since
// before, which may be nil, are the same pointers.
func factsOf(node string, p *wire.Page, before *registry.Facts) *registry.Facts {
	if before == nil {
		before = &registry.Facts{}
	}
	f := pageFacts(node, p)
	f.Frames = frameFacts(p.Frames)
	tools := make([]*registry.PageTool, len(p.Tools))
	for i, t := range p.Tools {
		tools[i] = t.PageTool()
	}
	f.Tools = knownTools(tools, before.Tools)
	f.Offers = offerFacts(f, p.Offers, before)
	return f
}

func knownTools(all, before []*registry.PageTool) []*registry.PageTool {
	return known(all, before, (*registry.PageTool).Same, func(t *registry.PageTool) string { return t.Name })
}

// pageFacts are those of the page itself: without frames, tools and offers.
func pageFacts(node string, p *wire.Page) *registry.Facts {
	return &registry.Facts{Page: Named(node, registry.PageID(p.ID)), Browser: Named(node, p.Browser), Opened: p.Opened,
		Proxied: p.Proxied, URL: p.URL, Origin: p.Origin, Title: p.Title, State: p.State, Dialog: p.Dialog,
		Arrived: p.Arrived, Gen: registry.Gen(p.Document), Moving: p.Moving}
}

func frameFacts(frames []wire.Frame) (all []registry.Frame) {
	for _, frame := range frames {
		all = append(all, registry.Frame{ID: registry.FrameID(frame.ID), Doc: registry.Gen(frame.Doc), URL: frame.URL})
	}
	return all
}

// offerFacts are what a page offers besides tools; o may be nil.
func offerFacts(f *registry.Facts, o *wire.Offers, before *registry.Facts) registry.OffersReported {
	all := registry.OffersReported{Page: f.Page, Gen: f.Gen}
	if o == nil {
		return all
	}
	resources := make([]*offer.PageResource, len(o.Resources))
	for i, r := range o.Resources {
		resources[i] = r.PageResource()
	}
	all.Browser = o.Browser
	all.Resources = known(resources, before.Offers.Resources, sameResource,
		func(r *offer.PageResource) string { return r.URI })
	all.Prompts = known(o.Prompts, before.Offers.Prompts, samePrompt,
		func(p *offer.PagePrompt) string { return p.Name })
	return all
}

// few are looked for one by one.
const few = 4

// known replaces each of all by the same one of before, if there is one; key tells most of them
// apart.
func known[T any](all, before []*T, same func(a, b *T) bool, key func(*T) string) []*T {
	if len(all) == 0 {
		return nil
	}
	if len(all) <= few {
		for i, a := range all {
			if at := slices.IndexFunc(before, func(b *T) bool { return key(a) == key(b) && same(a, b) }); at >= 0 {
				all[i] = before[at]
			}
		}
		return all
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

// sendable says that all of a tool can be sent: parts that aren't JSON can't.
func sendable(t *registry.PageTool) bool {
	ok := func(raw json.RawMessage) bool { return len(raw) == 0 || json.Valid(raw) }
	return ok(t.InputSchema) && ok(t.OutputSchema) && ok(t.Meta)
}
