package actors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry/endings"
	"webmcphub/registry/sanitize"
)

// TestArgumentsThatInvokeToolRefuses: those with names outside ASCII.
func TestArgumentsThatInvokeToolRefuses(t *testing.T) {
	const x = "shop_test_page0_x"
	echo := cdptest.Tool{Name: "x", Execute: func(_ context.Context, args json.RawMessage) (any, error) { return "got " + string(args), nil }}
	t.Run("reach the tool", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(echo)
			for _, args := range []string{`{"größe":3}`, `{"尺寸":3}`, `{"a":[{"é":1}]}`} {
				h.call(x, args, "got "+args)
			}
			if n := sent(p, cdpclient.WebMCPInvokeTool); n != 0 {
				t.Errorf("Chrome refused %d invocations", n)
			}
			h.nothingInFlight(p)
		})
	})
	t.Run("reach the tool of a frame", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.frame(h.offer().Main(), shop+"inner").Register(echo)
			h.quiet()
			h.call(x, `{"größe":3}`, "got {")
		})
	})
	t.Run("a throw is the page's text", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.offer(cdptest.Tool{Name: "x", Execute: func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("sold out") }})
			h.begin(x, `{"ö":1}`).fails("sold out")
		})
	})
	t.Run("calls that are alike get their own answers", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			var n atomic.Int32
			p := h.offer(cdptest.Tool{Name: "x", Execute: func(context.Context, json.RawMessage) (any, error) {
				return fmt.Sprint("number ", n.Add(1)), nil
			}})
			release := h.stopActor(p)
			first, second := h.begin(x, `{"ö":1}`), h.begin(x, `{ "ö" : 1.0 }`)
			release()
			one, two := string(first.result().JSON), string(second.result().JSON)
			if one == two {
				t.Errorf("both were answered %s", one)
			}
			h.nothingInFlight(p)
		})
	})
	t.Run("somebody else's call of the tool is not ours", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := newSlow()
			p := h.offer(s.tool("x"))
			p.On(cdpclient.RuntimeCallFunctionOn, func(cdptest.Command) (any, error) { return nil, cdptest.ErrHang })
			c := h.begin(x, `{"ö":1}`)
			h.inActor(p, func(a *cdpLink) {
				for _, other := range []cdpclient.ToolInvoked{
					{ToolName: "x", FrameID: p.ID(), InvocationID: "A", Input: `{"ö":2}`},
					{ToolName: "y", FrameID: p.ID(), InvocationID: "B", Input: `{"ö":1}`},
					{ToolName: "x", FrameID: "elsewhere", InvocationID: "C", Input: `{"ö":1}`},
				} {
					a.event(event(a, cdpclient.WebMCPToolInvoked, other))
					a.event(event(a, cdpclient.WebMCPToolResponded, cdpclient.ToolResponded{InvocationID: other.InvocationID, Status: cdpclient.StatusCompleted, Output: json.RawMessage(`"theirs"`)}))
				}
			})
			c.runs()
			c.cancel()
			c.fails("was cancelled")
		})
	})
	t.Run("cancelling reaches the page", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := newSlow()
			p := h.offer(s.tool("x"))
			c := h.begin(x, `{"ö":1}`)
			c.runs()
			c.cancel()
			c.fails("was cancelled")
			if started, aborted := s.counts(); started != 1 || aborted != 1 {
				t.Errorf("%d were begun and %d told to stop", started, aborted)
			}
			h.nothingInFlight(p)
		})
	})
	t.Run("cancelling before Chrome has named the call", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := newSlow()
			p := h.offer(s.tool("x"))
			p.Hang()
			c := h.begin(x, `{"ö":1}`)
			c.cancel()
			c.fails("was cancelled")
			p.Resume()
			synctest.Wait()
			if started, aborted := s.counts(); started != 1 || aborted != 1 {
				t.Errorf("%d were begun and %d told to stop", started, aborted)
			}
			h.nothingInFlight(p)
		})
	})
	t.Run("a page that hangs in the tool is freed", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(newSlow().tool("x"))
			p.Hang()
			c := h.begin(x, `{"ö":1}`)
			c.cancel()
			fakeclock.Elapse(stuckAfter)
			synctest.Wait()
			if sent(p, cdpclient.RuntimeTerminateExecution) != 1 {
				t.Error("its script was not ended")
			}
		})
	})
	t.Run("a navigation ends the call", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(newSlow().tool("x"))
			c := h.begin(x, `{"ö":1}`)
			p.Navigate(cart)
			c.fails("navigated")
			h.nothingInFlight(p)
		})
	})
	t.Run("the page is closed", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(newSlow().tool("x"))
			p.Hang()
			c := h.begin(x, `{"ö":1}`)
			p.Close()
			c.fails("closed")
		})
	})
	t.Run("where no event tells of the call its own answer counts", func(t *testing.T) {
		for answer, want := range map[string]string{
			`{"result":{"value":{"text":"{\"content\":[{\"type\":\"text\",\"text\":\"é\"}],\"isError\":true}"}}}`: `{"content":[{"type":"text","text":"é"}],"isError":true}`,
			`{"result":{"value":{"text":"plain"}}}`:              string(sanitize.TextResult("plain").JSON),
			`{"result":{"value":{"failed":"UnknownError: no"}}}`: string(endings.PageFailure("x", "UnknownError: no").JSON),
			`{"result":{"value":7}}`:                             string(endings.NotThere("x", "Chrome's answer could not be read").JSON),
		} {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				p := h.offer(tool("x"))
				p.On(cdpclient.RuntimeCallFunctionOn, func(cdptest.Command) (any, error) { return json.RawMessage(answer), nil })
				if got := h.begin(x, `{"ö":1}`).result().JSON; string(got) != want {
					t.Errorf("%s gives %s, want %s", answer, got, want)
				}
				h.nothingInFlight(p)
			})
		}
	})
}

// TestOutputsThatChromeFailedToParse arrive as what they are.
func TestOutputsThatChromeFailedToParse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, s := newHub(t), newSlow()
		p := h.offer(s.tool("find"))
		c := h.begin("shop_test_page0_find", `{}`)
		h.quiet()
		h.inActor(p, func(a *cdpLink) {
			for id := range a.byInvocation {
				a.event(event(a, cdpclient.WebMCPToolResponded, cdpclient.ToolResponded{
					InvocationID: id, Status: cdpclient.StatusCompleted, Output: json.RawMessage(`"{\"content\":[{\"type\":\"text\",\"text\":\"déjà vu\"}],\"isError\":true}"`)}))
			}
		})
		if r := c.result(); !r.IsError || !strings.Contains(string(r.JSON), `"text":"déjà vu"`) {
			t.Errorf("the call gave %s", r.JSON)
		}
		s.answers <- "late"
	})
}
