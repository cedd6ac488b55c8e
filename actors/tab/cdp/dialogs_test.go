package cdp_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// asking is a tool that opens a dialog and answers when that is closed.
func asking(p **cdptest.Page, kind string) cdptest.Tool {
	return cdptest.Tool{Name: "ask", Execute: func(ctx context.Context, _ json.RawMessage) (any, error) {
		(*p).Dialog(kind, "Really?")
		for Sent(*p, cdpclient.PageHandleJavaScriptDialog) == 0 {
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
	headless := func(o *actors.Options) { o.Dialogs = tab.DismissDialogs }
	for kind, answer := range map[string]string{"alert": `"accept":true`, "confirm": `"accept":false`, "prompt": `"accept":false`} {
		t.Run(kind+" of a tool is answered where nobody sees it", func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t, headless)
				p := h.Chrome.OpenPage(Shop)
				h.Quiet()
				p.Register(asking(&p, kind))
				h.Quiet()
				c := h.Begin("shop_test_page0_ask", `{}`)
				fakeclock.Elapse(2 * time.Second)
				c.Says("asked")
				for _, cmd := range p.Commands() {
					if cmd.Method == cdpclient.PageHandleJavaScriptDialog && !strings.Contains(string(cmd.Params), answer) {
						t.Errorf("answered by %s", cmd.Params)
					}
				}
			})
		})
		t.Run(kind+" is left to the user who sees it", func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				p := h.Chrome.OpenPage(Shop)
				h.Quiet()
				p.Register(asking(&p, kind))
				h.Quiet()
				c := h.Begin("shop_test_page0_ask", `{}`)
				fakeclock.Elapse(time.Minute)
				c.Runs()
				if Sent(p, cdpclient.PageHandleJavaScriptDialog) != 0 {
					t.Error("the hub answered for the user")
				}
				c.Cancel()
				c.Fails("was cancelled")
			})
		})
		t.Run(kind+" without a call is answered where nobody sees it", func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t, headless)
				p := h.Offer(Tool("add"))
				p.Dialog(kind, "Hello!")
				synctest.Wait()
				if n := Sent(p, cdpclient.PageHandleJavaScriptDialog); n != 1 {
					t.Errorf("the hub answered %d times", n)
				}
				h.CallSays("shop_test_page0_add", `{}`, "ok")
				h.Quiet()
				if got := h.Tab(p).Condition(); got != "" {
					t.Errorf("the tab %s", got)
				}
			})
		})
		t.Run(kind+" is accepted where that is asked for", func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t, func(o *actors.Options) { o.Dialogs = tab.AcceptDialogs })
				p := h.Offer(Tool("add"))
				inLink(h, p, func(a *Link) {
					a.Event(event(a, cdpclient.PageJavascriptDialogOpening, cdpclient.JavascriptDialogOpening{FrameID: p.ID(), Type: kind, DefaultPrompt: "me"}))
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
				if Sent(p, cdpclient.PageHandleJavaScriptDialog) != 1 {
					t.Error("the hub didn't answer")
				}
			})
		})
		t.Run(kind+" that is open is told of at once", func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				p := h.Offer(Tool("add"))
				notices := h.Pub.Count()
				p.Dialog(kind, "Hello!")
				h.Quiet()
				h.Begin("shop_test_page0_add", `{}`).Fails("was not called: a dialog is open in its page")
				if Sent(p, cdpclient.WebMCPInvokeTool) != 0 {
					t.Error("the page was called all the same")
				}
				if got := h.Tab(p).Condition(); got != "dialog open: "+kind+` "Hello!"` {
					t.Errorf("the tab is said to have %q", got)
				}
				if h.Tab(p).State != "" || h.Pub.Count() != notices {
					t.Error("a page with a dialog is no other page")
				}
				h.Want("shop_test_page0_add")
				p.CloseDialog()
				h.Quiet()
				if got := h.Tab(p).Condition(); got != "" {
					t.Errorf("the tab still has %q", got)
				}
				h.CallSays("shop_test_page0_add", `{}`, "ok")
			})
		})
	}
	t.Run("beforeunload lets the page go", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t, headless)
			p := h.Offer(Tool("add"))
			p.Dialog("beforeunload", "")
			synctest.Wait()
			if Sent(p, cdpclient.PageHandleJavaScriptDialog) != 1 {
				t.Error("the page is held")
			}
		})
	})
}

