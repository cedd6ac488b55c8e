package actors_test

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

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
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
		{"calls of tools that have changed", suiteChanged},
		{"the connection is lost during a call", suiteLost},
		{"the connection comes back", suiteRejoins},
		{"the hub stops during a call", suiteStops},
		{"a storm is told as one", suiteStorm},
		{"the registry begins anew", suiteRecover},
		{"a page that the client lets go of", suiteDisconnects},
	} {
		everyWay(t, c.name, c.test)
	}
}

func named(names ...string) (tools []PageTool) {
	for _, name := range names {
		tools = append(tools, PageTool{Name: name})
	}
	return tools
}

// shopWith opens the shop with one tool.
func (h *suiteHub) shopWith(name string, run Execute) suitePage {
	p := h.open(Shop)
	h.Quiet()
	p.register(PageTool{Name: name, Run: run})
	h.Quiet()
	return p
}

// callUnderWay opens the shop with a slow tool, whose call has begun.
func (h *suiteHub) callUnderWay() (suitePage, *Slow, *Running) {
	s := NewSlow()
	p := h.shopWith("wait", s.Execute)
	return p, s, h.Begin("shop_test_page0_wait", `{}`)
}

// wasTold says whether the page has heard that its call was given up.
func wasTold(t *testing.T, s *Slow) {
	t.Helper()
	if _, aborted := s.Counts(); aborted != 1 {
		t.Error("the page was not told")
	}
}

func suiteRegisters(_ *testing.T, h *suiteHub) {
	p := h.open(Shop)
	h.Want()
	p.register(named("add", "list")...)
	h.Want("shop_test_page0_add", "shop_test_page0_list")
	p.register(PageTool{Name: "add", Description: "Adds two of them"})
	h.Want("shop_test_page0_add", "shop_test_page0_list")
	WantEncoded(h.T, h.Tool("shop_test_page0_add"), "Adds two of them")
	p.unregister("list")
	h.Want("shop_test_page0_add")
	q := h.open(Third)
	h.Quiet()
	q.register(named("add")...)
	h.Want("shop_test_page0_add", names.ExtractDomain(Third)+"_page1_add")
}

func suiteFrames(_ *testing.T, h *suiteHub) {
	if e, ok := h.suiteBrowser.(*extension); ok && e.b.Plain {
		return // it can't tell frames apart
	}
	p := h.open(Shop)
	h.Quiet()
	p.register(named("add")...)
	p.frame(PageTool{Name: "pay", Run: Says("paid")})
	h.Want("shop_test_page0_add", "shop_test_page0_pay")
	h.CallSays("shop_test_page0_pay", `{}`, "paid")
	WantEncoded(h.T, h.Tool("shop_test_page0_pay"), "https://frame3.test")
	p.navigate(Third)
	h.Want()
}

func suiteNavigates(_ *testing.T, h *suiteHub) {
	p := h.shopWith("add", nil)
	h.Want("shop_test_page0_add")
	p.navigate(Third)
	h.Want()
	p.register(named("sub")...)
	h.Want(names.ExtractDomain(Third) + "_page0_sub")
	if e, ok := h.suiteBrowser.(*extension); ok && e.b.Plain {
		return // it can't tell a reload
	}
	p.navigate(Third)
	h.Want()
}

func suitePushes(t *testing.T, h *suiteHub) {
	p := h.shopWith("add", nil)
	before := h.Tool("shop_test_page0_add").Route
	p.push(Shop + "cart")
	h.Want("shop_test_page0_add")
	if after := h.Tool("shop_test_page0_add").Route; after != before {
		h.T.Errorf("the route was %v, is %v", before, after)
	}
	if url := h.Pub.Current().Tabs()[0].URL; url != Shop+"cart" {
		h.T.Errorf("the address is %s", url)
	}
	if r := h.Begin("shop_test_page0_add", `{}`).Result(); r.FrameURL != Shop+"cart" {
		t.Errorf("the answer is said to come from %q", r.FrameURL)
	}
}

func suiteTitles(_ *testing.T, h *suiteHub) {
	p := h.open(Shop)
	h.Quiet()
	p.title("The shop")
	h.Quiet()
	if tab := h.Pub.Current().Tabs()[0]; tab.Title != "The shop" {
		h.T.Errorf("the title is %q", tab.Title)
	}
}

func suiteCloses(_ *testing.T, h *suiteHub) {
	s := NewSlow()
	p := h.shopWith("wait", s.Execute)
	q := h.open(Third)
	h.Quiet()
	q.register(named("add")...)
	h.Quiet()
	c := h.Begin("shop_test_page0_wait", `{}`)
	p.close()
	c.Fails("was closed")
	h.Want(names.ExtractDomain(Third) + "_page0_add")
}

