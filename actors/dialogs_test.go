package actors

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

// asking is a tool that opens a dialog and answers when that is closed.
func asking(p **cdptest.Page, kind string) cdptest.Tool {
	return cdptest.Tool{Name: "ask", Execute: func(ctx context.Context, _ json.RawMessage) (any, error) {
		(*p).Dialog(kind, "Really?")
		for sent(*p, cdpclient.PageHandleJavaScriptDialog) == 0 {
			select {
			case <-ctx.Done():
				return cdptest.Never, nil
			case <-time.After(time.Second):
			}
		}
		return "asked", nil
	}}
}

func TestDialogs(t *testing.T) {
	headless := func(o *Options) { o.AnswerDialogs = true }
	for kind, answer := range map[string]string{"alert": `"accept":true`, "confirm": `"accept":false`, "prompt": `"accept":false`} {
		t.Run(kind+" of a tool is answered where nobody sees it", func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t, headless)
				p := h.chrome.OpenPage(shop)
				h.quiet()
				p.Register(asking(&p, kind))
				h.quiet()
				c := h.begin("shop_test_page0_ask", `{}`)
				fakeclock.Elapse(2 * time.Second)
				c.says("asked")
				for _, cmd := range p.Commands() {
					if cmd.Method == cdpclient.PageHandleJavaScriptDialog && !strings.Contains(string(cmd.Params), answer) {
						t.Errorf("answered by %s", cmd.Params)
					}
				}
			})
		})
		t.Run(kind+" is left to the user who sees it", func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				p := h.chrome.OpenPage(shop)
				h.quiet()
				p.Register(asking(&p, kind))
				h.quiet()
				c := h.begin("shop_test_page0_ask", `{}`)
				fakeclock.Elapse(time.Minute)
				c.runs()
				if sent(p, cdpclient.PageHandleJavaScriptDialog) != 0 {
					t.Error("the hub answered for the user")
				}
				c.cancel()
				c.fails("was cancelled")
			})
		})
		t.Run(kind+" without a call is left alone", func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t, headless)
				p := h.offer(tool("add"))
				p.Dialog(kind, "Hello!")
				synctest.Wait()
				if sent(p, cdpclient.PageHandleJavaScriptDialog) != 0 {
					t.Error("the hub answered")
				}
			})
		})
	}
	t.Run("beforeunload lets the page go", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t, headless)
			p := h.offer(tool("add"))
			p.Dialog("beforeunload", "")
			synctest.Wait()
			if sent(p, cdpclient.PageHandleJavaScriptDialog) != 1 {
				t.Error("the page is held")
			}
		})
	})
}
