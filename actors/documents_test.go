package actors

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

const cart = shop + "cart"

func TestDocuments(t *testing.T) {
	t.Run("a navigation withdraws the tools at once", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"))
			h.want("shop_test_page0_add")
			release := h.dialer.stallAt(cdpclient.PageFrameNavigated) // the new address is not known yet
			p.Navigate(cart)
			h.want()
			release()
			h.want()
		})
	})
	t.Run("the next document's tools come under its own address", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.chrome.Serve("http://news.test/", cdptest.Site{Title: "News", Tools: []cdptest.Tool{tool("read")}})
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"))
			h.want("shop_test_page0_add")
			p.Navigate("http://news.test/")
			h.want("news_test_page0_read")
			if tab := h.tab(p); tab.Title != "News" || tab.URL != "http://news.test/" {
				t.Errorf("the tab is %q at %s", tab.Title, tab.URL)
			}
		})
	})
	t.Run("reconnects and re-registers tools after page reload", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.chrome.Serve(shop, cdptest.Site{Tools: []cdptest.Tool{tool("add")}})
			p := h.chrome.OpenPage(shop)
			p.Register(tool("later"))
			h.want("shop_test_page0_add", "shop_test_page0_later")
			p.Reload()
			h.want("shop_test_page0_add")
			h.call("shop_test_page0_add", `{}`, "ok")
		})
	})
	t.Run("a page from the back-forward cache has its tools back", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			worlds := h.rememberWorlds()
			p.Register(cdptest.Tool{Name: "add", Execute: says("added")})
			f := h.frame(p.Main(), shop+"inner")
			f.Register(cdptest.Tool{Name: "pay", Execute: says("paid")})
			h.want("shop_test_page0_add", "shop_test_page0_pay")
			p.Navigate("http://news.test/")
			p.Register(tool("read"))
			h.want("news_test_page0_read")
			worlds(f.ID())
			p.BackForward(shop)
			h.want("shop_test_page0_add", "shop_test_page0_pay")
			h.call("shop_test_page0_add", `{}`, "added")
			h.call("shop_test_page0_pay", `{}`, "paid")
			if url := h.tab(p).URL; url != shop {
				t.Errorf("the address is %s", url)
			}
		})
	})
	// Fails without the phase settling: the shop's tools are then published
	// under the address of the page before it.
	t.Run("tools that are announced before their address wait for it", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"))
			p.Navigate("http://news.test/")
			h.want()
			release := h.dialer.stallAt(cdpclient.PageFrameNavigated)
			p.BackForward(shop) // toolsAdded comes before frameNavigated
			h.want()
			release()
			h.want("shop_test_page0_add")
		})
	})
	t.Run("tools don't wait for an address that is never told", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"))
			p.Navigate("http://news.test/")
			h.want()
			h.dialer.dropping(cdpclient.PageFrameNavigated)
			p.BackForward(shop)
			h.want("shop_test_page0_add")
			if url := h.tab(p).URL; url != shop {
				t.Errorf("the address is %s", url)
			}
		})
	})
	t.Run("pushState keeps the tools and changes the address", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"))
			h.want("shop_test_page0_add")
			before := h.pub.count()
			p.PushState(shop + "#2")
			h.want("shop_test_page0_add")
			if url := h.tab(p).URL; url != shop+"#2" {
				t.Errorf("the address is %s", url)
			}
			if h.pub.count() != before {
				t.Error("clients were told of a change that they can't see")
			}
			h.call("shop_test_page0_add", `{}`, "ok")
		})
	})
	t.Run("a new title is shown", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			p.SetTitle("Sale!")
			h.quiet()
			if title := h.tab(p).Title; title != "Sale!" {
				t.Errorf("the title is %q", title)
			}
		})
	})
	t.Run("a popup is a page of its own", func(t *testing.T) {
		for _, url := range []string{cart, "http://news.test/"} { // in its opener's process, and not
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				h.chrome.Serve(url, cdptest.Site{Tools: []cdptest.Tool{tool("early")}})
				p := h.chrome.OpenPage(shop)
				p.Register(tool("add"))
				q := p.OpenPopup(url)
				h.quiet()
				q.Register(tool("late"))
				host := strings.ReplaceAll(strings.Split(url, "/")[2], ".", "_")
				h.want("shop_test_page0_add", host+"_page1_early", host+"_page1_late")
				q.Close()
				h.want("shop_test_page0_add")
			})
		}
	})
	t.Run("a closed page takes its tools with it", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"))
			h.want("shop_test_page0_add")
			p.Close()
			h.want()
			if n := len(h.pub.current().Tabs()); n != 0 {
				t.Errorf("%d tabs are left", n)
			}
		})
	})
	t.Run("a closed page's actor ends", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			ref, _ := h.pages.Load(registry.PageID(p.ID()))
			pid := ref.(*tab.Address).PID
			p.Close()
			h.quiet()
			if _, alive := h.root.ActorSystem().ProcessRegistry.Get(pid); alive {
				t.Error("it is still there")
			}
		})
	})
	t.Run("a crashed page has no tools until it is reloaded", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.chrome.Serve(shop, cdptest.Site{Tools: []cdptest.Tool{tool("add")}})
			p := h.chrome.OpenPage(shop)
			h.want("shop_test_page0_add")
			p.Crash()
			h.want()
			if state := h.tab(p).State; state != "crashed" {
				t.Errorf("the state is %q", state)
			}
			p.Reload()
			h.want("shop_test_page0_add")
			if state := h.tab(p).State; state != "" {
				t.Errorf("the state is %q", state)
			}
			h.call("shop_test_page0_add", `{}`, "ok")
		})
	})
	t.Run("a discarded page goes, and comes back as a new one", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.chrome.Serve(shop, cdptest.Site{Tools: []cdptest.Tool{tool("add")}})
			p := h.chrome.OpenPage(shop)
			h.want("shop_test_page0_add")
			q := h.chrome.OpenPage("about:blank") // the stand-in has an id of its own
			p.Close()
			h.want()
			q.Navigate(shop) // the user looks at it again
			h.want("shop_test_page0_add")
		})
	})
	t.Run("a hung page delays nobody", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"))
			h.want("shop_test_page0_add")
			p.Hang()
			c := h.begin("shop_test_page0_add", `{}`)
			q := h.chrome.OpenPage("http://news.test/")
			q.Register(tool("read"))
			h.want("shop_test_page0_add", "news_test_page1_read")
			h.call("news_test_page1_read", `{}`, "ok")
			c.runs()
			p.Resume()
			c.says("ok")
		})
	})
	t.Run("a page that hangs from the start delays nobody", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			h.chrome.OpenPage(shop).Hang()
			q := h.chrome.OpenPage("http://news.test/")
			q.Register(tool("read"))
			h.start()
			h.want("news_test_page1_read")
			h.call("news_test_page1_read", `{}`, "ok")
		})
	})
	t.Run("a slow page is understood all the same", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"))
			p.SetLatency(3 * time.Second)
			h.start()
			h.want()
			fakeclock.Elapse(3 * time.Second)
			h.want("shop_test_page0_add")
		})
	})
	t.Run("a page without WebMCP is said once and is no harm", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.chrome.On(cdpclient.WebMCPEnable, func(cdptest.Command) (any, error) {
				return nil, &cdpclient.Error{Code: -32601, Message: "'WebMCP.enable' wasn't found"}
			})
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"))
			h.want()
			if n := h.log.count(slog.LevelWarn, "WebMCP.enable failed"); n != 1 {
				t.Errorf("logged %d times", n)
			}
		})
	})
}

// rememberWorlds makes good what the fake leaves out: Chrome announces the
// worlds of a restored page's iframes too, before the page's own. again says
// that the next document is restored with that frame.
func (h *testHub) rememberWorlds() (again func(frame string)) {
	var mu sync.Mutex
	var frame string
	seen := map[string][]byte{}
	h.dialer.editing(func(msg []byte) [][]byte {
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
