package cdp_test

import (
	"encoding/json"
	"strings"
	"testing"

	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry"
)

// Chrome announces no titles; where a document's own API is asked for its
// tools, theirs are taken, and last as long as the tools.
func TestTitlesOfToolsThatAreRead(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := Prepare(t)
		p := h.Chrome.OpenPage(Shop)
		f := p.Main().AddFrame(Shop + "frame")
		buy := Tool("buy")
		buy.Title = "Buy it"
		f.Register(buy)
		h.Start()
		h.Want("shop_test_page0_buy")
		if got := h.TitleOf("shop_test_page0_buy"); got != "Buy it" {
			t.Errorf("a tool that was there before has the title %q", got)
		}
		f.Unregister("buy")
		f.Register(Tool("buy"))
		h.Want("shop_test_page0_buy")
		if got := h.TitleOf("shop_test_page0_buy"); got != "" {
			t.Errorf("another tool of that name has the title %q", got)
		}
	})
}

// Chrome passes on neither the titles nor all hints of the tools that a page's own
// MCP server mirrors to it. The server tells them.
func TestNativeToolsAsTheirServerTellsThem(t *testing.T) {
	const buy = "shop_test_page0_buy"
	no := false
	told := func() cdptest.Tool {
		t := Tool("buy")
		t.Description, t.Title, t.ReadOnly = "does buy", "Buy it", &no // the description is the fake's
		return t
	}
	wants := func(h *TestHub, title, hints string) {
		h.T.Helper()
		h.Want(buy)
		if got := h.TitleOf(buy); got != title {
			h.T.Errorf("its title is %q, want %q", got, title)
		}
		if got := string(h.Tool(buy).Annotations()); got != hints {
			h.T.Errorf("its hints are %s, want %s", got, hints)
		}
	}
	t.Run("title and hints", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("buy"))
			wants(h, "", "")
			before := h.Pub.Count()
			s := h.Serve(p.Main(), told())
			wants(h, "Buy it", `{"readOnlyHint":false}`)
			if n := h.Pub.Count() - before; n != 1 {
				t.Errorf("%d notices, want 1", n)
			}
			var first *registry.PageTool
			inLink(h, p, func(a *Link) { first = a.Tools()[0] })
			s.Change(told()) // the same
			h.Quiet()
			inLink(h, p, func(a *Link) {
				if a.Tools()[0] != first {
					t.Error("a tool that has not changed is another one")
				}
			})
			if n := h.Pub.Count() - before; n != 1 {
				t.Errorf("%d notices, want 1", n)
			}
			h.CallSays(buy, `{}`, "ok")
		})
	})
	t.Run("but for what it says of results", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			whole := told()
			whole.Output = json.RawMessage(`{"type":"object","properties":{"sum":{}},"required":["sum"]}`)
			p := h.Offer(Tool("buy"))
			h.Serve(p.Main(), whole)
			wants(h, "Buy it", `{"readOnlyHint":false}`)
			if got := string(h.Tool(buy).Encoded); strings.Contains(got, "outputSchema") {
				t.Errorf("it is listed as %s", got)
			}
			h.CallSays(buy, `{}`, "ok") // which is no error, though the server would make it one
		})
	})
	t.Run("follow the server", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("buy"))
			s := h.Serve(p.Main(), told())
			other := told()
			other.Title = "Buy this"
			s.Change(other)
			wants(h, "Buy this", `{"readOnlyHint":false}`)
			s.Say(Stopped)
			wants(h, "", "")
		})
	})
	t.Run("what Chrome says counts", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			yes := true
			h := NewHub(t)
			reads := Tool("buy")
			reads.ReadOnly = &yes
			h.Serve(h.Offer(reads).Main(), told())
			wants(h, "Buy it", `{"readOnlyHint":true}`)
		})
	})
	t.Run("what a tool does is said by one of them", func(t *testing.T) {
		yes, no := true, false
		for _, c := range []struct {
			chrome, server *bool
			hints          map[string]bool
			want           string
		}{
			{&yes, &no, map[string]bool{"destructiveHint": false, "idempotentHint": true}, `{"readOnlyHint":true}`},
			{&yes, nil, map[string]bool{"destructiveHint": false, "openWorldHint": false}, `{"readOnlyHint":true,"openWorldHint":false}`},
			{&yes, &yes, map[string]bool{"idempotentHint": true}, `{"readOnlyHint":true,"idempotentHint":true}`},
			{&yes, &no, map[string]bool{"destructiveHint": true}, `{"readOnlyHint":false,"destructiveHint":true}`}, // the more dangerous word
			{&no, &no, map[string]bool{"destructiveHint": false}, `{"readOnlyHint":false,"destructiveHint":false}`},
			{nil, nil, map[string]bool{"destructiveHint": false}, `{"destructiveHint":false}`},
		} {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				chrome, server := Tool("buy"), told()
				chrome.ReadOnly, server.ReadOnly, server.ServerHints = c.chrome, c.server, c.hints
				h.Serve(h.Offer(chrome).Main(), server)
				wants(h, "Buy it", c.want)
			})
		}
	})
	t.Run("not of another tool of that name", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("buy"))
			another := told()
			another.Description = "another one"
			s := h.Serve(p.Main(), another)
			wants(h, "", "")
			s.Change(told())
			wants(h, "Buy it", `{"readOnlyHint":false}`)
			p.Unregister("buy")
			p.Register(Tool("buy"))
			wants(h, "", "")
		})
	})
	t.Run("not of another frame's", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("buy"))
			h.Serve(h.Frame(p.Main(), Shop+"inner"), told())
			wants(h, "", "")
		})
	})
}
