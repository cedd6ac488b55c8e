package actors

import (
	"encoding/json"
	"testing"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry"
)

// Chrome announces no titles; where a document's own API is asked for its
// tools, theirs are taken, and last as long as the tools.
func TestTitlesOfToolsThatAreRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := prepare(t)
		p := h.chrome.OpenPage(shop)
		f := p.Main().AddFrame(shop + "frame")
		buy := tool("buy")
		buy.Title = "Buy it"
		f.Register(buy)
		h.start()
		h.want("shop_test_page0_buy")
		if got := h.titleOf("shop_test_page0_buy"); got != "Buy it" {
			t.Errorf("a tool that was there before has the title %q", got)
		}
		f.Unregister("buy")
		f.Register(tool("buy"))
		h.want("shop_test_page0_buy")
		if got := h.titleOf("shop_test_page0_buy"); got != "" {
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
		t := tool("buy")
		t.Description, t.Title, t.ReadOnly = "does buy", "Buy it", &no // the description is the fake's
		return t
	}
	wants := func(h *testHub, title, hints string) {
		h.t.Helper()
		h.want(buy)
		if got := h.titleOf(buy); got != title {
			h.t.Errorf("its title is %q, want %q", got, title)
		}
		if got := string(h.tool(buy).Annotations()); got != hints {
			h.t.Errorf("its hints are %s, want %s", got, hints)
		}
	}
	t.Run("title and hints", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("buy"))
			wants(h, "", "")
			before := h.pub.count()
			s := h.serve(p.Main(), told())
			wants(h, "Buy it", `{"readOnlyHint":false}`)
			if n := h.pub.count() - before; n != 1 {
				t.Errorf("%d notices, want 1", n)
			}
			var first *registry.PageTool
			h.inActor(p, func(a *cdpLink) { first = a.Tools()[0] })
			s.change(told()) // the same
			h.quiet()
			h.inActor(p, func(a *cdpLink) {
				if a.Tools()[0] != first {
					t.Error("a tool that has not changed is another one")
				}
			})
			if n := h.pub.count() - before; n != 1 {
				t.Errorf("%d notices, want 1", n)
			}
			h.call(buy, `{}`, "ok")
		})
	})
	t.Run("follow the server", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("buy"))
			s := h.serve(p.Main(), told())
			other := told()
			other.Title = "Buy this"
			s.change(other)
			wants(h, "Buy this", `{"readOnlyHint":false}`)
			s.say(stopped)
			wants(h, "", "")
		})
	})
	t.Run("what Chrome says counts", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			yes := true
			h := newHub(t)
			reads := tool("buy")
			reads.ReadOnly = &yes
			h.serve(h.offer(reads).Main(), told())
			wants(h, "Buy it", `{"readOnlyHint":true}`)
		})
	})
	t.Run("not of another tool of that name", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("buy"))
			another := told()
			another.Description = "another one"
			s := h.serve(p.Main(), another)
			wants(h, "", "")
			s.change(told())
			wants(h, "Buy it", `{"readOnlyHint":false}`)
			p.Unregister("buy")
			p.Register(tool("buy"))
			wants(h, "", "")
		})
	})
	t.Run("not of another frame's", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("buy"))
			h.serve(h.frame(p.Main(), shop+"inner"), told())
			wants(h, "", "")
		})
	})
}

// titleOf is a published tool's title.
func (h *testHub) titleOf(name string) string {
	h.t.Helper()
	var said struct{ Title string }
	if err := json.Unmarshal(h.tool(name).Encoded, &said); err != nil {
		h.t.Fatal(err)
	}
	return said.Title
}
