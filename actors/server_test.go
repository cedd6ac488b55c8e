package actors

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

func TestPageServer(t *testing.T) {
	t.Run("of a page open before is found", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			h.serve(h.chrome.OpenPage(shop).Main(), tool("add"))
			h.start()
			h.want("shop_test_page0_add")
			h.call("shop_test_page0_add", `{}`, "ok")
		})
	})
	t.Run("is called", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.serve(h.offer().Main(),
				cdptest.Tool{Name: "echo", Execute: func(_ context.Context, args json.RawMessage) (any, error) { return string(args), nil }},
				cdptest.Tool{Name: "fail", Execute: func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("sold out") }})
			h.call("shop_test_page0_echo", `{"b":1,"a":2}`, `{"b":1,"a":2}`)
			h.begin("shop_test_page0_fail", `{}`).fails("sold out")
		})
	})
	t.Run("is told of cancelled calls", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			w := newSlow()
			p := h.offer()
			h.serve(p.Main(), w.tool("wait"))
			c := h.begin("shop_test_page0_wait", `{}`)
			c.runs()
			c.cancel()
			c.fails("was cancelled")
			if _, aborted := w.counts(); aborted != 1 {
				t.Error("the page was not told")
			}
			h.nothingInFlight(p)
		})
	})
	t.Run("tells of its progress", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			w := newSlow()
			s := h.serve(h.offer().Main(), w.tool("wait"))
			progress := make(chan string, 10)
			done := make(chan registry.Result, 1)
			wait := h.tool("shop_test_page0_wait")
			go func() {
				done <- h.Call(t.Context(), wait, json.RawMessage(`{}`), CallExtras{Progress: func(p json.RawMessage) { progress <- string(p) }})
			}()
			synctest.Wait()
			var call struct {
				Params struct {
					Meta struct{ ProgressToken json.Number } `json:"_meta"`
				}
			}
			if err := json.Unmarshal(s.last, &call); err != nil {
				t.Fatal(err)
			}
			s.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + call.Params.Meta.ProgressToken.String() + `,"progress":1,"message":"half"}}`)
			s.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"message":"of another call"}}`)
			w.answers <- "done"
			wantText(t, <-done, false, "done")
			if len(progress) != 1 || !strings.Contains(<-progress, "half") {
				t.Error("the progress did not arrive, or too much of it")
			}
		})
	})
	t.Run("runs calls side by side", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			a, b := newSlow(), newSlow()
			h.serve(h.offer().Main(), a.tool("a"), b.tool("b"))
			ca, cb := h.begin("shop_test_page0_a", `{}`), h.begin("shop_test_page0_b", `{}`)
			b.answers <- "from b"
			cb.says("from b")
			ca.runs()
			a.answers <- "from a"
			ca.says("from a")
		})
	})
	t.Run("that knows the tool no more says so", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := h.serve(h.offer().Main(), tool("add"))
			h.want("shop_test_page0_add")
			s.SetTools() // without a word
			h.begin("shop_test_page0_add", `{}`).fails("tool not found")
		})
	})
	t.Run("in a frame", func(t *testing.T) {
		for kind, url := range frameCases {
			t.Run(kind, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					h := newHub(t)
					p := h.offer()
					f := h.frame(p.Main(), url)
					h.serve(f, cdptest.Tool{Name: "pay", Execute: says("paid")})
					h.want("shop_test_page0_pay")
					h.call("shop_test_page0_pay", `{}`, "paid")
					f.Remove()
					h.want()
				})
			})
		}
	})
	t.Run("that takes a called tool away leaves it listed until its result", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			w := newSlow()
			s := h.serve(h.offer().Main(), w.tool("once"), tool("other"))
			c := h.begin("shop_test_page0_once", `{}`)
			s.change()
			h.want("shop_test_page0_once")
			w.answers <- "done"
			c.says("done")
			h.want()
		})
	})
	// The specification's words for a page that takes its server down.
	t.Run("removes tools on transport close callback", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			w := newSlow()
			p := h.offer(tool("native"))
			s := h.serve(p.Main(), w.tool("wait"))
			h.want("shop_test_page0_native", "shop_test_page0_wait")
			c := h.begin("shop_test_page0_wait", `{}`)
			s.say(stopped)
			c.fails("MCP server stopped")
			h.want("shop_test_page0_native")
			h.nothingInFlight(p)
		})
	})
	t.Run("that stopped and started is connected anew", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := h.serve(h.offer().Main(), tool("add"))
			h.want("shop_test_page0_add")
			s.say(stopped)
			h.want()
			s.SetTools(tool("buy"))
			s.say(ready)
			h.want("shop_test_page0_buy")
			h.call("shop_test_page0_buy", `{}`, "ok")
			if n := s.requests("initialize"); n != 2 {
				t.Errorf("%d handshakes, want 2", n)
			}
		})
	})
	t.Run("that started anew without a word is read again", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := h.serve(h.offer().Main(), tool("add"))
			h.want("shop_test_page0_add")
			s.SetTools(tool("buy"))
			s.say(ready)
			h.want("shop_test_page0_buy")
		})
	})
	t.Run("comes back from the back-forward cache", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			h.serve(p.Main(), cdptest.Tool{Name: "add", Execute: says("added")})
			h.want("shop_test_page0_add")
			p.Navigate("http://news.test/")
			h.want()
			p.BackForward(shop)
			h.want("shop_test_page0_add")
			h.call("shop_test_page0_add", `{}`, "added")
		})
	})
	t.Run("and native offer a tool once, the native one", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(cdptest.Tool{Name: "both", Execute: says("native")}, tool("native"))
			h.serve(p.Main(), cdptest.Tool{Name: "both", Execute: says("server")}, tool("server"))
			h.want("shop_test_page0_both", "shop_test_page0_native", "shop_test_page0_server")
			h.call("shop_test_page0_both", `{}`, "native")
		})
	})
	t.Run("and native in different frames are no doubles", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("both"))
			h.serve(h.frame(p.Main(), shop+"inner"), cdptest.Tool{Name: "both", Description: "another one"})
			h.quiet()
			if n := len(h.tools()); n != 2 {
				t.Errorf("tools are %q", h.tools())
			}
		})
	})
	t.Run("and native in different frames are doubles if the server repeats them", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("both"))
			h.serve(h.frame(p.Main(), shop+"inner"), cdptest.Tool{Name: "both", Description: "does both"}, tool("own"))
			h.want("shop_test_page0_both", "shop_test_page0_own")
		})
	})
	t.Run("loses the twin of a native tool that is removed", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("both"))
			s := h.serve(p.Main(), tool("both"), tool("server"))
			h.want("shop_test_page0_both", "shop_test_page0_server")
			p.Unregister("both") // @mcp-b/global takes its mirror away first
			h.want("shop_test_page0_server")
			s.change(tool("server"))
			h.want("shop_test_page0_server")
		})
	})
	t.Run("that has a native tool for itself now keeps it", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("both"))
			s := h.serve(p.Main(), tool("both"))
			h.want("shop_test_page0_both")
			p.Unregister("both")
			h.want()
			s.say(string(cdptest.ListChanged)) // it still has it
			h.want("shop_test_page0_both")
		})
	})
	t.Run("that never answers the handshake is no harm", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("native"))
			p.ServeMCP(func(payload json.RawMessage) []json.RawMessage {
				if string(payload) == `"mcp-check-ready"` {
					return []json.RawMessage{json.RawMessage(ready)}
				}
				return nil
			})
			fakeclock.Elapse(time.Minute)
			h.want("shop_test_page0_native")
			if n := h.log.count(slog.LevelWarn, "could not be reached"); n != 1 {
				t.Errorf("said %d times, want once", n)
			}
			h.serve(p.Main(), tool("add"))     // a better one
			fakeclock.Elapse(10 * time.Second) // until the handshake with the old one is given up
			h.want("shop_test_page0_native", "shop_test_page0_add")
		})
	})
	t.Run("that is too busy for the handshake or the list gets another chance", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			p.ServeMCP(func(payload json.RawMessage) []json.RawMessage {
				p.Hang()
				return []json.RawMessage{json.RawMessage(ready)}
			})
			fakeclock.Elapse(time.Minute)
			s := &server{MCPServer: cdptest.NewMCPServer(tool("add")), h: h, frame: p.Main(), asked: map[string]int{}}
			p.ServeMCP(s.handle)
			p.Resume()
			h.want("shop_test_page0_add")

			p.Hang()
			s.change(tool("buy"))
			fakeclock.Elapse(time.Minute)
			p.Resume()
			h.want("shop_test_page0_buy")
		})
	})
	t.Run("whose answer to tools/list is lost is asked again at the next change", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			s := h.serve(h.offer().Main(), tool("add"))
			h.want("shop_test_page0_add")
			s.loseNext("tools/list")
			s.change(tool("buy"))
			s.change(tool("sell"))
			h.want("shop_test_page0_add")
			fakeclock.Elapse(listTimeout)
			h.want("shop_test_page0_sell")
		})
	})
	t.Run("that could not be sent to is tried again", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			failed := 0
			p.On(cdpclient.RuntimeCallFunctionOn, func(c cdptest.Command) (any, error) {
				if strings.Contains(string(c.Params), "initialize") && failed < 2 {
					failed++
					return nil, errors.New("not now")
				}
				return nil, cdptest.ErrPass
			})
			h.serve(p.Main(), tool("add"))
			fakeclock.Elapse(2 * time.Second)
			h.want("shop_test_page0_add")
		})
	})
	t.Run("is not there without the bridge, whose installation is tried again", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			failed := 0
			h.chrome.On(cdpclient.RuntimeAddBinding, func(cdptest.Command) (any, error) {
				if failed++; failed <= setupRetries {
					return nil, errors.New("not now")
				}
				return nil, cdptest.ErrPass
			})
			p := h.offer()
			s := h.serve(p.Main(), tool("add"))
			h.want()
			fakeclock.Elapse(setupRetries * setupRetryDelay)
			s.say(ready)
			h.want("shop_test_page0_add")
		})
	})
	t.Run("forged messages are ignored", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("native"))
			w := newSlow()
			h.serve(p.Main(), w.tool("wait"))
			c := h.begin("shop_test_page0_wait", `{}`)
			for _, payload := range []string{
				``, `null`, `nonsense`, `{"t":"mcp"}`, `{"t":"mcp","p":7}`, `{"t":"mcp","p":{}`, `{"t":"oversize","n":-1}`,
				`{"t":"mcp","p":{"jsonrpc":"2.0","id":1,"result":{"content":[]}}}`,
				`{"t":"mcp","p":{"jsonrpc":"2.0","id":"x","result":{"tools":[]}}}`,
				`{"t":"mcp","p":{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage"}}`,
				`{"t":"oversize","n":99999999,"id":1}`,
			} {
				p.Main().Binding(bridge.Binding, payload)
			}
			p.Main().Binding("someOtherBinding", `{"t":"mcp","p":`+stopped+`}`)
			h.want("shop_test_page0_native", "shop_test_page0_wait")
			c.runs()
			w.answers <- "mine"
			c.says("mine")
		})
	})
	t.Run("messages of a world that is gone are ignored", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			h.serve(p.Main(), tool("add"))
			h.want("shop_test_page0_add")
			session := h.session(p)
			h.inActor(p, func(a *cdpLink) {
				payload, _ := json.Marshal(`{"t":"mcp","p":` + stopped + `}`)
				a.event(cdpclient.Event{Session: session, Method: cdpclient.RuntimeBindingCalled,
					Params: json.RawMessage(`{"name":"` + bridge.Binding + `","executionContextId":4711,"payload":` + string(payload) + `}`)})
			})
			synctest.Wait()
			h.want("shop_test_page0_add")
		})
	})
}

func (h *testHub) session(p *cdptest.Page) (s cdpclient.SessionID) {
	h.inside(p, func(a *cdpLink) int { s = a.session; return 0 })
	return s
}
