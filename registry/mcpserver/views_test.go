package mcpserver

import (
	"testing"

	"webmcphub/registry"
)

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
		if o.seen("A") != a || o.seen("B") != b || o.views.listed != listed {
			t.Errorf("%s: A %p, B %p, listed %d", what, o.seen("A"), o.seen("B"), o.views.listed)
		}
	}
	check("nothing", nil, nil, 0)
	o.views.saw(view{catalog: second, list: true, version: second.Version()})
	check("a list", second, second, second.Version())
	o.views.saw(view{catalog: first, list: true, version: first.Version()})
	check("an older list that was overtaken", second, second, second.Version())
	o.views.saw(view{catalog: first, page: "B"})
	check("one page", second, first, second.Version())
	o.views.saw(view{catalog: third, page: "A"})
	check("one page, while the other is closed", third, second, second.Version())
	o.views.saw(view{catalog: third})
	check("list_webmcp_tools is not the client's list", third, third, second.Version())
	if len(o.views.pages) != 0 {
		t.Errorf("%d pages are kept", len(o.views.pages))
	}
}
