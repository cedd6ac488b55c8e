package mcpserver

import (
	"strconv"
	"testing"

	"webmcphub/registry"
)

func TestEarlierLists(t *testing.T) {
	h := newHub(t, echo)
	list := func(o *outbox, tools int) {
		var specs []string
		for i := range tools {
			specs = append(specs, "t"+strconv.Itoa(i))
		}
		h.page("A", "https://a.test/", specs[:tools/2]...)
		h.page("B", "https://b.test/", specs[tools/2:]...)
		o.views.saw(view{catalog: h.catalog(), list: true, version: h.catalog().Version()})
		h.change(registry.PageClosed{Page: "A"}, registry.PageClosed{Page: "B"})
	}
	for _, test := range []struct{ tools, kept int }{{2, earlierLists}, {256, 4}, {512, 2}, {514, 1}, {2000, 1}} {
		o := newOutbox()
		for range earlierLists + 3 {
			list(o, test.tools)
		}
		if got := len(o.views.all.before); got != test.kept {
			t.Errorf("of lists with %d tools %d earlier ones are kept, want %d", test.tools, got, test.kept)
		}
	}
}

func seenLast(o *outbox, page registry.PageID) *registry.Catalog {
	return o.seen(page, func(*registry.Catalog) bool { return true })
}

func seenName(o *outbox, page registry.PageID, name string) *registry.Catalog {
	return o.seen(page, func(c *registry.Catalog) bool { return c.Lookup(name) != nil })
}

func TestViews(t *testing.T) {
	h := newHub(t, echo)
	h.page("A", "https://a.test/", "x")
	h.page("B", "https://b.test/", "x")
	first := h.catalog()
	h.change(tools("A", 1, "y"))
	second := h.catalog()
	h.change(registry.PageClosed{Page: "B"})
	third := h.catalog()

	o := newOutbox()
	check := func(what string, a, b *registry.Catalog, listed uint64) {
		t.Helper()
		if seenLast(o, "A") != a || seenLast(o, "B") != b || o.views.listed != listed {
			t.Errorf("%s: A %p, B %p, listed %d", what, seenLast(o, "A"), seenLast(o, "B"), o.views.listed)
		}
	}
	check("nothing", nil, nil, 0)
	o.views.saw(view{catalog: second, list: true, version: second.Version()})
	check("a list", second, second, second.Version())
	o.views.saw(view{catalog: first, list: true, version: first.Version()})
	check("an older list that was overtaken", second, second, second.Version())
	if of := seenName(o, "A", "webmcp_a_test_page0_x"); of != first {
		t.Errorf("that one has the name, but %p is said to, not %p", of, first)
	}
	o.views.saw(view{catalog: first, page: "B"})
	check("one page", second, first, second.Version())
	o.views.saw(view{catalog: third, page: "A"})
	check("one page, while the other is closed", third, second, second.Version())
	o.views.saw(view{catalog: third})
	check("list_webmcp_tools is not the client's list", third, third, second.Version())
	if of := seenName(o, "A", "webmcp_b_test_page1_x"); of != second {
		t.Errorf("the list before has the name, but %p is said to, not %p", of, second)
	}
	if len(o.views.pages) != 0 {
		t.Errorf("%d pages are kept", len(o.views.pages))
	}

	o = newOutbox()
	o.views.saw(view{catalog: second})
	o.views.saw(view{catalog: third, page: "A"})
	if of := seenName(o, "A", "webmcp_b_test_page1_x"); of != second {
		t.Errorf("the list before page A was read has the name, but %p is said to, not %p", of, second)
	}
}
