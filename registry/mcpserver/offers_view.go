package mcpserver

import (
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
)

// offerKind tells resources (with their templates) from prompts.
type offerKind int

const (
	resources offerKind = iota
	prompts
	offerKinds
)

// listChangedOf are the notifications that tell of the kinds.
var listChangedOf = [offerKinds]string{mcp.MethodNotificationResourcesListChanged, mcp.MethodNotificationPromptsListChanged}

// offersView is what one client sees of what pages offer besides tools, and
// what it still has to be told of that: flags, never a queue. It belongs to
// the outbox.
type offersView struct {
	catalog *registry.OfferCatalog // served last
	page    registry.PageID        // whose offers are shown; "" means all pages'
	nothing bool                   // no page's are
	shown   registry.PageOffers
	version uint64 // counts what was shown
	seen    struct {
		resources, templates, prompts history[*registry.OfferCatalog]
	}
	kinds [offerKinds]struct {
		due     bool
		changed uint64 // the version that is to be announced
		listed  uint64 // the newest version that the client has read
	}

	updated []string // resources that the client watches and has to be told of
	listens []listening
}

// listening is a subscriptions/listen request in flight (protocol 2026-07-28).
type listening struct {
	request *request
	filter  mcp.SubscriptionFilter
	// begun is done when the pages were asked for all of its resources.
	begun *sync.WaitGroup
}

// offersSeen is what a client has seen once it reads a reply.
type offersSeen struct {
	kind      offerKind
	templates bool // of the kind it is those
	version   uint64
	catalog   *registry.OfferCatalog
}

// offersServed gives the session a new catalog of offers.
func (o *outbox) offersServed(c *registry.OfferCatalog) {
	o.mu.Lock()
	defer o.mu.Unlock()
	first := o.offers.catalog == nil
	o.offers.catalog = c
	o.followOffers()
	if first { // the client has not been told anything else
		for kind := range offerKinds {
			o.offers.kinds[kind].due, o.offers.kinds[kind].changed = false, 0
		}
	}
}

// followOffers brings what the client is shown up to date with the catalog and
// with its focus. mu must be held.
func (o *outbox) followOffers() {
	v := &o.offers
	if v.catalog == nil {
		return
	}
	v.page, v.nothing = "", false
	if o.lens.mode == FocusedTab {
		tab := o.lens.focus.Tab(o.lens.now.catalog)
		if v.nothing = tab == nil; tab != nil {
			v.page = tab.Page
		}
	}
	var next registry.PageOffers
	if !v.nothing {
		next = v.catalog.Offers(v.page)
	}
	inResources, inPrompts := v.shown.Differ(next)
	v.shown = next
	if !inResources && !inPrompts {
		return
	}
	v.version++
	for kind, changed := range [offerKinds]bool{inResources, inPrompts} {
		if changed {
			v.kinds[kind].due, v.kinds[kind].changed = true, v.version
		}
	}
	o.wakeWriter()
}

// shownOffers is what the client is shown now, and what it has seen once it
// reads a list of that kind. tabs are the pages that there are.
func (o *outbox) shownOffers(kind offerKind, tabs *registry.Catalog) (registry.PageOffers, *offersSeen) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := &o.offers
	return v.shown, &offersSeen{kind: kind, version: v.version, catalog: v.catalog.With(tabs)}
}

// saw takes note of a reply that the client is given.
func (v *offersView) saw(s *offersSeen) {
	if s == nil {
		return
	}
	v.kinds[s.kind].listed = max(v.kinds[s.kind].listed, s.version)
	read := &v.seen.resources
	switch {
	case s.templates:
		read = &v.seen.templates
	case s.kind == prompts:
		read = &v.seen.prompts
	}
	read.saw(s.catalog, s.catalog.Version(), (*registry.OfferCatalog).Len)
}

// sees says whether the client is shown what the page offers. mu must be held.
func (v *offersView) sees(page registry.PageID) bool {
	return !v.nothing && (v.page == "" || v.page == page)
}

// offersNow gives the catalog by which the client's words are understood unless
// it has read another, see seenPrompt.
func (o *outbox) offersNow(tabs *registry.Catalog) (now *registry.OfferCatalog, sees func(registry.PageID) bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := offersView{page: o.offers.page, nothing: o.offers.nothing}
	return o.offers.catalog.With(tabs), v.sees
}

// seenPrompt is the catalog by which the client knows a prompt's name, or nil.
func (o *outbox) seenPrompt(name string) *registry.OfferCatalog {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.offers.seen.prompts.knowing(func(c *registry.OfferCatalog) bool { return c.HasPrompt(name) })
}

// seenTemplate is the catalog by which the client knows a URI template, or nil.
func (o *outbox) seenTemplate(template string) *registry.OfferCatalog {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.offers.seen.templates.knowing(func(c *registry.OfferCatalog) bool { return c.HasTemplate(template) })
}

// seenResource is the catalog by which the client knows a resource's URI, from the
// list of resources or by a template, or nil.
func (o *outbox) seenResource(uri string) *registry.OfferCatalog {
	o.mu.Lock()
	defer o.mu.Unlock()
	listed := o.offers.seen.resources.knowing(func(c *registry.OfferCatalog) bool { return c.HasResource(uri) })
	if listed != nil && listed.HasResource(uri) {
		return listed
	}
	fits := o.offers.seen.templates.knowing(func(c *registry.OfferCatalog) bool { return c.Fits(uri) })
	if listed == nil || fits != nil && (fits.Fits(uri) || fits.Version() > listed.Version()) {
		return fits
	}
	return listed
}

// resourceUpdated says that the client is to be told of a resource that it watches.
func (o *outbox) resourceUpdated(uri string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if v := &o.offers; !o.stopping && !slices.Contains(v.updated, uri) {
		v.updated = append(v.updated, uri)
		o.wakeWriter()
	}
}

// take gives the notifications that are to be written now. ready says that the
// client may have those of protocols before 2026-07-28.
func (v *offersView) take(ready bool) (out []*entry) {
	if !ready && len(v.listens) == 0 {
		return nil
	}
	add := func(method string, params any) {
		out = append(out, &entry{Frame: jsonrpc.Notification(method, jsonrpc.MustEncode(params))})
	}
	meta := func(l listening) map[string]any {
		return map[string]any{mcp.MetaKeySubscriptionID: l.request.id}
	}
	for kind := range offerKinds {
		k := &v.kinds[kind]
		if !k.due {
			continue
		}
		k.due = false
		if k.listed >= k.changed {
			continue
		}
		if ready {
			out = append(out, &entry{Frame: jsonrpc.Notification(listChangedOf[kind], nil)})
		}
		for _, l := range v.listens {
			if kind == resources && l.filter.ResourcesListChanged || kind == prompts && l.filter.PromptsListChanged {
				add(listChangedOf[kind], map[string]any{"_meta": meta(l)})
			}
		}
	}
	for _, uri := range v.updated {
		heard := false
		for _, l := range v.listens {
			if slices.Contains(l.filter.ResourceSubscriptions, uri) {
				heard = true
				add(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": uri, "_meta": meta(l)})
			}
		}
		if !heard && ready {
			add(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": uri})
		}
	}
	v.updated = nil
	return out
}

// again has those changes announced again that the client has not read: what
// announced them may have been lost with a stream that broke.
func (v *offersView) again() {
	for kind := range offerKinds {
		k := &v.kinds[kind]
		k.due = k.due || k.changed > k.listed
	}
}
