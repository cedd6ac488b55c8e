package cdp_test

import (
	"encoding/json"
	"testing"

	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
)

// TestEventsThatCantBeRead are no harm.
func TestEventsThatCantBeRead(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Offer(Tool("add"))
		inLink(h, p, func(a *Link) {
			for _, method := range Methods() {
				a.Event(cdpclient.Event{Session: a.SessionID(), Method: method, Params: json.RawMessage(`[7]`)})
			}
		})
		p.Register(Tool("buy"))
		h.Want("shop_test_page0_add", "shop_test_page0_buy")
		h.CallSays("shop_test_page0_buy", `{}`, "ok")
	})
}
