package actors

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

// TestStuckPage: a tool that was given up and loops for ever doesn't keep its page.
func TestStuckPage(t *testing.T) {
	const said = "blocks its page"
	for _, runtime := range []string{"native", "page server", "polyfill", "form", "dom"} {
		// start begins a call, in the middle of which its page hangs.
		start := func(t *testing.T) (*testHub, *cdptest.Page, *running) {
			h := newHub(t, func(o *Options) { o.Introspect = true })
			s := newSlow()
			p := h.offer()
			switch runtime {
			case "native":
				p.Register(s.tool("loop"), tool("add"))
				h.quiet()
			case "page server":
				h.serve(p.Main(), s.tool("loop"), tool("add"))
			default:
				h.adapter(p, runtime, s.tool("loop"), tool("add"))
			}
			c := h.begin("shop_test_page0_loop", `{}`)
			p.Hang()
			return h, p, c
		}
		t.Run(runtime+" is freed", func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h, p, c := start(t)
				c.cancel()
				c.fails("was cancelled")
				fakeclock.Elapse(stuckAfter - 1)
				synctest.Wait()
				if sent(p, cdpclient.RuntimeTerminateExecution) != 0 {
					t.Error("the page had no time to hear that it should stop")
				}
				fakeclock.Elapse(time.Nanosecond)
				synctest.Wait()
				if n := sent(p, cdpclient.RuntimeTerminateExecution); n != 1 {
					t.Errorf("its script was ended %d times", n)
				}
				if h.log.count(slog.LevelWarn, said) != 1 {
					t.Error("the log doesn't say so")
				}
				h.call("shop_test_page0_add", `{}`, "ok")
				h.nothingInFlight(p)
			})
		})
		for what, free := range map[string]func(*testHub, *cdptest.Page){
			"that hears it in time is left alone": func(_ *testHub, p *cdptest.Page) { p.Resume() },
			"that crashes is left alone":          func(_ *testHub, p *cdptest.Page) { p.Crash() },
			"with a dialog is left to the user":   func(_ *testHub, p *cdptest.Page) { p.Dialog("alert", "Hello!") },
			"that navigates is left alone":        func(_ *testHub, p *cdptest.Page) { p.Navigate(cart) },
			"that is being left is left alone":    func(h *testHub, p *cdptest.Page) { h.departs(p) },
		} {
			t.Run(runtime+" "+what, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					h, p, c := start(t)
					c.cancel()
					fakeclock.Elapse(stuckAfter / 2)
					free(h, p)
					fakeclock.Elapse(time.Minute)
					synctest.Wait()
					if sent(p, cdpclient.RuntimeTerminateExecution) != 0 || h.log.count(slog.LevelWarn, said) != 0 {
						t.Error("its script was ended")
					}
				})
			})
		}
	}
}

// departs says that the page's next document is on its way. Chrome keeps
// commands back until it comes, or doesn't.
func (h *testHub) departs(p *cdptest.Page) {
	h.t.Helper()
	h.inActor(p, func(a *cdpLink) {
		a.event(event(a, cdpclient.PageFrameStartedNavigating, cdpclient.FrameStartedNavigating{FrameID: p.ID(), NavigationType: "differentDocument"}))
	})
}

func event(a *cdpLink, method string, params any) cdpclient.Event {
	raw, _ := json.Marshal(params)
	return cdpclient.Event{Session: a.session, Method: method, Params: raw}
}

func TestAStuckPageThatIsNotLeftAfterAll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t)
		p := h.offer(newSlow().tool("loop"))
		c := h.begin("shop_test_page0_loop", `{}`)
		p.Hang()
		h.departs(p)
		c.cancel()
		fakeclock.Elapse(time.Minute)
		synctest.Wait()
		if sent(p, cdpclient.RuntimeTerminateExecution) != 0 {
			t.Error("a script was ended that may not run")
		}
		h.inActor(p, func(a *cdpLink) {
			a.event(event(a, cdpclient.PageFrameStoppedLoading, cdpclient.FrameStoppedLoading{FrameID: p.ID()}))
		})
		fakeclock.Elapse(stuckAfter)
		synctest.Wait()
		if sent(p, cdpclient.RuntimeTerminateExecution) != 1 {
			t.Error("the page is stuck for good")
		}
	})
}

// timeUp is a cause as the MCP server's.
type timeUp struct{ error }

func (timeUp) Timeout() bool { return true }

func TestATimeoutNamesTheOpenDialog(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t)
		p := h.offer()
		p.Register(asking(&p, "confirm"))
		h.quiet()
		late := func() *running {
			ctx, cancel := context.WithCancelCause(context.Background())
			c := h.beginTool(ctx, h.tool("shop_test_page0_ask"), `{}`)
			cancel(timeUp{errors.New("the limit is 1m0s")})
			return c
		}
		late().fails(`did not answer: the limit is 1m0s, and a dialog is open in the page: confirm "Really?". It was told to stop`)
		p.Resume() // no dialog is open any more
		h.inActor(p, func(a *cdpLink) {
			a.event(event(a, cdpclient.PageJavascriptDialogClosed, nil))
		})
		synctest.Wait()
		p.Hang()
		late().fails("did not answer: the limit is 1m0s. It was told to stop")
		p.Resume()
	})
}
