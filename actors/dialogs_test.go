package actors

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
	"webmcphub/registry/offer"
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
	headless := func(o *Options) { o.Dialogs = tab.DismissDialogs }
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
		t.Run(kind+" without a call is answered where nobody sees it", func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t, headless)
				p := h.offer(tool("add"))
				p.Dialog(kind, "Hello!")
				synctest.Wait()
				if n := sent(p, cdpclient.PageHandleJavaScriptDialog); n != 1 {
					t.Errorf("the hub answered %d times", n)
				}
				h.call("shop_test_page0_add", `{}`, "ok")
				h.quiet()
				if got := h.tab(p).Condition(); got != "" {
					t.Errorf("the tab %s", got)
				}
			})
		})
		t.Run(kind+" is accepted where that is asked for", func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t, func(o *Options) { o.Dialogs = tab.AcceptDialogs })
				p := h.offer(tool("add"))
				h.inActor(p, func(a *cdpLink) {
					a.event(event(a, cdpclient.PageJavascriptDialogOpening, cdpclient.JavascriptDialogOpening{FrameID: p.ID(), Type: kind, DefaultPrompt: "me"}))
				})
				synctest.Wait()
				want := `{"accept":true}`
				if kind == "prompt" {
					want = `{"accept":true,"promptText":"me"}`
				}
				for _, c := range p.Commands() {
					if c.Method == cdpclient.PageHandleJavaScriptDialog && string(c.Params) != want {
						t.Errorf("answered by %s", c.Params)
					}
				}
				if sent(p, cdpclient.PageHandleJavaScriptDialog) != 1 {
					t.Error("the hub didn't answer")
				}
			})
		})
		t.Run(kind+" that is open is told of at once", func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				p := h.offer(tool("add"))
				notices := h.pub.count()
				p.Dialog(kind, "Hello!")
				h.quiet()
				h.begin("shop_test_page0_add", `{}`).fails("was not called: a dialog is open in its page")
				if sent(p, cdpclient.WebMCPInvokeTool) != 0 {
					t.Error("the page was called all the same")
				}
				if got := h.tab(p).Condition(); got != "dialog open: "+kind+` "Hello!"` {
					t.Errorf("the tab is said to have %q", got)
				}
				if h.tab(p).State != "" || h.pub.count() != notices {
					t.Error("a page with a dialog is no other page")
				}
				h.want("shop_test_page0_add")
				p.CloseDialog()
				h.quiet()
				if got := h.tab(p).Condition(); got != "" {
					t.Errorf("the tab still has %q", got)
				}
				h.call("shop_test_page0_add", `{}`, "ok")
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

// A page opens as many dialogs as it likes. The log bears that.
func TestDialogsWithoutEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, func(o *Options) { o.Dialogs = tab.DismissDialogs })
		p := h.offer(tool("add"))
		const many = 300
		h.inActor(p, func(a *cdpLink) {
			for range many {
				a.event(event(a, cdpclient.PageJavascriptDialogOpening, cdpclient.JavascriptDialogOpening{FrameID: p.ID(), Type: "alert", Message: "Again!"}))
			}
		})
		synctest.Wait()
		if n := sent(p, cdpclient.PageHandleJavaScriptDialog); n != many {
			t.Errorf("%d were answered", n)
		}
		if n := h.log.count(slog.LevelDebug, "a dialog of the page was answered"); n == 0 || n > 20 {
			t.Errorf("%d lines are logged", n)
		}
	})
}

