package actors

import (
	"strings"
	"testing"

	"webmcphub/cdpclient/cdptest"
)

// TestEventDrivenSync has the cases of the specification's part E: pages whose own MCP server
// says that its list changed.
func TestEventDrivenSync(t *testing.T) {
	t.Run("subscribes to ToolListChangedNotificationSchema on connect", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := h.serve(h.offer().Main(), tool("add"))
			h.want("shop_test_page0_add")
			if s.requests("initialize") != 1 || s.requests("notifications/initialized") != 1 || s.requests("tools/list") != 1 {
				t.Errorf("the handshake was %v", s.asked)
			}
			s.change(tool("add"), tool("buy"))
			h.want("shop_test_page0_add", "shop_test_page0_buy")
		})
	})
	t.Run("re-syncs tools when notification received", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := h.serve(h.offer().Main())
			h.want()
			s.change(tool("add"))
			h.want("shop_test_page0_add")
			s.change()
			h.want()
		})
	})
	t.Run("adds new tools from updated list", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := h.serve(h.offer().Main(), tool("add"))
			h.quiet()
			s.change(tool("add"), tool("buy"))
			h.want("shop_test_page0_add", "shop_test_page0_buy")
		})
	})
	t.Run("removes deleted tools from updated list", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := h.serve(h.offer().Main(), tool("add"), tool("buy"))
			h.quiet()
			s.change(tool("buy"))
			h.want("shop_test_page0_buy")
		})
	})
	t.Run("updates modified tool schemas", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := h.serve(h.offer().Main(), tool("add"))
			h.quiet()
			s.change(cdptest.Tool{Name: "add", Schema: []byte(`{"type":"object","required":["n"]}`)})
			h.want("shop_test_page0_add")
			wantEncoded(t, h.tool("shop_test_page0_add"), `"required":["n"]`)
		})
	})
	t.Run("handles rapid successive notifications", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := h.serve(h.offer().Main())
			h.quiet()
			before := s.requests("tools/list")
			release := s.hold("tools/list")
			for i := range 1000 {
				s.SetTools(tool("add"), cdptest.Tool{Name: "count", Description: "has " + string(rune('a'+i%26))})
				s.frame.FromPage(cdptest.ListChanged)
			}
			h.quiet()
			release()
			h.want("shop_test_page0_add", "shop_test_page0_count")
			if d := h.tool("shop_test_page0_count").Description; !strings.HasSuffix(d, "has "+string(rune('a'+999%26))) {
				t.Errorf("the last change is lost: %q", d)
			}
			if n := s.requests("tools/list") - before; n != 2 {
				t.Errorf("%d readings for 1000 notifications, want 2", n)
			}
		})
	})
}
