package actors_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	. "webmcphub/actors/hubtest"
)

// TestPageServersAreToldOfTheEnd: a page lives on without the hub, and so would
// its server's calls.
func TestPageServersAreToldOfTheEnd(t *testing.T) {
	for _, cancelled := range []bool{false, true} { // by the end of the client's session, just before
		t.Run(fmt.Sprint("cancelled ", cancelled), func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				w := NewSlow()
				s := h.Serve(h.Offer().Main(), w.Tool("wait"))
				var calls []*Running
				for range 20 {
					calls = append(calls, h.Begin("shop_test_page0_wait", `{}`))
				}
				for _, c := range calls {
					if cancelled {
						c.Cancel()
					}
				}
				h.StopNow()
				synctest.Wait() // the page has its own time
				for _, c := range calls {
					<-c.Answer
				}
				if _, aborted := w.Counts(); aborted != len(calls) || s.Requests("notifications/cancelled") != len(calls) {
					t.Errorf("of %d calls %d were aborted, by %d notifications", len(calls), aborted, s.Requests("notifications/cancelled"))
				}
			})
		})
	}
}
