package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

// tabBrowser is a Browser that carries out orders on the registry itself.
type tabBrowser struct {
	h      *hub
	none   error // why there is no browser
	opened int
	newest registry.NewTab     // the last that was opened
	sites  map[string][]string // the tools of pages by their address
	active registry.PageID
	stays  bool   // closed tabs don't go
	late   bool   // tools of opened tabs come later
	keeps  error  // why pages can't be connected
	goesTo string // where opened tabs go at once, "" for where they were sent
	gen    int

	arrives func(registry.PageID)              // tells what became of an opened tab; nil for that its page is there
	titles  map[registry.PageID]registry.Title // as tabs show them
	listed  atomic.Int64                       // how often these were asked for
	silent  bool                               // they are not told

	reached    chan error                                      // what Connect waits for, nil for nothing
	asked      int                                             // how often Connect was called
	into       []string                                        // the browsers that were asked for last
	activating func(ctx context.Context, page registry.PageID) // what ActivateTab waits for; may be nil
}

func (b *tabBrowser) Connect(ctx context.Context, launch bool, in ...string) (name, version string, err error) {
	b.h.mu.Lock()
	b.asked, b.into = b.asked+1, in
	b.h.mu.Unlock()
	if b.reached != nil {
		select {
		case err := <-b.reached:
			if err != nil {
				return "", "", err
			}
		case <-ctx.Done():
			return "", "", fmt.Errorf("the browser was not reached in time (%w)", context.Cause(ctx))
		}
	}
	if b.none != nil && !launch {
		return "", "", b.none
	}
	b.h.change(registry.BrowserChanged{})
	return "Chrome", "156.0.1", nil
}

func (b *tabBrowser) OpenTab(_ context.Context, tab registry.NewTab) (registry.PageID, error) {
	url := tab.URL
	if strings.Contains(url, "refused") {
		return "", errors.New("Chrome says no")
	}
	b.h.mu.Lock() // tests look at it meanwhile
	b.opened++
	b.newest = tab
	b.h.mu.Unlock()
	id := fmt.Sprintf("new%d", b.opened)
	b.h.change(open(id, url), navigated(id, 1, cmp.Or(b.goesTo, url)))
	if b.arrives != nil {
		b.arrives(registry.PageID(id))
	} else {
		b.h.change(registry.PageChanged{Page: registry.PageID(id), Title: "Title of " + id, Arrived: true})
	}
	if !b.late {
		b.h.change(tools(id, 1, b.sites[url]...))
	}
	return registry.PageID(id), nil
}

func (b *tabBrowser) ActivateTab(ctx context.Context, page registry.PageID) error {
	if b.activating != nil {
		b.activating(ctx, page)
	}
	b.active = page
	return nil
}

func (b *tabBrowser) ConnectPage(_ context.Context, page registry.PageID) error {
	if b.keeps != nil {
		return b.keeps
	}
	tab := b.h.catalog().Tab(page)
	b.h.change(registry.PageChanged{Page: page, Title: tab.Title})
	if !tab.Connected() {
		b.gen++
		b.h.change(navigated(string(page), b.gen, tab.URL), tools(string(page), b.gen, b.sites[tab.URL]...))
	}
	return nil
}

func (b *tabBrowser) DisconnectPage(_ context.Context, page registry.PageID) error {
	tab := b.h.catalog().Tab(page)
	b.gen++
	b.h.change(registry.PageChanged{Page: page, Title: tab.Title, State: registry.NotConnected}, navigated(string(page), b.gen, tab.URL))
	return nil
}

func (b *tabBrowser) Titles(ctx context.Context) (map[registry.PageID]registry.Title, error) {
	b.listed.Add(1)
	if b.silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return b.titles, nil
}

func (b *tabBrowser) CloseTab(_ context.Context, page registry.PageID) error {
	if !b.stays {
		b.h.change(registry.PageClosed{Page: page})
	}
	return nil
}

// newTabHub is a hub with two tabs, A and B, and a browser that obeys.
func newTabHub(t *testing.T, mode view.Mode) (*hub, *tabBrowser) {
	b := &tabBrowser{sites: map[string][]string{"https://c.test/": {"see", "search"}}}
	b.gen = 10
	h := newHub(t, echo, func(o *Options, _ *registry.Options) { o.Mode, o.Browser = mode, b })
	b.h = h
	h.page("A", "https://a.test/", "add", "search")
	h.page("B", "https://b.test/", "search")
	return h, b
}

