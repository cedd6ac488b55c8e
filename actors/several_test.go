package actors_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "webmcphub/actors"
	"webmcphub/actors/browser"
	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/extlink/exttest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// severalHub is a hub with two browsers, "a" and "b", whose tabs Chrome gives the same ids.
type severalHub struct {
	*TestHub
	chromes map[string]*cdptest.Browser
	dialers map[string]*ChromeDialer
	pages   map[string]*cdptest.Page
}

// one is a browser of the hub.
func (h *severalHub) one(name string, labels ...string) BrowserOptions {
	if h.chromes[name] == nil {
		h.chromes[name] = cdptest.New()
		h.dialers[name] = &ChromeDialer{Chrome: h.chromes[name]}
	}
	return BrowserOptions{NamedBrowser: registry.NamedBrowser{Name: name, Labels: labels}, ConnectOptions: ConnectOptions{Dialer: h.dialers[name]}, Key: name}
}

// newSeveralHub has a page in each browser, with a tool named after it.
func newSeveralHub(t *testing.T, set ...func(*Options)) *severalHub {
	h := &severalHub{nil, map[string]*cdptest.Browser{}, map[string]*ChromeDialer{}, map[string]*cdptest.Page{}}
	set = append(set, func(o *Options) { o.Browsers = []BrowserOptions{h.one("a", "eu"), h.one("b", "eu", "test")} })
	h.TestHub = NewHub(t, set...)
	t.Cleanup(func() {
		for _, name := range []string{"a", "b", "c"} {
			if d := h.dialers[name]; d != nil {
				d.Close()
				h.StopNow()
				h.chromes[name].Die()
				d.Current().Die()
			}
		}
	})
	for _, name := range []string{"a", "b"} {
		h.pages[name] = h.chromes[name].OpenPage(Shop)
		h.pages[name].Register(Tool("in_" + name))
		h.Quiet()
	}
	return h
}

// tabs are the catalog's, as browser and title.
func (h *severalHub) tabs() (all []string) {
	h.Quiet()
	for _, t := range h.Pub.Current().Tabs() {
		all = append(all, t.Browser+" "+t.URL)
	}
	return all
}

func (h *severalHub) wantTabs(want ...string) {
	h.T.Helper()
	if got := h.tabs(); !slices.Equal(got, want) {
		h.T.Errorf("the tabs are %q, want %q", got, want)
	}
}

// TestSeveralBrowsers: each browser's tabs are in one list, by ids of their own also where
// two browsers give the same, and calls reach the right ones.
func TestSeveralBrowsers(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := newSeveralHub(t)
		if h.pages["a"].ID() != h.pages["b"].ID() {
			t.Fatal("the fakes give different ids, so this shows nothing")
		}
		h.wantTabs("a "+Shop, "b "+Shop)
		h.Want("shop_test_page0_in_a", "shop_test_page1_in_b")
		h.CallSays("shop_test_page0_in_a", `{}`, "ok")
		h.CallSays("shop_test_page1_in_b", `{}`, "ok")
		meta, description := string(h.Tool("shop_test_page1_in_b").Meta), h.Tool("shop_test_page1_in_b").Description
		if !strings.Contains(meta, `"browser":"b"`) || !strings.Contains(description, "Page 1 • b]") {
			t.Errorf("where it comes from is not said: %s, %s", meta, description)
		}
		// An order goes to the browser of its tab.
		for _, tab := range h.Pub.Current().Tabs() {
			if tab.Browser == "b" {
				if err := h.CloseTab(t.Context(), tab.Page); err != nil {
					t.Error(err)
				}
			}
		}
		h.wantTabs("a " + Shop)
		access, err := h.DebugAccess(h.Pub.Current().Tabs()[0].Page)
		if err != nil || access.Target != h.pages["a"].ID() || access.PageOf(access.Target) != h.Pub.Current().Tabs()[0].Page {
			t.Errorf("automation is given %+v, %v", access, err)
		}
	})
}

