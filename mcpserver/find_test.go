package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/tokencount"
)

// foundOutput is the structured result of find_webmcp_tools.
type foundOutput struct {
	Tools []struct {
		Name, Signature, Description string
		Also                         []string
		InputSchema                  json.RawMessage
	}
	Total int
	Note  string
}

func (o foundOutput) names() (all []string) {
	for _, t := range o.Tools {
		all = append(all, t.Name)
	}
	return all
}

// find calls find_webmcp_tools and holds the answer to the tool's own output schema.
func (c *rawClient) find(args string) (o foundOutput) {
	c.t.Helper()
	c.send(callLine("1", "find_webmcp_tools", args))
	var answer outcome
	if err := json.Unmarshal([]byte(c.take()[0]), &answer); err != nil || answer.Error != nil || answer.Result.IsError {
		c.t.Fatalf("%s: %+v %v", args, answer, err)
	}
	if err := json.Unmarshal(answer.Result.StructuredContent, &o); err != nil {
		c.t.Fatal(err)
	}
	c.wantValid("find_webmcp_tools", answer.Result.StructuredContent)
	return o
}

const searchSchema = ` {"type":"object","properties":{"query":{"type":"string"},"max":{"type":"integer"}},"required":["query"]}`

func TestFindTools(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://shop.test/", "search_products"+searchSchema, "addToCart", "list_orders")
		h.page("B", "https://bank.test/", "list_transactions", "pay_bill")
		h.page("C", "https://www.shop.test/c", "search_products"+searchSchema)
		c := h.connect(true)
		c.handshake()
		o := c.find(`{"query":"search the products"}`)
		if len(o.Tools) < 2 || o.Total < 2 || o.Tools[0].Name != "webmcp_shop_test_page0_search_products" || o.Tools[1].Name != "webmcp_www_shop_test_page2_search_products" ||
			o.Tools[0].Signature != "search_products(query: string, max?: integer) shop.test, tab 1" || o.Tools[0].InputSchema != nil || o.Tools[0].Description != "" {
			t.Errorf("%+v", o)
		}
		if o := c.find(`{"query":"put it into my basket","detail":"names"}`); o.Tools[0].Name != "webmcp_shop_test_page0_addToCart" || o.Tools[0].Signature != "" {
			t.Errorf("%+v", o)
		}
		if o := c.find(`{"query":"serach prodcuts","detail":"full","limit":1}`); len(o.Tools) != 1 || !strings.Contains(string(o.Tools[0].InputSchema), `"max"`) || !strings.Contains(o.Tools[0].Description, "does search_products") {
			t.Errorf("%+v", o)
		}
		if o := c.find(`{"query":"list","site":"https://BANK.test/x"}`); !slices.Equal(o.names(), []string{"webmcp_bank_test_page1_list_transactions"}) {
			t.Errorf("%+v", o)
		}
		if o := c.find(`{"query":"","tab":2,"limit":1.0}`); !slices.Equal(o.names(), []string{"webmcp_bank_test_page1_list_transactions"}) || o.Total != 2 {
			t.Errorf("%+v", o)
		}
		if o := c.find(`{"query":"xyzzy plugh"}`); len(o.Tools) != 0 || o.Note != "No tool matches these words. Try others for the same thing, or leave out site and tab. Sites with tools: shop.test (3): search products add cart list orders; bank.test (2): list transactions pay bill; www.shop.test (1): search products." {
			t.Errorf("%+v", o)
		}
		if o := c.find(`{"query":"list` + strings.Repeat(" orders products", 700) + `"}`); len(o.Tools) == 0 {
			t.Errorf("%+v", o)
		}
		for args, want := range map[string]string{
			`{"query":" \n"}`:                     "error: The query is empty: say in a few words what you want to do. Sites with tools: shop.test (3): search products add cart list orders; bank.test (2): list transactions pay bill; www.shop.test (1): search products.",
			`{"query":"x","site":"nowhere.test"}`: "error: No open page is of the site nowhere.test. Sites with tools: shop.test (3): search products add cart list orders; bank.test (2): list transactions pay bill; www.shop.test (1): search products.",
			`{"query":"x","tab":9}`:               "error: There is no tab 9; if there was one, it was closed. Open tabs: 1 (https://shop.test/), 2 (https://bank.test/), 3 (https://www.shop.test/c). Call list_tabs for what they show.",
			`{}`:                                  "query",
			`{"query":["a"]}`:                     "query",
			`{"query":"x","limit":0}`:             "limit",
			`{"query":"x","limit":1000}`:          "limit",
			`{"query":"x","detail":"all"}`:        "detail",
			`{"query":"x","tab":"1"}`:             "tab",
			`[]`:                                  "must be a JSON object",
		} {
			if got := c.call("find_webmcp_tools", args); !strings.HasPrefix(got, "error: ") || !strings.Contains(got, want) {
				t.Errorf("%s: %s", args, got)
			}
		}
		c.hangUp()
	})
}

