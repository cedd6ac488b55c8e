package cdp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// TestArgumentsThatInvokeToolRefuses: those with names outside ASCII.
func TestArgumentsThatInvokeToolRefuses(t *testing.T) {
	const x = "shop_test_page0_x"
	echo := cdptest.Tool{Name: "x", Execute: func(_ context.Context, args json.RawMessage) (any, error) { return "got " + string(args), nil }}
	t.Run("reach the tool", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(echo)
			for _, args := range []string{`{"größe":3}`, `{"尺寸":3}`, `{"a":[{"é":1}]}`} {
				h.CallSays(x, args, "got "+args)
			}
			if n := Sent(p, cdpclient.WebMCPInvokeTool); n != 0 {
				t.Errorf("Chrome refused %d invocations", n)
			}
			nothingInFlight(h, p)
		})
	})
	t.Run("reach the tool of a frame", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Frame(h.Offer().Main(), Shop+"inner").Register(echo)
			h.Quiet()
			h.CallSays(x, `{"größe":3}`, "got {")
		})
	})
	t.Run("a throw is the page's text", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Offer(cdptest.Tool{Name: "x", Execute: func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("sold out") }})
			h.Begin(x, `{"ö":1}`).Fails("sold out")
		})
	})
	t.Run("calls that are alike get their own answers", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			var n atomic.Int32
			p := h.Offer(cdptest.Tool{Name: "x", Execute: func(context.Context, json.RawMessage) (any, error) {
				return fmt.Sprint("number ", n.Add(1)), nil
			}})
			release := h.StopActor(p)
			first, second := h.Begin(x, `{"ö":1}`), h.Begin(x, `{ "ö" : 1.0 }`)
			release()
			one, two := string(first.Result().JSON), string(second.Result().JSON)
			if one == two {
				t.Errorf("both were answered %s", one)
			}
			nothingInFlight(h, p)
		})
	})
	t.Run("somebody else's call of the tool is not ours", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := NewSlow()
			p := h.Offer(s.Tool("x"))
			p.On(cdpclient.RuntimeCallFunctionOn, func(cdptest.Command) (any, error) { return nil, cdptest.ErrHang })
			c := h.Begin(x, `{"ö":1}`)
			inLink(h, p, func(a *Link) {
				for _, other := range []cdpclient.ToolInvoked{
					{ToolName: "x", FrameID: p.ID(), InvocationID: "A", Input: `{"ö":2}`},
					{ToolName: "y", FrameID: p.ID(), InvocationID: "B", Input: `{"ö":1}`},
					{ToolName: "x", FrameID: "elsewhere", InvocationID: "C", Input: `{"ö":1}`},
				} {
					a.Event(event(a, cdpclient.WebMCPToolInvoked, other))
					a.Event(event(a, cdpclient.WebMCPToolResponded, cdpclient.ToolResponded{InvocationID: other.InvocationID, Status: cdpclient.StatusCompleted, Output: json.RawMessage(`"theirs"`)}))
				}
			})
			c.Runs()
			c.Cancel()
			c.Fails("was cancelled")
		})
	})
	t.Run("cancelling reaches the page", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := NewSlow()
			p := h.Offer(s.Tool("x"))
			c := h.Begin(x, `{"ö":1}`)
			c.Runs()
			c.Cancel()
			c.Fails("was cancelled")
			if started, aborted := s.Counts(); started != 1 || aborted != 1 {
				t.Errorf("%d were begun and %d told to stop", started, aborted)
			}
			nothingInFlight(h, p)
		})
	})
	t.Run("cancelling before Chrome has named the call", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := NewSlow()
			p := h.Offer(s.Tool("x"))
			p.Hang()
			c := h.Begin(x, `{"ö":1}`)
			c.Cancel()
			c.Fails("was cancelled")
			p.Resume()
			synctest.Wait()
			if started, aborted := s.Counts(); started != 1 || aborted != 1 {
				t.Errorf("%d were begun and %d told to stop", started, aborted)
			}
			nothingInFlight(h, p)
		})
	})
	t.Run("a page that hangs in the tool is freed", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(NewSlow().Tool("x"))
			p.Hang()
			c := h.Begin(x, `{"ö":1}`)
			c.Cancel()
			fakeclock.Elapse(StuckAfter)
			synctest.Wait()
			if Sent(p, cdpclient.RuntimeTerminateExecution) != 1 {
				t.Error("its script was not ended")
			}
		})
	})
	t.Run("a navigation ends the call", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(NewSlow().Tool("x"))
			c := h.Begin(x, `{"ö":1}`)
			p.Navigate(Cart)
			c.Fails("navigated")
			nothingInFlight(h, p)
		})
	})
	t.Run("the page is closed", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(NewSlow().Tool("x"))
			p.Hang()
			c := h.Begin(x, `{"ö":1}`)
			p.Close()
			c.Fails("closed")
		})
	})
	t.Run("where no event tells of the call its own answer counts", func(t *testing.T) {
		for answer, want := range map[string]string{
			`{"result":{"value":{"text":"{\"content\":[{\"type\":\"text\",\"text\":\"é\"}],\"isError\":true}"}}}`: `{"content":[{"type":"text","text":"é"}],"isError":true}`,
			`{"result":{"value":{"text":"plain"}}}`:              string(sanitize.TextResult("plain").JSON),
			`{"result":{"value":{"failed":"UnknownError: no"}}}`: string(registry.PageFailure("x", "UnknownError: no").JSON),
			`{"result":{"value":7}}`:                             string(registry.NotThere("x", "Chrome's answer could not be read").JSON),
		} {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				p := h.Offer(Tool("x"))
				p.On(cdpclient.RuntimeCallFunctionOn, func(cdptest.Command) (any, error) { return json.RawMessage(answer), nil })
				if got := h.Begin(x, `{"ö":1}`).Result().JSON; string(got) != want {
					t.Errorf("%s gives %s, want %s", answer, got, want)
				}
				nothingInFlight(h, p)
			})
		}
	})
}

// TestOutputsThatChromeFailedToParse arrive as what they are.
func TestOutputsThatChromeFailedToParse(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, s := NewHub(t), NewSlow()
		p := h.Offer(s.Tool("find"))
		c := h.Begin("shop_test_page0_find", `{}`)
		h.Quiet()
		inLink(h, p, func(a *Link) {
			for _, id := range a.Invocations() {
				a.Event(event(a, cdpclient.WebMCPToolResponded, cdpclient.ToolResponded{
					InvocationID: id, Status: cdpclient.StatusCompleted, Output: json.RawMessage(`"{\"content\":[{\"type\":\"text\",\"text\":\"déjà vu\"}],\"isError\":true}"`)}))
			}
		})
		if r := c.Result(); !r.IsError || !strings.Contains(string(r.JSON), `"text":"déjà vu"`) {
			t.Errorf("the call gave %s", r.JSON)
		}
		s.Answers <- "late"
	})
}
