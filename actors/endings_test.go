package actors

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

// TestEndings: every way in which a page can end in the middle of a call gives
// an answer at once, whether Chrome has begun the call ("running") or not yet
// ("waiting", the page being slow or busy).
func TestEndings(t *testing.T) {
	for _, ending := range []struct {
		name string
		end  func(*testHub, *cdptest.Page, *cdptest.Frame)
		main string // what the call of the page's own tool is told
		sub  string // and of its iframe's
	}{
		{"navigation by the user", func(_ *testHub, p *cdptest.Page, _ *cdptest.Frame) { p.Navigate(cart) }, "navigated to " + cart, ""},
		{"reload", func(_ *testHub, p *cdptest.Page, _ *cdptest.Frame) { p.Reload() }, "navigated to " + shop, ""},
		{"back", func(_ *testHub, p *cdptest.Page, _ *cdptest.Frame) { p.BackForward(cart) }, "navigated to " + cart, ""},
		{"crash", func(_ *testHub, p *cdptest.Page, _ *cdptest.Frame) { p.Crash() }, "crashed", ""},
		{"close", func(_ *testHub, p *cdptest.Page, _ *cdptest.Frame) { p.Close() }, "was closed", ""},
		{"loss of the connection", func(h *testHub, _ *cdptest.Page, _ *cdptest.Frame) { h.chrome.Disconnect() }, "connection to Chrome was lost", "connection to Chrome was lost"},
		{"death of Chrome", func(h *testHub, _ *cdptest.Page, _ *cdptest.Frame) { h.chrome.Die() }, "connection to Chrome was lost", "connection to Chrome was lost"},
		{"stop of the hub", func(h *testHub, _ *cdptest.Page, _ *cdptest.Frame) { h.stop() }, "The hub is stopping", "The hub is stopping"},
		{"frame removed", func(_ *testHub, _ *cdptest.Page, f *cdptest.Frame) { f.Remove() }, "-", "frame"},
		{"frame navigated", func(_ *testHub, _ *cdptest.Page, f *cdptest.Frame) { f.Navigate(f.URL() + "x") }, "-", "frame"},
	} {
		t.Run(ending.name, func(t *testing.T) {
			for kind, url := range frameCases {
				t.Run("running, frame in "+kind, func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						h := newHub(t)
						s := newSlow()
						p := h.offer(s.tool("wait"))
						f := h.frame(p.Main(), url)
						f.Register(s.tool("wait2"))
						h.quiet()
						ofMain, ofFrame := h.begin("shop_test_page0_wait", `{}`), h.begin("shop_test_page0_wait2", `{}`)
						ofMain.runs()
						ofFrame.runs()
						ending.end(h, p, f)
						if ending.main == "-" {
							ofMain.runs()
							s.answers <- "unharmed"
							ofMain.says("unharmed")
						} else {
							ofMain.fails(ending.main)
						}
						ofFrame.fails(ending.sub)
					})
				})
			}
			if ending.main == "-" {
				return
			}
			t.Run("waiting", func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					h := newHub(t)
					s := newSlow()
					p := h.offer(s.tool("wait"))
					p.On(cdpclient.WebMCPInvokeTool, func(cdptest.Command) (any, error) { return nil, cdptest.ErrHang })
					c := h.begin("shop_test_page0_wait", `{}`)
					c.runs()
					ending.end(h, p, nil)
					c.fails(ending.main)
				})
			})
		})
	}
	t.Run("crash of an iframe's process ends its own calls only", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := newSlow()
			p := h.offer(s.tool("wait"))
			f := h.frame(p.Main(), ads)
			f.Register(s.tool("wait2"))
			h.quiet()
			ofMain, ofFrame := h.begin("shop_test_page0_wait", `{}`), h.begin("shop_test_page0_wait2", `{}`)
			session := cdpclient.SessionID("")
			h.inside(p, func(a *cdpLink) int {
				for _, fr := range a.frames {
					if string(fr.id) == f.ID() {
						session = fr.session
					}
				}
				return 0
			})
			h.inActor(p, func(a *cdpLink) { // the fake's pages crash as a whole
				a.event(cdpclient.Event{Session: session, Method: cdpclient.InspectorTargetCrashed})
			})
			synctest.Wait()
			ofFrame.fails("frame")
			ofMain.runs()
			h.want("shop_test_page0_wait")
			s.answers <- "unharmed"
			ofMain.says("unharmed")
		})
	})
}

