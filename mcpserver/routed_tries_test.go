package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// wantOpened says how many tabs were opened so far.
func (b *tabBrowser) wantOpened(t *testing.T, n int) {
	t.Helper()
	synctest.Wait()
	b.h.mu.Lock()
	defer b.h.mu.Unlock()
	if b.opened != n {
		t.Errorf("%d tabs were opened, want %d", b.opened, n)
	}
}

// wantSilence says that no answer has come yet.
func (c *rawClient) wantSilence() {
	c.t.Helper()
	for _, l := range c.take() {
		if l != listChanged {
			c.t.Errorf("said %s", l)
		}
	}
}

// answer is the one that has come, list_changed aside.
func (c *rawClient) answer() (text string) {
	c.t.Helper()
	for _, l := range c.take() {
		if l != listChanged {
			text += said(c.t, l)
		}
	}
	return text
}

func TestATabThatDoesNotLoadIsClosedAndOpenedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var over []calls.Record
		b := &tabBrowser{goesTo: "chrome-error://chromewebdata/"}
		h := newHub(t, echo, func(o *Options, r *registry.Options) {
			o.Browser, r.Naming = b, offer.MCPBNames
			o.Called = func(r calls.Record) { over = append(over, r) }
		})
		b.h = h
		h.change(cached("https://shop.test/"))
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		for tries := 1; tries <= calls.SiteToolRetries; tries++ {
			c.wantSilence()
			b.wantOpened(t, tries)
			fakeclock.Elapse(time.Second - time.Millisecond)
			b.wantOpened(t, tries)
			fakeclock.Elapse(time.Millisecond)
		}
		if got := c.answer(); got != "error: website_tool_shop_test_x was not called: no open page of https://shop.test has it, and https://shop.test/ was opened, but it did not load." {
			t.Error(got)
		}
		b.wantOpened(t, 4)
		if tabs := h.catalog().Tabs(); len(tabs) != 0 {
			t.Errorf("%d tabs are left", len(tabs))
		}
		if len(over) != 1 || over[0].Tool == nil || over[0].Tool.Name != shopX || over[0].Outcome != "refused" {
			t.Errorf("recorded: %+v", over)
		}
		c.hangUp()
	})
}

func TestATabThatIsClosedBeforeItsToolIsThere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := routingHub(t, echo)
		b.late = true
		h.change(cached("https://shop.test/"))
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		c.wantSilence()
		h.change(registry.PageClosed{Page: "new1"})
		fakeclock.Elapse(calls.SiteToolPause)
		c.wantSilence()
		b.wantOpened(t, 2)
		h.change(tools("new2", 1, "x"))
		if got := c.answer(); got != "new2/x {}" {
			t.Error(got)
		}
		c.hangUp()
	})
}

// A page that leads to where tools are not allowed is not opened again, and does
// not stay.
func TestATabThatMayOfferNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		origins, err := names.ParseOrigins([]string{"https://shop.test"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		b := &tabBrowser{goesTo: "https://login.test/", sites: map[string][]string{"https://shop.test/": {"x"}}}
		h := newHub(t, echo, func(o *Options, r *registry.Options) {
			o.Browser, r.Naming, r.Origins = b, offer.MCPBNames, origins
		})
		b.h = h
		h.change(cached("https://shop.test/"))
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		if got := c.answer(); !strings.Contains(got, "https://shop.test/ was opened, but https://login.test is not allowed (--allow-origin)") {
			t.Error(got)
		}
		b.wantOpened(t, 1)
		if h.catalog().Tab("new1") != nil {
			t.Error("the tab is left")
		}

		b.goesTo, b.late = "", true // refused are only a frame's tools
		c.send(callLine("2", shopX, `{}`))
		c.wantSilence()
		h.change(registry.ToolsReported{Page: "new2", Gen: 1, Tools: []*registry.PageTool{{Name: "ad", Frame: "G", Doc: 1, FrameURL: "https://ads.test/"}}})
		c.wantSilence()
		h.change(tools("new2", 1, "x"))
		if got := c.answer(); got != "new2/x {}" {
			t.Error(got)
		}
		b.wantOpened(t, 2)
		c.hangUp()
	})
}

