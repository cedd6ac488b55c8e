package actors_test

import (
	"strings"
	"testing"

	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient/cdptest"
)

// TestEventDrivenSync has the cases of the specification's part E: pages whose own MCP server
// says that its list changed.
func TestEventDrivenSync(t *testing.T) {
	t.Run("subscribes to ToolListChangedNotificationSchema on connect", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := h.Serve(h.Offer().Main(), Tool("add"))
			h.Want("shop_test_page0_add")
			if s.Requests("initialize") != 1 || s.Requests("notifications/initialized") != 1 || s.Requests("tools/list") != 1 {
				t.Errorf("the handshake was %v", s.Asked)
			}
			s.Change(Tool("add"), Tool("buy"))
			h.Want("shop_test_page0_add", "shop_test_page0_buy")
		})
	})
	t.Run("re-syncs tools when notification received", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := h.Serve(h.Offer().Main())
			h.Want()
			s.Change(Tool("add"))
			h.Want("shop_test_page0_add")
			s.Change()
			h.Want()
		})
	})
	t.Run("adds new tools from updated list", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := h.Serve(h.Offer().Main(), Tool("add"))
			h.Quiet()
			s.Change(Tool("add"), Tool("buy"))
			h.Want("shop_test_page0_add", "shop_test_page0_buy")
		})
	})
	t.Run("removes deleted tools from updated list", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := h.Serve(h.Offer().Main(), Tool("add"), Tool("buy"))
			h.Quiet()
			s.Change(Tool("buy"))
			h.Want("shop_test_page0_buy")
		})
	})
	t.Run("updates modified tool schemas", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := h.Serve(h.Offer().Main(), Tool("add"))
			h.Quiet()
			s.Change(cdptest.Tool{Name: "add", Schema: []byte(`{"type":"object","required":["n"]}`)})
			h.Want("shop_test_page0_add")
			WantEncoded(t, h.Tool("shop_test_page0_add"), `"required":["n"]`)
		})
	})
	t.Run("handles rapid successive notifications", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := h.Serve(h.Offer().Main())
			h.Quiet()
			before := s.Requests("tools/list")
			release := s.Hold("tools/list")
			for i := range 1000 {
				s.SetTools(Tool("add"), cdptest.Tool{Name: "count", Description: "has " + string(rune('a'+i%26))})
				s.Frame.FromPage(cdptest.ListChanged)
			}
			h.Quiet()
			release()
			h.Want("shop_test_page0_add", "shop_test_page0_count")
			if d := h.Tool("shop_test_page0_count").Description; !strings.HasSuffix(d, "has "+string(rune('a'+999%26))) {
				t.Errorf("the last change is lost: %q", d)
			}
			if n := s.Requests("tools/list") - before; n != 2 {
				t.Errorf("%d readings for 1000 notifications, want 2", n)
			}
		})
	})
}
