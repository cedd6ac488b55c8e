package cdp_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/actors"
	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

// TestStuckPage: a tool that was given up and loops for ever doesn't keep its page.
func TestStuckPage(t *testing.T) {
	const said = "blocks its page"
	for _, runtime := range []string{"native", "page server", "polyfill", "form", "dom"} {
		// start begins a call, in the middle of which its page hangs.
		start := func(t *testing.T) (*TestHub, *cdptest.Page, *Running) {
			h := NewHub(t, func(o *actors.Options) { o.Introspect = true })
			s := NewSlow()
			p := h.Offer()
			switch runtime {
			case "native":
				p.Register(s.Tool("loop"), Tool("add"))
				h.Quiet()
			case "page server":
				h.Serve(p.Main(), s.Tool("loop"), Tool("add"))
			default:
				h.Adapter(p, runtime, s.Tool("loop"), Tool("add"))
			}
			c := h.Begin("shop_test_page0_loop", `{}`)
			p.Hang()
			return h, p, c
		}
		t.Run(runtime+" is freed", func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h, p, c := start(t)
				c.Cancel()
				c.Fails("was cancelled")
				fakeclock.Elapse(StuckAfter - 1)
				synctest.Wait()
				if Sent(p, cdpclient.RuntimeTerminateExecution) != 0 {
					t.Error("the page had no time to hear that it should stop")
				}
				fakeclock.Elapse(time.Nanosecond)
				synctest.Wait()
				if n := Sent(p, cdpclient.RuntimeTerminateExecution); n != 1 {
					t.Errorf("its script was ended %d times", n)
				}
				if h.Log.Count(slog.LevelWarn, said) != 1 {
					t.Error("the log doesn't say so")
				}
				h.CallSays("shop_test_page0_add", `{}`, "ok")
				nothingInFlight(h, p)
			})
		})
		for what, free := range map[string]func(*TestHub, *cdptest.Page){
			"that hears it in time is left alone": func(_ *TestHub, p *cdptest.Page) { p.Resume() },
			"that crashes is left alone":          func(_ *TestHub, p *cdptest.Page) { p.Crash() },
			"with a dialog is left to the user":   func(_ *TestHub, p *cdptest.Page) { p.Dialog("alert", "Hello!") },
			"that navigates is left alone":        func(_ *TestHub, p *cdptest.Page) { p.Navigate(Cart) },
			"that is being left is left alone":    func(h *TestHub, p *cdptest.Page) { navigates(h, p) },
		} {
			t.Run(runtime+" "+what, func(t *testing.T) {
				Bubble(t, func(t *testing.T) {
					h, p, c := start(t)
					c.Cancel()
					fakeclock.Elapse(StuckAfter / 2)
					free(h, p)
					fakeclock.Elapse(time.Minute)
					synctest.Wait()
					if Sent(p, cdpclient.RuntimeTerminateExecution) != 0 || h.Log.Count(slog.LevelWarn, said) != 0 {
						t.Error("its script was ended")
					}
				})
			})
		}
	}
}

// navigates says that the page's next document is on its way. Chrome keeps
// commands back until it comes, or doesn't.
func navigates(h *TestHub, p *cdptest.Page) {
	h.T.Helper()
	inLink(h, p, func(a *Link) {
		a.Event(event(a, cdpclient.PageFrameStartedNavigating, cdpclient.FrameStartedNavigating{FrameID: p.ID(), NavigationType: "differentDocument"}))
	})
}

func event(a *Link, method string, params any) cdpclient.Event {
	raw, _ := json.Marshal(params)
	return cdpclient.Event{Session: a.SessionID(), Method: method, Params: raw}
}

func TestAStuckPageThatIsNotLeftAfterAll(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Offer(NewSlow().Tool("loop"))
		c := h.Begin("shop_test_page0_loop", `{}`)
		p.Hang()
		navigates(h, p)
		c.Cancel()
		fakeclock.Elapse(time.Minute)
		synctest.Wait()
		if Sent(p, cdpclient.RuntimeTerminateExecution) != 0 {
			t.Error("a script was ended that may not run")
		}
		inLink(h, p, func(a *Link) {
			a.Event(event(a, cdpclient.PageFrameStoppedLoading, cdpclient.FrameStoppedLoading{FrameID: p.ID()}))
		})
		fakeclock.Elapse(StuckAfter)
		synctest.Wait()
		if Sent(p, cdpclient.RuntimeTerminateExecution) != 1 {
			t.Error("the page is stuck for good")
		}
	})
}

// timeUp is a cause as the MCP server's.
type timeUp struct{ error }

func (timeUp) Timeout() bool { return true }

func TestATimeoutNamesTheOpenDialog(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Offer()
		p.Register(asking(&p, "confirm"))
		h.Quiet()
		late := func() *Running {
			ctx, cancel := context.WithCancelCause(context.Background())
			c := h.BeginTool(ctx, h.Tool("shop_test_page0_ask"), `{}`)
			cancel(timeUp{errors.New("the limit is 1m0s")})
			return c
		}
		late().Fails(`did not answer: the limit is 1m0s, and a dialog is open in the page: confirm "Really?". It was told to stop`)
		p.Resume() // no dialog is open any more
		inLink(h, p, func(a *Link) {
			a.Event(event(a, cdpclient.PageJavascriptDialogClosed, nil))
		})
		synctest.Wait()
		p.Hang()
		late().Fails("did not answer: the limit is 1m0s. It was told to stop")
		p.Resume()
	})
}
