package mcpserver

import (
	"strings"
	"testing"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Who only looks on is given the list, and the client has not read it: it doesn't know by it
// what names mean.
func TestPeeking(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://a.test/", "pay")
		c := h.connect(true)
		c.handshake()
		c.list()
		h.change(registry.PageClosed{Page: "A"})
		h.page("B", "https://a.test/", "pay")
		c.take()
		c.send(`{"jsonrpc":"2.0","id":"peek","method":"tools/list","params":{"_meta":{"` + sanitize.PeekKey + `":true}}}`)
		if got := c.take(); len(got) != 1 || !strings.Contains(got[0], `"name":"webmcp_a_test_page0_pay"`) {
			t.Errorf("the list is %q", got)
		}
		if got := c.call("webmcp_a_test_page0_pay", `{}`); !strings.HasPrefix(got, "error: ") {
			t.Errorf("a tool was called that the client can't mean: %s", got)
		}
		c.list()
		if got := c.call("webmcp_a_test_page0_pay", `{}`); got != "B/pay {}" {
			t.Errorf("after reading the list: %s", got)
		}
		c.hangUp()
	})
}
