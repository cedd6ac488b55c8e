package actors

import (
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/cdptest"
)

const ads = "http://ads.test/" // another origin than the shop's, so another process

// frameCase is a kind of iframe: in the page's process, or in its own.
var frameCases = map[string]string{"same process": shop + "inner", "own process": ads}

func TestFrames(t *testing.T) {
	for kind, url := range frameCases {
		t.Run(kind, func(t *testing.T) { testFrame(t, url) })
	}
	t.Run("a frame whose parent navigates loses its tools", func(t *testing.T) {
		for kind, url := range frameCases {
			for inside, innerURL := range frameCases {
				t.Run(inside+" in "+kind, func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						h := newHub(t)
						p := h.chrome.OpenPage(shop)
						p.Register(tool("add"))
						outer := h.frame(p.Main(), url)
						h.frame(outer, innerURL).Register(tool("deep"))
						h.want("shop_test_page0_add", "shop_test_page0_deep")
						outer.Navigate(url + "next")
						h.want("shop_test_page0_add")
					})
				})
			}
		}
	})
	t.Run("a frame that changes process keeps nothing of its old document", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			f := p.AddFrame(shop + "inner")
			f.Register(tool("near"))
			h.want("shop_test_page0_near")
			f.Navigate(ads)
			h.want()
			f.Register(tool("far"))
			h.want("shop_test_page0_far")
			h.call("shop_test_page0_far", `{}`, "ok")
			f.Navigate(shop + "again")
			h.want()
			f.Register(tool("near"))
			h.want("shop_test_page0_near")
			h.call("shop_test_page0_near", `{}`, "ok")
		})
	})
	t.Run("frames come back with their page from the back-forward cache", func(t *testing.T) {
		for kind, url := range frameCases {
			for inside, innerURL := range frameCases {
				t.Run(inside+" in "+kind, func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						h := newHub(t)
						p := h.chrome.OpenPage(shop)
						outer := h.frame(p.Main(), url)
						outer.Register(tool("pay"))
						h.frame(outer, innerURL).Register(tool("deep"))
						h.want("shop_test_page0_deep", "shop_test_page0_pay")
						for range 2 {
							p.Navigate(shop + "next")
							h.want()
							p.BackForward(shop) // a frame in its own process is attached before the page's document has ended
							h.want("shop_test_page0_deep", "shop_test_page0_pay")
							h.call("shop_test_page0_pay", `{}`, "ok")
							h.call("shop_test_page0_deep", `{}`, "ok")
						}
					})
				})
			}
		}
	})
	t.Run("a frame that comes back before its page's old document has ended", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"))
			h.frame(p.Main(), ads).Register(tool("pay"))
			p.Navigate(shop + "next")
			h.want()
			var session string
			h.inside(p, func(a *cdpLink) int { session = string(a.session); return 0 })
			var late [][]byte // the page's own process is slower than the frame's
			h.dialer.editing(func(msg []byte) [][]byte {
				text := string(msg)
				switch {
				case strings.Contains(text, `"sessionId":"`+session+`"`) && (late != nil || strings.Contains(text, cdpclient.RuntimeExecutionContextsCleared)):
					late = append(late, msg)
					return nil
				case strings.Contains(text, `"name":"pay"`):
					all := append([][]byte{msg}, late...)
					late, session = nil, "none any more"
					return all
				}
				return [][]byte{msg}
			})
			p.BackForward(shop)
			h.want("shop_test_page0_add", "shop_test_page0_pay")
			h.call("shop_test_page0_pay", `{}`, "ok")
		})
	})
	t.Run("frames that come and go leave nothing behind", func(t *testing.T) {
		for kind, url := range frameCases {
			t.Run(kind, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					h := newHub(t)
					p := h.chrome.OpenPage(shop)
					for range 20 {
						f := h.frame(p.Main(), url)
						h.frame(f, url+"deep").Register(tool("x"))
						h.quiet()
						f.Remove()
					}
					h.want()
					if n := h.inside(p, func(a *cdpLink) int { return len(a.frames) + len(a.worlds) }); n != 2 {
						t.Errorf("the page's actor keeps %d frames and worlds, want the main frame's only", n)
					}
				})
			})
		}
	})
	t.Run("a scan of a document that is gone counts for nothing", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			p := h.chrome.OpenPage(shop)
			f := p.AddFrame(shop + "inner")
			f.Register(tool("old"))
			p.On(cdpclient.RuntimeCallFunctionOn, func(c cdptest.Command) (any, error) {
				if f.URL() == shop+"inner" {
					f.Navigate(shop + "inner2")
				}
				return map[string]any{"result": map[string]any{"type": "object", "value": []any{map[string]any{"name": "old", "description": "d"}}}}, nil
			})
			h.start()
			h.want()
		})
	})
	t.Run("a process that a frame has left speaks for it no more", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			f := h.frame(p.Main(), ads)
			f.Register(tool("pay"))
			h.want("shop_test_page0_pay")
			late := json.RawMessage(`{"tools":[{"name":"pay","frameId":"` + f.ID() + `"}]}`)
			h.inActor(p, func(a *cdpLink) {
				// A page that is busy looks late at the empty document it still has.
				a.event(cdpclient.Event{Session: a.session, Method: cdpclient.RuntimeExecutionContextCreated,
					Params: json.RawMessage(`{"context":{"id":77,"name":"` + bridge.World + `","auxData":{"frameId":"` + f.ID() + `"}}}`)})
				a.event(cdpclient.Event{Session: a.session, Method: cdpclient.PageFrameNavigated,
					Params: json.RawMessage(`{"frame":{"parentId":"` + p.Main().ID() + `","url":"about:blank","id":"` + f.ID() + `"}}`)})
				a.event(cdpclient.Event{Session: a.session, Method: cdpclient.WebMCPToolsAdded, Params: late})
				a.event(cdpclient.Event{Session: a.session, Method: cdpclient.WebMCPToolsRemoved, Params: late})
				a.event(cdpclient.Event{Session: a.session, Method: cdpclient.PageFrameDetached, Params: json.RawMessage(`{"reason":"swap","frameId":"` + f.ID() + `"}`)})
			})
			h.want("shop_test_page0_pay")
			h.call("shop_test_page0_pay", `{}`, "ok")
		})
	})
	t.Run("changes made while a scan runs are not undone by its result", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			p := h.chrome.OpenPage(shop)
			f := p.AddFrame(shop + "inner")
			f.Register(tool("goes"), tool("stays"))
			// The reply to the scan was made before the change and is read after it.
			p.On(cdpclient.RuntimeCallFunctionOn, func(c cdptest.Command) (any, error) {
				f.Unregister("goes")
				f.Register(tool("comes"))
				return map[string]any{"result": map[string]any{"type": "object", "value": []any{
					map[string]any{"name": "goes", "description": "d"}, map[string]any{"name": "stays", "description": "d"}}}}, nil
			})
			h.start()
			h.want("shop_test_page0_stays", "shop_test_page0_comes")
		})
	})
}

