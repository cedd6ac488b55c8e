package cdp_test

import (
	"testing"

	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/internal/fakeclock"
)

// TestATabOutlivesItsSession: Chrome ends the session with a tab that stays open. Its
// calls end, and the hub attaches to it again.
func TestATabOutlivesItsSession(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Offer(NewSlow().Tool("wait"))
		c := h.Begin("shop_test_page0_wait", `{}`)
		inLink(h, p, (*Link).Sever)
		c.Runs() // whether the tab has gone isn't known yet
		fakeclock.Elapse(tab.PartTimeout)
		c.Fails("The browser ended the hub's connection to the page")
		h.Want("shop_test_page0_wait")
		onlySession(h, p)
		h.Begin("shop_test_page0_wait", `{}`).Runs()
	})
}
