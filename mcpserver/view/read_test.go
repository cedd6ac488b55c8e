package view

import (
	"strconv"
	"testing"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// pages is a registry's pages, for the catalogs that they make.
type pages struct {
	state *registry.State
	now   *registry.Catalog
}

func newPages() *pages {
	return &pages{registry.NewState(registry.Options{}), registry.StartingCatalog()}
}

// change steps events and gives the catalog that they end in.
func (p *pages) change(events ...registry.Event) *registry.Catalog {
	for _, e := range append(events, registry.FlushDue{}, registry.FlushDue{}) {
		for _, effect := range p.state.Step(e) {
			if serve, ok := effect.(registry.SetCatalog); ok {
				p.now = serve.Catalog
			}
		}
	}
	return p.now
}

func tools(page string, names ...string) registry.Event {
	e := registry.ToolsReported{Page: registry.PageID(page), Gen: 1}
	for _, name := range names {
		e.Tools = append(e.Tools, &registry.PageTool{Frame: "F", Doc: 1, Runtime: offer.Native, Name: name})
	}
	return e
}

// page opens a page with tools.
func (p *pages) page(page, url string, names ...string) *registry.Catalog {
	id := registry.PageID(page)
	return p.change(registry.PageOpened{Page: id, URL: url}, registry.Navigated{Page: id, Gen: 1, URL: url}, tools(page, names...))
}

func TestEarlierLists(t *testing.T) {
	h := newPages()
	list := func(r *read, tools int) {
		var specs []string
		for i := range tools {
			specs = append(specs, "t"+strconv.Itoa(i))
		}
		h.page("A", "https://a.test/", specs[:tools/2]...)
		h.page("B", "https://b.test/", specs[tools/2:]...)
		r.saw(Seen{Catalog: h.now, list: true, version: h.now.Version()})
		h.change(registry.PageClosed{Page: "A"}, registry.PageClosed{Page: "B"})
	}
	for _, test := range []struct{ tools, kept int }{{2, EarlierLists}, {256, 4}, {512, 2}, {514, 1}, {2000, 1}} {
		r := &read{}
		for range EarlierLists + 3 {
			list(r, test.tools)
		}
		if got := len(r.all.before); got != test.kept {
			t.Errorf("of lists with %d tools %d earlier ones are kept, want %d", test.tools, got, test.kept)
		}
	}
}

func seenLast(r *read, page registry.PageID) *registry.Catalog {
	return r.knowing(page, func(*registry.Catalog) bool { return true })
}

func seenName(r *read, page registry.PageID, name string) *registry.Catalog {
	return r.knowing(page, func(c *registry.Catalog) bool { return c.Lookup(name) != nil })
}

func TestWhatAClientHasRead(t *testing.T) {
	h := newPages()
	h.page("A", "https://a.test/", "x")
	h.page("B", "https://b.test/", "x")
	first := h.now
	h.change(tools("A", "y"))
	second := h.now
	h.change(registry.PageClosed{Page: "B"})
	third := h.now

	r, listed := &read{}, uint64(0)
	saw := func(w Seen) { listed = max(listed, r.saw(w)) }
	check := func(what string, a, b *registry.Catalog, want uint64) {
		t.Helper()
		if seenLast(r, "A") != a || seenLast(r, "B") != b || listed != want {
			t.Errorf("%s: A %p, B %p, listed %d", what, seenLast(r, "A"), seenLast(r, "B"), listed)
		}
	}
	check("nothing", nil, nil, 0)
	saw(Seen{Catalog: second, list: true, version: second.Version()})
	check("a list", second, second, second.Version())
	saw(Seen{Catalog: first, list: true, version: first.Version()})
	check("an older list that was overtaken", second, second, second.Version())
	if of := seenName(r, "A", "webmcp_a_test_page0_x"); of != first {
		t.Errorf("that one has the name, but %p is said to, not %p", of, first)
	}
	saw(Seen{Catalog: first, Page: "B"})
	check("one page", second, first, second.Version())
	saw(Seen{Catalog: third, Page: "A"})
	check("one page, while the other is closed", third, second, second.Version())
	saw(Seen{Catalog: third})
	check("list_webmcp_tools is not the client's list", third, third, second.Version())
	if of := seenName(r, "A", "webmcp_b_test_page1_x"); of != second {
		t.Errorf("the list before has the name, but %p is said to, not %p", of, second)
	}
	if len(r.pages) != 0 {
		t.Errorf("%d pages are kept", len(r.pages))
	}

	r = &read{}
	saw(Seen{Catalog: second})
	saw(Seen{Catalog: third, Page: "A"})
	if of := seenName(r, "A", "webmcp_b_test_page1_x"); of != second {
		t.Errorf("the list before page A was read has the name, but %p is said to, not %p", of, second)
	}
}