// A page opens as many dialogs as it likes. The log bears that.
func TestDialogsWithoutEnd(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t, func(o *actors.Options) { o.Dialogs = tab.DismissDialogs })
		p := h.Offer(Tool("add"))
		const many = 300
		inLink(h, p, func(a *Link) {
			for range many {
				a.Event(event(a, cdpclient.PageJavascriptDialogOpening, cdpclient.JavascriptDialogOpening{FrameID: p.ID(), Type: "alert", Message: "Again!"}))
			}
		})
		synctest.Wait()
		if n := Sent(p, cdpclient.PageHandleJavaScriptDialog); n != many {
			t.Errorf("%d were answered", n)
		}
		if n := h.Log.Count(slog.LevelDebug, "a dialog of the page was answered"); n == 0 || n > 20 {
			t.Errorf("%d lines are logged", n)
		}
	})
}

// TestPagesThatDoNotAnswer: a dialog that was open before the hub came is announced
// to nobody, and keeps its page from answering anything.
func TestPagesThatDoNotAnswer(t *testing.T) {
	const add = "shop_test_page0_add"
	says := func(h *TestHub, p *cdptest.Page, want string) {
		h.T.Helper()
		h.Quiet()
		if got := h.Tab(p).Condition(); got != want {
			h.T.Errorf("the tab is said to have %q, want %q", got, want)
		}
	}
	// before starts a hub with a page that something ails already.
	before := func(t *testing.T, ails func(*TestHub, *cdptest.Page)) (*TestHub, *cdptest.Page) {
		h := Prepare(t)
		p := h.Chrome.OpenPage(Shop)
		p.Register(Tool("add"))
		ails(h, p)
		return h.Start(), p
	}
	hangs := func(_ *TestHub, p *cdptest.Page) { p.Hang() }
	t.Run("are said not to, until they do", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h, p := before(t, hangs)
			fakeclock.Elapse(SilentAfter - 2*time.Second)
			says(h, p, "")
			fakeclock.Elapse(2 * time.Second)
			says(h, p, registry.NotAnswering)
			route := offer.Route{Page: registry.PageID(p.ID()), Frame: registry.FrameID(p.ID()), Runtime: offer.Native, Tool: "add"}
			got := h.Call(t.Context(), &registry.HubTool{Route: route}, json.RawMessage(`{}`), actors.CallExtras{})
			WantText(t, got, true, "does not answer (a dialog may be open in it")
			p.Resume()
			says(h, p, "")
			h.Want(add)
			h.CallSays(add, `{}`, "ok")
		})
	})
	t.Run("for a while are not said to", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h, p := before(t, hangs)
			fakeclock.Elapse(SilentAfter - 2*time.Second)
			p.Resume()
			h.Want(add)
			p.Hang() // that is its calls' business
			fakeclock.Elapse(10 * SilentAfter)
			says(h, p, "")
			p.Resume()
		})
	})
	t.Run("after a dialog that the hub knew of are said not to", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h, p := before(t, hangs)
			inLink(h, p, func(a *Link) { a.HasDialog(true) })
			fakeclock.Elapse(2 * SilentAfter)
			says(h, p, "")
			inLink(h, p, func(a *Link) { a.HasDialog(false) })
			fakeclock.Elapse(2 * SilentAfter)
			says(h, p, registry.NotAnswering)
			p.Resume()
		})
	})
	t.Run("without a renderer are not said to", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h, p := before(t, func(_ *TestHub, p *cdptest.Page) { p.Crash() })
			fakeclock.Elapse(2 * SilentAfter)
			says(h, p, "")
		})
	})
	t.Run("nor does their browser", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h, p := before(t, func(h *TestHub, p *cdptest.Page) {
				p.Hang()
				p.On("Target.getTargetInfo", func(cdptest.Command) (any, error) { return nil, cdptest.ErrHang })
			})
			fakeclock.Elapse(2 * SilentAfter)
			says(h, p, "")
		})
	})
	t.Run("are disconnected", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h, p := before(t, hangs)
			fakeclock.Elapse(SilentAfter)
			says(h, p, registry.NotAnswering)
			if err := h.DisconnectPage(t.Context(), registry.PageID(p.ID())); err != nil {
				t.Fatal(err)
			}
			says(h, p, registry.NotConnected)
			fakeclock.Elapse(2 * SilentAfter)
			says(h, p, registry.NotConnected)
			go func() { _ = h.ConnectPage(t.Context(), registry.PageID(p.ID())) }()
			fakeclock.Elapse(SilentAfter)
			says(h, p, registry.NotAnswering)
			p.Resume()
			h.Want(add)
		})
	})
	t.Run("are closed", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h, p := before(t, hangs)
			fakeclock.Elapse(SilentAfter)
			says(h, p, registry.NotAnswering)
			p.Close()
			fakeclock.Elapse(2 * SilentAfter)
			h.Want()
		})
	})
}