// TestLossOfOneBrowser takes its own pages only. Who misses a tool is told why, and it
// comes back by itself.
func TestLossOfOneBrowser(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := newSeveralHub(t)
		slow := NewSlow()
		h.pages["a"].Register(slow.Tool("slow"))
		h.Quiet()
		running, seen := h.Begin("shop_test_page0_slow", `{}`), h.Pub.Current()
		notices := h.Pub.Count()
		h.chromes["b"].Disconnect()
		h.wantTabs("a " + Shop)
		h.Want("shop_test_page0_in_a", "shop_test_page0_slow")
		if n := h.Pub.Count() - notices; n != 1 {
			t.Errorf("clients are told %d times", n)
		}
		now := h.Pub.Current()
		if now.BrowserStatus() != "" || !strings.Contains(now.StatusOf("b"), "was lost") || now.StatusOf("a") != "" {
			t.Errorf("the status is %q, that of b %q, that of a %q", now.BrowserStatus(), now.StatusOf("b"), now.StatusOf("a"))
		}
		if _, err := registry.Resolve(seen, now, "webmcp_shop_test_page1_in_b", registry.VisibleTools{}); err == nil || !strings.Contains(err.Error(), "its browser is away") || !strings.Contains(err.Error(), "was lost") {
			t.Errorf("who misses the tool is told %v", err)
		}
		running.Runs()
		slow.Answers <- "unharmed"
		running.Says("unharmed")
		fakeclock.Elapse(browser.FirstBackoff)
		h.wantTabs("a "+Shop, "b "+Shop)
		h.CallSays("shop_test_page1_in_b", `{}`, "ok")
	})
}

// TestOpenTabInABrowser: the tab opens where it should; without a word in the browser of the
// tab beside it, else in the first that is connected.
func TestOpenTabInABrowser(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := newSeveralHub(t)
		open := func(want string, at registry.NewTab) {
			t.Helper()
			at.URL = "http://new.test/"
			page, err := h.OpenTab(t.Context(), at)
			h.Quiet()
			tab := h.Pub.Current().Tab(page)
			if err != nil || tab == nil || tab.Browser != want {
				t.Errorf("%+v opens %s as %+v, %v; want it in %s", at, page, tab, err, want)
			}
		}
		open("a", registry.NewTab{})
		open("b", registry.NewTab{In: []string{"b"}})
		open("b", registry.NewTab{In: []string{"b", "a"}})
		open("b", registry.NewTab{Beside: registry.PageID("b/" + h.pages["b"].ID())})
		open("a", registry.NewTab{Beside: registry.PageID("b/" + h.pages["b"].ID()), In: []string{"a"}})
		h.dialers["a"].FailWith(func(int) error { return errors.New("refused") })
		h.chromes["a"].Disconnect()
		h.Quiet()
		open("b", registry.NewTab{})
		open("b", registry.NewTab{In: []string{"a", "b"}})
		if _, err := h.OpenTab(t.Context(), registry.NewTab{URL: Shop, In: []string{"a"}}); err == nil || !strings.Contains(err.Error(), "the browser a is not connected") {
			t.Errorf("got %v", err)
		}
		h.dialers["a"].FailWith(nil) // one that can be reached is, before it is time for the next try
		open("a", registry.NewTab{In: []string{"a"}})
	})
}

