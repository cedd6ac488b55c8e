package actors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// What holds for every page, by whichever link it is reached.

func TestPagesOfEveryLink(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *suiteHub)
	}{
		{"register, update, remove", suiteRegisters},
		{"tools of iframes", suiteFrames},
		{"a navigation takes the tools", suiteNavigates},
		{"within a document the tools stay", suitePushes},
		{"titles", suiteTitles},
		{"close", suiteCloses},
		{"crash", suiteCrashes},
		{"results", suiteCalls},
		{"arguments", suiteArguments},
		{"cancel", suiteCancels},
		{"timeout", suiteTimesOut},
		{"late result", suiteLate},
		{"results of nobody's calls", suiteUnknown},
		{"a navigation ends calls", suiteNavigatesUnder},
		{"a tool that takes itself away", suiteTakesItselfAway},
		{"calls of tools that are gone", suiteGone},
		{"the connection is lost during a call", suiteLost},
		{"the connection comes back", suiteRejoins},
		{"the hub stops during a call", suiteStops},
		{"a storm is told as one", suiteStorm},
		{"the registry begins anew", suiteAnew},
		{"a page that the client lets go of", suiteDisconnects},
	} {
		everyWay(t, c.name, c.test)
	}
}

// pass lets time go by.
func (h *testHub) pass(d time.Duration) {
	fakeclock.Elapse(d)
	synctest.Wait()
}

func named(names ...string) (tools []suiteTool) {
	for _, name := range names {
		tools = append(tools, suiteTool{name: name})
	}
	return tools
}

// shopWith opens the shop with one tool.
func (h *suiteHub) shopWith(name string, run execute) suitePage {
	p := h.open(shop)
	h.quiet()
	p.register(suiteTool{name: name, run: run})
	h.quiet()
	return p
}

// callUnderWay opens the shop with a slow tool, whose call has begun.
func (h *suiteHub) callUnderWay() (suitePage, *slow, *running) {
	s := newSlow()
	p := h.shopWith("wait", s.execute)
	return p, s, h.begin("shop_test_page0_wait", `{}`)
}

// wasTold says whether the page has heard that its call was given up.
func (s *slow) wasTold(t *testing.T) {
	t.Helper()
	if _, aborted := s.counts(); aborted != 1 {
		t.Error("the page was not told")
	}
}

func suiteRegisters(_ *testing.T, h *suiteHub) {
	p := h.open(shop)
	h.want()
	p.register(named("add", "list")...)
	h.want("shop_test_page0_add", "shop_test_page0_list")
	p.register(suiteTool{name: "add", description: "Adds two of them"})
	h.want("shop_test_page0_add", "shop_test_page0_list")
	wantEncoded(h.t, h.tool("shop_test_page0_add"), "Adds two of them")
	p.unregister("list")
	h.want("shop_test_page0_add")
	q := h.open(third)
	h.quiet()
	q.register(named("add")...)
	h.want("shop_test_page0_add", names.ExtractDomain(third)+"_page1_add")
}

func suiteFrames(_ *testing.T, h *suiteHub) {
	if e, ok := h.suiteBrowser.(*extension); ok && e.b.Plain {
		return // it can't tell frames apart
	}
	p := h.open(shop)
	h.quiet()
	p.register(named("add")...)
	p.frame(suiteTool{name: "pay", run: says("paid")})
	h.want("shop_test_page0_add", "shop_test_page0_pay")
	h.call("shop_test_page0_pay", `{}`, "paid")
	wantEncoded(h.t, h.tool("shop_test_page0_pay"), "https://frame3.test")
	p.navigate(third)
	h.want()
}

func suiteNavigates(_ *testing.T, h *suiteHub) {
	p := h.shopWith("add", nil)
	h.want("shop_test_page0_add")
	p.navigate(third)
	h.want()
	p.register(named("sub")...)
	h.want(names.ExtractDomain(third) + "_page0_sub")
	if e, ok := h.suiteBrowser.(*extension); ok && e.b.Plain {
		return // it can't tell a reload
	}
	p.navigate(third)
	h.want()
}

func suitePushes(t *testing.T, h *suiteHub) {
	p := h.shopWith("add", nil)
	before := h.tool("shop_test_page0_add").Route
	p.push(shop + "cart")
	h.want("shop_test_page0_add")
	if after := h.tool("shop_test_page0_add").Route; after != before {
		h.t.Errorf("the route was %v, is %v", before, after)
	}
	if url := h.pub.current().Tabs()[0].URL; url != shop+"cart" {
		h.t.Errorf("the address is %s", url)
	}
	if r := h.begin("shop_test_page0_add", `{}`).result(); r.FrameURL != shop+"cart" {
		t.Errorf("the answer is said to come from %q", r.FrameURL)
	}
}

