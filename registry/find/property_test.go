package find

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// An index that has followed any changes finds what a new one of the same catalog finds; and
// it finds every tool of the catalog by the tool's own name.
func TestUpdateIsAsANewIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		naming := rapid.SampledFrom([]offer.Naming{offer.WebMCPNames, offer.MCPBNames}).Draw(t, "naming")
		h, x := newHub(registry.Options{Naming: naming}), NewIndex()
		pages := rapid.SampledFrom([]registry.PageID{"a", "b", "c", "d"})
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			change(t, h, pages.Draw(t, "page"))
			if rapid.Bool().Draw(t, "look") {
				// Sometimes it stops on the way, and goes on with another catalog.
				x.Update(h.catalog(), rapid.IntRange(0, 3).Draw(t, "most"))
				show(x, "search the shop")
			}
		}
		c := h.catalog()
		if !x.Update(c, 100) {
			t.Fatal("the index is not there")
		}
		fresh := NewIndex()
		fresh.Update(c, 100)
		for _, query := range []string{"search", "serach the shop", "pay bill", "orders", "", "予約"} {
			a, b := show(x, query), show(fresh, query)
			if !slices.Equal(a, b) {
				t.Fatalf("%q:\nfollowed %q\nnew      %q", query, a, b)
			}
		}
		for _, tool := range slices.Concat(c.Tools(), c.SiteTools()) {
			if found := show(x, tool.Route.Tool); !slices.Contains(found, tool.Name) {
				t.Fatalf("%s is not found: %q", tool.Name, found)
			}
		}
	})
}

// A page that registers others of its tools faster than they are read neither makes the
// index grow for ever nor keeps it from reading other pages.
func TestAPageThatNeverRestsIsBounded(t *testing.T) {
	h, x := newHub(registry.Options{}), NewIndex()
	h.open("a", "https://a.example/", "A")
	h.page("b", "https://b.example/", "B", [2]string{"pay_bill", "Pays a bill"})
	for round := range 300 {
		var tools []*registry.PageTool
		for i := range 40 {
			tools = append(tools, &registry.PageTool{Name: fmt.Sprint("tool", i), Description: fmt.Sprint("fresh", round, "x", i)})
		}
		h.report("a", tools...)
		if x.Update(h.catalog(), 16) {
			t.Fatal("it is there")
		}
	}
	if len(x.docs) > 2500 || len(x.ids) > 25_000 {
		t.Errorf("%d documents, %d words", len(x.docs), len(x.ids))
	}
	if found := show(x, "pay bill"); len(found) != 1 {
		t.Errorf("found %q", found)
	}
	for range 10 { // once the page rests, it is read bit by bit
		x.Update(h.catalog(), 4)
	}
	if !x.Update(h.catalog(), 0) {
		t.Error("the index is not there")
	}
}

// change does something to a page.
func change(t *rapid.T, h *hub, p registry.PageID) {
	url := fmt.Sprintf("https://%s.example/", rapid.SampledFrom([]string{"shop", "bank", "hotel"}).Draw(t, "site"))
	open := h.state.Catalog().Tab(p) != nil
	switch rapid.IntRange(0, 5).Draw(t, "what") {
	case 0:
		h.state.Step(registry.PageClosed{Page: p})
	case 1:
		if open {
			h.navigate(p, url)
		}
	case 2:
		if open {
			h.state.Step(registry.PageChanged{Page: p, URL: url, Title: rapid.SampledFrom([]string{"Shop", "Bank", "予約"}).Draw(t, "title")})
		}
	default:
		h.open(p, url, "A tab")
		var tools []*registry.PageTool
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"search", "payBill", "list_orders", "yoyaku", "t4"}), 0, 4, rapid.ID).Draw(t, "tools") {
			tools = append(tools, &registry.PageTool{Name: name, Description: rapid.SampledFrom([]string{"", "Searches the shop", "予約します", "Pays a bill"}).Draw(t, "description")})
		}
		h.report(p, tools...)
	}
}

// show are the names of what is found, those of the same site that say the same too, with
// its place.
func show(x *Index, query string) (all []string) {
	found, _ := x.Search(Query{Text: query, Limit: 20})
	for _, f := range found {
		all = append(all, f.Tool.Name)
		for _, a := range f.Also {
			all = append(all, a.Name)
		}
	}
	return all
}
