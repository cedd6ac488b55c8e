package cdp_test

import (
	"context"
	"encoding/json"
	"errors"
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
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

func TestPageServer(t *testing.T) {
	t.Run("of a page open before is found", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			h.Serve(h.Chrome.OpenPage(Shop).Main(), Tool("add"))
			h.Start()
			h.Want("shop_test_page0_add")
			h.CallSays("shop_test_page0_add", `{}`, "ok")
		})
	})
	t.Run("is called", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Serve(h.Offer().Main(),
				cdptest.Tool{Name: "echo", Execute: func(_ context.Context, args json.RawMessage) (any, error) { return string(args), nil }},
				cdptest.Tool{Name: "fail", Execute: func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("sold out") }})
			h.CallSays("shop_test_page0_echo", `{"b":1,"a":2}`, `{"b":1,"a":2}`)
			h.Begin("shop_test_page0_fail", `{}`).Fails("sold out")
		})
	})
	t.Run("is told of cancelled calls", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			w := NewSlow()
			p := h.Offer()
			h.Serve(p.Main(), w.Tool("wait"))
			c := h.Begin("shop_test_page0_wait", `{}`)
			c.Runs()
			c.Cancel()
			c.Fails("was cancelled")
			if _, aborted := w.Counts(); aborted != 1 {
				t.Error("the page was not told")
			}
			nothingInFlight(h, p)
		})
	})
	t.Run("tells of its progress", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			w := NewSlow()
			s := h.Serve(h.Offer().Main(), w.Tool("wait"))
			progress := make(chan string, 10)
			done := make(chan registry.Result, 1)
			wait := h.Tool("shop_test_page0_wait")
			go func() {
				done <- h.Call(t.Context(), wait, json.RawMessage(`{}`), actors.CallExtras{Progress: func(p json.RawMessage) { progress <- string(p) }})
			}()
			synctest.Wait()
			var call struct {
				Params struct {
					Meta struct{ ProgressToken json.Number } `json:"_meta"`
				}
			}
			if err := json.Unmarshal(s.Last, &call); err != nil {
				t.Fatal(err)
			}
			s.Say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + call.Params.Meta.ProgressToken.String() + `,"progress":1,"message":"half"}}`)
			s.Say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"message":"of another call"}}`)
			w.Answers <- "done"
			WantText(t, <-done, false, "done")
			if len(progress) != 1 || !strings.Contains(<-progress, "half") {
				t.Error("the progress did not arrive, or too much of it")
			}
		})
	})
	t.Run("runs calls side by side", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			a, b := NewSlow(), NewSlow()
			h.Serve(h.Offer().Main(), a.Tool("a"), b.Tool("b"))
			ca, cb := h.Begin("shop_test_page0_a", `{}`), h.Begin("shop_test_page0_b", `{}`)
			b.Answers <- "from b"
			cb.Says("from b")
			ca.Runs()
			a.Answers <- "from a"
			ca.Says("from a")
		})
	})
	t.Run("that knows the tool no more says so", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := h.Serve(h.Offer().Main(), Tool("add"))
			h.Want("shop_test_page0_add")
			s.SetTools() // without a word
			h.Begin("shop_test_page0_add", `{}`).Fails("tool not found")
		})
	})
	t.Run("in a frame", func(t *testing.T) {
		for kind, url := range FrameCases {
			t.Run(kind, func(t *testing.T) {
				Bubble(t, func(t *testing.T) {
					h := NewHub(t)
					p := h.Offer()
					f := h.Frame(p.Main(), url)
					h.Serve(f, cdptest.Tool{Name: "pay", Execute: Says("paid")})
					h.Want("shop_test_page0_pay")
					h.CallSays("shop_test_page0_pay", `{}`, "paid")
					f.Remove()
					h.Want()
				})
			})
		}
	})
	t.Run("that takes a called tool away leaves it listed until its result", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			w := NewSlow()
			s := h.Serve(h.Offer().Main(), w.Tool("once"), Tool("other"))
			c := h.Begin("shop_test_page0_once", `{}`)
			s.Change()
			h.Want("shop_test_page0_once")
			w.Answers <- "done"
			c.Says("done")
			h.Want()
		})
	})
	// The specification's words for a page that takes its server down.
	t.Run("removes tools on transport close callback", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			w := NewSlow()
			p := h.Offer(Tool("native"))
			s := h.Serve(p.Main(), w.Tool("wait"))
			h.Want("shop_test_page0_native", "shop_test_page0_wait")
			c := h.Begin("shop_test_page0_wait", `{}`)
			s.Say(Stopped)
			c.Fails("MCP server stopped")
			h.Want("shop_test_page0_native")
			nothingInFlight(h, p)
		})
	})
	t.Run("that stopped and started is connected anew", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := h.Serve(h.Offer().Main(), Tool("add"))
			h.Want("shop_test_page0_add")
			s.Say(Stopped)
			h.Want()
			s.SetTools(Tool("buy"))
			s.Say(Ready)
			h.Want("shop_test_page0_buy")
			h.CallSays("shop_test_page0_buy", `{}`, "ok")
			if n := s.Requests("initialize"); n != 2 {
				t.Errorf("%d handshakes, want 2", n)
			}
		})
	})
	t.Run("that started anew without a word is read again", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := h.Serve(h.Offer().Main(), Tool("add"))
			h.Want("shop_test_page0_add")
			s.SetTools(Tool("buy"))
			s.Say(Ready)
			h.Want("shop_test_page0_buy")
		})
	})
	t.Run("comes back from the back-forward cache", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			h.Serve(p.Main(), cdptest.Tool{Name: "add", Execute: Says("added")})
			h.Want("shop_test_page0_add")
			p.Navigate("http://news.test/")
			h.Want()
			p.BackForward(Shop)
			h.Want("shop_test_page0_add")
			h.CallSays("shop_test_page0_add", `{}`, "added")
		})
	})
	t.Run("and native offer a tool once, the native one", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(cdptest.Tool{Name: "both", Execute: Says("native")}, Tool("native"))
			h.Serve(p.Main(), cdptest.Tool{Name: "both", Execute: Says("server")}, Tool("server"))
			h.Want("shop_test_page0_both", "shop_test_page0_native", "shop_test_page0_server")
			h.CallSays("shop_test_page0_both", `{}`, "native")
		})
	})
	t.Run("and native in different frames are no doubles", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("both"))
			h.Serve(h.Frame(p.Main(), Shop+"inner"), cdptest.Tool{Name: "both", Description: "another one"})
			h.Quiet()
			if n := len(h.Tools()); n != 2 {
				t.Errorf("tools are %q", h.Tools())
			}
		})
	})
	t.Run("and native in different frames are doubles if the server repeats them", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("both"))
			h.Serve(h.Frame(p.Main(), Shop+"inner"), cdptest.Tool{Name: "both", Description: "does both"}, Tool("own"))
			h.Want("shop_test_page0_both", "shop_test_page0_own")
		})
	})
	t.Run("loses the twin of a native tool that is removed", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("both"))
			s := h.Serve(p.Main(), Tool("both"), Tool("server"))
			h.Want("shop_test_page0_both", "shop_test_page0_server")
			p.Unregister("both") // @mcp-b/global takes its mirror away first
			h.Want("shop_test_page0_server")
			s.Change(Tool("server"))
			h.Want("shop_test_page0_server")
		})
	})
	t.Run("that has a native tool for itself now keeps it", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("both"))
			s := h.Serve(p.Main(), Tool("both"))
			h.Want("shop_test_page0_both")
			p.Unregister("both")
			h.Want()
			s.Say(string(cdptest.ListChanged)) // it still has it
			h.Want("shop_test_page0_both")
		})
	})
	t.Run("that never answers the handshake is no harm", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("native"))
			p.ServeMCP(func(payload json.RawMessage) []json.RawMessage {
				if string(payload) == `"mcp-check-ready"` {
					return []json.RawMessage{json.RawMessage(Ready)}
				}
				return nil
			})
			fakeclock.Elapse(time.Minute)
			h.Want("shop_test_page0_native")
			if n := h.Log.Count(slog.LevelWarn, "could not be reached"); n != 1 {
				t.Errorf("said %d times, want once", n)
			}
			h.Serve(p.Main(), Tool("add"))     // a better one
			fakeclock.Elapse(10 * time.Second) // until the handshake with the old one is given up
			h.Want("shop_test_page0_native", "shop_test_page0_add")
		})
	})
	t.Run("that is too busy for the handshake or the list gets another chance", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			p.ServeMCP(func(payload json.RawMessage) []json.RawMessage {
				p.Hang()
				return []json.RawMessage{json.RawMessage(Ready)}
			})
			fakeclock.Elapse(time.Minute)
			s := &Server{MCPServer: cdptest.NewMCPServer(Tool("add")), H: h, Frame: p.Main(), Asked: map[string]int{}}
			p.ServeMCP(s.Handle)
			p.Resume()
			h.Want("shop_test_page0_add")

			p.Hang()
			s.Change(Tool("buy"))
			fakeclock.Elapse(time.Minute)
			p.Resume()
			h.Want("shop_test_page0_buy")
		})
	})
	t.Run("whose answer to tools/list is lost is asked again at the next change", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			s := h.Serve(h.Offer().Main(), Tool("add"))
			h.Want("shop_test_page0_add")
			s.LoseNext("tools/list")
			s.Change(Tool("buy"))
			s.Change(Tool("sell"))
			h.Want("shop_test_page0_add")
			fakeclock.Elapse(ListTimeout)
			h.Want("shop_test_page0_sell")
		})
	})
	t.Run("that could not be sent to is tried again", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			failed := 0
			p.On(cdpclient.RuntimeCallFunctionOn, func(c cdptest.Command) (any, error) {
				if strings.Contains(string(c.Params), "initialize") && failed < 2 {
					failed++
					return nil, errors.New("not now")
				}
				return nil, cdptest.ErrPass
			})
			h.Serve(p.Main(), Tool("add"))
			fakeclock.Elapse(2 * time.Second)
			h.Want("shop_test_page0_add")
		})
	})
	t.Run("whose call Chrome refuses although its document goes on", func(t *testing.T) {
		for name, refusal := range map[string]struct {
			result any
			err    error
			after  time.Duration
		}{
			"at once":        {err: errors.New("not now"), after: tab.MaxLoadWait},
			"in the page":    {result: json.RawMessage(`{"result":{},"exceptionDetails":{"text":"Uncaught ReferenceError"}}`)},
			"with no answer": {result: json.RawMessage(`{"result":{"type":"string","value":"nonsense"}}`)},
		} {
			t.Run(name, func(t *testing.T) {
				Bubble(t, func(t *testing.T) {
					h := NewHub(t)
					p := h.Offer()
					h.Serve(p.Main(), Tool("add"))
					h.Want("shop_test_page0_add")
					p.On(cdpclient.RuntimeCallFunctionOn, func(c cdptest.Command) (any, error) {
						if strings.Contains(string(c.Params), "tools/call") {
							return refusal.result, refusal.err
						}
						return nil, cdptest.ErrPass
					})
					c := h.Begin("shop_test_page0_add", `{}`)
					if refusal.after > 0 {
						c.Runs()
						fakeclock.Elapse(refusal.after)
					}
					c.Fails("did not answer")
					nothingInFlight(h, p)
				})
			})
		}
	})
	t.Run("is not there without the bridge, whose installation is tried again", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			failed := 0
			h.Chrome.On(cdpclient.RuntimeAddBinding, func(cdptest.Command) (any, error) {
				if failed++; failed <= SetupRetries {
					return nil, errors.New("not now")
				}
				return nil, cdptest.ErrPass
			})
			p := h.Offer()
			s := h.Serve(p.Main(), Tool("add"))
			h.Want()
			fakeclock.Elapse(SetupRetries * SetupRetryDelay)
			s.Say(Ready)
			h.Want("shop_test_page0_add")
		})
	})
	t.Run("forged messages are ignored", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("native"))
			w := NewSlow()
			h.Serve(p.Main(), w.Tool("wait"))
			c := h.Begin("shop_test_page0_wait", `{}`)
			for _, payload := range []string{
				``, `null`, `nonsense`, `{"t":"mcp"}`, `{"t":"mcp","p":7}`, `{"t":"mcp","p":{}`, `{"t":"oversize","n":-1}`,
				`{"t":"mcp","p":{"jsonrpc":"2.0","id":1,"result":{"content":[]}}}`,
				`{"t":"mcp","p":{"jsonrpc":"2.0","id":"x","result":{"tools":[]}}}`,
				`{"t":"mcp","p":{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage"}}`,
				`{"t":"oversize","n":99999999,"id":1}`,
			} {
				p.Main().Binding(bridge.Binding, payload)
			}
			p.Main().Binding("someOtherBinding", `{"t":"mcp","p":`+Stopped+`}`)
			h.Want("shop_test_page0_native", "shop_test_page0_wait")
			c.Runs()
			w.Answers <- "mine"
			c.Says("mine")
		})
	})
	t.Run("messages of a world that is gone are ignored", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			h.Serve(p.Main(), Tool("add"))
			h.Want("shop_test_page0_add")
			session := h.Session(p)
			inLink(h, p, func(a *Link) {
				payload, _ := json.Marshal(`{"t":"mcp","p":` + Stopped + `}`)
				a.Event(cdpclient.Event{Session: session, Method: cdpclient.RuntimeBindingCalled,
					Params: json.RawMessage(`{"name":"` + bridge.Binding + `","executionContextId":4711,"payload":` + string(payload) + `}`)})
			})
			synctest.Wait()
			h.Want("shop_test_page0_add")
		})
	})
}

// TestIgnoredBridgeMessagesAreLoggedNowAndThen, since a page can send any number of them.
func TestIgnoredBridgeMessagesAreLoggedNowAndThen(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Offer(Tool("add"))
		h.Serve(p.Main(), Tool("ask"))
		h.Quiet()
		odd := func() int {
			for range 500 {
				p.Main().Binding(bridge.Binding, "{")
			}
			h.Quiet()
			return h.Log.Count(slog.LevelDebug, "a bridge message was ignored")
		}
		if n := odd(); n < 1 || n > 12 {
			t.Errorf("%d lines", n)
		}
		before := odd()
		fakeclock.Elapse(5 * time.Second)
		if n := odd(); n <= before || n > before+12 {
			t.Errorf("%d lines, then %d", before, n)
		}
	})
}