// TestNavigatingTools: a tool that navigates its own page may still be
// answered, before the next document or after its load.
func TestNavigatingTools(t *testing.T) {
	const news = "http://news.test/"
	for _, c := range []struct {
		name  string
		url   string
		gives any
		want  string
		fails bool
	}{
		{"answers before", cart, "bye", "bye", false},
		{"answers after the load", cart, cdptest.Never, "navigated the page to " + cart, false},
		{"answers before, to another origin", news, "bye", "bye", false},
		{"never answers, to another origin", news, cdptest.Never, "navigated to " + news, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				h.chrome.Serve(c.url, cdptest.Site{Tools: []cdptest.Tool{tool("next")}})
				p := h.offer(navigating("go", c.url, c.gives))
				call := h.begin("shop_test_page0_go", `{}`)
				wantText(t, call.result(), c.fails, c.want)
				h.nothingInFlight(p)
				h.want(strings.ReplaceAll(strings.Split(c.url, "/")[2], ".", "_") + "_page0_next")
			})
		})
	}
	t.Run("gives the next document's data", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.dialer.editing(func(msg []byte) [][]byte { // the fake's pages have no JSON-LD
				return [][]byte{[]byte(strings.Replace(string(msg), `"output":[]`, `"output":[{"result":"ordered"}]`, 1))}
			})
			h.offer(navigating("go", cart, cdptest.Never))
			h.begin("shop_test_page0_go", `{}`).says("ordered")
		})
	})
	t.Run("whose next document never answers is given up after its load", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.dialer.dropping(cdpclient.WebMCPToolResponded)
			p := h.offer(navigating("go", cart, cdptest.Never))
			c := h.begin("shop_test_page0_go", `{}`)
			c.runs()
			fakeclock.Elapse(afterLoad)
			c.fails("navigated to " + cart)
			h.nothingInFlight(p)
		})
	})
	t.Run("whose next document never loads is given up in the end", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.dialer.editing(func(msg []byte) [][]byte {
				if strings.Contains(string(msg), cdpclient.WebMCPToolResponded) || strings.Contains(string(msg), cdpclient.PageLoadEventFired) {
					return nil
				}
				return [][]byte{msg}
			})
			p := h.offer(navigating("go", cart, cdptest.Never))
			c := h.begin("shop_test_page0_go", `{}`)
			fakeclock.Elapse(tab.MaxDeparture - 1)
			c.runs()
			fakeclock.Elapse(time.Nanosecond)
			c.fails("navigated to " + cart)
			h.nothingInFlight(p)
		})
	})
	t.Run("can still be cancelled", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.dialer.dropping(cdpclient.WebMCPToolResponded)
			p := h.offer(navigating("go", cart, cdptest.Never))
			c := h.begin("shop_test_page0_go", `{}`)
			c.cancel()
			c.fails("was cancelled")
			h.nothingInFlight(p)
		})
	})
	t.Run("that crash or close the next page end with it", func(t *testing.T) {
		for text, end := range map[string]func(*cdptest.Page){"crashed": (*cdptest.Page).Crash, "was closed": (*cdptest.Page).Close} {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				h.dialer.dropping(cdpclient.WebMCPToolResponded)
				p := h.offer(navigating("go", cart, cdptest.Never))
				c := h.begin("shop_test_page0_go", `{}`)
				c.runs()
				end(p)
				c.fails(text)
			})
		}
	})
	t.Run("leave other calls of the page to the navigation", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := newSlow()
			p := h.offer(s.tool("wait"))
			f := h.frame(p.Main(), shop+"inner")
			f.Register(s.tool("wait2"))
			p.Register(navigating("go", cart, "bye"))
			h.quiet()
			ofFrame := h.begin("shop_test_page0_wait2", `{}`)
			h.begin("shop_test_page0_go", `{}`).says("bye")
			ofFrame.fails("navigated to " + cart)
		})
	})
}