// Whatever tools/list has is found at once, whatever changed before.
func TestWhatIsListedIsFound(t *testing.T) {
	for _, naming := range []offer.Naming{offer.WebMCPNames, offer.MCPBNames} {
		bubble(t, func(t *testing.T) {
			h := newHub(t, echo, func(_ *Options, r *registry.Options) { r.Naming = naming })
			c := h.connect(true)
			c.handshake()
			for i := range 12 {
				page := fmt.Sprint("P", i%5)
				h.change(registry.PageClosed{Page: registry.PageID(page)})
				h.page(page, fmt.Sprintf("https://s%d.test/", i%3), fmt.Sprint("make_", i), fmt.Sprint("showIt", i%4), "same")
				h.change(registry.FlushDue{})
				c.take()
				for _, name := range c.list() {
					if slices.Contains(ownTools, name) {
						continue
					}
					tool := h.catalog().Lookup(name).Route.Tool
					found := false
					for _, f := range c.find(fmt.Sprintf(`{"query":%q,"limit":50}`, tool)).Tools {
						found = found || f.Name == name || slices.Contains(f.Also, name)
					}
					if !found {
						t.Fatalf("%s is not found", name)
					}
				}
			}
			c.hangUp()
		})
	}
}

// A name that was found means what it meant then.
func TestNameThatWasFound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://shop.test/a", "add", "pay")
		h.page("B", "https://shop.test/b", "add", "pay")
		c := h.connect(true)
		c.handshake()
		if o := c.find(`{"query":"add","limit":1}`); o.Tools[0].Name != "webmcp_shop_test_page0_add" || !slices.Equal(o.Tools[0].Also, []string{"webmcp_shop_test_page1_add"}) {
			t.Fatalf("%+v", o)
		}
		h.change(registry.PageClosed{Page: "A"})
		c.take()
		for _, step := range [][2]string{
			{"webmcp_shop_test_page0_add", "now names another page; list the tools again"},
			{"webmcp_shop_test_page1_add", "B/add {}"},
			{"webmcp_shop_test_page0_pay", "B/pay {}"}, // never told
		} {
			if got := c.call(step[0], `{}`); !strings.Contains(got, step[1]) {
				t.Errorf("%s: %s", step[0], got)
			}
		}
		c.find(`{"query":"add"}`)
		if got := c.call("webmcp_shop_test_page0_add", `{}`); got != "B/add {}" {
			t.Error(got)
		}
		// What is found says nothing of what was listed and not found.
		c.list()
		h.page("D", "https://shop.test/d", "find_me")
		h.change(registry.PageClosed{Page: "B"})
		c.take()
		c.find(`{"query":"find me"}`)
		h.page("E", "https://shop.test/e", "add")
		c.take()
		if got := c.call("webmcp_shop_test_page0_add", `{}`); !strings.Contains(got, "is gone") {
			t.Error(got)
		}
		c.list()
		if got := c.call("webmcp_shop_test_page1_add", `{}`); got != "E/add {}" {
			t.Error(got)
		}
		c.hangUp()
	})
}

