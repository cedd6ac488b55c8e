package cdp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
)

// TestAnswersInEitherOrder: the answer of a tool counts also where it overtakes
// the reply that says whose it is.
func TestAnswersInEitherOrder(t *testing.T) {
	for _, first := range []bool{false, true} {
		t.Run(fmt.Sprint("answer first: ", first), func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				h.Chrome.AnswerFirst(first)
				p := h.Offer(Tool("add"))
				for range 3 {
					h.CallSays("shop_test_page0_add", `{}`, "ok")
				}
				nothingInFlight(h, p)
				if n := inside(h, p, (*Link).EarlySessions); n != 0 {
					t.Errorf("answers of %d sessions are kept", n)
				}
			})
		})
	}
	t.Run("of others they are forgotten", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			others := func(n, size int) {
				inLink(h, p, func(a *Link) {
					for i := range n {
						a.Event(event(a, cdpclient.WebMCPToolResponded, cdpclient.ToolResponded{
							InvocationID: fmt.Sprint("other", i), Status: cdpclient.StatusCompleted, Output: json.RawMessage(`"` + strings.Repeat("x", size) + `"`)}))
					}
				})
				synctest.Wait()
			}
			kept := func() int {
				return inside(h, p, (*Link).EarlyAnswers)
			}
			others(3, 1)
			if n := kept(); n != 0 {
				t.Errorf("%d are kept while no reply is owed", n)
			}
			release := make(chan struct{})
			p.On(cdpclient.WebMCPInvokeTool, func(cdptest.Command) (any, error) {
				<-release
				return nil, cdptest.ErrPass
			})
			c := h.Begin("shop_test_page0_add", `{}`)
			others(1000, 1)
			if n := kept(); n != MaxEarly {
				t.Errorf("%d are kept", n)
			}
			others(3, MaxEarlyBytes/2+1)
			if n := kept(); n != 1 {
				t.Errorf("%d long ones are kept", n)
			}
			inLink(h, p, func(a *Link) {
				for range 3 {
					a.Event(event(a, cdpclient.WebMCPToolResponded, cdpclient.ToolResponded{
						InvocationID: "other", Status: "Error", ErrorText: strings.Repeat("x", MaxEarlyBytes/2+1)}))
				}
			})
			synctest.Wait()
			if n := kept(); n != 1 {
				t.Errorf("%d with long errors are kept", n)
			}
			close(release)
			c.Says("ok")
			if n := kept(); n != 0 {
				t.Errorf("%d are kept after the reply", n)
			}
		})
	})
}
