package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// routingHub is a hub with MCP-B's names and a browser; ask answers in place of
// the pages.
func routingHub(t *testing.T, ask callerFunc) (*hub, *tabBrowser) {
	b := &tabBrowser{sites: map[string][]string{}}
	h := newHub(t, ask, func(o *Options, r *registry.Options) { o.Browser, r.Naming = b, offer.MCPBNames })
	b.h = h
	return h, b
}

const shopX = "website_tool_shop_test_x"

func cached(tools ...string) registry.Event {
	var e registry.CacheChanged
	for _, url := range tools {
		e.Tools = append(e.Tools, offer.CachedTool{Site: "https://shop.test", URL: url, Tool: registry.PageTool{Name: "x"}})
	}
	return e
}

func TestASitesToolGoesToTheUsersTab(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := routingHub(t, echo)
		h.page("A", "https://shop.test/", "x", "y")
		h.page("B", "https://shop.test/b", "x")
		c := h.connect(true)
		c.handshake()
		if got := fmt.Sprint(c.list()); !strings.Contains(got, "website_tool_shop_test_tab1_x website_tool_shop_test_tab1_y website_tool_shop_test_tab2_x website_tool_shop_test_x website_tool_shop_test_y") {
			t.Error(got)
		}
		for _, step := range []struct {
			front, tool, want string
		}{
			{"", shopX, "B/x {}"}, // the newest
			{"A", shopX, "A/x {}"},
			{"B", shopX, "B/x {}"},
			{"B", "website_tool_shop_test_y", "A/y {}"}, // the user's has none
		} {
			if step.front != "" {
				h.change(registry.PageInFront{Page: registry.PageID(step.front)})
				c.take()
				c.list()
			}
			if got := c.call(step.tool, `{}`); got != step.want {
				t.Errorf("%+v: %s", step, got)
			}
		}
		if got := c.call("call_webmcp_tool", `{"name":"`+shopX+`"}`); got != "B/x {}" {
			t.Error(got)
		}
		if b.opened != 0 {
			t.Error("a tab was opened")
		}
		if got := c.call("list_webmcp_tools", `{}`); !strings.Contains(got, `"sites":[{"site":"https://shop.test","tabs":2,"name":"website_tool_shop_test_x","tool":"x"`) {
			t.Error(got)
		}
		c.hangUp()
	})
}

func TestASitesToolOpensItsPage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := routingHub(t, echo)
		b.sites["https://shop.test/cart"] = []string{"x"}
		h.change(cached("https://shop.test/cart"))
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		lines := c.take()
		if got := said(t, lines[0]); got != "new1/x {}" || b.opened != 1 {
			t.Errorf("%s; %d tabs were opened", got, b.opened)
		}
		if got := c.call("list_webmcp_tools", `{}`); strings.Contains(got, `"cached":true`) {
			t.Error("still cached:", got)
		}
		c.hangUp()
	})
}

// A client that knows the name can call it after the last tab is gone.
func TestASitesToolOutlivesItsTabForWhoKnowsIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := routingHub(t, echo)
		b.sites["https://shop.test/deep/page"] = []string{"x"} // nowhere else
		h.page("A", "https://shop.test/deep/page", "x")
		c := h.connect(true)
		c.handshake()
		c.list()
		h.change(registry.PageClosed{Page: "A"})
		c.take()
		c.send(callLine("1", shopX, `{}`))
		if got := said(t, c.take()[0]); got != "new1/x {}" {
			t.Error(got)
		}
		c.hangUp()
		other := h.connect(true)
		other.handshake()
		h.change(registry.PageClosed{Page: "new1"})
		other.take()
		if got := other.call(shopX, `{}`); !strings.HasPrefix(got, "error: no tool is called") {
			t.Error(got)
		}
		other.hangUp()
	})
}

// Whichever way a tab goes under a call, another is asked.
func TestACallFallsBackToAnotherTab(t *testing.T) {
	type way struct {
		ended       func(tool string) registry.Result
		destructive bool
		says        string
	}
	for name, w := range map[string]way{
		"closed":                         {registry.EndedByClose, false, ""},
		"closed, destructive":            {registry.EndedByClose, true, "was closed"},
		"extension lost":                 {registry.EndedByExtension, false, ""},
		"extension lost, destructive":    {registry.EndedByExtension, true, "connection to the browser's extension was lost"},
		"Chrome lost":                    {registry.EndedByLoss, false, ""},
		"Chrome lost under what is done": {registry.EndedByLoss, true, "connection to Chrome was lost"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var h *hub
				asked := ""
				h, b := routingHub(t, func(_ context.Context, c calls.Call) registry.Result {
					asked += string(c.Tool.Route.Page)
					if c.Tool.Route.Page != "new1" {
						h.change(registry.PageClosed{Page: c.Tool.Route.Page})
						return w.ended("x")
					}
					return sanitize.TextResult("done")
				})
				b.sites["https://shop.test/"] = []string{"x"}
				for _, p := range []string{"A", "B"} {
					h.change(open(p, "https://shop.test/"), navigated(p, 1, "https://shop.test/"),
						registry.ToolsReported{Page: registry.PageID(p), Gen: 1, Tools: []*registry.PageTool{{Name: "x", Frame: "F", Doc: 1, Annotations: offer.Annotations{Destructive: &w.destructive}}}})
				}
				c := h.connect(true)
				c.handshake()
				c.send(callLine("1", shopX, `{}`))
				lines := c.take()
				got := said(t, lines[0])
				if !w.destructive && (got != "done" || asked != "BAnew1") {
					t.Errorf("%s; asked %s", got, asked)
				}
				if w.destructive && (!strings.Contains(got, w.says) || asked != "B") {
					t.Errorf("%s; asked %s", got, asked)
				}
				c.hangUp()
			})
		})
	}
}

