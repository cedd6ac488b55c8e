package cdp_test

import (
	"fmt"
	"testing"

	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
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
		fakeclock.Elapse(tab.ReleaseTimeout)
		c.Fails("The browser ended the hub's connection to the page")
		h.Want("shop_test_page0_wait")
		onlySession(h, p)
		h.Begin("shop_test_page0_wait", `{}`).Runs()
	})
}

// TestATabGoesAfterItsSession: Chrome's word that the session has ended overtakes the reply
// to an invocation that it owes, and the tab's end follows. The call is answered at once:
// no name of it can come any more.
func TestATabGoesAfterItsSession(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Offer(NewSlow().Tool("wait"))
		p.On(cdpclient.WebMCPInvokeTool, func(cdptest.Command) (any, error) { return nil, cdptest.ErrHang })
		c := h.Begin("shop_test_page0_wait", `{}`)
		h.TellTab(registry.PageID(p.ID()), cdpclient.SessionEnded{Session: h.Session(p)})
		c.Runs() // whether the tab has gone isn't known yet
		p.Close()
		c.Fails("was closed")
	})
}

// TestATabGoesAndItsSessionDoesNotEnd: a relay loses Chrome's word that the session has
// ended, so that nothing answers an invocation. The wait for its name ends by itself.
func TestATabGoesAndItsSessionDoesNotEnd(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Offer(NewSlow().Tool("wait"))
		p.On(cdpclient.WebMCPInvokeTool, func(cdptest.Command) (any, error) { return nil, cdptest.ErrHang })
		c := h.Begin("shop_test_page0_wait", `{}`)
		h.Dialer.Dropping(cdpclient.TargetDetachedFromTarget)
		p.Close()
		fakeclock.Elapse(tab.ReleaseTimeout)
		c.Fails("was closed")
	})
}

// TestACallFindsItsSessionEnded: Chrome ends the session with a tab that stays open, and owes
// the reply to an invocation, or has told of the end only by refusing one, since a relay lost
// the event. The call isn't told that its tab was closed, and the hub attaches to the tab again.
func TestACallFindsItsSessionEnded(t *testing.T) {
	for _, tool := range []string{"wait", "ask"} {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s lost=%v", tool, lost), func(t *testing.T) {
				Bubble(t, func(t *testing.T) {
					h := NewHub(t)
					p := h.Offer(NewSlow().Tool("wait"))
					h.Serve(p.Main(), Tool("ask")).Hold("tools/call")
					p.On(cdpclient.WebMCPInvokeTool, func(cdptest.Command) (any, error) { return nil, cdptest.ErrHang })
					if lost {
						h.Dialer.Dropping(cdpclient.TargetDetachedFromTarget)
						inLink(h, p, (*Link).Sever)
					}
					c := h.Begin("shop_test_page0_"+tool, `{}`)
					if !lost {
						inLink(h, p, (*Link).Sever)
					}
					c.Runs() // whether the tab has gone isn't known yet
					fakeclock.Elapse(tab.ReleaseTimeout)
					c.Fails("The browser ended the hub's connection to the page")
					onlySession(h, p)
				})
			})
		}
	}
}
