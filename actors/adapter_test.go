package actors

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/cdpclient/mcpb"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// adapt lets the hub's adapter in a page's main frame offer tools of one
// runtime, and gives a function by which they change.
func (h *testHub) adapt(p *cdptest.Page, runtime string, names ...string) (change func(names ...string)) {
	tools := func(names []string) (all []cdptest.Tool) {
		for _, name := range names {
			all = append(all, cdptest.Tool{Name: name, Execute: func(context.Context, json.RawMessage) (any, error) { return "by the adapter", nil }})
		}
		return all
	}
	server, says := h.adapter(p, runtime, tools(names)...)
	return func(names ...string) {
		server.SetTools(tools(names)...)
		says(string(cdptest.ListChanged))
		h.quiet()
	}
}

// adapter is what adapt takes, with its tools as they are; says brings the page's
// words.
func (h *testHub) adapter(p *cdptest.Page, runtime string, tools ...cdptest.Tool) (server *cdptest.MCPServer, says func(string)) {
	server = cdptest.NewMCPServer(tools...)
	h.t.Cleanup(server.Stop)
	says = func(payload string) {
		p.Main().Binding(bridge.Binding, `{"t":"dom","p":`+payload+`}`)
	}
	p.On(bridge.CallMethod, func(c cdptest.Command) (any, error) {
		var call struct {
			FunctionDeclaration string
			Arguments           []struct{ Value string }
		}
		if json.Unmarshal(c.Params, &call) != nil || call.FunctionDeclaration != bridge.AdapterSend {
			return nil, cdptest.ErrPass
		}
		meta := `"_meta":{"` + bridge.AdapterRuntimeKey + `":"` + runtime + `"},"inputSchema"`
		go func() {
			for _, answer := range server.Handle(json.RawMessage(call.Arguments[0].Value)) {
				says(strings.ReplaceAll(string(answer), `"inputSchema"`, meta))
			}
		}()
		return map[string]any{"result": map[string]any{}}, nil
	})
	says(ready)
	h.quiet()
	return server, says
}

func (h *testHub) runtime(name string) offer.Runtime { return h.tool(name).Route.Runtime }

func TestAdapter(t *testing.T) {
	t.Run("its tools are listed, called, and go", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			change := h.adapt(p, "form", "book", "ask")
			h.want("shop_test_page0_ask", "shop_test_page0_book")
			if got := h.runtime("shop_test_page0_ask"); got != offer.Form {
				t.Errorf("reached by %s", got)
			}
			h.call("shop_test_page0_book", `{}`, "by the adapter")
			change("ask")
			h.want("shop_test_page0_ask")
			p.Navigate(cart)
			h.quiet()
			h.want()
		})
	})
	t.Run("what others offer too is theirs", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("native"))
			h.adapt(p, "polyfill", "native", "served", "own")
			s := h.serve(p.Main(), tool("served"))
			want := func(runtimes map[string]offer.Runtime) {
				t.Helper()
				h.want("shop_test_page0_native", "shop_test_page0_own", "shop_test_page0_served")
				for name, want := range runtimes {
					if got := h.runtime("shop_test_page0_" + name); got != want {
						t.Errorf("%s is reached by %s, want %s", name, got, want)
					}
				}
			}
			want(map[string]offer.Runtime{"native": offer.Native, "served": offer.MCPB, "own": offer.Polyfill})
			h.call("shop_test_page0_served", `{}`, "ok")
			s.say(stopped) // the page's server goes, the adapter stays
			h.quiet()
			want(map[string]offer.Runtime{"native": offer.Native, "served": offer.Polyfill, "own": offer.Polyfill})
			h.call("shop_test_page0_served", `{}`, "by the adapter")
		})
	})
	t.Run("those made of the DOM are there while there are no others", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t, func(o *Options) { o.Introspect = true })
			p := h.offer()
			h.adapt(p, "dom", "click_ok")
			h.want("shop_test_page0_click_ok")
			if got := h.runtime("shop_test_page0_click_ok"); got != offer.DOM {
				t.Errorf("reached by %s", got)
			}
			h.call("shop_test_page0_click_ok", `{}`, "by the adapter")
			s := h.serve(p.Main(), tool("served"))
			h.want("shop_test_page0_served")
			s.say(stopped)
			h.quiet()
			h.want("shop_test_page0_click_ok")
			p.Register(tool("native"))
			h.quiet()
			h.want("shop_test_page0_native")
		})
	})
	t.Run("those made of the DOM for an earlier hub are left out", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.adapt(h.offer(), "dom", "click_ok")
			h.want()
		})
	})
	t.Run("they go when the hub lets go of their page", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			h.adapt(p, "form", "book")
			h.want("shop_test_page0_book")
			p.On(bridge.CallMethod, func(cdptest.Command) (any, error) { return map[string]any{"result": map[string]any{}}, nil })
			c := h.begin("shop_test_page0_book", `{}`)
			synctest.Wait()
			if err := h.DisconnectPage(t.Context(), registry.PageID(p.ID())); err != nil {
				t.Fatal(err)
			}
			c.fails("disconnected")
			h.quiet()
			h.want()
			if n := h.inside(p, func(a *cdpLink) int { return len(a.main.servers()) }); n != 0 {
				t.Errorf("%d servers are left", n)
			}
		})
	})
	t.Run("a page can't name its tools' runtime", func(t *testing.T) {
		said := mcpb.Tool{Name: "x", Meta: json.RawMessage(`{"` + bridge.AdapterRuntimeKey + `":"form"}`)}
		if got := (&pageServer{}).runtime(said); got != offer.MCPB {
			t.Errorf("reached by %s", got)
		}
		if got := (&pageServer{adapter: true}).runtime(said); got != offer.Form {
			t.Errorf("the adapter's is reached by %s", got)
		}
	})
	t.Run("a call ends when its page navigates", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			h.adapt(p, "form", "book")
			p.On(bridge.CallMethod, func(cdptest.Command) (any, error) { return map[string]any{"result": map[string]any{}}, nil })
			c := h.begin("shop_test_page0_book", `{}`)
			p.Navigate(cart)
			c.fails("navigated to " + cart)
			h.nothingInFlight(p)
		})
	})
}
