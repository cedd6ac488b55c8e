package actors

import (
	"testing"
	"time"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

// TestServersThatAnnounceNoChanges are read again every minute, others never.
func TestServersThatAnnounceNoChanges(t *testing.T) {
	serve := func(h *testHub, f *cdptest.Frame, tools map[string]any) *server {
		s := &server{MCPServer: cdptest.NewMCPServer(tool("add")), h: h, frame: f, asked: map[string]int{}, gates: map[string]chan struct{}{}}
		h.t.Cleanup(s.Stop)
		s.Offer(map[string]any{"tools": tools}, nil)
		f.ServeMCP(s.handle)
		h.quiet()
		return s
	}
	t.Run("silent", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			s := serve(h, p.Main(), map[string]any{})
			h.want("shop_test_page0_add")
			for range 3 {
				s.SetTools(tool("buy"))
				fakeclock.Elapse(rereadEvery - time.Second)
				h.want("shop_test_page0_add")
				fakeclock.Elapse(time.Second)
				h.want("shop_test_page0_buy")
				s.SetTools(tool("add"))
				fakeclock.Elapse(rereadEvery)
				h.want("shop_test_page0_add")
			}
			if n := s.requests("tools/list"); n != 7 {
				t.Errorf("the list was read %d times", n)
			}
			p.Navigate(cart)
			h.quiet()
			fakeclock.Elapse(10 * rereadEvery)
			if n := s.requests("tools/list"); n != 7 {
				t.Errorf("a server that is gone was read: %d", n)
			}
		})
	})
	t.Run("that announces them", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := serve(h, h.offer().Main(), map[string]any{"listChanged": true})
			fakeclock.Elapse(10 * rereadEvery)
			if n := s.requests("tools/list"); n != 1 {
				t.Errorf("the list was read %d times", n)
			}
		})
	})
}