// TestServerEndings is the same for tools of the page's own MCP server.
func TestServerEndings(t *testing.T) {
	endings := map[string]func(*testHub, *server, *cdptest.Page){
		"navigated to " + cart:          func(_ *testHub, _ *server, p *cdptest.Page) { p.Navigate(cart) },
		"crashed":                       func(_ *testHub, _ *server, p *cdptest.Page) { p.Crash() },
		"was closed":                    func(_ *testHub, _ *server, p *cdptest.Page) { p.Close() },
		"connection to Chrome was lost": func(h *testHub, _ *server, _ *cdptest.Page) { h.chrome.Disconnect() },
		"MCP server stopped":            func(_ *testHub, s *server, _ *cdptest.Page) { s.say(stopped) },
	}
	for text, end := range endings {
		t.Run(text, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				w := newSlow()
				p := h.offer()
				s := h.serve(p.Main(), w.tool("wait"))
				c := h.begin("shop_test_page0_wait", `{}`)
				c.runs()
				end(h, s, p)
				c.fails(text)
				h.want()
			})
		})
	}
	t.Run("frame", func(t *testing.T) {
		for kind, url := range frameCases {
			for what, end := range map[string]func(*cdptest.Frame){"removed": (*cdptest.Frame).Remove, "navigated": func(f *cdptest.Frame) { f.Navigate(url + "x") }} {
				t.Run(what+", "+kind, func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						h := newHub(t)
						w := newSlow()
						p := h.offer()
						f := h.frame(p.Main(), url)
						h.serve(f, w.tool("wait"))
						c := h.begin("shop_test_page0_wait", `{}`)
						end(f)
						c.fails("frame")
						h.nothingInFlight(p)
					})
				})
			}
		}
	})
	t.Run("is told the new address, not the old one", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			h.serve(p.Main(), newSlow().tool("wait"))
			c := h.begin("shop_test_page0_wait", `{}`)
			release := h.dialer.stallAt(cdpclient.PageFrameNavigated)
			p.Navigate(cart)
			c.runs()
			h.inActor(p, func(a *cdpLink) { // Chrome says it twice, at times with a pause between
				a.event(cdpclient.Event{Session: a.session, Method: cdpclient.RuntimeExecutionContextsCleared})
			})
			c.runs()
			release()
			c.fails("navigated to " + cart)
		})
	})
	// @mcp-b/global 2.x answers all that is pending when its page begins to unload.
	t.Run("interrupted by the page itself", func(t *testing.T) {
		interrupt := func(s *server) {
			var call struct{ ID json.Number }
			if err := json.Unmarshal(s.last, &call); err != nil {
				t.Fatal(err)
			}
			s.say(`{"jsonrpc":"2.0","id":` + call.ID.String() + `,"result":{"content":[],"metadata":{"navigationInterrupted":true}}}`)
		}
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			s := h.serve(p.Main(), newSlow().tool("wait"))
			c := h.begin("shop_test_page0_wait", `{}`)
			interrupt(s)
			c.runs() // until the new address is known
			p.Navigate(cart)
			c.fails("navigated to " + cart)
			h.nothingInFlight(p)
		})
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			s := h.serve(p.Main(), newSlow().tool("wait"))
			c := h.begin("shop_test_page0_wait", `{}`)
			interrupt(s)
			fakeclock.Elapse(tab.MaxDeparture) // the navigation came to nothing
			c.fails("navigated")
		})
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			s := h.serve(h.frame(p.Main(), shop+"inner"), newSlow().tool("wait"))
			c := h.begin("shop_test_page0_wait", `{}`)
			interrupt(s)
			c.fails("frame")
		})
	})
	// The page's answer and its end stand in the actor's mailbox one behind the
	// other: the answer came first.
	for text, end := range endings {
		if text == "navigated to "+cart || text == "MCP server stopped" {
			t.Run("an answer just before: "+text, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					h := newHub(t)
					w := newSlow()
					p := h.offer()
					s := h.serve(p.Main(), w.tool("wait"))
					c := h.begin("shop_test_page0_wait", `{}`)
					goOn := h.stopActor(p)
					w.answers <- "done"
					synctest.Wait()
					end(h, s, p)
					goOn()
					c.says("done")
					h.nothingInFlight(p)
				})
			})
		}
	}
}