func testFrame(t *testing.T, url string) {
	t.Run("registers and unregisters", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			f := p.AddFrame(url)
			f.Register(cdptest.Tool{Name: "pay", Execute: says("paid")})
			h.want("shop_test_page0_pay")
			h.call("shop_test_page0_pay", `{}`, "paid")
			f.Unregister("pay")
			h.want()
		})
	})
	t.Run("has its tools when it was there before the hub", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			p := h.chrome.OpenPage(shop)
			f := p.AddFrame(url)
			f.Register(cdptest.Tool{Name: "pay", Execute: says("paid")})
			f.AddFrame(url + "deep").Register(cdptest.Tool{Name: "deep", Execute: says("deep down")})
			h.start()
			h.want("shop_test_page0_pay", "shop_test_page0_deep")
			h.call("shop_test_page0_pay", `{}`, "paid")
			h.call("shop_test_page0_deep", `{}`, "deep down")
		})
	})
	t.Run("holds another frame", func(t *testing.T) {
		for _, inner := range frameCases {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				p := h.chrome.OpenPage(shop)
				f := h.frame(h.frame(p.Main(), url), inner)
				f.Register(cdptest.Tool{Name: "deep", Execute: says("deep down")})
				h.want("shop_test_page0_deep")
				h.call("shop_test_page0_deep", `{}`, "deep down")
			})
		}
	})
	t.Run("loses its tools when it is removed", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"))
			f := h.frame(p.Main(), url)
			f.Register(tool("pay"))
			h.frame(f, url+"deep").Register(tool("deep"))
			h.want("shop_test_page0_add", "shop_test_page0_pay", "shop_test_page0_deep")
			f.Remove()
			h.want("shop_test_page0_add")
		})
	})
	t.Run("has its next document's tools after a navigation", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.chrome.Serve(url+"next", cdptest.Site{Tools: []cdptest.Tool{tool("later")}})
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"))
			f := p.AddFrame(url)
			f.Register(tool("pay"))
			h.want("shop_test_page0_add", "shop_test_page0_pay")
			f.Navigate(url + "next")
			h.want("shop_test_page0_add", "shop_test_page0_later")
		})
	})
	t.Run("goes with its page's document", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			p.AddFrame(url).Register(tool("pay"))
			h.want("shop_test_page0_pay")
			p.Navigate(shop + "cart")
			h.want()
		})
	})
	t.Run("answers its own calls only", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			f := p.AddFrame(url)
			s := newSlow()
			f.Register(s.tool("pay"))
			h.quiet()
			c := h.begin("shop_test_page0_pay", `{}`)
			f.Navigate(url + "next")
			c.fails("frame")
			f.Register(cdptest.Tool{Name: "pay", Execute: says("paid")})
			h.want("shop_test_page0_pay")
			h.call("shop_test_page0_pay", `{}`, "paid")
		})
	})
}

// frame adds an iframe and waits until it is shown.
func (h *testHub) frame(in *cdptest.Frame, url string) *cdptest.Frame {
	f := in.AddFrame(url)
	h.quiet()
	return f
}