// steps are calls with their answers, in the order in which a client sees all
// lines: list_changed is !.
func (c *rawClient) steps(steps ...[3]string) {
	c.t.Helper()
	for _, s := range steps {
		name, args, want := s[0], s[1], s[2]
		c.send(callLine("1", name, args))
		lines := c.take()
		fakeclock.Elapse(calls.ToolsQuiet)
		var got []string
		for _, l := range append(lines, c.take()...) {
			if l == listChanged {
				got = append(got, "!")
				continue
			}
			got = append(got, said(c.t, l))
		}
		if g := strings.Join(got, " "); g != want {
			c.t.Errorf("%s %s:\n got %s\nwant %s", name, args, g, want)
		}
	}
}

func (c *rawClient) wantList(names ...string) {
	c.t.Helper()
	if got := c.list(); !slices.Equal(got, names) {
		c.t.Errorf("the list is %q, want %q", got, names)
	}
}

func TestFocusMode(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := newTabHub(t, view.FocusedTab)
		c := h.connect(true)
		c.handshake()
		c.wantList("connect_browser")
		c.steps(
			[3]string{"list_tabs", `{}`, `error: list_tabs can't be called before the browser is connected. Call connect_browser first.`},
			[3]string{"connect_browser", `{}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":2} !`},
		)
		c.wantList("focus_tab", "list_tabs", "open_tab")
		c.steps(
			[3]string{"add", `{}`, `error: no tool is called add. No tab is focused: call list_tabs to see the tabs, then focus_tab.`},
			[3]string{"focus_tab", `{"tabId":1}`, `{"success":true,"tab":{"id":1,"title":"Title of A","url":"https://a.test/"},"toolsAvailable":["add","search"]} !`},
			[3]string{"search", `{"q":1}`, `A/search {"q":1}`}, // known from the answer, though the list wasn't read
		)
		if b.active != "A" {
			t.Errorf("tab %q is at the front", b.active)
		}
		c.wantList("close_tab", "focus_tab", "list_tabs", "open_tab", "add", "search")
		c.steps(
			[3]string{"focus_tab", `{"tabId":1}`, `{"success":true,"tab":{"id":1,"title":"Title of A","url":"https://a.test/"},"toolsAvailable":["add","search"]}`},
			[3]string{"focus_tab", `{"tabId":2}`, `{"success":true,"tab":{"id":2,"title":"Title of B","url":"https://b.test/"},"toolsAvailable":["search"]} !`},
			[3]string{"search", `{}`, `B/search {}`},
			[3]string{"focus_tab", `{"tabId":9}`, `error: There is no tab 9; if there was one, it was closed. Open tabs: 1 (https://a.test/), 2 (https://b.test/). Call list_tabs for what they show.`},
			[3]string{"focus_tab", `{}`, `error: The arguments don't match the tool's schema: /tabId: is required but missing.`},
			[3]string{"open_tab", `{"url":"https://c.test/","focus":false}`, `{"tab":{"id":3,"title":"Title of new1","url":"https://c.test/"},"focused":false,"toolsAvailable":[]}`},
		)
		if !reflect.DeepEqual(b.newest, registry.NewTab{URL: "https://c.test/", Beside: "B", Background: true}) {
			t.Errorf("the browser was told %+v", b.newest)
		}
		c.steps(
			[3]string{"open_tab", `{"url":"https://c.test/"}`, `{"tab":{"id":4,"title":"Title of new2","url":"https://c.test/"},"focused":true,"toolsAvailable":["search","see"]} !`},
		)
		if !reflect.DeepEqual(b.newest, registry.NewTab{URL: "https://c.test/", Beside: "B"}) {
			t.Errorf("the browser was told %+v", b.newest)
		}
		c.steps(
			[3]string{"see", `{}`, `new2/see {}`},
			[3]string{"close_tab", `{"tabId":3}`, `{"closed":true,"tabId":3}`},
			[3]string{"close_tab", `{}`, `{"closed":true,"tabId":4} !`},
			[3]string{"list_tabs", `{}`, `{"tabs":[{"id":1,"title":"Title of A","url":"https://a.test/","focused":false,"toolCount":2,"tokens":154},{"id":2,"title":"Title of B","url":"https://b.test/","focused":false,"toolCount":1,"tokens":77}],"focusedTabId":null}`},
			[3]string{"open_tab", `{"url":"file:///etc/passwd"}`, `error: open_tab opens http and https addresses only, not file: — other schemes lead to this computer's files, to the browser's own pages, or to code instead of to a web page.`},
			[3]string{"open_tab", `{"url":"https://refused.test/"}`, `error: The tab was not opened: Chrome says no.`},
		)
	})
}