func suiteTitles(_ *testing.T, h *suiteHub) {
	p := h.open(shop)
	h.quiet()
	p.title("The shop")
	h.quiet()
	if tab := h.pub.current().Tabs()[0]; tab.Title != "The shop" {
		h.t.Errorf("the title is %q", tab.Title)
	}
}

func suiteCloses(_ *testing.T, h *suiteHub) {
	s := newSlow()
	p := h.shopWith("wait", s.execute)
	q := h.open(third)
	h.quiet()
	q.register(named("add")...)
	h.quiet()
	c := h.begin("shop_test_page0_wait", `{}`)
	p.close()
	c.fails("was closed")
	h.want(names.ExtractDomain(third) + "_page0_add")
}

func suiteCrashes(_ *testing.T, h *suiteHub) {
	p, _, c := h.callUnderWay()
	p.crash()
	if r := c.result(); !r.IsError {
		h.t.Errorf("the call ended with %s", r.JSON)
	}
	h.want()
}

func suiteCalls(_ *testing.T, h *suiteHub) {
	for i, c := range []struct {
		gives any
		want  string
	}{
		{"hello", `{"content":[{"type":"text","text":"hello"}]}`},
		{map[string]any{"n": 1}, `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`},
		{7, `{"content":[{"type":"text","text":"7"}],"structuredContent":{"result":7}}`},
		{map[string]any{"content": []any{map[string]any{"type": "text", "text": "sold out"}}, "isError": true}, `{"content":[{"text":"sold out","type":"text"}],"isError":true}`},
	} {
		p := h.shopWith("x", says(c.gives))
		r := h.begin("shop_test_page0_x", `{}`).result()
		if !sameJSON(r.JSON, []byte(c.want)) {
			h.t.Errorf("result %d is\n\t%s, want\n\t%s", i, r.JSON, c.want)
		}
		p.close()
		h.quiet()
	}
	h.shopWith("x", func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("the shop is closed") })
	h.begin("shop_test_page0_x", `{}`).fails("the shop is closed")
}

func suiteArguments(_ *testing.T, h *suiteHub) {
	h.shopWith("x", func(_ context.Context, args json.RawMessage) (any, error) { return "got " + string(args), nil })
	h.call("shop_test_page0_x", `{"a":{"b":[1,"x"]}}`, `{"a":{"b":[1,"x"]}}`)
}

func suiteCancels(_ *testing.T, h *suiteHub) {
	_, s, c := h.callUnderWay()
	c.runs()
	c.cancel()
	c.fails("was cancelled")
	h.quiet()
	s.wasTold(h.t)
}

func suiteTimesOut(_ *testing.T, h *suiteHub) {
	s := newSlow()
	h.shopWith("wait", s.execute)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c := h.beginTool(ctx, h.tool("shop_test_page0_wait"), `{}`)
	c.runs()
	fakeclock.Elapse(time.Second)
	c.fails("did not answer")
	h.quiet()
	s.wasTold(h.t)
}

// suiteLate: a tool that doesn't listen to its AbortSignal answers after all.
func suiteLate(_ *testing.T, h *suiteHub) {
	answers := make(chan any, 2)
	h.shopWith("wait", func(context.Context, json.RawMessage) (any, error) { return <-answers, nil })
	c := h.begin("shop_test_page0_wait", `{}`)
	c.cancel()
	c.fails("was cancelled")
	second := h.begin("shop_test_page0_wait", `{}`)
	answers <- "late"
	h.quiet()
	answers <- "in time"
	h.quiet()
	if r := second.result(); r.IsError {
		h.t.Errorf("the second call ended with %s", r.JSON)
	}
}

func suiteUnknown(_ *testing.T, h *suiteHub) {
	_, s, c := h.callUnderWay()
	h.result("not for you")
	h.quiet()
	c.runs()
	s.answers <- "mine"
	c.says("mine")
}

func suiteNavigatesUnder(_ *testing.T, h *suiteHub) {
	p, _, c := h.callUnderWay()
	p.navigate(third)
	h.quiet()
	c.fails("The page navigated to " + third)
}

func suiteTakesItselfAway(_ *testing.T, h *suiteHub) {
	s := newSlow()
	p := h.shopWith("once", s.execute)
	c := h.begin("shop_test_page0_once", `{}`)
	p.unregister("once")
	h.want("shop_test_page0_once")
	s.answers <- "done"
	c.says("done")
	h.want()
}

