package cdp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab"
	. "webmcphub/actors/tab/cdp"
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
		end  func(*TestHub, *cdptest.Page, *cdptest.Frame)
		main string // what the call of the page's own tool is told
		sub  string // and of its iframe's
	}{
		{"navigation by the user", func(_ *TestHub, p *cdptest.Page, _ *cdptest.Frame) { p.Navigate(Cart) }, "navigated to " + Cart, ""},
		{"reload", func(_ *TestHub, p *cdptest.Page, _ *cdptest.Frame) { p.Reload() }, "navigated to " + Shop, ""},
		{"back", func(_ *TestHub, p *cdptest.Page, _ *cdptest.Frame) { p.BackForward(Cart) }, "navigated to " + Cart, ""},
		{"crash", func(_ *TestHub, p *cdptest.Page, _ *cdptest.Frame) { p.Crash() }, "crashed", ""},
		{"close", func(_ *TestHub, p *cdptest.Page, _ *cdptest.Frame) { p.Close() }, "was closed", ""},
		{"loss of the connection", func(h *TestHub, _ *cdptest.Page, _ *cdptest.Frame) { h.Chrome.Disconnect() }, "connection to Chrome was lost", "connection to Chrome was lost"},
		{"death of Chrome", func(h *TestHub, _ *cdptest.Page, _ *cdptest.Frame) { h.Chrome.Die() }, "connection to Chrome was lost", "connection to Chrome was lost"},
		{"stop of the hub", func(h *TestHub, _ *cdptest.Page, _ *cdptest.Frame) { h.StopNow() }, "The hub is stopping", "The hub is stopping"},
		{"frame removed", func(_ *TestHub, _ *cdptest.Page, f *cdptest.Frame) { f.Remove() }, "-", "frame"},
		{"frame navigated", func(_ *TestHub, _ *cdptest.Page, f *cdptest.Frame) { f.Navigate(f.URL() + "x") }, "-", "frame"},
	} {
		t.Run(ending.name, func(t *testing.T) {
			for kind, url := range FrameCases {
				t.Run("running, frame in "+kind, func(t *testing.T) {
					Bubble(t, func(t *testing.T) {
						h := NewHub(t)
						s := NewSlow()
						p := h.Offer(s.Tool("wait"))
						f := h.Frame(p.Main(), url)
						f.Register(s.Tool("wait2"))
						h.Quiet()
						ofMain, ofFrame := h.Begin("shop_test_page0_wait", `{}`), h.Begin("shop_test_page0_wait2", `{}`)
						ofMain.Runs()
						ofFrame.Runs()
						ending.end(h, p, f)
						if ending.main == "-" {
							ofMain.Runs()
							s.Answers <- "unharmed"
							ofMain.Says("unharmed")
						} else {
							ofMain.Fails(ending.main)
						}
						ofFrame.Fails(ending.sub)
					})
				})
			}
			if ending.main == "-" {
				return
			}
			t.Run("waiting", func(t *testing.T) {
				Bubble(t, func(t *testing.T) {
					h := NewHub(t)
					s := NewSlow()
					p := h.Offer(s.Tool("wait"))
					p.On(cdpclient.WebMCPInvokeTool, func(cdptest.Command) (any, error) { return nil, cdptest.ErrHang })
					c := h.Begin("shop_test_page0_wait", `{}`)
					c.Runs()
					ending.end(h, p, nil)
					c.Fails(ending.main)
				})
			})
		})
	}
	t.Run("crash of an iframe's process ends its own calls only", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := NewSlow()
			p := h.Offer(s.Tool("wait"))
			f := h.Frame(p.Main(), Ads)
			f.Register(s.Tool("wait2"))
			h.Quiet()
			ofMain, ofFrame := h.Begin("shop_test_page0_wait", `{}`), h.Begin("shop_test_page0_wait2", `{}`)
			session := cdpclient.SessionID("")
			inside(h, p, func(a *Link) int {
				session = a.SessionOf(f.ID())
				return 0
			})
			inLink(h, p, func(a *Link) { // the fake's pages crash as a whole
				a.Event(cdpclient.Event{Session: session, Method: cdpclient.InspectorTargetCrashed})
			})
			synctest.Wait()
			ofFrame.Fails("frame")
			ofMain.Runs()
			h.Want("shop_test_page0_wait")
			s.Answers <- "unharmed"
			ofMain.Says("unharmed")
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
		{"answers before", Cart, "bye", "bye", false},
		{"answers after the load", Cart, cdptest.Never, "navigated the page to " + Cart, false},
		{"answers before, to another origin", news, "bye", "bye", false},
		{"never answers, to another origin", news, cdptest.Never, "navigated to " + news, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				h.Chrome.Serve(c.url, cdptest.Site{Tools: []cdptest.Tool{Tool("next")}})
				p := h.Offer(Navigating("go", c.url, c.gives))
				call := h.Begin("shop_test_page0_go", `{}`)
				WantText(t, call.Result(), c.fails, c.want)
				nothingInFlight(h, p)
				h.Want(strings.ReplaceAll(strings.Split(c.url, "/")[2], ".", "_") + "_page0_next")
			})
		})
	}
	t.Run("gives the next document's data", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Dialer.Editing(func(msg []byte) [][]byte { // the fake's pages have no JSON-LD
				return [][]byte{[]byte(strings.Replace(string(msg), `"output":[]`, `"output":[{"result":"ordered"}]`, 1))}
			})
			h.Offer(Navigating("go", Cart, cdptest.Never))
			h.Begin("shop_test_page0_go", `{}`).Says("ordered")
		})
	})
	t.Run("whose next document never answers is given up after its load", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Dialer.Dropping(cdpclient.WebMCPToolResponded)
			p := h.Offer(Navigating("go", Cart, cdptest.Never))
			c := h.Begin("shop_test_page0_go", `{}`)
			c.Runs()
			fakeclock.Elapse(AfterLoad)
			c.Fails("navigated to " + Cart)
			nothingInFlight(h, p)
		})
	})
	t.Run("whose next document never loads is given up in the end", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Dialer.Editing(func(msg []byte) [][]byte {
				if strings.Contains(string(msg), cdpclient.WebMCPToolResponded) || strings.Contains(string(msg), cdpclient.PageLoadEventFired) {
					return nil
				}
				return [][]byte{msg}
			})
			p := h.Offer(Navigating("go", Cart, cdptest.Never))
			c := h.Begin("shop_test_page0_go", `{}`)
			fakeclock.Elapse(tab.MaxLoadWait - 1)
			c.Runs()
			fakeclock.Elapse(time.Nanosecond)
			c.Fails("navigated to " + Cart)
			nothingInFlight(h, p)
		})
	})
	t.Run("can still be cancelled", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Dialer.Dropping(cdpclient.WebMCPToolResponded)
			p := h.Offer(Navigating("go", Cart, cdptest.Never))
			c := h.Begin("shop_test_page0_go", `{}`)
			c.Cancel()
			c.Fails("was cancelled")
			nothingInFlight(h, p)
		})
	})
	t.Run("that crash or close the next page end with it", func(t *testing.T) {
		for text, end := range map[string]func(*cdptest.Page){"crashed": (*cdptest.Page).Crash, "was closed": (*cdptest.Page).Close} {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				h.Dialer.Dropping(cdpclient.WebMCPToolResponded)
				p := h.Offer(Navigating("go", Cart, cdptest.Never))
				c := h.Begin("shop_test_page0_go", `{}`)
				c.Runs()
				end(p)
				c.Fails(text)
			})
		}
	})
	t.Run("leave other calls of the page to the navigation", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := NewSlow()
			p := h.Offer(s.Tool("wait"))
			f := h.Frame(p.Main(), Shop+"inner")
			f.Register(s.Tool("wait2"))
			p.Register(Navigating("go", Cart, "bye"))
			h.Quiet()
			ofFrame := h.Begin("shop_test_page0_wait2", `{}`)
			h.Begin("shop_test_page0_go", `{}`).Says("bye")
			ofFrame.Fails("navigated to " + Cart)
		})
	})
}