func TestFocusModeFollowsTheBrowser(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := newTabHub(t, view.FocusedTab)
		c := h.connect(true)
		c.handshake()
		c.steps([3]string{"connect_browser", `{}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":2} !`})
		told := func(what string, want int, events ...registry.Event) {
			t.Helper()
			h.change(events...)
			if got := c.take(); len(got) != want || want == 1 && got[0] != listChanged {
				t.Errorf("%s: told %q", what, got)
			}
			c.list()
		}
		told("no tab is focused, so tools don't matter", 0, tools("A", 1, "add", "search", "more"))
		c.steps([3]string{"focus_tab", `{"tabId":1}`, `{"success":true,"tab":{"id":1,"title":"Title of A","url":"https://a.test/"},"toolsAvailable":["add","more","search"]} !`})
		c.list()
		told("a tool goes", 1, tools("A", 1, "add", "search"))
		told("another tab's tool goes", 0, tools("B", 1))
		told("a tab is opened", 0, open("D", "https://d.test/"))
		told("a title changes", 0, registry.PageChanged{Page: "A", URL: "https://a.test/", Title: "Other"})
		told("the page navigates, and has no tools yet", 1, navigated("A", 2, "https://a.test/next"))
		told("its tools come", 1, tools("A", 2, "pay"))
		told("the user closes it", 1, registry.PageClosed{Page: "A"})
		c.wantList("focus_tab", "list_tabs", "open_tab")
		told("the browser is lost", 1, registry.BrowserChanged{Status: "it was closed"})
		c.wantList("connect_browser")
		c.steps([3]string{"open_tab", `{"url":"https://c.test/"}`, `error: open_tab can't be called now: it was closed. Call connect_browser first.`})
		told("the browser is back, but nobody asked for it", 0, registry.BrowserChanged{})
		c.wantList("connect_browser")
	})
}

func TestConnectBrowserWithoutBrowser(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := newTabHub(t, view.FocusedTab)
		b.none = errors.New("no browser listens at http://127.0.0.1:9222")
		h.change(registry.BrowserChanged{Status: "not connected"})
		c := h.connect(true)
		c.handshake()
		c.steps(
			[3]string{"connect_browser", `{}`, `error: {"connected":false,"error":"No browser found","instructions":"No browser listens at http://127.0.0.1:9222. Please open Chrome with remote debugging enabled (chrome://inspect/#remote-debugging), or call with launch=true. Started with --extension, this server also finds a Chrome with the WebMCP Hub extension."}`},
			[3]string{"connect_browser", `{"launch":true}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":2} !`},
		)
	})
}

func TestEveryClientHasItsOwnFocus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := newTabHub(t, view.FocusedTab)
		a, b := h.connect(true), h.connect(true)
		for _, c := range []*rawClient{a, b} {
			c.handshake()
			c.steps([3]string{"connect_browser", `{}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":2} !`})
		}
		a.steps([3]string{"focus_tab", `{"tabId":1}`, `{"success":true,"tab":{"id":1,"title":"Title of A","url":"https://a.test/"},"toolsAvailable":["add","search"]} !`})
		b.steps([3]string{"focus_tab", `{"tabId":2}`, `{"success":true,"tab":{"id":2,"title":"Title of B","url":"https://b.test/"},"toolsAvailable":["search"]} !`})
		a.steps([3]string{"search", `{}`, `A/search {}`})
		b.steps([3]string{"search", `{}`, `B/search {}`})
		a.list()
		b.list()
		h.change(tools("A", 1, "new"))
		a.expect(listChanged)
		b.expect()
		a.steps([3]string{"close_tab", `{"tabId":2}`, `{"closed":true,"tabId":2}`})
		b.expect(listChanged)
	})
}

