package actors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

// offer opens the shop with these tools.
func (h *testHub) offer(tools ...cdptest.Tool) *cdptest.Page {
	h.t.Helper()
	p := h.chrome.OpenPage(shop)
	h.quiet()
	p.Register(tools...)
	h.quiet()
	return p
}

func TestGoldenPaths(t *testing.T) {
	t.Run("executes registered tools and returns results", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.offer(cdptest.Tool{Name: "add", Execute: func(_ context.Context, args json.RawMessage) (any, error) {
				return fmt.Sprintf("added %s", args), nil
			}})
			h.call("shop_test_page0_add", `{"item":"tea","count":2}`, `added {"count":2,"item":"tea"}`)
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
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				h.offer(cdptest.Tool{Name: "x", Execute: says(c.gives)})
				r := h.begin("shop_test_page0_x", `{}`).result()
				if !sameJSON(r.JSON, []byte(c.want)) {
					t.Errorf("result is\n\t%s, want\n\t%s", r.JSON, c.want)
				}
			})
		})
	}
	t.Run("an error is the page's text without its stack", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.offer(cdptest.Tool{Name: "x", Execute: func(context.Context, json.RawMessage) (any, error) {
				return nil, errors.New("the shop is closed")
			}})
			r := h.begin("shop_test_page0_x", `{}`).result()
			wantText(t, r, true, "the shop is closed")
			if strings.Contains(string(r.JSON), "    at ") {
				t.Errorf("the stack is in the answer: %s", r.JSON)
			}
		})
	})
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

func TestCancel(t *testing.T) {
	t.Run("reaches the page", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := newSlow()
			p := h.offer(s.tool("wait"))
			c := h.begin("shop_test_page0_wait", `{}`)
			c.runs()
			c.cancel()
			c.fails("was cancelled")
			if _, aborted := s.counts(); aborted != 1 || sent(p, cdpclient.WebMCPCancelInvocation) != 1 {
				t.Error("the page was not told")
			}
		})
	})
	t.Run("before the invocation has an id reaches the page", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := newSlow()
			p := h.offer(s.tool("wait"))
			p.SetLatency(time.Second)
			c := h.begin("shop_test_page0_wait", `{}`)
			c.cancel()
			c.fails("was cancelled") // at once
			if sent(p, cdpclient.WebMCPCancelInvocation) != 0 {
				t.Error("the page was told before there was an id")
			}
			fakeclock.Elapse(3 * time.Second)
			synctest.Wait()
			if started, aborted := s.counts(); started != 1 || aborted != 1 {
				t.Errorf("begun %d times, aborted %d times", started, aborted)
			}
			h.nothingInFlight(p)
		})
	})
	t.Run("by a deadline says how long it was", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := newSlow()
			h.offer(s.tool("wait"))
			ctx, cancel := context.WithTimeoutCause(context.Background(), time.Minute, errors.New("the limit is 1m0s"))
			defer cancel()
			c := h.beginTool(ctx, h.tool("shop_test_page0_wait"), `{}`)
			fakeclock.Elapse(time.Minute - 1)
			c.runs()
			fakeclock.Elapse(time.Nanosecond)
			c.fails("did not answer: the limit is 1m0s")
			if _, aborted := s.counts(); aborted != 1 {
				t.Error("the page was not told")
			}
		})
	})
	t.Run("after the answer is no harm", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			c := h.begin("shop_test_page0_add", `{}`)
			c.says("ok")
			c.cancel()
			h.call("shop_test_page0_add", `{}`, "ok")
			h.nothingInFlight(p)
		})
	})
	t.Run("while the page hangs answers at once", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			p.Hang()
			c := h.begin("shop_test_page0_add", `{}`)
			c.cancel()
			c.fails("was cancelled")
			p.Resume()
			h.call("shop_test_page0_add", `{}`, "ok")
			h.nothingInFlight(p)
		})
	})
}

// nothingInFlight fails if the page's actor remembers a call that has ended.
func (h *testHub) nothingInFlight(p *cdptest.Page) {
	h.t.Helper()
	if n := h.inside(p, func(a *cdpLink) int { return len(a.Calls) + len(a.byInvocation) + len(a.unnamed) }); n != 0 {
		h.t.Errorf("the page's actor remembers %d ended calls", n)
	}
}

