package mcpserver

import (
	"fmt"
	"slices"
	"testing"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// TestRecordsNameTheTab: each record says to which tab and which site the call went, also where the name that was called
// doesn't say it.
func TestRecordsNameTheTab(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var over []calls.Record
		b := &tabBrowser{sites: map[string][]string{"https://other.test/": {"z"}}}
		h := newHub(t, echo, func(o *Options, r *registry.Options) {
			o.Browser, r.Naming = b, offer.MCPBNames
			o.Called = func(r calls.Record) { over = append(over, r) }
		})
		b.h = h
		h.page("A", "https://shop.test/", "x", "y")
		h.page("B", "https://shop.test/b", "x")
		c := h.connect(true)
		c.handshake()
		var got []string
		for _, call := range [][2]string{
			{"website_tool_shop_test_y", `{}`},
			{shopX, `{}`},
			{"website_tool_shop_test_tab1_x", `{}`},
			{"call_webmcp_tool", `{"name":"` + shopX + `"}`},
			{"list_tabs", `{}`},
			{"focus_tab", `{"tabId":1}`},
			{"open_tab", `{"url":"https://other.test/"}`},
			{"close_tab", `{"tabId":2}`},
			{"connect_webmcp", `{"page":0}`},
			{"website_tool_shop_test_nothing", `{}`},
		} {
			c.send(callLine("1", call[0], call[1]))
			fakeclock.Elapse(calls.ToolsQuiet)
			c.take()
			over := over[len(over)-1]
			got = append(got, fmt.Sprintf("%s tab %d %s %s", over.Name, over.Tab, over.Origin, over.To))
		}
		want := []string{
			"website_tool_shop_test_y tab 1 https://shop.test ",
			"website_tool_shop_test_x tab 2 https://shop.test ",
			"website_tool_shop_test_tab1_x tab 1 https://shop.test ",
			"call_webmcp_tool tab 2 https://shop.test ",
			"list_tabs tab 0  ",
			"focus_tab tab 1 https://shop.test ",
			"open_tab tab 3 https://other.test https://other.test",
			"close_tab tab 2 https://shop.test ",
			"connect_webmcp tab 1 https://shop.test ",
			"website_tool_shop_test_nothing tab 0  ",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
}