func TestDialogsOfFrames(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Offer(Tool("add"))
		f := h.Frame(p.Main(), Ads)
		f.Register(Tool("pay"))
		h.Quiet()
		session := h.Session(p)
		says := func(method string, params any) {
			raw, _ := json.Marshal(params)
			h.TellTab(registry.PageID(p.ID()), cdpclient.Event{Session: session, Method: method, Params: raw})
			h.Quiet()
		}
		// Another process: what runs in the page goes on.
		says(cdpclient.PageJavascriptDialogOpening, cdpclient.JavascriptDialogOpening{FrameID: f.ID(), Type: "alert", Message: "Hello!"})
		h.Begin("shop_test_page0_pay", `{}`).Fails(`alert "Hello!"`)
		h.CallSays("shop_test_page0_add", `{}`, "ok")
		says(cdpclient.PageJavascriptDialogClosed, struct{}{})
		h.CallSays("shop_test_page0_pay", `{}`, "ok")
		for what, ends := range map[string]func(){
			"a crash":      func() { p.Crash(); p.Reload() },
			"a disconnect": func() { _ = h.DisconnectPage(t.Context(), registry.PageID(p.ID())) },
		} {
			says(cdpclient.PageJavascriptDialogOpening, cdpclient.JavascriptDialogOpening{FrameID: p.ID(), Type: "alert", Message: "Hello!"})
			if h.Tab(p).Dialog == "" {
				continue // let go of, in the turn before
			}
			ends()
			h.Quiet()
			if got := h.Tab(p).Dialog; got != "" {
				t.Errorf("after %s the tab has %q", what, got)
			}
		}
	})
}

// TestDialogsThatAreKeptOut: what a frame says that the rules for sites keep out is told nowhere,
// but that its dialog is open is.
func TestDialogsThatAreKeptOut(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		rules, err := names.ParseOrigins(nil, []string{"http://ads.test"})
		if err != nil {
			t.Fatal(err)
		}
		h := NewHub(t, func(o *actors.Options) { o.Registry.Origins = rules })
		p := h.Offer(Tool("add"))
		f := h.Frame(p.Main(), Ads)
		h.Quiet()
		for name, opening := range map[string]cdpclient.JavascriptDialogOpening{
			"of a frame":          {FrameID: f.ID(), Type: "prompt", Message: "4711", DefaultPrompt: "4711", URL: Ads},
			"of an unknown frame": {FrameID: "none", Type: "prompt", Message: "4711", DefaultPrompt: "4711", URL: Ads},
		} {
			raw, _ := json.Marshal(opening)
			h.TellTab(registry.PageID(p.ID()), cdpclient.Event{Session: h.Session(p), Method: cdpclient.PageJavascriptDialogOpening, Params: raw})
			h.Quiet()
			if got := h.Tab(p).Dialog; got != "dialog open: prompt of a site that the user's rules keep out" {
				t.Errorf("%s: the tab has %q", name, got)
			}
			if d, open := h.OpenDialog(registry.PageID(p.ID())); !open || d.Message+d.Default != "" {
				t.Errorf("%s: %+v, %v", name, d, open)
			}
		}
	})
}
