package registry

import (
	"strings"
	"testing"
	"webmcphub/registry/sanitize"
)

// What becomes of a name after something happened; testdata/resolve.txt has
// the same in longer stories.
func TestResolve(t *testing.T) {
	const cart = "webmcp_shop_example_page1_cart" // of page shop, when the client read the list
	for _, c := range []struct {
		why   string
		then  func(h *hub)
		name  string
		route PageID // where the call goes, or
		says  string // what the error says
	}{
		{"nothing happened", func(h *hub) {}, cart, "shop", ""},
		{"an earlier page closed", func(h *hub) { h.step(PageClosed{"first"}) }, cart, "shop", ""},
		{"its page closed", func(h *hub) { h.step(PageClosed{"shop"}) }, cart, "",
			cart + " is gone: the page that it belonged to was closed. The nearest that exist: webmcp_other_example_page1_cart. List the tools again to see all."},
		{"its page closed, and another has its name", func(h *hub) {
			h.step(PageClosed{"shop"})
			h.open("new", "https://shop.example")
			h.step(PageClosed{"other"})
			h.report("new", "cart")
		}, cart, "",
			cart + ": pages 1 and 2 were closed, so " + cart + " now names another page; list the tools again"},
		{"its page navigated to another site", func(h *hub) { h.navigate("shop", "https://evil.example/x"); h.report("shop", "cart") }, cart, "",
			"is gone: its page navigated to https://evil.example/x. The nearest that exist: webmcp_evil_example_page1_cart, webmcp_other_example_page2_cart. List"},
		{"its page navigated within the site", func(h *hub) { h.navigate("shop", "https://shop.example/thanks") }, cart, "", "is gone: its page navigated to https://shop.example/thanks."},
		{"its page navigated to a hostile address", func(h *hub) { h.navigate("shop", "https://shop.example/\u202e\x1b"+strings.Repeat("y", 500)) }, cart, "", "is gone: its page navigated to https://shop.example/yyy"},
		{"its page reloads", func(h *hub) { h.navigate("shop", "https://shop.example") }, cart, "", "is gone: its page was reloaded, and has not offered cart since."},
		{"its page reloaded", func(h *hub) { h.navigate("shop", "https://shop.example/again"); h.report("shop", "cart") }, cart, "shop", ""},
		{"its page no longer has it", func(h *hub) { h.report("shop") }, cart, "", "is gone: its page no longer offers cart."},
		{"its page crashed", func(h *hub) {
			h.step(PageChanged{Page: "shop", URL: "https://shop.example", State: "crashed"})
			h.report("shop")
		}, cart, "", "is gone: its page crashed."},
		{"another tool of the page has its name", func(h *hub) { h.reportTools("shop", &PageTool{Name: "c.a.r.t"}, &PageTool{Name: "c_a_r_t"}) }, "webmcp_shop_example_page1_c_a_r_t", "shop", ""},
		{"Chrome went", func(h *hub) { h.step(BrowserChanged{Status: "Chrome went away"}); h.step(PageClosed{"shop"}) }, cart, "", "is gone: Chrome went away."},
		{"a tool that came later is called all the same", func(h *hub) { h.report("shop", "cart", "late") }, "webmcp_shop_example_page1_late", "shop", ""},
		{"a name that never was", func(h *hub) {}, "webmcp_nothing", "", "no tool is called webmcp_nothing. List the tools again (tools/list or list_webmcp_tools) to see what there is."},
		{"the page's own name for a tool", func(h *hub) {}, "cart", "", "no tool is called cart. The nearest that exist: webmcp_other_example_page2_cart, webmcp_shop_example_page1_cart."},
		{"another case", func(h *hub) {}, "WEBMCP_SHOP_EXAMPLE_PAGE1_CART", "", "nearest that exist: webmcp_other_example_page2_cart, webmcp_shop_example_page1_cart."},
		{"a name that never was, without Chrome", func(h *hub) { h.step(BrowserChanged{Status: "Chrome went away"}) }, "webmcp_nothing", "", "no tool is called webmcp_nothing: Chrome went away"},
		{"a hostile name", func(h *hub) {}, "x\u202e\x1b" + strings.Repeat("y", 500), "", "no tool is called x" + strings.Repeat("y", 100)},
		{"no name", func(h *hub) {}, "", "", "no tool is called . The nearest that exist:"},
	} {
		t.Run(c.why, func(t *testing.T) {
			h := newHub(t, Options{})
			h.open("first", "https://first.example")
			h.open("shop", "https://shop.example")
			h.open("other", "https://other.example")
			h.report("shop", "cart")
			h.report("other", "cart")
			seen := h.state.Catalog()
			c.then(h)
			h.flush()
			tool, err := Resolve(seen, h.state.Catalog(), c.name, everybody)
			switch {
			case c.says == "" && (err != nil || tool.Route.Page != c.route):
				t.Errorf("got %v (%v), want a tool of %s", tool, err, c.route)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("got %v\nwant an error that says %q", err, c.says)
			case err != nil && (tool != nil || sanitize.Text(err.Error(), 1<<20) != err.Error()):
				t.Errorf("tool %v with error %q", tool, err)
			}
		})
	}
	t.Run("the listing of page tools was switched off", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", "https://shop.example")
		h.report("p0", "cart")
		seen := h.state.Catalog()
		if tool, err := Resolve(seen, seen.WithOptions(ListOptions{Unlisted: true}), "webmcp_shop_example_page0_cart", everybody); err == nil || !strings.Contains(err.Error(), "not registered at present; call_webmcp_tool still reaches them") {
			t.Errorf("got %v (%v)", tool, err)
		}
	})
	t.Run("a client that read nothing means what is there now", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", "https://shop.example")
		h.report("p0", "cart")
		if tool, err := Resolve(nil, h.state.Catalog(), "webmcp_shop_example_page0_cart", everybody); err != nil || tool.Route.Page != "p0" {
			t.Errorf("got %v (%v)", tool, err)
		}
		if _, err := Resolve(nil, EmptyCatalog(), "webmcp_shop_example_page0_cart", everybody); err == nil {
			t.Error("found in an empty catalog")
		}
	})
}