// A tab that the hub opened for a tool that isn't there is closed again, unless
// somebody has found another use for it.
func TestATabThatDoesNotHelpIsClosed(t *testing.T) {
	for _, used := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			h, b := routingHub(t, echo)
			b.sites["https://shop.test/cart"] = []string{"other"}
			h.change(cached("https://shop.test/cart"))
			c, second := h.connect(true), h.connect(true)
			c.handshake()
			second.handshake()
			c.send(callLine("1", shopX, `{}`))
			c.wantSilence()
			b.wantOpened(t, 1)
			second.take()
			if used {
				if got := second.call("website_tool_shop_test_other", `{}`); got != "new1/other {}" {
					t.Error(got)
				}
			}
			fakeclock.Elapse(calls.SiteToolTimeout - time.Millisecond)
			c.wantSilence()
			if h.catalog().Tab("new1") == nil {
				t.Error("the tab is gone before its time is over")
			}
			fakeclock.Elapse(time.Millisecond)
			if got := c.answer(); !strings.Contains(got, "https://shop.test/cart was opened, but it did not offer x within 10s") {
				t.Error(got)
			}
			if left := h.catalog().Tab("new1") != nil; left != used {
				t.Errorf("the tab was used: %v; it is left: %v", used, left)
			}
			c.hangUp()
			second.hangUp()
		})
	}
}

// A tool that says nothing of itself may have done what must not be done twice.
func TestACallOfAToolThatSaysNothingIsNotRepeated(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var h *hub
		asked := 0
		h, _ = routingHub(t, func(_ context.Context, c calls.Call) registry.Result {
			asked++
			h.change(registry.PageClosed{Page: c.Tool.Route.Page})
			return registry.EndedByClose("x")
		})
		h.page("A", "https://shop.test/", "x")
		h.page("B", "https://shop.test/", "x")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		if got := c.answer(); !strings.Contains(got, "was closed; whether the call took effect is unknown") || asked != 1 {
			t.Errorf("%s; asked %d times", got, asked)
		}
		c.hangUp()
	})
}

// Each time the tab is closed under the call, and there is another one.
func TestACallGoesToFourTabsAtMost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var h *hub
		asked := 0
		h, b := routingHub(t, func(_ context.Context, c calls.Call) registry.Result {
			asked++
			h.repeatablePage(fmt.Sprint("P", asked), "https://shop.test/", "x")
			h.change(registry.PageClosed{Page: c.Tool.Route.Page})
			return registry.EndedByClose("x")
		})
		h.repeatablePage("P0", "https://shop.test/", "x")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		if got := c.answer(); !strings.Contains(got, "was closed") || asked != 4 {
			t.Errorf("%s; asked %d times", got, asked)
		}
		b.wantOpened(t, 0)
		c.hangUp()
	})
}

// A call that is refused in a second tab has not asked that tab's page: what it waited for a person it did not wait after
// the first page's answer.
func TestASecondTabIsNotAsked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var h *hub
		var over []calls.Record
		says := []error{nil, errors.New("no")}
		b := &tabBrowser{}
		h = newHub(t, func(_ context.Context, c calls.Call) registry.Result {
			h.change(registry.PageClosed{Page: c.Tool.Route.Page})
			return registry.EndedByClose("x")
		}, func(o *Options, r *registry.Options) {
			o.Browser, r.Naming, o.Trust = b, offer.MCPBNames, &asks{}
			o.Called = func(r calls.Record) { over = append(over, r) }
			o.Person = func(context.Context, calls.Question) (json.RawMessage, error) {
				fakeclock.Pause(time.Minute)
				said := says[0]
				says = says[1:]
				return json.RawMessage(`{"action":"accept"}`), said
			}
		})
		b.h = h
		h.repeatablePage("A", "https://shop.test/", "x")
		h.repeatablePage("B", "https://shop.test/", "x")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		fakeclock.Elapse(2 * time.Minute)
		c.answer()
		if len(over) != 1 || over[0].Outcome != "refused" || over[0].Person != 2*time.Minute || !over[0].Asked.IsZero() || !over[0].Answered.IsZero() {
			t.Errorf("recorded: %+v", over)
		}
		c.hangUp()
	})
}

