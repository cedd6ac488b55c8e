package cdp_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient/pagemcp"
	"webmcphub/internal/fakeclock"
)

// A server that fails to list again and again is a warning once for each cause and
// document, and for so many causes only.
func TestFailedListsAreWarningsOnce(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Offer()
		fails := "no list today"
		var s *Server
		broken := func(payload json.RawMessage) []json.RawMessage {
			if Method(payload) != "tools/list" {
				return s.Handle(payload)
			}
			var r struct{ ID json.RawMessage }
			_ = json.Unmarshal(payload, &r)
			return []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%q}}`, r.ID, fails))}
		}
		warned := func() int { return h.Log.Count(slog.LevelWarn, "did not list its tools") }
		changes := func(n int) {
			for range n {
				s.Change(Tool("add"))
				fakeclock.Elapse(cdp.ListTimeout)
			}
		}
		s = h.Serve(p.Main())
		p.Main().ServeMCP(broken)
		changes(5)
		if n := warned(); n != 1 {
			t.Errorf("one cause is %d warnings", n)
		}
		fails = "another reason"
		changes(3)
		if n := warned(); n != 2 {
			t.Errorf("two causes are %d warnings", n)
		}
		for i := range 2 * pagemcp.MaxWarnings {
			fails = fmt.Sprintf("reason %d %s", i, strings.Repeat("x", 10))
			changes(1)
		}
		if n := warned(); n != pagemcp.MaxWarnings {
			t.Errorf("ever new causes are %d warnings", n)
		}
		p.Navigate(Cart)
		p.Main().ServeMCP(broken)
		h.Quiet()
		changes(2)
		if n := warned(); n != pagemcp.MaxWarnings+1 {
			t.Errorf("with the next document there are %d warnings", n)
		}
	})
}
