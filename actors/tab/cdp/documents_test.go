package cdp_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

func TestDocuments(t *testing.T) {
	t.Run("a navigation withdraws the tools at once", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			h.Want("shop_test_page0_add")
			release := h.Dialer.StallAt(cdpclient.PageFrameNavigated) // the new address is not known yet
			p.Navigate(Cart)
			h.Want()
			release()
			h.Want()
		})
	})
	t.Run("the next document's tools come under its own address", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Chrome.Serve("http://news.test/", cdptest.Site{Title: "News", Tools: []cdptest.Tool{Tool("read")}})
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			h.Want("shop_test_page0_add")
			p.Navigate("http://news.test/")
			h.Want("news_test_page0_read")
			if tab := h.Tab(p); tab.Title != "News" || tab.URL != "http://news.test/" {
				t.Errorf("the tab is %q at %s", tab.Title, tab.URL)
			}
		})
	})
	t.Run("reconnects and re-registers tools after page reload", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Chrome.Serve(Shop, cdptest.Site{Tools: []cdptest.Tool{Tool("add")}})
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("later"))
			h.Want("shop_test_page0_add", "shop_test_page0_later")
			p.Reload()
			h.Want("shop_test_page0_add")
			h.CallSays("shop_test_page0_add", `{}`, "ok")
		})
	})
	t.Run("a page from the back-forward cache has its tools back", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			worlds := rememberWorlds(h)
			p.Register(cdptest.Tool{Name: "add", Execute: Says("added")})
			f := h.Frame(p.Main(), Shop+"inner")
			f.Register(cdptest.Tool{Name: "pay", Execute: Says("paid")})
			h.Want("shop_test_page0_add", "shop_test_page0_pay")
			p.Navigate("http://news.test/")
			p.Register(Tool("read"))
			h.Want("news_test_page0_read")
			worlds(f.ID())
			p.BackForward(Shop)
			h.Want("shop_test_page0_add", "shop_test_page0_pay")
			h.CallSays("shop_test_page0_add", `{}`, "added")
			h.CallSays("shop_test_page0_pay", `{}`, "paid")
			if url := h.Tab(p).URL; url != Shop {
				t.Errorf("the address is %s", url)
			}
		})
	})
	// Fails without the phase between-documents: the shop's tools are then published
	// under the address of the page before it.
	t.Run("tools that are announced before their address wait for it", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			p.Navigate("http://news.test/")
			h.Want()
			release := h.Dialer.StallAt(cdpclient.PageFrameNavigated)
			p.BackForward(Shop) // toolsAdded comes before frameNavigated
			h.Want()
			release()
			h.Want("shop_test_page0_add")
		})
	})
	t.Run("tools don't wait for an address that is never told", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			p.Navigate("http://news.test/")
			h.Want()
			h.Dialer.Dropping(cdpclient.PageFrameNavigated)
			p.BackForward(Shop)
			h.Want("shop_test_page0_add")
			if url := h.Tab(p).URL; url != Shop {
				t.Errorf("the address is %s", url)
			}
		})
	})
	t.Run("pushState keeps the tools and changes the address", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			h.Want("shop_test_page0_add")
			before := h.Pub.Count()
			p.PushState(Shop + "#2")
			h.Want("shop_test_page0_add")
			if url := h.Tab(p).URL; url != Shop+"#2" {
				t.Errorf("the address is %s", url)
			}
			if h.Pub.Count() != before {
				t.Error("clients were told of a change that they can't see")
			}
			h.CallSays("shop_test_page0_add", `{}`, "ok")
		})
	})
	t.Run("a new title is shown", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			p.SetTitle("Sale!")
			h.Quiet()
			if title := h.Tab(p).Title; title != "Sale!" {
				t.Errorf("the title is %q", title)
			}
		})
	})
	t.Run("a popup is a page of its own", func(t *testing.T) {
		for _, url := range []string{Cart, "http://news.test/"} { // in its opener's process, and not
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				h.Chrome.Serve(url, cdptest.Site{Tools: []cdptest.Tool{Tool("early")}})
				p := h.Chrome.OpenPage(Shop)
				p.Register(Tool("add"))
				q := p.OpenPopup(url)
				h.Quiet()
				q.Register(Tool("late"))
				host := strings.ReplaceAll(strings.Split(url, "/")[2], ".", "_")
				h.Want("shop_test_page0_add", host+"_page1_early", host+"_page1_late")
				q.Close()
				h.Want("shop_test_page0_add")
			})
		}
	})
	t.Run("a closed page takes its tools with it", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			h.Want("shop_test_page0_add")
			p.Close()
			h.Want()
			if n := len(h.Pub.Current().Tabs()); n != 0 {
				t.Errorf("%d tabs are left", n)
			}
		})
	})
	t.Run("a closed page's actor ends", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			actor := h.Address(registry.PageID(p.ID()))
			p.Close()
			h.Quiet()
			if h.Alive(actor) {
				t.Error("it is still there")
			}
		})
	})
	t.Run("a crashed page has no tools until it is reloaded", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Chrome.Serve(Shop, cdptest.Site{Tools: []cdptest.Tool{Tool("add")}})
			p := h.Chrome.OpenPage(Shop)
			h.Want("shop_test_page0_add")
			p.Crash()
			h.Want()
			if state := h.Tab(p).State; state != "crashed" {
				t.Errorf("the state is %q", state)
			}
			p.Reload()
			h.Want("shop_test_page0_add")
			if state := h.Tab(p).State; state != "" {
				t.Errorf("the state is %q", state)
			}
			h.CallSays("shop_test_page0_add", `{}`, "ok")
		})
	})
	t.Run("a discarded page goes, and comes back as a new one", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Chrome.Serve(Shop, cdptest.Site{Tools: []cdptest.Tool{Tool("add")}})
			p := h.Chrome.OpenPage(Shop)
			h.Want("shop_test_page0_add")
			q := h.Chrome.OpenPage("about:blank") // the stand-in has an id of its own
			p.Close()
			h.Want()
			q.Navigate(Shop) // the user looks at it again
			h.Want("shop_test_page0_add")
		})
	})
	t.Run("a hung page delays nobody", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			h.Want("shop_test_page0_add")
			p.Hang()
			c := h.Begin("shop_test_page0_add", `{}`)
			q := h.Chrome.OpenPage("http://news.test/")
			q.Register(Tool("read"))
			h.Want("shop_test_page0_add", "news_test_page1_read")
			h.CallSays("news_test_page1_read", `{}`, "ok")
			c.Runs()
			p.Resume()
			c.Says("ok")
		})
	})
	t.Run("a page that hangs from the start delays nobody", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			h.Chrome.OpenPage(Shop).Hang()
			q := h.Chrome.OpenPage("http://news.test/")
			q.Register(Tool("read"))
			h.Start()
			h.Want("news_test_page1_read")
			h.CallSays("news_test_page1_read", `{}`, "ok")
		})
	})
	t.Run("a slow page is understood all the same", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			p.SetLatency(3 * time.Second)
			h.Start()
			h.Want()
			fakeclock.Elapse(3 * time.Second)
			h.Want("shop_test_page0_add")
		})
	})
	t.Run("a page without WebMCP is said once and is no harm", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Chrome.On(cdpclient.WebMCPEnable, func(cdptest.Command) (any, error) {
				return nil, &cdpclient.Error{Code: -32601, Message: "'WebMCP.enable' wasn't found"}
			})
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			h.Want()
			if n := h.Log.Count(slog.LevelWarn, "WebMCP.enable failed"); n != 1 {
				t.Errorf("logged %d times", n)
			}
		})
	})
}

// rememberWorlds makes good what the fake leaves out: Chrome announces the
// worlds of a restored page's iframes too, before the page's own. again says
// that the next document is restored with that frame.
func rememberWorlds(h *TestHub) (again func(frame string)) {
	var mu sync.Mutex
	var frame string
	seen := map[string][]byte{}
	h.Dialer.Editing(func(msg []byte) [][]byte {
		mu.Lock()
		defer mu.Unlock()
		var e struct {
			Method string
			Params cdpclient.ExecutionContextCreated
		}
		if json.Unmarshal(msg, &e) != nil {
			return [][]byte{msg}
		}
		switch {
		case e.Params.Context.Name == bridge.World:
			seen[e.Params.Context.AuxData.FrameID] = bytes.Clone(msg)
		case e.Method == cdpclient.RuntimeExecutionContextsCleared && frame != "":
			return [][]byte{msg, seen[frame]}
		}
		return [][]byte{msg}
	})
	return func(f string) {
		mu.Lock()
		defer mu.Unlock()
		frame = f
	}
}