// A call that has not begun may go elsewhere whatever the tool does.
func TestACallThatHasNotBegunGoesElsewhere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		asked := ""
		h, _ := routingHub(t, func(_ context.Context, c calls.Call) registry.Result {
			asked += string(c.Tool.Route.Page)
			if c.Tool.Route.Page == "B" { // whose tool is still listed
				return registry.NotThere("x", "its page is going")
			}
			return sanitize.TextResult("done")
		})
		yes := true
		for _, p := range []string{"A", "B"} {
			h.change(open(p, "https://shop.test/"), navigated(p, 1, "https://shop.test/"),
				registry.ToolsReported{Page: registry.PageID(p), Gen: 1, Tools: []*registry.PageTool{{Name: "x", Frame: "F", Doc: 1, Annotations: offer.Annotations{Destructive: &yes}}}})
		}
		c := h.connect(true)
		c.handshake()
		if got := c.call(shopX, `{}`); got != "done" || asked != "BA" {
			t.Errorf("%s; asked %s", got, asked)
		}
		c.hangUp()
	})
}

func TestACancelledCallGoesNowhereElse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		asked := 0
		h, b := routingHub(t, func(ctx context.Context, _ calls.Call) registry.Result {
			asked++
			<-ctx.Done()
			return registry.EndedByClose("x")
		})
		h.page("A", "https://shop.test/", "x")
		h.page("B", "https://shop.test/", "x")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		fakeclock.Elapse(time.Minute)
		c.wantSilence()
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
		b.wantOpened(t, 0)
		c.hangUp()
	})
}

func TestACallGoesRoundTabsThatOthersKeep(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var h *hub
		h, b := routingHub(t, func(_ context.Context, c calls.Call) registry.Result {
			if c.Tool.Route.Page == "A" { // the keeper's goes as well
				h.change(registry.PageClosed{Page: "B"}, registry.PageClosed{Page: "A"})
				return registry.EndedByClose("x")
			}
			return sanitize.TextResult("by " + string(c.Tool.Route.Page))
		})
		b.sites["https://shop.test/"] = []string{"x"}
		h.page("A", "https://shop.test/", "other")
		h.page("B", "https://shop.test/", "x")
		keeper, c := h.connect(true), h.connect(true)
		keeper.handshake()
		c.handshake()
		keeper.send(callLine("1", "focus_tab", `{"tabId":2,"exclusive":true}`))
		keeper.take()
		c.take()
		if got := c.call(shopX, `{}`); !strings.HasPrefix(got, "error: website_tool_shop_test_x was not called: ") || !strings.Contains(got, "kept by another client") {
			t.Error(got)
		}
		b.wantOpened(t, 0)
		h.change(repeatable("A", 1, "x"), registry.PageInFront{Page: "B"})
		c.take()
		c.send(callLine("2", shopX, `{}`))
		if got := c.answer(); got != "by new1" {
			t.Error(got)
		}
		keeper.hangUp()
		c.hangUp()
	})
}

// A browser that is about to be reached is waited for.
func TestACallWaitsForTheBrowser(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := routingHub(t, echo)
		b.sites["https://shop.test/"], b.reached = []string{"x"}, make(chan error)
		h.change(cached("https://shop.test/"), registry.BrowserChanged{Status: "Chrome is away"})
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		fakeclock.Elapse(calls.BrowserWait - time.Second)
		c.wantSilence()
		b.wantOpened(t, 0)
		b.reached <- nil
		if got := c.answer(); got != "new1/x {}" {
			t.Error(got)
		}
		c.hangUp()
	})
}

func TestACallThatCanOpenNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, func(_ *Options, r *registry.Options) { r.Naming = offer.MCPBNames })
		h.change(cached("https://shop.test/"))
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		fakeclock.Elapse(time.Minute)
		if got := c.answer(); !strings.Contains(got, "there is no browser to open https://shop.test/ in") {
			t.Error(got)
		}
		c.hangUp()
	})
	bubble(t, func(t *testing.T) {
		h, b := routingHub(t, echo)
		h.change(cached("chrome://settings/")) // whoever wrote that into the store
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", shopX, `{}`))
		fakeclock.Elapse(time.Minute)
		if got := c.answer(); !strings.Contains(got, "not chrome:") {
			t.Error(got)
		}
		b.wantOpened(t, 0)
		c.hangUp()
	})
}
