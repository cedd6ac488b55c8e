package actors

import (
	"fmt"
	"testing"
	"testing/synctest"
)

// TestPageServersAreToldOfTheEnd: a page lives on without the hub, and so would
// its server's calls.
func TestPageServersAreToldOfTheEnd(t *testing.T) {
	for _, cancelled := range []bool{false, true} { // by the end of the client's session, just before
		t.Run(fmt.Sprint("cancelled ", cancelled), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				w := newSlow()
				s := h.serve(h.offer().Main(), w.tool("wait"))
				var calls []*running
				for range 20 {
					calls = append(calls, h.begin("shop_test_page0_wait", `{}`))
				}
				for _, c := range calls {
					if cancelled {
						c.cancel()
					}
				}
				h.stop()
				synctest.Wait() // the page has its own time
				for _, c := range calls {
					<-c.answer
				}
				if _, aborted := w.counts(); aborted != len(calls) || s.requests("notifications/cancelled") != len(calls) {
					t.Errorf("of %d calls %d were aborted, by %d notifications", len(calls), aborted, s.requests("notifications/cancelled"))
				}
			})
		})
	}
}
