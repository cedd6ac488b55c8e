package cdp_test

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/cdptest"
)

func TestFrames(t *testing.T) {
	for kind, url := range FrameCases {
		t.Run(kind, func(t *testing.T) { testFrame(t, url) })
	}
	t.Run("a frame whose parent navigates loses its tools", func(t *testing.T) {
		for kind, url := range FrameCases {
			for inside, innerURL := range FrameCases {
				t.Run(inside+" in "+kind, func(t *testing.T) {
					Bubble(t, func(t *testing.T) {
						h := NewHub(t)
						p := h.Chrome.OpenPage(Shop)
						p.Register(Tool("add"))
						outer := h.Frame(p.Main(), url)
						h.Frame(outer, innerURL).Register(Tool("deep"))
						h.Want("shop_test_page0_add", "shop_test_page0_deep")
						outer.Navigate(url + "next")
						h.Want("shop_test_page0_add")
					})
				})
			}
		}
	})
	t.Run("a frame that changes process keeps nothing of its old document", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			f := p.AddFrame(Shop + "inner")
			f.Register(Tool("near"))
			h.Want("shop_test_page0_near")
			f.Navigate(Ads)
			h.Want()
			f.Register(Tool("far"))
			h.Want("shop_test_page0_far")
			h.CallSays("shop_test_page0_far", `{}`, "ok")
			f.Navigate(Shop + "again")
			h.Want()
			f.Register(Tool("near"))
			h.Want("shop_test_page0_near")
			h.CallSays("shop_test_page0_near", `{}`, "ok")
		})
	})
	t.Run("frames come back with their page from the back-forward cache", func(t *testing.T) {
		for kind, url := range FrameCases {
			for inside, innerURL := range FrameCases {
				t.Run(inside+" in "+kind, func(t *testing.T) {
					Bubble(t, func(t *testing.T) {
						h := NewHub(t)
						p := h.Chrome.OpenPage(Shop)
						outer := h.Frame(p.Main(), url)
						outer.Register(Tool("pay"))
						h.Frame(outer, innerURL).Register(Tool("deep"))
						h.Want("shop_test_page0_deep", "shop_test_page0_pay")
						for range 2 {
							p.Navigate(Shop + "next")
							h.Want()
							p.BackForward(Shop) // a frame in its own process is attached before the page's document has ended
							h.Want("shop_test_page0_deep", "shop_test_page0_pay")
							h.CallSays("shop_test_page0_pay", `{}`, "ok")
							h.CallSays("shop_test_page0_deep", `{}`, "ok")
						}
					})
				})
			}
		}
	})
	t.Run("a frame that comes back before its page's old document has ended", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			h.Frame(p.Main(), Ads).Register(Tool("pay"))
			p.Navigate(Shop + "next")
			h.Want()
			var session string
			inside(h, p, func(a *Link) int { session = string(a.SessionID()); return 0 })
			var late [][]byte // the page's own process is slower than the frame's
			h.Dialer.Editing(func(msg []byte) [][]byte {
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
			p.BackForward(Shop)
			h.Want("shop_test_page0_add", "shop_test_page0_pay")
			h.CallSays("shop_test_page0_pay", `{}`, "ok")
		})
	})
	// The page asks for another document and goes back before that has come: Chrome
	// announces the way back, then that document, then what is restored.
	t.Run("a frame that comes back behind another document of its page", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			h.Frame(h.Frame(p.Main(), Ads), "http://deep.test/").Register(Tool("pay"))
			p.Navigate(Shop + "next")
			h.Want()
			var session string
			inside(h, p, func(a *Link) int { session = string(a.SessionID()); return 0 })
			var another []byte
			var late [][]byte // the page's own process is slower than the frame's
			back, done := false, false
			h.Dialer.Editing(func(msg []byte) [][]byte {
				text := string(msg)
				own := strings.Contains(text, `"sessionId":"`+session+`"`)
				switch {
				case !back && strings.Contains(text, cdpclient.PageFrameNavigated):
					another = msg
					return nil
				case own && strings.Contains(text, `"historyDifferentDocument"`):
					back = true
					return [][]byte{msg, another}
				case back && !done && own && (late != nil || strings.Contains(text, cdpclient.RuntimeExecutionContextsCleared)):
					late = append(late, msg)
					return nil
				case back && !done && strings.Contains(text, `"name":"pay"`):
					done = true
					return append([][]byte{msg}, late...)
				}
				return [][]byte{msg}
			})
			p.Navigate(Shop + "another")
			h.Quiet()
			p.BackForward(Shop)
			h.Want("shop_test_page0_add", "shop_test_page0_pay")
			h.CallSays("shop_test_page0_pay", `{}`, "ok")
			if another == nil || late == nil || !done {
				t.Fatal("the events did not come in that order")
			}
		})
	})
	t.Run("frames that come and go leave nothing behind", func(t *testing.T) {
		for kind, url := range FrameCases {
			t.Run(kind, func(t *testing.T) {
				Bubble(t, func(t *testing.T) {
					h := NewHub(t)
					p := h.Chrome.OpenPage(Shop)
					for range 20 {
						f := h.Frame(p.Main(), url)
						h.Frame(f, url+"deep").Register(Tool("x"))
						h.Quiet()
						f.Remove()
					}
					h.Want()
					if n := inside(h, p, func(a *Link) int { return a.KnownFrames() + a.Worlds() }); n != 2 {
						t.Errorf("the page's actor keeps %d frames and worlds, want the main frame's only", n)
					}
				})
			})
		}
	})
	t.Run("a scan of a document that is gone counts for nothing", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			p := h.Chrome.OpenPage(Shop)
			f := p.AddFrame(Shop + "inner")
			f.Register(Tool("old"))
			p.On(cdpclient.RuntimeCallFunctionOn, func(c cdptest.Command) (any, error) {
				if f.URL() == Shop+"inner" {
					f.Navigate(Shop + "inner2")
				}
				return map[string]any{"result": map[string]any{"type": "object", "value": []any{map[string]any{"name": "old", "description": "d"}}}}, nil
			})
			h.Start()
			h.Want()
		})
	})
	t.Run("a process that a frame has left speaks for it no more", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			f := h.Frame(p.Main(), Ads)
			f.Register(Tool("pay"))
			h.Want("shop_test_page0_pay")
			late := json.RawMessage(`{"tools":[{"name":"pay","frameId":"` + f.ID() + `"}]}`)
			inLink(h, p, func(a *Link) {
				// A page that is busy looks late at the empty document it still has.
				a.Event(cdpclient.Event{Session: a.SessionID(), Method: cdpclient.RuntimeExecutionContextCreated,
					Params: json.RawMessage(`{"context":{"id":77,"name":"` + bridge.World + `","auxData":{"frameId":"` + f.ID() + `"}}}`)})
				a.Event(cdpclient.Event{Session: a.SessionID(), Method: cdpclient.PageFrameNavigated,
					Params: json.RawMessage(`{"frame":{"parentId":"` + p.Main().ID() + `","url":"about:blank","id":"` + f.ID() + `"}}`)})
				a.Event(cdpclient.Event{Session: a.SessionID(), Method: cdpclient.WebMCPToolsAdded, Params: late})
				a.Event(cdpclient.Event{Session: a.SessionID(), Method: cdpclient.WebMCPToolsRemoved, Params: late})
				a.Event(cdpclient.Event{Session: a.SessionID(), Method: cdpclient.PageFrameDetached, Params: json.RawMessage(`{"reason":"swap","frameId":"` + f.ID() + `"}`)})
			})
			h.Want("shop_test_page0_pay")
			h.CallSays("shop_test_page0_pay", `{}`, "ok")
		})
	})
	t.Run("a frame that is gone does not come back by what its process says late", func(t *testing.T) {
		for kind, url := range FrameCases {
			t.Run("removed, "+kind, func(t *testing.T) {
				testLateFrame(t, url, `"reason":"remove"`, func(_ *cdptest.Page, outer *cdptest.Frame) { outer.Remove() })
			})
			t.Run("navigated, "+kind, func(t *testing.T) {
				testLateFrame(t, url, cdpclient.PageFrameNavigated, func(p *cdptest.Page, _ *cdptest.Frame) { p.Navigate(Shop + "next") })
			})
			t.Run("left, "+kind, func(t *testing.T) {
				testLateFrame(t, url, cdpclient.RuntimeExecutionContextsCleared, func(p *cdptest.Page, _ *cdptest.Frame) { p.BackForward(Shop + "next") })
			})
		}
	})
	t.Run("changes made while a scan runs are not undone by its result", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			p := h.Chrome.OpenPage(Shop)
			f := p.AddFrame(Shop + "inner")
			f.Register(Tool("goes"), Tool("stays"))
			// The reply to the scan was made before the change and is read after it.
			p.On(cdpclient.RuntimeCallFunctionOn, func(c cdptest.Command) (any, error) {
				f.Unregister("goes")
				f.Register(Tool("comes"))
				return map[string]any{"result": map[string]any{"type": "object", "value": []any{
					map[string]any{"name": "goes", "description": "d"}, map[string]any{"name": "stays", "description": "d"}}}}, nil
			})
			h.Start()
			h.Want("shop_test_page0_stays", "shop_test_page0_comes")
		})
	})
}