// TestRulesOfOneBrowser hold for its documents alone: what they keep out has no tools there,
// isn't opened there, and automation is told so.
func TestRulesOfOneBrowser(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		rules, err := names.ParseOrigins(nil, []string{"http://shop.test"})
		if err != nil {
			t.Fatal(err)
		}
		h := newSeveralHub(t)
		ruled := h.one("b", "eu")
		ruled.Origins, ruled.Key = rules, "b, ruled"
		h.SetBrowsers([]BrowserOptions{h.one("a", "eu"), ruled})
		h.wantTabs("a "+Shop, "b "+Shop)
		h.Want("shop_test_page0_in_a")
		for _, tab := range h.Pub.Current().Tabs() {
			keptOut := tab.Browser == "b"
			if got := tab.Rules().Refuses(tab.Origin, tab.URL, true); got != keptOut || tab.Address.KeptOut() != keptOut {
				t.Errorf("in %s, %s is kept out: %v, its address: %v", tab.Browser, tab.URL, got, tab.Address.KeptOut())
			}
			if access, err := h.DebugAccess(tab.Page); err != nil || access.Origins.Permits(Shop) == keptOut {
				t.Errorf("automation is told %+v, %v", access.Origins, err)
			}
		}
		in := func(names ...string) (string, error) {
			page, err := h.OpenTab(t.Context(), registry.NewTab{URL: "about:blank", For: Shop, In: names})
			h.Quiet()
			if tab := h.Pub.Current().Tab(page); tab != nil {
				return tab.Browser, err
			}
			return "", err
		}
		if got, err := in("b", "a"); got != "a" || err != nil {
			t.Errorf("the tab was opened in %q, %v", got, err)
		}
		if _, err := in("b"); err == nil || !strings.Contains(err.Error(), "b: http://shop.test is denied") {
			t.Errorf("got %v", err)
		}
		h.SetBrowsers([]BrowserOptions{h.one("a", "eu"), h.one("b", "eu")}) // the rules go
		h.Quiet()
		h.CallSays("shop_test_page2_in_b", `{}`, "ok")
	})
}

// TestRulesOfOneBrowserForRequests: they hold for what its documents ask of the agent, too. One
// without an origin may be a denied site's.
func TestRulesOfOneBrowserForRequests(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		rules, err := names.ParseOrigins(nil, []string{"http://bad.test"})
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var asked []string
		h := newSeveralHub(t, func(o *Options) {
			o.PageRequests = func(_ context.Context, r offer.PageRequest) (json.RawMessage, error) {
				mu.Lock()
				defer mu.Unlock()
				asked = append(asked, string(r.Params)+r.Origin)
				return json.RawMessage(`{}`), nil
			}
		})
		ruled := h.one("b", "eu")
		ruled.Origins, ruled.Key = rules, "b, ruled"
		h.SetBrowsers([]BrowserOptions{h.one("a", "eu"), ruled})
		h.Quiet()
		for _, name := range []string{"a", "b"} {
			for _, address := range []string{"data:text/html,x", Shop} {
				s := h.Serve(h.chromes[name].OpenPage(address).Main(), Tool("own"))
				s.Say(`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"in":"` + name + `"}}`)
				h.Quiet()
				if got := string(s.Last); strings.Contains(got, "the user does not let this site") != (name == "b" && address != Shop) {
					t.Errorf("%s in %s is told %s", address, name, got)
				}
			}
		}
		want := []string{`{"in":"a"}null`, `{"in":"a"}http://shop.test`, `{"in":"b"}http://shop.test`}
		if !slices.Equal(asked, want) {
			t.Errorf("the agent was asked %q, want %q", asked, want)
		}
	})
}

// TestHungDialKeepsNobody: a browser whose endpoint doesn't answer is taken away, and those
// that were named in the same turn are reached, whatever its dialer does.
func TestHungDialKeepsNobody(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := newSeveralHub(t)
		hold := make(chan struct{})
		h.one("c")
		h.chromes["c"].OpenPage("http://c.test/")
		h.dialers["c"].Hold = hold
		h.SetBrowsers([]BrowserOptions{h.one("c"), h.one("b")})
		h.wantTabs("b " + Shop)
		h.SetBrowsers([]BrowserOptions{h.one("a")})
		h.wantTabs("a " + Shop)
		close(hold) // what it brings at last is let go of
		h.Quiet()
		if n, open := len(h.dialers["c"].Attempts()), h.dialers["c"].Open(); n != 1 || open != 0 {
			t.Errorf("c was dialled %d times, and %d connections are open", n, open)
		}
		h.wantTabs("a " + Shop)
	})
}

// lateDialer's connections take until a moment to be closed.
type lateDialer struct {
	Dialer
	until chan struct{}
}