// TestPagesThatDoNotAnswer: a dialog that was open before the hub came is announced
// to nobody, and keeps its page from answering anything.
func TestPagesThatDoNotAnswer(t *testing.T) {
	const add = "shop_test_page0_add"
	says := func(h *testHub, p *cdptest.Page, want string) {
		h.t.Helper()
		h.quiet()
		if got := h.tab(p).Condition(); got != want {
			h.t.Errorf("the tab is said to have %q, want %q", got, want)
		}
	}
	// before starts a hub with a page that something ails already.
	before := func(t *testing.T, ails func(*testHub, *cdptest.Page)) (*testHub, *cdptest.Page) {
		h := prepare(t)
		p := h.chrome.OpenPage(shop)
		p.Register(tool("add"))
		ails(h, p)
		return h.start(), p
	}
	hangs := func(_ *testHub, p *cdptest.Page) { p.Hang() }
	t.Run("are said not to, until they do", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, p := before(t, hangs)
			fakeclock.Elapse(silentAfter - 2*time.Second)
			says(h, p, "")
			fakeclock.Elapse(2 * time.Second)
			says(h, p, registry.NotAnswering)
			route := offer.Route{Page: registry.PageID(p.ID()), Frame: registry.FrameID(p.ID()), Runtime: offer.Native, Tool: "add"}
			got := h.Call(t.Context(), &registry.HubTool{Route: route}, json.RawMessage(`{}`), CallExtras{})
			wantText(t, got, true, "does not answer (a dialog may be open in it")
			p.Resume()
			says(h, p, "")
			h.want(add)
			h.call(add, `{}`, "ok")
		})
	})
	t.Run("for a while are not said to", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, p := before(t, hangs)
			fakeclock.Elapse(silentAfter - 2*time.Second)
			p.Resume()
			h.want(add)
			p.Hang() // that is its calls' business
			fakeclock.Elapse(10 * silentAfter)
			says(h, p, "")
			p.Resume()
		})
	})
	t.Run("after a dialog that the hub knew of are said not to", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, p := before(t, hangs)
			h.inActor(p, func(a *cdpLink) { a.open = &openDialog{} })
			fakeclock.Elapse(2 * silentAfter)
			says(h, p, "")
			h.inActor(p, func(a *cdpLink) { a.open = nil })
			fakeclock.Elapse(2 * silentAfter)
			says(h, p, registry.NotAnswering)
			p.Resume()
		})
	})
	t.Run("without a renderer are not said to", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, p := before(t, func(_ *testHub, p *cdptest.Page) { p.Crash() })
			fakeclock.Elapse(2 * silentAfter)
			says(h, p, "")
		})
	})
	t.Run("nor does their browser", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, p := before(t, func(h *testHub, p *cdptest.Page) {
				p.Hang()
				p.On("Target.getTargetInfo", func(cdptest.Command) (any, error) { return nil, cdptest.ErrHang })
			})
			fakeclock.Elapse(2 * silentAfter)
			says(h, p, "")
		})
	})
	t.Run("are disconnected", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, p := before(t, hangs)
			fakeclock.Elapse(silentAfter)
			says(h, p, registry.NotAnswering)
			if err := h.DisconnectPage(t.Context(), registry.PageID(p.ID())); err != nil {
				t.Fatal(err)
			}
			says(h, p, registry.NotConnected)
			fakeclock.Elapse(2 * silentAfter)
			says(h, p, registry.NotConnected)
			go func() { _ = h.ConnectPage(t.Context(), registry.PageID(p.ID())) }()
			fakeclock.Elapse(silentAfter)
			says(h, p, registry.NotAnswering)
			p.Resume()
			h.want(add)
		})
	})
	t.Run("are closed", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, p := before(t, hangs)
			fakeclock.Elapse(silentAfter)
			says(h, p, registry.NotAnswering)
			p.Close()
			fakeclock.Elapse(2 * silentAfter)
			h.want()
		})
	})
}

func TestDialogsOfFrames(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t)
		p := h.offer(tool("add"))
		f := h.frame(p.Main(), ads)
		f.Register(tool("pay"))
		h.quiet()
		says := func(method string, params any) {
			h.inActor(p, func(a *cdpLink) { a.event(event(a, method, params)) })
			h.quiet()
		}
		// Another process: what runs in the page goes on.
		says(cdpclient.PageJavascriptDialogOpening, cdpclient.JavascriptDialogOpening{FrameID: f.ID(), Type: "alert", Message: "Hello!"})
		h.begin("shop_test_page0_pay", `{}`).fails(`alert "Hello!"`)
		h.call("shop_test_page0_add", `{}`, "ok")
		says(cdpclient.PageJavascriptDialogClosed, struct{}{})
		h.call("shop_test_page0_pay", `{}`, "ok")
		for what, ends := range map[string]func(){
			"a crash":      func() { p.Crash(); p.Reload() },
			"a disconnect": func() { _ = h.DisconnectPage(t.Context(), registry.PageID(p.ID())) },
		} {
			says(cdpclient.PageJavascriptDialogOpening, cdpclient.JavascriptDialogOpening{FrameID: p.ID(), Type: "alert", Message: "Hello!"})
			if h.tab(p).Dialog == "" {
				continue // let go of, in the turn before
			}
			ends()
			h.quiet()
			if got := h.tab(p).Dialog; got != "" {
				t.Errorf("after %s the tab has %q", what, got)
			}
		}
	})
}