// A client that lists no page tools finds them, and calls them by what they are called.
func TestFindWhatIsNotListed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, func(o *Options, _ *registry.Options) { o.Settings.Unlisted = true })
		h.page("A", "https://shop.test/a", "add_to_cart")
		h.page("B", "https://shop.test/b", "add_to_cart")
		c := h.connect(true)
		c.handshake()
		name := c.find(`{"query":"cart"}`).Tools[0].Name
		if got := c.call("call_webmcp_tool", fmt.Sprintf(`{"name":%q}`, name)); got != "A/add_to_cart {}" {
			t.Error(got)
		}
		h.change(registry.PageClosed{Page: "A"})
		c.take()
		if got := c.call("call_webmcp_tool", fmt.Sprintf(`{"name":%q}`, name)); !strings.HasPrefix(got, "error: ") {
			t.Error(got)
		}
		c.hangUp()
	})
}

// A client that takes short names only is told those.
func TestFindByShortNames(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://a-shop-with-a-long-name.test/", "search_for_products_by_name", "search_for_products_by_number")
		c := h.connectAs(viewWith(func(v *view.Settings) { v.MaxName = 40 }), nil)
		c.handshake()
		listed := c.list()
		found := c.find(`{"query":"search for products"}`).names()
		for _, name := range found {
			if !slices.Contains(listed, name) || len(name) > 40 || len(found) != 2 {
				t.Errorf("%s is not in the list %q", name, listed)
			}
		}
		c.hangUp()
	})
}

// In focus mode a client finds the tools of its tab, by the names that they have there.
func TestFindInFocusMode(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := newTabHub(t, view.FocusedTab)
		c := h.connect(true)
		c.handshake()
		if got := c.call("find_webmcp_tools", `{"query":"add"}`); !strings.HasPrefix(got, "error: Find_webmcp_tools can't be called") && !strings.HasPrefix(got, "error: find_webmcp_tools can't be called") {
			t.Error(got)
		}
		c.send(callLine("1", "connect_browser", `{}`))
		c.take()
		c.send(callLine("1", "focus_tab", `{"tabId":1}`))
		c.take()
		c.take()
		if o := c.find(`{"query":"search"}`); !slices.Equal(o.names(), []string{"search"}) || o.Tools[0].Signature != "search() a.test, tab 1" {
			t.Errorf("%+v", o)
		}
		c.hangUp()
	})
}

// A tab that another client keeps to itself is left out, and that is said.
func TestFindLeavesOutWhatOthersKeep(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := newTabHub(t, view.AllTabs)
		a, b := h.connect(true), h.connect(true)
		a.handshake()
		b.handshake()
		a.call("focus_tab", `{"tabId":1,"exclusive":true}`)
		if o := b.find(`{"query":"add search"}`); strings.Contains(fmt.Sprint(o.names()), "a_test") || o.Note != "Tools of 1 tabs are left out that other clients keep to themselves." {
			t.Errorf("%+v", o)
		}
		if o := a.find(`{"query":"add search"}`); !strings.Contains(fmt.Sprint(o.names()), "a_test") {
			t.Errorf("%+v", o)
		}
		a.hangUp()
		b.hangUp()
	})
}

// Tools of a site that outlive their tab are found.
func TestFindToolsOfSites(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := routingHub(t, echo)
		h.page("A", "https://other.test/", "y")
		h.change(cached("https://shop.test/a"))
		c := h.connect(true)
		c.handshake()
		if o := c.find(`{"query":"x shop"}`); len(o.Tools) != 1 || o.Tools[0].Name != shopX || o.Tools[0].Signature != "x() shop.test, opens a tab" {
			t.Errorf("%+v", o)
		}
		if o := c.find(`{"query":"","site":"other.test"}`); len(o.Tools) != 1 || !slices.Equal(o.Tools[0].Also, []string{"website_tool_other_test_y"}) {
			t.Errorf("%+v", o)
		}
		c.hangUp()
	})
}

// Where no page tools are listed, those of sites can't be called: they aren't found, and take no
// place of what is.
func TestFindNoToolsOfSitesWhereNoneAreListed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, func(o *Options, r *registry.Options) { o.Settings.Unlisted, r.Naming = true, offer.MCPBNames })
		h.page("A", "https://other.test/", "x_of_shop")
		h.change(cached("https://shop.test/a"))
		c := h.connect(true)
		c.handshake()
		o := c.find(`{"query":"x","limit":1}`)
		if len(o.Tools) != 1 || o.Total != 1 {
			t.Fatalf("%+v", o)
		}
		if got := c.call("call_webmcp_tool", fmt.Sprintf(`{"name":%q}`, o.Tools[0].Name)); got != "A/x_of_shop {}" {
			t.Errorf("%s: %s", o.Tools[0].Name, got)
		}
		if got := c.call("find_webmcp_tools", `{"query":"x","site":"shop.test"}`); !strings.HasPrefix(got, "error: No open page is of the site shop.test") {
			t.Error(got)
		}
		c.hangUp()
	})
}

