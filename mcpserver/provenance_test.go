package mcpserver

import (
	"strings"
	"testing"
)

func TestResultsSayWhereTheyComeFrom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://a.test/", "c")
		c := h.connect(true)
		c.handshake()
		c.list()
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"webmcp_a_test_page0_c"}}`)
		got := c.take()
		if len(got) != 1 || !strings.Contains(got[0], `"trust":"[untrusted page content]","origin":"https://a.test"`) {
			t.Errorf("got %v", got)
		}
		c.hangUp()
	})
}