func suiteCrashes(_ *testing.T, h *suiteHub) {
	p, _, c := h.callUnderWay()
	p.crash()
	if r := c.Result(); !r.IsError {
		h.T.Errorf("the call ended with %s", r.JSON)
	}
	h.Want()
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
		p := h.shopWith("x", Says(c.gives))
		r := h.Begin("shop_test_page0_x", `{}`).Result()
		if !SameJSON(r.JSON, []byte(c.want)) {
			h.T.Errorf("result %d is\n\t%s, want\n\t%s", i, r.JSON, c.want)
		}
		p.close()
		h.Quiet()
	}
	h.shopWith("x", func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("the shop is closed") })
	h.Begin("shop_test_page0_x", `{}`).Fails("the shop is closed")
}

func suiteArguments(_ *testing.T, h *suiteHub) {
	h.shopWith("x", func(_ context.Context, args json.RawMessage) (any, error) { return "got " + string(args), nil })
	h.CallSays("shop_test_page0_x", `{"a":{"b":[1,"x"]}}`, `{"a":{"b":[1,"x"]}}`)
}

func suiteCancels(_ *testing.T, h *suiteHub) {
	_, s, c := h.callUnderWay()
	c.Runs()
	c.Cancel()
	c.Fails("was cancelled")
	h.Quiet()
	wasTold(h.T, s)
}

func suiteTimesOut(_ *testing.T, h *suiteHub) {
	s := NewSlow()
	h.shopWith("wait", s.Execute)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c := h.BeginTool(ctx, h.Tool("shop_test_page0_wait"), `{}`)
	c.Runs()
	fakeclock.Elapse(time.Second)
	c.Fails("did not answer")
	h.Quiet()
	wasTold(h.T, s)
}

// suiteLate: a tool that doesn't listen to its AbortSignal answers after all.
func suiteLate(_ *testing.T, h *suiteHub) {
	answers := make(chan any, 2)
	h.shopWith("wait", func(context.Context, json.RawMessage) (any, error) { return <-answers, nil })
	c := h.Begin("shop_test_page0_wait", `{}`)
	c.Cancel()
	c.Fails("was cancelled")
	second := h.Begin("shop_test_page0_wait", `{}`)
	answers <- "late"
	h.Quiet()
	answers <- "in time"
	h.Quiet()
	if r := second.Result(); r.IsError {
		h.T.Errorf("the second call ended with %s", r.JSON)
	}
}

func suiteUnknown(_ *testing.T, h *suiteHub) {
	_, s, c := h.callUnderWay()
	h.result("not for you")
	h.Quiet()
	c.Runs()
	s.Answers <- "mine"
	c.Says("mine")
}

func suiteNavigatesUnder(_ *testing.T, h *suiteHub) {
	p, _, c := h.callUnderWay()
	p.navigate(Third)
	h.Quiet()
	c.Fails("The page navigated to " + Third)
}

func suiteTakesItselfAway(_ *testing.T, h *suiteHub) {
	s := NewSlow()
	p := h.shopWith("once", s.Execute)
	c := h.Begin("shop_test_page0_once", `{}`)
	p.unregister("once")
	h.Want("shop_test_page0_once")
	s.Answers <- "done"
	c.Says("done")
	h.Want()
}

// What was decided about is what is called: not what its page has made of it since,
// whether clients have been told of that or not.
func suiteChanged(t *testing.T, h *suiteHub) {
	s := NewSlow()
	p := h.shopWith("pay", s.Execute)
	was := h.Tool("shop_test_page0_pay")
	exactly := func() registry.Result {
		return h.Call(t.Context(), was, json.RawMessage(`{}`), CallExtras{Exactly: was.Source()})
	}
	p.register(PageTool{Name: "pay", Description: "Pays twice", Run: s.Execute})
	synctest.Wait()
	WantText(t, exactly(), true, "its page has changed it since it was decided that it may be called")
	h.Quiet()
	WantText(t, exactly(), true, "its page has changed it since")
	if started, _ := s.Counts(); started != 0 {
		t.Errorf("the page was asked %d times", started)
	}
	p.register(PageTool{Name: "pay", Run: Says("paid")}) // the same again
	h.Quiet()
	WantText(t, exactly(), false, "paid")
}