// The user's tab and the tools that were used come first among equals.
func TestFindTheUsersFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		for _, p := range []string{"a", "b", "c"} {
			h.page(p, "https://"+p+".test/", "search")
		}
		c := h.connect(true)
		c.handshake()
		first := func() string { return c.find(`{"query":"search"}`).Tools[0].Name }
		if got := first(); got != "webmcp_a_test_page0_search" {
			t.Error(got)
		}
		c.call("webmcp_b_test_page1_search", `{}`)
		if got := first(); got != "webmcp_b_test_page1_search" {
			t.Error(got)
		}
		d := h.connect(true)
		d.handshake()
		if got := d.find(`{"query":"search"}`).Tools[0].Name; got != "webmcp_a_test_page0_search" {
			t.Errorf("another client's use ranks: %s", got)
		}
		d.hangUp()
		h.change(registry.PageInFront{Page: "c"})
		if got := first(); got != "webmcp_c_test_page2_search" {
			t.Error(got)
		}
		c.hangUp()
	})
}

// However long pages' schemas are, an answer is bounded.
func TestFindIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		var specs []string
		for i := range 60 {
			specs = append(specs, fmt.Sprintf(`tool%d {"type":"object","properties":{"a":{"type":"string","description":%q}}}`, i, strings.Repeat("long words ", 400)))
		}
		h.page("A", "https://a.test/", specs...)
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", "find_webmcp_tools", `{"query":"tool","detail":"full","limit":50}`))
		line := c.take()[0]
		if cost := tokencount.Estimate(line); cost > 25_000 {
			t.Errorf("%d tokens", cost)
		}
		o := c.find(`{"query":"","tab":1,"detail":"full","limit":50}`)
		if len(o.Tools) != 50 || o.Total != 60 || !strings.Contains(o.Note, "were left out, because the answer would be too long") || o.Tools[0].InputSchema == nil || o.Tools[49].InputSchema != nil {
			t.Errorf("%d of %d: %s", len(o.Tools), o.Total, o.Note)
		}
		huge := fmt.Sprintf(`huge {"type":"object","properties":{"a":{"type":"string","description":%q}}}`, strings.Repeat("long words ", 20_000))
		specs = []string{huge}
		for i := range 50 {
			var params []string
			for j := range 16 {
				params = append(params, fmt.Sprintf(`"%s_%d":{"enum":["%s","%s"]}`, strings.Repeat("q7Zx", 14), j, strings.Repeat("x9Kw", 6), strings.Repeat("r2Vb", 6)))
			}
			specs = append(specs, fmt.Sprintf(`wide%d {"type":"object","properties":{%s}}`, i, strings.Join(params, ",")))
		}
		h.page("B", "https://b.test/", specs...)
		c.send(callLine("1", "find_webmcp_tools", `{"query":"","tab":2,"limit":50}`))
		if cost := tokencount.Estimate(c.take()[0]); cost > 25_000 {
			t.Errorf("signatures: %d tokens", cost)
		}
		if o = c.find(`{"query":"","tab":2,"limit":50}`); len(o.Tools) != 50 || o.Tools[0].Signature == "" || o.Tools[49].Signature != "" || !strings.Contains(o.Note, "signatures of") {
			t.Errorf("%d of %d: %s", len(o.Tools), o.Total, o.Note)
		}
		if o = c.find(`{"query":"huge","tab":2,"detail":"full","limit":1}`); len(o.Tools) != 1 || o.Tools[0].InputSchema != nil || !strings.Contains(o.Note, "list_webmcp_tools") {
			t.Errorf("%d of %d: %s", len(o.Tools), o.Total, o.Note)
		}
		c.hangUp()
	})
}
