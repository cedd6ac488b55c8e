package cdp_test

import (
	"testing"
	"time"

	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

// TestServersThatAnnounceNoChanges are read again every minute, others never.
func TestServersThatAnnounceNoChanges(t *testing.T) {
	serve := func(h *TestHub, f *cdptest.Frame, tools map[string]any) *Server {
		s := &Server{MCPServer: cdptest.NewMCPServer(Tool("add")), H: h, Frame: f, Asked: map[string]int{}, Gates: map[string]chan struct{}{}}
		h.T.Cleanup(s.Stop)
		s.Offer(map[string]any{"tools": tools}, nil)
		f.ServeMCP(s.Handle)
		h.Quiet()
		return s
	}
	t.Run("silent", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			s := serve(h, p.Main(), map[string]any{})
			h.Want("shop_test_page0_add")
			for range 3 {
				s.SetTools(Tool("buy"))
				fakeclock.Elapse(cdp.RereadEvery - time.Second)
				h.Want("shop_test_page0_add")
				fakeclock.Elapse(time.Second)
				h.Want("shop_test_page0_buy")
				s.SetTools(Tool("add"))
				fakeclock.Elapse(cdp.RereadEvery)
				h.Want("shop_test_page0_add")
			}
			if n := s.Requests("tools/list"); n != 7 {
				t.Errorf("the list was read %d times", n)
			}
			p.Navigate(Cart)
			h.Quiet()
			fakeclock.Elapse(10 * cdp.RereadEvery)
			if n := s.Requests("tools/list"); n != 7 {
				t.Errorf("a server that is gone was read: %d", n)
			}
		})
	})
	t.Run("that announces them", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := serve(h, h.Offer().Main(), map[string]any{"listChanged": true})
			fakeclock.Elapse(10 * cdp.RereadEvery)
			if n := s.Requests("tools/list"); n != 1 {
				t.Errorf("the list was read %d times", n)
			}
		})
	})
}