// A call whose tab went under it, and for which there is no other tab, is not
// answered as one that never began.
func TestACallThatBeganIsNotSaidToHaveNotBegun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var h *hub
		h, b := routingHub(t, func(_ context.Context, c calls.Call) registry.Result {
			h.change(registry.PageClosed{Page: c.Tool.Route.Page})
			return registry.EndedByExtension("x")
		})
		h.page("A", "https://shop.test/", "x")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		fakeclock.Elapse(time.Minute)
		if got := c.answer(); !strings.Contains(got, "whether it took effect is unknown") || strings.Contains(got, "was not called") {
			t.Errorf("%s; %d tabs were opened", got, b.opened)
		}
		c.hangUp()
	})
}

// A browser that connects anew brings its tabs back under the same ids.
func TestACallFallsBackToATabThatCameBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var h *hub
		asked := 0
		h, b := routingHub(t, func(_ context.Context, c calls.Call) registry.Result {
			if asked++; asked == 1 {
				h.change(registry.PageClosed{Page: "A"})
				h.repeatablePage("A", "https://shop.test/", "x")
				return registry.EndedByClose("x")
			}
			return sanitize.TextResult("done")
		})
		h.repeatablePage("A", "https://shop.test/", "x")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		fakeclock.Elapse(time.Minute)
		if got := said(t, c.take()[0]); got != "done" || b.opened != 0 {
			t.Errorf("%s; %d tabs were opened", got, b.opened)
		}
		c.hangUp()
	})
}

func TestAPageThatDoesNotLoadIsTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := routingHub(t, echo)
		h.change(cached("https://shop.test/refused"))
		c := h.connect(true)
		c.handshake()
		begun := time.Now()
		c.send(callLine("1", shopX, `{}`))
		fakeclock.Elapse(time.Minute)
		got := said(t, c.take()[0])
		if !strings.HasPrefix(got, "error: website_tool_shop_test_x was not called: no open page of https://shop.test has it, and https://shop.test/refused could not be opened: Chrome says no") {
			t.Error(got)
		}
		h.change(cached("https://shop.test/slow"))
		c.take()
		b.late = true
		c.send(callLine("2", shopX, `{}`))
		fakeclock.Elapse(5 * time.Second)
		h.change(tools("new1", 1, "x"))
		lines := c.take()
		if got := said(t, lines[0]); got != "new1/x {}" {
			t.Error(got)
		}
		if time.Since(begun) > 66*time.Second {
			t.Error("it took", time.Since(begun))
		}
		c.hangUp()
	})
}

func TestAPageWithoutItsToolEndsTheCallInTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := routingHub(t, echo)
		b.late = true
		h.change(cached("https://shop.test/"))
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		fakeclock.Elapse(calls.SiteToolTimeout + 2*calls.SiteToolPause)
		lines := c.take()
		if got := said(t, lines[0]); !strings.Contains(got, "did not offer x within 10s") {
			t.Error(got)
		}
		if b.opened != 1 {
			t.Errorf("%d tabs were opened: the first one is still there", b.opened)
		}
		c.hangUp()
	})
}

func TestASitesToolHasTenSeconds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := routingHub(t, func(ctx context.Context, c calls.Call) registry.Result {
			<-ctx.Done()
			return registry.Result{}
		})
		h.page("A", "https://shop.test/", "x")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		fakeclock.Elapse(calls.SiteToolTimeout + time.Second)
		if got := said(t, c.take()[0]); !strings.Contains(got, "the time limit of 10s is over") {
			t.Error(got)
		}
		c.hangUp()
	})
}

func TestTwoCallsOpenOneTab(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := routingHub(t, echo)
		b.late = true
		h.change(cached("https://shop.test/"))
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`), callLine("2", shopX, `{}`))
		c.take()
		h.change(tools("new1", 1, "x"))
		if lines := c.take(); len(lines) < 2 || b.opened != 1 {
			t.Errorf("%d tabs were opened: %q", b.opened, lines)
		}
		c.hangUp()
	})
}

func TestASitesToolWithoutABrowser(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := routingHub(t, echo)
		b.none = errors.New("Chrome is away")
		h.change(cached("https://shop.test/"), registry.BrowserChanged{Status: "Chrome is away"})
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		if got := said(t, c.take()[0]); !strings.Contains(got, "none can be opened: Chrome is away") {
			t.Error(got)
		}
		c.send(callLine("5", shopX, `{"`), `x`)
		c.take()
		c.hangUp()
		c.cancel(errors.New("over"))
	})
}
