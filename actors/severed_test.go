package actors

import (
	"testing"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/internal/fakeclock"
)

// TestATabOutlivesItsSession: Chrome ends the session with a tab that stays open. Its
// calls end, and the hub attaches to it again.
func TestATabOutlivesItsSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t)
		p := h.offer(newSlow().tool("wait"))
		c := h.begin("shop_test_page0_wait", `{}`)
		h.inActor(p, func(a *cdpLink) {
			a.conn.Post("", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: a.session}, nil)
		})
		c.runs() // whether the tab has gone isn't known yet
		fakeclock.Elapse(tab.PartTimeout)
		c.fails("The browser ended the hub's connection to the page")
		h.want("shop_test_page0_wait")
		h.onlySession(p)
		h.begin("shop_test_page0_wait", `{}`).runs()
	})
}
