package mcpserver

import (
	"context"
	"strings"
	"testing"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// TestAnnounce: each client is told once, with its next result; one that comes later isn't.
func TestAnnounce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, func(context.Context, calls.Call) registry.Result {
			return registry.Result{JSON: []byte(`{"content":[]}`)}
		})
		h.page("A", "https://a.test/", "find")
		c, d := h.connect(true), h.connect(true)
		c.handshake()
		d.handshake()
		h.Apply([]registry.Effect{registry.Announce{Text: "Chrome crashed."}})
		later := h.connect(true)
		later.handshake()
		told := func(who string, times int, got string) {
			t.Helper()
			if n := strings.Count(got, "[webmcp-hub: Chrome crashed.]"); n != times {
				t.Errorf("%s is told %d times: %s", who, n, got)
			}
		}
		told("the first client", 1, c.call("webmcp_a_test_page0_find", `{}`))
		told("the first client, again,", 0, c.call("webmcp_a_test_page0_find", `{}`))
		told("the second client", 1, d.call("list_webmcp_tools", `{}`))
		told("a later client", 0, later.call("list_webmcp_tools", `{}`))
		c.hangUp()
		d.hangUp()
		later.hangUp()
	})
}
