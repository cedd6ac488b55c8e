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
	if a == b {
		return true
	}
	x, y := *a, *b
	x.Frames, x.Tools, x.Offers = nil, nil, registry.OffersReported{}
	y.Frames, y.Tools, y.Offers = nil, nil, registry.OffersReported{}
	return reflect.DeepEqual(x, y) && slices.Equal(a.Frames, b.Frames) &&
		slices.EqualFunc(a.Tools, b.Tools, (*registry.PageTool).Same) && sameOffers(a.Offers, b.Offers)
}

func sameOffers(a, b registry.OffersReported) bool {
	return a.Browser == b.Browser && slices.EqualFunc(a.Resources, b.Resources, sameResource) && slices.EqualFunc(a.Prompts, b.Prompts, samePrompt)
}

func sameResource(a, b *offer.PageResource) bool { return a == b || reflect.DeepEqual(a, b) }
func samePrompt(a, b *offer.PagePrompt) bool     { return a == b || reflect.DeepEqual(a, b) }

// wirePage is a page as it is sent, but for its tools.
func wirePage(f *registry.Facts) wire.Page {
	p := wire.Page{ID: string(f.Page), Browser: f.Browser, URL: cut(f.URL, maxURL), Title: cut(f.Title, maxText), State: cut(f.State, maxText), Dialog: cut(f.Dialog, maxText), Arrived: f.Arrived,
		Opened: f.Opened, Proxied: f.Proxied, Moving: f.Moving, Document: uint64(f.Gen), Origin: f.Origin}
	for _, frame := range f.Frames {
		p.Frames = append(p.Frames, wire.Frame{ID: string(frame.ID), Doc: uint64(frame.Doc), URL: cut(frame.URL, maxText)})
	}
	if !f.Offers.Empty() {
		p.Offers = &wire.Offers{Prompts: f.Offers.Prompts, Browser: f.Offers.Browser}
		for _, r := range f.Offers.Resources {
			p.Offers.Resources = append(p.Offers.Resources, wire.ResourceOf(r))
		}
	}
	return p
}

// factsOf is a node's page as its gateway knows it. Tools and offers that haven't changed since
// before, which may be nil, are the same pointers.
func factsOf(node string, p *wire.Page, before *registry.Facts) *registry.Facts {
	id := Named(node, registry.PageID(p.ID))
	f := &registry.Facts{Page: id, Browser: Named(node, p.Browser), Opened: p.Opened, Proxied: p.Proxied, URL: p.URL, Origin: p.Origin, Title: p.Title, State: p.State, Dialog: p.Dialog,
		Arrived: p.Arrived, Gen: registry.Gen(p.Document), Moving: p.Moving}
	for _, frame := range p.Frames {
		f.Frames = append(f.Frames, registry.Frame{ID: registry.FrameID(frame.ID), Doc: registry.Gen(frame.Doc), URL: frame.URL})
	}
	if before == nil {
		before = &registry.Facts{}
	}
	tools := make([]*registry.PageTool, len(p.Tools))
	for i, t := range p.Tools {
		tools[i] = t.PageTool()
	}
	f.Tools = known(tools, before.Tools, (*registry.PageTool).Same, func(t *registry.PageTool) string { return t.Name })
	f.Offers = registry.OffersReported{Page: id, Gen: f.Gen}
	if p.Offers != nil {
		resources := make([]*offer.PageResource, len(p.Offers.Resources))
		for i, r := range p.Offers.Resources {
			resources[i] = r.PageResource()
		}
		f.Offers.Browser = p.Offers.Browser
		f.Offers.Resources = known(resources, before.Offers.Resources, sameResource, func(r *offer.PageResource) string { return r.URI })
		f.Offers.Prompts = known(p.Offers.Prompts, before.Offers.Prompts, samePrompt, func(p *offer.PagePrompt) string { return p.Name })
	}
	return f
}

// known replaces each of all by the same one of before, if there is one; key tells most of them
// apart.
func known[T any](all, before []*T, same func(a, b *T) bool, key func(*T) string) []*T {
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

// sendable says that all of a tool can be sent: parts that aren't JSON can't.
func sendable(t *registry.PageTool) bool {
	ok := func(raw json.RawMessage) bool { return len(raw) == 0 || json.Valid(raw) }
	return ok(t.InputSchema) && ok(t.OutputSchema) && ok(t.Meta)
}