// testLateFrame has a frame in a process of its own, in a frame at url, tell of its tool
// and of a frame inside it right after the page has said, by at, that they are gone. The
// ends of their sessions come later still.
func testLateFrame(t *testing.T, url, at string, leave func(*cdptest.Page, *cdptest.Frame)) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Chrome.OpenPage(Shop)
		outer := h.Frame(p.Main(), url)
		deep := h.Frame(outer, "http://deep.test/")
		var late [][]byte
		var leaving atomic.Bool
		waiting := true
		h.Dialer.Editing(func(msg []byte) [][]byte {
			text := string(msg)
			switch {
			case waiting && (strings.Contains(text, `"name":"pay"`) || strings.Contains(text, cdpclient.PageFrameAttached)):
				late = append(late, msg)
				return nil
			case strings.Contains(text, cdpclient.TargetDetachedFromTarget):
				return nil
			case waiting && leaving.Load() && strings.Contains(text, at):
				waiting = false
				return append([][]byte{msg}, late...)
			}
			return [][]byte{msg}
		})
		deep.Register(Tool("pay"))
		deep.AddFrame("http://deep.test/inner")
		h.Want()
		leaving.Store(true)
		leave(p, outer)
		h.Want()
		if waiting || len(late) != 2 {
			t.Fatalf("%d events came late, want 2", len(late))
		}
		if n := inside(h, p, (*Link).KnownFrames); n != 1 {
			t.Errorf("the page's actor knows %d frames, want the main frame only", n)
		}
	})
}

