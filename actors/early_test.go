package actors

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
)

// TestAnswersInEitherOrder: the answer of a tool counts also where it overtakes
// the reply that says whose it is.
func TestAnswersInEitherOrder(t *testing.T) {
	for _, first := range []bool{false, true} {
		t.Run(fmt.Sprint("answer first: ", first), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				h.chrome.AnswerFirst(first)
				p := h.offer(tool("add"))
				for range 3 {
					h.call("shop_test_page0_add", `{}`, "ok")
				}
				h.nothingInFlight(p)
				if n := h.inside(p, func(a *cdpLink) int { return len(a.early) }); n != 0 {
					t.Errorf("answers of %d sessions are kept", n)
				}
			})
		})
	}
	t.Run("of others they are forgotten", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			others := func(n, size int) {
				h.inActor(p, func(a *cdpLink) {
					for i := range n {
						a.event(event(a, cdpclient.WebMCPToolResponded, cdpclient.ToolResponded{
							InvocationID: fmt.Sprint("other", i), Status: cdpclient.StatusCompleted, Output: json.RawMessage(`"` + strings.Repeat("x", size) + `"`)}))
					}
				})
				synctest.Wait()
			}
			kept := func() int {
				return h.inside(p, func(a *cdpLink) int {
					if e := a.early[a.session]; e != nil {
						return len(e.answers)
					}
					return 0
				})
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
			c := h.begin("shop_test_page0_add", `{}`)
			others(1000, 1)
			if n := kept(); n != maxEarly {
				t.Errorf("%d are kept", n)
			}
			others(3, maxEarlyBytes/2+1)
			if n := kept(); n != 1 {
				t.Errorf("%d long ones are kept", n)
			}
			h.inActor(p, func(a *cdpLink) {
				for range 3 {
					a.event(event(a, cdpclient.WebMCPToolResponded, cdpclient.ToolResponded{
						InvocationID: "other", Status: "Error", ErrorText: strings.Repeat("x", maxEarlyBytes/2+1)}))
				}
			})
			synctest.Wait()
			if n := kept(); n != 1 {
				t.Errorf("%d with long errors are kept", n)
			}
			close(release)
			c.says("ok")
			if n := kept(); n != 0 {
				t.Errorf("%d are kept after the reply", n)
			}
		})
	})
}
