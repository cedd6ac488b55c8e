package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// A result that is shown in another tab names that by the id that clients know.
func TestResultSaysInWhichTabItIsShown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opened := registry.PageID("B")
		h := newHub(t, func(context.Context, calls.Call) registry.Result {
			return registry.FormShownIn("https://b.test/found", string(opened))
		})
		h.page("A", "https://a.test/", "find")
		h.page("B", "https://b.test/found")
		c := h.connect(true)
		c.handshake()
		id := h.current.Catalog().Tab("B").ID
		if got, want := c.call("webmcp_a_test_page0_find", `{}`), fmt.Sprintf("opened in tab %d]", id); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
		for _, opened = range []registry.PageID{"", "C"} {
			if got := c.call("webmcp_a_test_page0_find", `{}`); strings.Contains(got, "opened in tab") || !strings.Contains(got, "in a new tab: https://b.test/found") {
				t.Errorf("of page %q: got %s", opened, got)
			}
		}
		c.hangUp()
	})
}