func testFrame(t *testing.T, url string) {
	t.Run("registers and unregisters", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			f := p.AddFrame(url)
			f.Register(cdptest.Tool{Name: "pay", Execute: Says("paid")})
			h.Want("shop_test_page0_pay")
			h.CallSays("shop_test_page0_pay", `{}`, "paid")
			f.Unregister("pay")
			h.Want()
		})
	})
	t.Run("has its tools when it was there before the hub", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			p := h.Chrome.OpenPage(Shop)
			f := p.AddFrame(url)
			f.Register(cdptest.Tool{Name: "pay", Execute: Says("paid")})
			f.AddFrame(url + "deep").Register(cdptest.Tool{Name: "deep", Execute: Says("deep down")})
			h.Start()
			h.Want("shop_test_page0_pay", "shop_test_page0_deep")
			h.CallSays("shop_test_page0_pay", `{}`, "paid")
			h.CallSays("shop_test_page0_deep", `{}`, "deep down")
		})
	})
	t.Run("holds another frame", func(t *testing.T) {
		for _, inner := range FrameCases {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				p := h.Chrome.OpenPage(Shop)
				f := h.Frame(h.Frame(p.Main(), url), inner)
				f.Register(cdptest.Tool{Name: "deep", Execute: Says("deep down")})
				h.Want("shop_test_page0_deep")
				h.CallSays("shop_test_page0_deep", `{}`, "deep down")
			})
		}
	})
	t.Run("loses its tools when it is removed", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			f := h.Frame(p.Main(), url)
			f.Register(Tool("pay"))
			h.Frame(f, url+"deep").Register(Tool("deep"))
			h.Want("shop_test_page0_add", "shop_test_page0_pay", "shop_test_page0_deep")
			f.Remove()
			h.Want("shop_test_page0_add")
		})
	})
	t.Run("has its next document's tools after a navigation", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Chrome.Serve(url+"next", cdptest.Site{Tools: []cdptest.Tool{Tool("later")}})
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			f := p.AddFrame(url)
			f.Register(Tool("pay"))
			h.Want("shop_test_page0_add", "shop_test_page0_pay")
			f.Navigate(url + "next")
			h.Want("shop_test_page0_add", "shop_test_page0_later")
		})
	})
	t.Run("goes with its page's document", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			p.AddFrame(url).Register(Tool("pay"))
			h.Want("shop_test_page0_pay")
			p.Navigate(Shop + "cart")
			h.Want()
		})
	})
	t.Run("answers its own calls only", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			f := p.AddFrame(url)
			s := NewSlow()
			f.Register(s.Tool("pay"))
			h.Quiet()
			c := h.Begin("shop_test_page0_pay", `{}`)
			f.Navigate(url + "next")
			c.Fails("frame")
			f.Register(cdptest.Tool{Name: "pay", Execute: Says("paid")})
			h.Want("shop_test_page0_pay")
			h.CallSays("shop_test_page0_pay", `{}`, "paid")
		})
	})
}