func suiteGone(_ *testing.T, h *suiteHub) {
	p := h.shopWith("add", nil)
	p.register(named("other")...)
	h.Quiet()
	old := h.Tool("shop_test_page0_add")
	p.unregister("add")
	h.Quiet()
	h.BeginTool(context.Background(), old, `{}`).Fails("no longer offers it")
	p.navigate(Third)
	h.Quiet()
	h.BeginTool(context.Background(), old, `{}`).Fails("has navigated to " + Third)
	p.close()
	h.Quiet()
	h.BeginTool(context.Background(), old, `{}`).Fails("its page is gone")
}

func suiteLost(_ *testing.T, h *suiteHub) {
	_, _, c := h.callUnderWay()
	h.lose()
	c.Fails("was lost while")
	h.Want()
	if h.Pub.Current().BrowserStatus() == "" || len(h.Pub.Current().Tabs()) != 0 {
		h.T.Errorf("status %q, tabs %v", h.Pub.Current().BrowserStatus(), h.Pub.Current().Tabs())
	}
}

func suiteRejoins(_ *testing.T, h *suiteHub) {
	p := h.shopWith("add", Says("again"))
	q := h.open(Third)
	h.Quiet()
	q.register(named("list")...)
	h.Quiet()
	old := h.Tool("shop_test_page0_add")
	for range 3 {
		h.lose()
		h.Want()
		p.title("Meanwhile")
		h.rejoin()
		h.Want("shop_test_page0_add", names.ExtractDomain(Third)+"_page1_list")
	}
	if r := h.BeginTool(context.Background(), old, `{}`).Result(); !r.IsError {
		h.T.Errorf("a call by way of the lost connection gives %s", r.JSON)
	}
	h.CallSays("shop_test_page0_add", `{}`, "again")
	if n := len(h.Pub.Current().Tabs()); n != 2 {
		h.T.Errorf("%d tabs", n)
	}
	if s := h.Pub.Current().BrowserStatus(); s != "" {
		h.T.Errorf("the status is %q", s)
	}
}

func suiteStops(_ *testing.T, h *suiteHub) {
	_, s, c := h.callUnderWay()
	h.StopNow()
	c.Fails("The hub is stopping")
	synctest.Wait()
	wasTold(h.T, s)
}

func suiteStorm(_ *testing.T, h *suiteHub) {
	p := h.open(Shop)
	h.Quiet()
	before := h.Pub.Count()
	for i := range 500 {
		p.register(named(fmt.Sprintf("t%d", i%10))...)
		if i%3 == 0 {
			p.unregister(fmt.Sprintf("t%d", (i+5)%10))
		}
	}
	p.unregister("t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9")
	p.register(named("last")...)
	h.Want("shop_test_page0_last")
	if n := h.Pub.Count() - before; n > 5 {
		h.T.Errorf("%d notifications", n)
	}
}

// suiteRecover: the registry has failed, and is told everything again.
func suiteRecover(_ *testing.T, h *suiteHub) {
	p, s, c := h.callUnderWay()
	tab := h.Pub.Current().Tabs()[0].ID
	var once sync.Once
	h.Pub.Also(func([]registry.Effect) { once.Do(func() { panic("a test's panic") }) })
	p.register(named("add")...)
	h.Quiet()
	if h.Log.Count(slog.LevelError, "panicked") != 1 {
		h.T.Fatal("the registry did not fail")
	}
	h.Want("shop_test_page0_add", "shop_test_page0_wait")
	if h.Pub.Current().Tabs()[0].ID != tab || len(h.Pub.Current().Tabs()) != 1 {
		h.T.Errorf("tabs are %+v", h.Pub.Current().Tabs())
	}
	s.Answers <- "unharmed"
	c.Says("unharmed")
}

func suiteDisconnects(_ *testing.T, h *suiteHub) {
	p, _, c := h.callUnderWay()
	page := h.Pub.Current().Tabs()[0].Page
	if err := h.DisconnectPage(context.Background(), page); err != nil {
		h.T.Fatal(err)
	}
	h.Want()
	c.Fails("A client of this hub disconnected the page")
	if tab := h.Pub.Current().Tabs()[0]; tab.Connected() {
		h.T.Error("the page looks connected")
	}
	p.register(named("add")...)
	h.Want()
	if err := h.ConnectPage(context.Background(), page); err != nil {
		h.T.Fatal(err)
	}
	h.Want("shop_test_page0_add", "shop_test_page0_wait")
	if !strings.Contains(string(h.Tool("shop_test_page0_add").Encoded), "shop.test") {
		h.T.Error("the tool lacks its provenance")
	}
}
