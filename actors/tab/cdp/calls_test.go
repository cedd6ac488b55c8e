package cdp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

func TestGoldenPaths(t *testing.T) {
	t.Run("executes registered tools and returns results", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Offer(cdptest.Tool{Name: "add", Execute: func(_ context.Context, args json.RawMessage) (any, error) {
				return fmt.Sprintf("added %s", args), nil
			}})
			h.CallSays("shop_test_page0_add", `{"item":"tea","count":2}`, `added {"count":2,"item":"tea"}`)
		})
	})
}

func TestResults(t *testing.T) {
	image := map[string]any{"content": []any{map[string]any{"type": "image", "data": "aGk=", "mimeType": "image/png"}}}
	for _, c := range []struct {
		name  string
		gives any
		want  string
	}{
		{"text", "hello", `{"content":[{"type":"text","text":"hello"}]}`},
		{"object", map[string]any{"n": 1}, `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`},
		{"number", 7, `{"content":[{"type":"text","text":"7"}],"structuredContent":{"result":7}}`},
		{"undefined", cdptest.Undefined, `{"content":[{"type":"text","text":"undefined"}]}`},
		{"nothing", "", `{"content":[{"type":"text","text":"Operation succeeded"}]}`},
		{"image", image, `{"content":[{"data":"aGk=","mimeType":"image/png","type":"image"}]}`},
		{"failure of the page's own", map[string]any{"content": []any{map[string]any{"type": "text", "text": "sold out"}}, "isError": true},
			`{"content":[{"text":"sold out","type":"text"}],"isError":true}`},
		{"failure in French, which Chrome gives as a string", map[string]any{"content": []any{map[string]any{"type": "text", "text": "épuisé"}}, "isError": true},
			`{"content":[{"text":"épuisé","type":"text"}],"isError":true}`},
		{"object in French", map[string]any{"né": 1}, `{"content":[{"type":"text","text":"{\"né\":1}"}],"structuredContent":{"né":1}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				h.Offer(cdptest.Tool{Name: "x", Execute: Says(c.gives)})
				r := h.Begin("shop_test_page0_x", `{}`).Result()
				if !SameJSON(r.JSON, []byte(c.want)) {
					t.Errorf("result is\n\t%s, want\n\t%s", r.JSON, c.want)
				}
			})
		})
	}
	t.Run("an error is the page's text without its stack", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Offer(cdptest.Tool{Name: "x", Execute: func(context.Context, json.RawMessage) (any, error) {
				return nil, errors.New("the shop is closed")
			}})
			r := h.Begin("shop_test_page0_x", `{}`).Result()
			WantText(t, r, true, "the shop is closed")
			if strings.Contains(string(r.JSON), "    at ") {
				t.Errorf("the stack is in the answer: %s", r.JSON)
			}
		})
	})
}

func TestCancel(t *testing.T) {
	t.Run("reaches the page", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := NewSlow()
			p := h.Offer(s.Tool("wait"))
			c := h.Begin("shop_test_page0_wait", `{}`)
			c.Runs()
			c.Cancel()
			c.Fails("was cancelled")
			if _, aborted := s.Counts(); aborted != 1 || Sent(p, cdpclient.WebMCPCancelInvocation) != 1 {
				t.Error("the page was not told")
			}
		})
	})
	t.Run("before the invocation has an id reaches the page", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := NewSlow()
			p := h.Offer(s.Tool("wait"))
			p.SetLatency(time.Second)
			c := h.Begin("shop_test_page0_wait", `{}`)
			c.Cancel()
			c.Fails("was cancelled") // at once
			if Sent(p, cdpclient.WebMCPCancelInvocation) != 0 {
				t.Error("the page was told before there was an id")
			}
			fakeclock.Elapse(3 * time.Second)
			synctest.Wait()
			if started, aborted := s.Counts(); started != 1 || aborted != 1 {
				t.Errorf("begun %d times, aborted %d times", started, aborted)
			}
			nothingInFlight(h, p)
		})
	})
	t.Run("by a deadline says how long it was", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := NewSlow()
			h.Offer(s.Tool("wait"))
			ctx, cancel := context.WithTimeoutCause(context.Background(), time.Minute, errors.New("the limit is 1m0s"))
			defer cancel()
			c := h.BeginTool(ctx, h.Tool("shop_test_page0_wait"), `{}`)
			fakeclock.Elapse(time.Minute - 1)
			c.Runs()
			fakeclock.Elapse(time.Nanosecond)
			c.Fails("did not answer: the limit is 1m0s")
			if _, aborted := s.Counts(); aborted != 1 {
				t.Error("the page was not told")
			}
		})
	})
	t.Run("after the answer is no harm", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			c := h.Begin("shop_test_page0_add", `{}`)
			c.Says("ok")
			c.Cancel()
			h.CallSays("shop_test_page0_add", `{}`, "ok")
			nothingInFlight(h, p)
		})
	})
	t.Run("while the page hangs answers at once", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			p.Hang()
			c := h.Begin("shop_test_page0_add", `{}`)
			c.Cancel()
			c.Fails("was cancelled")
			p.Resume()
			h.CallSays("shop_test_page0_add", `{}`, "ok")
			nothingInFlight(h, p)
		})
	})
}

// nothingInFlight fails if the page's actor remembers a call that has ended.
func nothingInFlight(h *TestHub, p *cdptest.Page) {
	h.T.Helper()
	if n := inside(h, p, (*Link).Remembered); n != 0 {
		h.T.Errorf("the page's actor remembers %d ended calls", n)
	}
}

func TestSideBySide(t *testing.T) {
	t.Run("calls on one page", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			a, b := NewSlow(), NewSlow()
			h.Offer(a.Tool("a"), b.Tool("b"), Tool("c"))
			ca, cb := h.Begin("shop_test_page0_a", `{}`), h.Begin("shop_test_page0_b", `{}`)
			h.CallSays("shop_test_page0_c", `{}`, "ok")
			b.Answers <- "from b"
			cb.Says("from b")
			ca.Runs()
			a.Answers <- "from a"
			ca.Says("from a")
		})
	})
	t.Run("calls of one tool", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(cdptest.Tool{Name: "echo", Execute: func(_ context.Context, args json.RawMessage) (any, error) {
				return string(args), nil
			}})
			var calls []*Running
			for i := range 50 {
				calls = append(calls, h.Begin("shop_test_page0_echo", fmt.Sprintf(`{"n":%d}`, i)))
			}
			for i, c := range calls {
				c.Says(fmt.Sprintf(`{"n":%d}`, i))
			}
			nothingInFlight(h, p)
		})
	})
	t.Run("calls on different pages", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := NewSlow()
			h.Offer(s.Tool("wait"))
			q := h.Chrome.OpenPage("http://news.test/")
			q.Register(cdptest.Tool{Name: "read", Execute: Says("news")})
			h.Quiet()
			c := h.Begin("shop_test_page0_wait", `{}`)
			h.CallSays("news_test_page1_read", `{}`, "news")
			c.Runs()
			s.Answers <- "done"
			c.Says("done")
		})
	})
	t.Run("other clients' calls are not ours", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := NewSlow()
			p := h.Offer(s.Tool("wait"))
			h.Dialer.Editing(func(msg []byte) [][]byte { // Chrome broadcasts answers
				if strings.Contains(string(msg), cdpclient.WebMCPToolInvoked) {
					stranger := `{"method":"WebMCP.toolResponded","params":{"invocationId":"FFFF","status":"Completed","output":"not yours"}`
					session := `,"sessionId":"` + string(sessionOf(msg)) + `"}`
					return [][]byte{msg, []byte(stranger + session)}
				}
				return [][]byte{msg}
			})
			c := h.Begin("shop_test_page0_wait", `{}`)
			c.Runs()
			s.Answers <- "yours"
			c.Says("yours")
			nothingInFlight(h, p)
		})
	})
	t.Run("an answer that comes twice counts once", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(cdptest.Tool{Name: "x", Execute: Says("once")})
			h.Dialer.Editing(func(msg []byte) [][]byte {
				if strings.Contains(string(msg), cdpclient.WebMCPToolResponded) {
					return [][]byte{msg, []byte(strings.Replace(string(msg), "once", "twice", 1))}
				}
				return [][]byte{msg}
			})
			h.CallSays("shop_test_page0_x", `{}`, "once")
			h.CallSays("shop_test_page0_x", `{}`, "once")
			nothingInFlight(h, p)
		})
	})
}

func sessionOf(msg []byte) cdpclient.SessionID {
	var e struct{ SessionID cdpclient.SessionID }
	_ = json.Unmarshal(msg, &e) // the fake writes JSON
	return e.SessionID
}

func TestToolsThatChangeTools(t *testing.T) {
	t.Run("one that takes itself away stays listed until its result", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := NewSlow()
			p := h.Offer(s.Tool("once"), Tool("other"))
			c := h.Begin("shop_test_page0_once", `{}`)
			p.Unregister("once", "other")
			h.Want("shop_test_page0_once")
			c.Runs()
			s.Answers <- "done"
			c.Says("done")
			h.Want()
		})
	})
	t.Run("one that replaces itself is listed as it is now", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := NewSlow()
			p := h.Offer(s.Tool("step"))
			c := h.Begin("shop_test_page0_step", `{}`)
			p.Unregister("step")
			p.Register(cdptest.Tool{Name: "step", Description: "the second step"})
			s.Answers <- "done"
			c.Says("done")
			h.Want("shop_test_page0_step")
			if d := h.Tool("shop_test_page0_step").Description; !strings.HasSuffix(d, "the second step") {
				t.Errorf("the description is %q", d)
			}
		})
	})
	t.Run("one that adds others is answered, and they are listed", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			p.Register(cdptest.Tool{Name: "open", Execute: func(context.Context, json.RawMessage) (any, error) {
				p.Register(Tool("more"))
				return "opened", nil
			}})
			h.Quiet()
			h.CallSays("shop_test_page0_open", `{}`, "opened")
			h.Want("shop_test_page0_open", "shop_test_page0_more")
		})
	})
	t.Run("one that took itself away and is cancelled goes", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := NewSlow()
			p := h.Offer(s.Tool("once"))
			c := h.Begin("shop_test_page0_once", `{}`)
			p.Unregister("once")
			h.Want("shop_test_page0_once")
			c.Cancel()
			c.Fails("was cancelled")
			h.Want()
		})
	})
}
