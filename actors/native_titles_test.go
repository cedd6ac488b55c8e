package actors

import (
	"encoding/json"
	"testing"
)

// Chrome announces no titles; where a document's own API is asked for its
// tools, theirs are taken, and last as long as the tools.
func TestTitlesOfToolsThatAreRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := prepare(t)
		p := h.chrome.OpenPage(shop)
		f := p.Main().AddFrame(shop + "frame")
		buy := tool("buy")
		buy.Title = "Buy it"
		f.Register(buy)
		h.start()
		h.want("shop_test_page0_buy")
		if got := h.titleOf("shop_test_page0_buy"); got != "Buy it" {
			t.Errorf("a tool that was there before has the title %q", got)
		}
		f.Unregister("buy")
		f.Register(tool("buy"))
		h.want("shop_test_page0_buy")
		if got := h.titleOf("shop_test_page0_buy"); got != "" {
			t.Errorf("another tool of that name has the title %q", got)
		}
	})
}

// titleOf is a published tool's title.
func (h *testHub) titleOf(name string) string {
	h.t.Helper()
	var said struct{ Title string }
	if err := json.Unmarshal(h.tool(name).Encoded, &said); err != nil {
		h.t.Fatal(err)
	}
	return said.Title
}
