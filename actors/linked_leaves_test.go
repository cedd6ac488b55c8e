package actors

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/extlink/exttest"
	"webmcphub/internal/fakeclock"
)

// A tool that submits a form is answered with where it led, as over the port.
func TestALinkedToolThatLeavesItsPage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newLinkedHub(t)
		b := h.join(exttest.New("one"))
		tab := b.OpenTab(shop)
		tab.Register(exttest.Tool{Name: "buy", Execute: answersNever})
		h.quiet()
		for _, next := range []string{"http://shop.test/thanks", ""} {
			h.quiet()
			call := h.begin("shop_test_page0_buy", `{}`)
			h.quiet()
			orders := b.Heard("callTool")
			b.Say(`{"type":"toolResult","callId":"` + orders[len(orders)-1].CallID + `","result":null,"leaves":true}`)
			h.quiet()
			want := "null" // it stayed
			if next != "" {
				tab.Navigate(next)
				want = "The tool navigated the page to " + next
			} else {
				fakeclock.Elapse(maxDeparture)
			}
			h.quiet()
			if r := call.result(); r.IsError || !strings.Contains(string(r.JSON), want) {
				t.Errorf("to %q: %s", next, r.JSON)
			}
			tab.Register(exttest.Tool{Name: "buy", Execute: answersNever})
		}
	})
}

func answersNever(context.Context, json.RawMessage) (any, error) { return exttest.Never, nil }