func (d lateDialer) Dial(ctx context.Context) (cdpclient.Wire, error) {
	w, err := d.Dialer.Dial(ctx)
	return lateWire{w, d.until}, err
}

type lateWire struct {
	cdpclient.Wire
	until chan struct{}
}

func (w lateWire) Close() error {
	<-w.until
	return w.Wire.Close()
}

// TestSetBrowsersEndsWithTheHub, though a browser that goes is not gone.
func TestSetBrowsersEndsWithTheHub(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := newSeveralHub(t)
		c, until := h.one("c"), make(chan struct{})
		c.Dialer = lateDialer{c.Dialer, until}
		h.SetBrowsers([]BrowserOptions{c})
		h.wantTabs()
		set := make(chan struct{})
		go func() {
			defer close(set)
			h.SetBrowsers([]BrowserOptions{})
		}()
		fakeclock.Elapse(time.Minute)
		synctest.Wait()
		select {
		case <-set:
			t.Error("it didn't wait, so this shows nothing")
		default:
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if h.Stop(ctx) == nil {
			t.Error("a browser is still there, and the hub has stopped")
		}
		<-set
		close(until)
		h.StopNow()
	})
}

// TestConnectOneOfSeveral: the first that is connected answers; where none is, the first
// that is reached does, and only those that are meant are reached for.
func TestConnectOneOfSeveral(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		lazy := func(o *Options) {
			for i := range o.Browsers {
				o.Browsers[i].Lazy = true
			}
		}
		h := &severalHub{nil, map[string]*cdptest.Browser{}, map[string]*ChromeDialer{}, map[string]*cdptest.Page{}}
		h.TestHub = NewHub(t, func(o *Options) { o.Browsers = []BrowserOptions{h.one("a"), h.one("b")} }, lazy)
		defer func() {
			for _, d := range h.dialers {
				d.Close()
				h.StopNow()
				d.Current().Die()
			}
		}()
		if _, err := h.Connect(t.Context(), false, "b"); err != nil {
			t.Fatal(err)
		}
		if a, b := len(h.dialers["a"].Attempts()), len(h.dialers["b"].Attempts()); a != 0 || b != 1 {
			t.Errorf("a was dialled %d times and b %d times", a, b)
		}
		if _, err := h.Connect(t.Context(), false); err != nil || len(h.dialers["a"].Attempts()) != 0 {
			t.Errorf("a browser is connected: %v, a was dialled %d times", err, len(h.dialers["a"].Attempts()))
		}
		h.dialers["a"].FailWith(func(int) error { return errors.New("refused") })
		if _, err := h.Connect(t.Context(), false, "a"); err == nil || err.Error() != "a: refused" {
			t.Errorf("got %v", err)
		}
		h.chromes["b"].Disconnect()
		h.Quiet()
		if _, err := h.Connect(t.Context(), false); err != nil {
			t.Errorf("b could be reached: %v", err)
		}
		if _, err := h.Connect(t.Context(), false, "nobody"); err == nil {
			t.Error("a browser that isn't there was reached")
		}
		h.chromes["b"].Disconnect()
		h.Quiet()
		h.dialers["b"].FailWith(func(int) error { return errors.New("refused") })
		h.ExtensionsKeptOut("port 8765 is taken")
		h.Quiet()
		const none = "no browser's extension can connect: port 8765 is taken; "
		for want, in := range map[string][]string{
			none + "a: refused\nb: refused":  nil,
			"a: refused":                     {"a", registry.ExtensionBrowser},
			"b: refused":                     {"b"},
			none + "no browser is connected": {registry.ExtensionBrowser},
		} {
			if _, err := h.Connect(t.Context(), false, in...); err == nil || err.Error() != want {
				t.Errorf("of %q it gives %v, want %s", in, err, want)
			}
		}
	})
}