// TestServerEndings is the same for tools of the page's own MCP server.
func TestServerEndings(t *testing.T) {
	endings := map[string]func(*TestHub, *Server, *cdptest.Page){
		"navigated to " + Cart:          func(_ *TestHub, _ *Server, p *cdptest.Page) { p.Navigate(Cart) },
		"crashed":                       func(_ *TestHub, _ *Server, p *cdptest.Page) { p.Crash() },
		"was closed":                    func(_ *TestHub, _ *Server, p *cdptest.Page) { p.Close() },
		"connection to Chrome was lost": func(h *TestHub, _ *Server, _ *cdptest.Page) { h.Chrome.Disconnect() },
		"MCP server stopped":            func(_ *TestHub, s *Server, _ *cdptest.Page) { s.Say(Stopped) },
	}
	for text, end := range endings {
		t.Run(text, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				w := NewSlow()
				p := h.Offer()
				s := h.Serve(p.Main(), w.Tool("wait"))
				c := h.Begin("shop_test_page0_wait", `{}`)
				c.Runs()
				end(h, s, p)
				c.Fails(text)
				h.Want()
			})
		})
	}
	t.Run("frame", func(t *testing.T) {
		for kind, url := range FrameCases {
			for what, end := range map[string]func(*cdptest.Frame){"removed": (*cdptest.Frame).Remove, "navigated": func(f *cdptest.Frame) { f.Navigate(url + "x") }} {
				t.Run(what+", "+kind, func(t *testing.T) {
					Bubble(t, func(t *testing.T) {
						h := NewHub(t)
						w := NewSlow()
						p := h.Offer()
						f := h.Frame(p.Main(), url)
						h.Serve(f, w.Tool("wait"))
						c := h.Begin("shop_test_page0_wait", `{}`)
						end(f)
						c.Fails("frame")
						nothingInFlight(h, p)
					})
				})
			}
		}
	})
	t.Run("is told the new address, not the old one", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			h.Serve(p.Main(), NewSlow().Tool("wait"))
			c := h.Begin("shop_test_page0_wait", `{}`)
			release := h.Dialer.StallAt(cdpclient.PageFrameNavigated)
			p.Navigate(Cart)
			c.Runs()
			inLink(h, p, func(a *Link) { // Chrome says it twice, at times with a pause between
				a.Event(cdpclient.Event{Session: a.SessionID(), Method: cdpclient.RuntimeExecutionContextsCleared})
			})
			c.Runs()
			release()
			c.Fails("navigated to " + Cart)
		})
	})
	// @mcp-b/global 2.x answers all that is pending when its page begins to unload.
	t.Run("interrupted by the page itself", func(t *testing.T) {
		interrupt := func(s *Server) {
			var call struct{ ID json.Number }
			if err := json.Unmarshal(s.Last, &call); err != nil {
				t.Fatal(err)
			}
			s.Say(`{"jsonrpc":"2.0","id":` + call.ID.String() + `,"result":{"content":[],"metadata":{"navigationInterrupted":true}}}`)
		}
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			s := h.Serve(p.Main(), NewSlow().Tool("wait"))
			c := h.Begin("shop_test_page0_wait", `{}`)
			interrupt(s)
			c.Runs() // until the new address is known
			p.Navigate(Cart)
			c.Fails("navigated to " + Cart)
			nothingInFlight(h, p)
		})
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			s := h.Serve(p.Main(), NewSlow().Tool("wait"))
			c := h.Begin("shop_test_page0_wait", `{}`)
			interrupt(s)
			fakeclock.Elapse(tab.MaxLoadWait) // the navigation came to nothing
			c.Fails("navigated")
		})
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			s := h.Serve(h.Frame(p.Main(), Shop+"inner"), NewSlow().Tool("wait"))
			c := h.Begin("shop_test_page0_wait", `{}`)
			interrupt(s)
			c.Fails("frame")
		})
	})
	// The page's answer and its end stand in the actor's mailbox one behind the
	// other: the answer came first.
	for text, end := range endings {
		if text == "navigated to "+Cart || text == "MCP server stopped" {
			t.Run("an answer just before: "+text, func(t *testing.T) {
				Bubble(t, func(t *testing.T) {
					h := NewHub(t)
					w := NewSlow()
					p := h.Offer()
					s := h.Serve(p.Main(), w.Tool("wait"))
					c := h.Begin("shop_test_page0_wait", `{}`)
					goOn := h.StopActor(p)
					w.Answers <- "done"
					synctest.Wait()
					end(h, s, p)
					goOn()
					c.Says("done")
					nothingInFlight(h, p)
				})
			})
		}
	}
}
