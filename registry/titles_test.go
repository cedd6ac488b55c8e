package registry

import "testing"

func TestTitled(t *testing.T) {
	h := newHub(t, Options{})
	h.open("A", "https://a.test/")
	h.step(PageChanged{Page: "A", URL: "https://a.test/", Title: "Shop"})
	h.open("B", "https://b.test/")
	h.report("B", "add")
	h.flush()
	c := h.state.Catalog()
	here := func(title string) Title { return Title{URL: "https://a.test/", Text: title} }
	for _, titles := range []map[PageID]Title{nil, {"A": here("Shop")}, {"gone": here("Nothing")}, {"A": {URL: "https://a.test/cart", Text: "Cart"}}} {
		if c.WithTitles(titles) != c {
			t.Errorf("with %q it is another catalog", titles)
		}
	}
	other := c.WithTitles(map[PageID]Title{"A": here("Cart"), "gone": here("Nothing")})
	if a := other.Tab("A"); a.Title != "Cart" || a.URL != "https://a.test/" || len(other.Tabs()) != 2 || other.Tabs()[0] != a {
		t.Errorf("the tab is %+v", a)
	}
	if other.Tab("B") != c.Tab("B") || other.Version() != c.Version() || other.Len() != c.Len() {
		t.Error("more than the title is different")
	}
	if title := c.Tab("A").Title; title != "Shop" {
		t.Errorf("the catalog itself says %q now", title)
	}
	if title := c.WithTitles(map[PageID]Title{"A": here("")}).Tab("A").Title; title != "" {
		t.Errorf("without a title it is still %q", title)
	}
}