// TestSetBrowsers: what is added is reached, what is taken away goes with its pages, and
// nobody else notices.
func TestSetBrowsers(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := newSeveralHub(t)
		slow := NewSlow()
		h.pages["b"].Register(slow.Tool("slow"))
		h.Quiet()
		running := h.Begin("shop_test_page1_slow", `{}`)
		goes := NewSlow()
		h.pages["a"].Register(goes.Tool("goes"))
		h.Quiet()
		ends := h.Begin("shop_test_page0_goes", `{}`)
		h.one("c")
		h.chromes["c"].OpenPage("http://c.test/")
		h.SetBrowsers([]BrowserOptions{h.one("c"), h.one("b", "other")})
		h.wantTabs("b "+Shop, "c http://c.test/")
		ends.Fails("taken out of the hub's browsers")
		running.Runs()
		slow.Answers <- "unharmed"
		running.Says("unharmed")
		if n := len(h.dialers["b"].Attempts()); n != 1 {
			t.Errorf("b was dialled %d times", n)
		}
		if n := h.dialers["a"].Open(); n != 0 {
			t.Errorf("%d connections to a are open", n)
		}
		named := h.Pub.Current().Browsers()
		if len(named) != 2 || named[0].Name != "c" || !slices.Equal(named[1].Labels, []string{"other"}) {
			t.Errorf("the browsers are %+v", named)
		}
		again := h.one("b")
		again.Key = "elsewhere"
		h.SetBrowsers([]BrowserOptions{again})
		h.wantTabs("b " + Shop)
		if n := len(h.dialers["b"].Attempts()); n != 2 {
			t.Errorf("b is reached by something else, and was dialled %d times", n)
		}
		h.SetBrowsers([]BrowserOptions{})
		h.wantTabs()
		if s := h.Pub.Current().BrowserStatus(); !strings.Contains(s, "there is no browser") {
			t.Errorf("the status is %q", s)
		}
		h.StopNow()
		h.SetBrowsers([]BrowserOptions{h.one("a")}) // too late
		if n := len(h.dialers["a"].Attempts()); n != 1 {
			t.Errorf("a was dialled %d times", n)
		}
	})
}

// TestRegistryFailsWithSeveral: a fresh registry is told of all browsers' pages, of their
// names, and of the extension's.
func TestRegistryFailsWithSeveral(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := newSeveralHub(t, func(o *Options) { o.Extension = true })
		ext := exttest.New("one")
		h.Join(ext)
		ext.OpenTab("http://ext.test/")
		h.Quiet()
		h.chromes["a"].OpenPage("http://second.test/") // told of again before those of b
		h.wantTabs("a "+Shop, "b "+Shop, "extension http://ext.test/", "a http://second.test/")
		before, notices := h.Tools(), h.Pub.Count()
		once := false
		h.Pub.Before(func([]registry.Effect) {
			if !once {
				once = true
				panic("the publisher")
			}
		})
		h.pages["a"].Register(Tool("late"))
		h.wantTabs("a "+Shop, "b "+Shop, "extension http://ext.test/", "a http://second.test/")
		if got := h.Tools(); len(got) != len(before)+1 || h.Pub.Count() == notices {
			t.Errorf("the tools are %q, before they were %q", got, before)
		}
		if names := h.Pub.Current().Browsers(); len(names) != 3 || names[0].Name != "a" || names[0].Status != "" || names[2].Name != registry.ExtensionBrowser {
			t.Errorf("the browsers are %+v", names)
		}
		if _, err := h.OpenTab(context.Background(), registry.NewTab{URL: Shop, In: []string{registry.ExtensionBrowser}}); err != nil {
			t.Error(err)
		}
	})
}

// TestTitlesOfSeveral: the titles of all browsers come, also while one is away.
func TestTitlesOfSeveral(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := newSeveralHub(t)
		titles, err := h.Titles(t.Context())
		if err != nil || len(titles) != 2 {
			t.Errorf("got %v, %v", titles, err)
		}
		h.chromes["a"].Disconnect()
		h.Quiet()
		if titles, err = h.Titles(t.Context()); err != nil || len(titles) != 1 {
			t.Errorf("got %v, %v", titles, err)
		}
	})
}