func suiteGone(_ *testing.T, h *suiteHub) {
	p := h.shopWith("add", nil)
	p.register(named("other")...)
	h.quiet()
	old := h.tool("shop_test_page0_add")
	p.unregister("add")
	h.quiet()
	h.beginTool(context.Background(), old, `{}`).fails("no longer offers it")
	p.navigate(third)
	h.quiet()
	h.beginTool(context.Background(), old, `{}`).fails("has navigated to " + third)
	p.close()
	h.quiet()
	h.beginTool(context.Background(), old, `{}`).fails("its page is gone")
}

func suiteLost(_ *testing.T, h *suiteHub) {
	_, _, c := h.callUnderWay()
	h.lose()
	c.fails("was lost while")
	h.want()
	if h.pub.current().BrowserStatus() == "" || len(h.pub.current().Tabs()) != 0 {
		h.t.Errorf("status %q, tabs %v", h.pub.current().BrowserStatus(), h.pub.current().Tabs())
	}
}

func suiteRejoins(_ *testing.T, h *suiteHub) {
	p := h.shopWith("add", says("again"))
	q := h.open(third)
	h.quiet()
	q.register(named("list")...)
	h.quiet()
	old := h.tool("shop_test_page0_add")
	for range 3 {
		h.lose()
		h.want()
		p.title("Meanwhile")
		h.rejoin()
		h.want("shop_test_page0_add", names.ExtractDomain(third)+"_page1_list")
	}
	if r := h.beginTool(context.Background(), old, `{}`).result(); !r.IsError {
		h.t.Errorf("a call by way of the lost connection gives %s", r.JSON)
	}
	h.call("shop_test_page0_add", `{}`, "again")
	if n := len(h.pub.current().Tabs()); n != 2 {
		h.t.Errorf("%d tabs", n)
	}
	if s := h.pub.current().BrowserStatus(); s != "" {
		h.t.Errorf("the status is %q", s)
	}
}

func suiteStops(_ *testing.T, h *suiteHub) {
	_, s, c := h.callUnderWay()
	h.stop()
	c.fails("The hub is stopping")
	synctest.Wait()
	s.wasTold(h.t)
}

func suiteStorm(_ *testing.T, h *suiteHub) {
	p := h.open(shop)
	h.quiet()
	before := h.pub.count()
	for i := range 500 {
		p.register(named(fmt.Sprintf("t%d", i%10))...)
		if i%3 == 0 {
			p.unregister(fmt.Sprintf("t%d", (i+5)%10))
		}
	}
	p.unregister("t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9")
	p.register(named("last")...)
	h.want("shop_test_page0_last")
	if n := h.pub.count() - before; n > 5 {
		h.t.Errorf("%d notifications", n)
	}
}

// suiteAnew: the registry has failed, and is told everything again.
func suiteAnew(_ *testing.T, h *suiteHub) {
	p, s, c := h.callUnderWay()
	tab := h.pub.current().Tabs()[0].ID
	var once sync.Once
	h.pub.also(func([]registry.Effect) { once.Do(func() { panic("a test's panic") }) })
	p.register(named("add")...)
	h.quiet()
	if h.log.count(slog.LevelError, "panicked") != 1 {
		h.t.Fatal("the registry did not fail")
	}
	h.want("shop_test_page0_add", "shop_test_page0_wait")
	if h.pub.current().Tabs()[0].ID != tab || len(h.pub.current().Tabs()) != 1 {
		h.t.Errorf("tabs are %+v", h.pub.current().Tabs())
	}
	s.answers <- "unharmed"
	c.says("unharmed")
}

func suiteDisconnects(_ *testing.T, h *suiteHub) {
	p, _, c := h.callUnderWay()
	page := h.pub.current().Tabs()[0].Page
	if err := h.DisconnectPage(context.Background(), page); err != nil {
		h.t.Fatal(err)
	}
	h.want()
	c.fails("A client of this hub disconnected the page")
	if tab := h.pub.current().Tabs()[0]; tab.Connected() {
		h.t.Error("the page looks connected")
	}
	p.register(named("add")...)
	h.want()
	if err := h.ConnectPage(context.Background(), page); err != nil {
		h.t.Fatal(err)
	}
	h.want("shop_test_page0_add", "shop_test_page0_wait")
	if !strings.Contains(string(h.tool("shop_test_page0_add").Encoded), "shop.test") {
		h.t.Error("the tool lacks its provenance")
	}
}