// TestCancelledOpenTab: a tab whose client cancels open_tab while it waits for tools is closed again.
func TestCancelledOpenTab(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := newTabHub(t, view.AllTabs)
		b.late = true
		c := h.connect(true)
		c.handshake()
		c.send(callLine("2", "open_tab", `{"url":"https://d.test/"}`))
		synctest.Wait()
		if h.current.Catalog().Tab("new1") == nil {
			t.Fatal("the tab is not there yet")
		}
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		synctest.Wait()
		fakeclock.Elapse(calls.TabAppears)
		if h.current.Catalog().Tab("new1") != nil {
			t.Error("the tab was left open")
		}
		c.take()
		c.hangUp()
	})
}

// What takes time: tools that come late, and a tab that doesn't close.
func TestTabToolsWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := newTabHub(t, view.FocusedTab)
		b.late = true
		c := h.connect(true)
		c.handshake()
		c.steps([3]string{"connect_browser", `{}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":2} !`})
		c.steps([3]string{"open_tab", `{"url":"https://c.test/"}`, ``}) // it waits for tools, and so does list_changed
		h.change(tools("new1", 1, "look"))
		synctest.Wait()
		fakeclock.Elapse(calls.ToolsQuiet / 2)
		h.change(tools("new1", 1, "look", "see"))
		synctest.Wait()
		fakeclock.Elapse(calls.ToolsQuiet)
		synctest.Wait()
		c.steps([3]string{"list_tabs", `{}`, `{"tab":{"id":3,"title":"Title of new1","url":"https://c.test/"},"focused":true,"toolsAvailable":["look","see"]} ! ` +
			`{"tabs":[{"id":1,"title":"Title of A","url":"https://a.test/","focused":false,"toolCount":2,"tokens":154},{"id":2,"title":"Title of B","url":"https://b.test/","focused":false,"toolCount":1,"tokens":77},{"id":3,"title":"Title of new1","url":"https://c.test/","focused":true,"toolCount":2,"tokens":154}],"focusedTabId":3}`})
		begin := time.Now()
		c.send(callLine("2", "open_tab", `{"url":"https://d.test/"}`))
		synctest.Wait()
		fakeclock.Elapse(calls.ToolsAppear)
		if got := c.take(); len(got) != 2 || !strings.Contains(got[0], `toolsAvailable`) || got[1] != listChanged {
			t.Errorf("after %v: %q", time.Since(begin), got)
		}
		b.stays = true
		c.send(callLine("3", "close_tab", `{}`))
		synctest.Wait()
		fakeclock.Elapse(calls.TabAppears)
		if got := c.take(); len(got) != 1 || !strings.Contains(said(t, got[0]), "error: The browser was told to close the tab but has not done so yet") {
			t.Errorf("%q", got)
		}
	})
}

func TestTabToolsInAllMode(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := newTabHub(t, view.AllTabs)
		c := h.connect(true)
		c.handshake()
		all := withOwn("close_tab", "connect_webmcp", "disconnect_webmcp", "focus_tab", "list_tabs", "open_tab", "webmcp_a_test_page0_add", "webmcp_a_test_page0_search", "webmcp_b_test_page1_search")
		c.wantList(all...)
		c.steps(
			[3]string{"close_tab", `{}`, `error: No tab is focused, so which to close isn't known. Give tabId (list_tabs tells the ids), or call focus_tab first.`},
			[3]string{"focus_tab", `{"tabId":2}`, `{"success":true,"tab":{"id":2,"title":"Title of B","url":"https://b.test/"},"toolsAvailable":["webmcp_b_test_page1_search"]}`},
			[3]string{"open_tab", `{"url":"https://c.test/"}`, `{"tab":{"id":3,"title":"Title of new1","url":"https://c.test/"},"focused":true,"toolsAvailable":["webmcp_c_test_page2_see","webmcp_c_test_page2_search"]} !`},
			[3]string{"close_tab", `{}`, `{"closed":true,"tabId":3} !`},
			[3]string{"connect_browser", `{}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":2}`},
		)
		c.wantList(all...)
	})
}