func TestSideBySide(t *testing.T) {
	t.Run("calls on one page", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			a, b := newSlow(), newSlow()
			h.offer(a.tool("a"), b.tool("b"), tool("c"))
			ca, cb := h.begin("shop_test_page0_a", `{}`), h.begin("shop_test_page0_b", `{}`)
			h.call("shop_test_page0_c", `{}`, "ok")
			b.answers <- "from b"
			cb.says("from b")
			ca.runs()
			a.answers <- "from a"
			ca.says("from a")
		})
	})
	t.Run("calls of one tool", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(cdptest.Tool{Name: "echo", Execute: func(_ context.Context, args json.RawMessage) (any, error) {
				return string(args), nil
			}})
			var calls []*running
			for i := range 50 {
				calls = append(calls, h.begin("shop_test_page0_echo", fmt.Sprintf(`{"n":%d}`, i)))
			}
			for i, c := range calls {
				c.says(fmt.Sprintf(`{"n":%d}`, i))
			}
			h.nothingInFlight(p)
		})
	})
	t.Run("calls on different pages", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := newSlow()
			h.offer(s.tool("wait"))
			q := h.chrome.OpenPage("http://news.test/")
			q.Register(cdptest.Tool{Name: "read", Execute: says("news")})
			h.quiet()
			c := h.begin("shop_test_page0_wait", `{}`)
			h.call("news_test_page1_read", `{}`, "news")
			c.runs()
			s.answers <- "done"
			c.says("done")
		})
	})
	t.Run("other clients' calls are not ours", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := newSlow()
			p := h.offer(s.tool("wait"))
			h.dialer.editing(func(msg []byte) [][]byte { // Chrome broadcasts answers
				if strings.Contains(string(msg), cdpclient.WebMCPToolInvoked) {
					stranger := `{"method":"WebMCP.toolResponded","params":{"invocationId":"FFFF","status":"Completed","output":"not yours"}`
					session := `,"sessionId":"` + string(sessionOf(msg)) + `"}`
					return [][]byte{msg, []byte(stranger + session)}
				}
				return [][]byte{msg}
			})
			c := h.begin("shop_test_page0_wait", `{}`)
			c.runs()
			s.answers <- "yours"
			c.says("yours")
			h.nothingInFlight(p)
		})
	})
	t.Run("an answer that comes twice counts once", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(cdptest.Tool{Name: "x", Execute: says("once")})
			h.dialer.editing(func(msg []byte) [][]byte {
				if strings.Contains(string(msg), cdpclient.WebMCPToolResponded) {
					return [][]byte{msg, []byte(strings.Replace(string(msg), "once", "twice", 1))}
				}
				return [][]byte{msg}
			})
			h.call("shop_test_page0_x", `{}`, "once")
			h.call("shop_test_page0_x", `{}`, "once")
			h.nothingInFlight(p)
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
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := newSlow()
			p := h.offer(s.tool("once"), tool("other"))
			c := h.begin("shop_test_page0_once", `{}`)
			p.Unregister("once", "other")
			h.want("shop_test_page0_once")
			c.runs()
			s.answers <- "done"
			c.says("done")
			h.want()
		})
	})
	t.Run("one that replaces itself is listed as it is now", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := newSlow()
			p := h.offer(s.tool("step"))
			c := h.begin("shop_test_page0_step", `{}`)
			p.Unregister("step")
			p.Register(cdptest.Tool{Name: "step", Description: "the second step"})
			s.answers <- "done"
			c.says("done")
			h.want("shop_test_page0_step")
			if d := h.tool("shop_test_page0_step").Description; !strings.HasSuffix(d, "the second step") {
				t.Errorf("the description is %q", d)
			}
		})
	})
	t.Run("one that adds others is answered, and they are listed", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			p.Register(cdptest.Tool{Name: "open", Execute: func(context.Context, json.RawMessage) (any, error) {
				p.Register(tool("more"))
				return "opened", nil
			}})
			h.quiet()
			h.call("shop_test_page0_open", `{}`, "opened")
			h.want("shop_test_page0_open", "shop_test_page0_more")
		})
	})
	t.Run("one that took itself away and is cancelled goes", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := newSlow()
			p := h.offer(s.tool("once"))
			c := h.begin("shop_test_page0_once", `{}`)
			p.Unregister("once")
			h.want("shop_test_page0_once")
			c.cancel()
			c.fails("was cancelled")
			h.want()
		})
	})
}
