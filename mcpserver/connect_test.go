package mcpserver

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

const untouched = registry.NotConnected

// newExplicitHub is a hub with two tabs, A and B, that are not connected.
func newExplicitHub(t *testing.T, mode view.Mode) (*hub, *tabBrowser) {
	b := &tabBrowser{gen: 10, sites: map[string][]string{"https://a.test/": {"add", "search"}, "https://b.test/": {"search"}}}
	h := newHub(t, echo, func(o *Options, _ *registry.Options) { o.Mode, o.Browser, o.ExplicitConnect = mode, b, true })
	b.h = h
	for _, id := range []string{"A", "B"} {
		url := "https://" + strings.ToLower(id) + ".test/"
		h.change(open(id, url), navigated(id, 1, url), registry.PageChanged{Page: registry.PageID(id), Title: "Title of " + id, State: untouched})
	}
	fakeclock.Elapse(time.Second)
	return h, b
}

const (
	connectedA = `{"connected":true,"pages":[` + pageA + `]}`
	pageA      = `{"page":0,"tabId":1,"url":"https://a.test/","title":"Title of A","tools":[` +
		`{"name":"webmcp_a_test_page0_add","tool":"add","description":"[WebMCP • a.test • Page 0] does add","inputSchema":{"type":"object","properties":{}}},` +
		`{"name":"webmcp_a_test_page0_search","tool":"search","description":"[WebMCP • a.test • Page 0] does search","inputSchema":{"type":"object","properties":{}}}],"refused":[]}`
	pageB = `{"page":1,"tabId":2,"url":"https://b.test/","title":"Title of B","tools":[` +
		`{"name":"webmcp_b_test_page1_search","tool":"search","description":"[WebMCP • b.test • Page 1] does search","inputSchema":{"type":"object","properties":{}}}],"refused":[]}`
)

func TestExplicitConnect(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := newExplicitHub(t, view.AllTabs)
		c := h.connect(true)
		c.handshake()
		own := withOwn("close_tab", "connect_webmcp", "disconnect_webmcp", "focus_tab", "list_tabs", "open_tab")
		c.wantList(own...)
		if o := c.overviewOf(`{}`); o.Pages[0].State != untouched+" (connect_webmcp connects it)" || len(o.Pages[0].Tools) != 0 {
			t.Errorf("%+v", o)
		}
		c.steps(
			[3]string{"call_webmcp_tool", `{"name":"add"}`, `error: no tool is called add. List the tools again (tools/list or list_webmcp_tools) to see what there is. Some pages are not connected, and offer nothing until connect_webmcp is called for them.`},
			[3]string{"call_webmcp_tool", `{"name":"add","page":0}`, `error: Page 0 (https://a.test/) has no tools now: it is not connected (connect_webmcp connects it).`},
			[3]string{"connect_webmcp", `{"page":0}`, connectedA + ` !`},
		)
		c.wantList(append(own, "webmcp_a_test_page0_add", "webmcp_a_test_page0_search")...)
		c.steps(
			[3]string{"call_webmcp_tool", `{"name":"add"}`, `A/add {}`},
			[3]string{"connect_webmcp", `{"page":0}`, connectedA}, // idempotent
			[3]string{"connect_webmcp", `{"page":7}`, `error: There is no page 7. Open pages: 0 (https://a.test/), 1 (https://b.test/).`},
			[3]string{"connect_webmcp", `{"page":"0"}`, `error: The arguments don't match the tool's schema: /page: expected integer, got string.`},
			[3]string{"connect_webmcp", `{}`, `{"connected":true,"pages":[` + pageA + `,` + pageB + `]} !`}, // all, as none is focused
			[3]string{"webmcp_b_test_page1_search", `{}`, `B/search {}`},                                    // known from the answer
		)
		c.list()
		c.steps(
			[3]string{"disconnect_webmcp", `{"page":0}`, `{"disconnected":true,"pages":[{"page":0,"tabId":1,"url":"https://a.test/"}]} !`},
			[3]string{"webmcp_a_test_page0_add", `{}`, `error: webmcp_a_test_page0_add is gone: its page is not connected (connect_webmcp connects it). List the tools again (tools/list or list_webmcp_tools) to see what there is.`},
			[3]string{"disconnect_webmcp", `{"page":0}`, `{"disconnected":true,"pages":[{"page":0,"tabId":1,"url":"https://a.test/"}]}`},
		)
		c.wantList(append(own, "webmcp_b_test_page1_search")...)
		b.keeps = errors.New("the tab was closed meanwhile")
		c.steps([3]string{"connect_webmcp", `{"page":0}`, `error: Page 0 (https://a.test/) was not connected: the tab was closed meanwhile.`})
		c.steps([3]string{"connect_webmcp", `{}`, `{"connected":true,"pages":[` + pageB + `],"note":"Page 0 (https://a.test/) was not connected: the tab was closed meanwhile."}`})
		b.keeps = nil
		b.none = errors.New("Chrome is gone")
		h.change(registry.BrowserChanged{Status: "Chrome is gone"})
		c.steps([3]string{"connect_webmcp", `{}`, `error: connect_webmcp can't be called now: Chrome is gone.`})
	})
}

func TestExplicitConnectInFocusMode(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := newExplicitHub(t, view.FocusedTab)
		c, other := h.connect(true), h.connect(true)
		c.handshake()
		other.handshake()
		c.wantList("connect_browser")
		c.steps(
			[3]string{"connect_webmcp", `{}`, `error: connect_webmcp can't be called before the browser is connected. Call connect_browser first.`},
			[3]string{"connect_browser", `{}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":2} !`},
		)
		other.steps([3]string{"connect_browser", `{}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":2} !`})
		c.wantList("connect_webmcp", "disconnect_webmcp", "focus_tab", "list_tabs", "open_tab")
		other.list()
		c.steps(
			[3]string{"focus_tab", `{"tabId":1}`, `{"success":true,"tab":{"id":1,"title":"Title of A","url":"https://a.test/"},"toolsAvailable":[]} !`},
			[3]string{"add", `{}`, `error: no tool is called add. The focused tab, tab 1 (https://a.test/), is not connected: call connect_webmcp to use its tools.`},
			// The focused one only, and its tools by the names that the client sees.
			[3]string{"connect_webmcp", `{}`, strings.ReplaceAll(connectedA, "webmcp_a_test_page0_", "") + ` !`},
			[3]string{"add", `{}`, `A/add {}`},
		)
		c.wantList("close_tab", "connect_webmcp", "disconnect_webmcp", "focus_tab", "list_tabs", "open_tab", "add", "search")
		other.expect() // it is focused on nothing
		c.steps(
			[3]string{"list_tabs", `{}`, `{"tabs":[{"id":1,"title":"Title of A","url":"https://a.test/","focused":true,"toolCount":2,"tokens":154},{"id":2,"title":"Title of B","url":"https://b.test/","focused":false,"toolCount":0,"state":"is not connected (connect_webmcp connects it)"}],"focusedTabId":1}`},
			[3]string{"focus_tab", `{"tabId":1,"exclusive":true}`, `{"success":true,"tab":{"id":1,"title":"Title of A","url":"https://a.test/"},"toolsAvailable":["add","search"]}`},
		)
		other.send(callLine("1", "disconnect_webmcp", `{"page":0}`))
		if got := said(t, other.take()[0]); !strings.HasPrefix(got, `error: Tab 1 (https://a.test/) is kept by another client, test (stdio-`) {
			t.Error(got)
		}
		c.steps(
			[3]string{"disconnect_webmcp", `{}`, `{"disconnected":true,"pages":[{"page":0,"tabId":1,"url":"https://a.test/"}]} !`},
			[3]string{"add", `{}`, `error: add is gone: its page is not connected (connect_webmcp connects it). The focused tab, tab 1 (https://a.test/), is not connected: call connect_webmcp to use its tools.`},
			[3]string{"open_tab", `{"url":"https://c.test/","focus":false}`, `{"tab":{"id":3,"title":"Title of new1","url":"https://c.test/"},"focused":false,"toolsAvailable":[]}`},
			[3]string{"close_tab", `{"tabId":1}`, `{"closed":true,"tabId":1} !`},
		)
		h.change(registry.PageClosed{Page: "B"}, registry.PageClosed{Page: "new1"})
		c.expect(listChanged)
		c.steps([3]string{"connect_webmcp", `{}`, `error: connect_webmcp can't be called while no tab is open. Call open_tab first.`})
		c.wantList("list_tabs", "open_tab")
	})
}

// Where pages are connected as they come, the tools are there all the same, and
// in focus mode not in the way.
func TestConnectWithoutExplicit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := newTabHub(t, view.FocusedTab)
		c := h.connect(true)
		c.handshake()
		c.steps([3]string{"connect_browser", `{}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":2} !`})
		c.wantList("focus_tab", "list_tabs", "open_tab")
		c.steps(
			[3]string{"connect_webmcp", `{"page":1}`, `{"connected":true,"pages":[` + pageB + `]}`},
			[3]string{"call_webmcp_tool", `{"name":"search","page":1}`, `B/search {}`},
			[3]string{"disconnect_webmcp", `{"page":1}`, `{"disconnected":true,"pages":[{"page":1,"tabId":2,"url":"https://b.test/"}]}`},
			[3]string{"call_webmcp_tool", `{"name":"search","page":1}`, `error: Page 1 (https://b.test/) has no tools now: it is not connected.`},
		)
		// It has no tools now, which is known only after a while.
		c.send(callLine("2", "connect_webmcp", `{"page":1}`))
		synctest.Wait()
		fakeclock.Elapse(calls.ToolsAppear)
		if got := said(t, c.take()[0]); !strings.HasPrefix(got, `{"connected":true,"pages":[{"page":1,"tabId":2,"url":"https://b.test/","title":"Title of B","tools":[],"refused":[]}],"note":"No tools so far: `) {
			t.Error(got)
		}
	})
}

// A client in focus mode that isn't shown connect_webmcp is not told to call it,
// where another client has disconnected its page.
func TestUnlistedToolsAreNotNamed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := newTabHub(t, view.FocusedTab)
		c, other := h.connect(true), h.connect(true)
		c.handshake()
		other.handshake()
		for _, o := range []*rawClient{c, other} {
			o.steps([3]string{"connect_browser", `{}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":2} !`})
		}
		c.steps([3]string{"focus_tab", `{"tabId":1}`, `{"success":true,"tab":{"id":1,"title":"Title of A","url":"https://a.test/"},"toolsAvailable":["add","search"]} !`})
		c.list()
		other.steps([3]string{"disconnect_webmcp", `{"page":0}`, `{"disconnected":true,"pages":[{"page":0,"tabId":1,"url":"https://a.test/"}]}`})
		c.expect(listChanged)
		for _, call := range [][2]string{{"add", "error: add is gone: its page is not connected. The focused tab"}, {"sub", "error: no tool is called sub. The focused tab"}, {"list_tabs", `{"tabs":[`}} {
			got := c.call(call[0], `{}`)
			if !strings.HasPrefix(got, call[1]) || !strings.Contains(got, "is not connected") || strings.Contains(got, "_webmcp") {
				t.Errorf("%s: %s", call[0], got)
			}
		}
	})
}

// TestConnectSaysWhyThereAreNoTools: connect_webmcp fails for a page without WebMCP and for
// one whose MCP server doesn't answer within 10 s, says of a page that it is still loading after these, and takes
// tools that come within them.
func TestConnectSaysWhyThereAreNoTools(t *testing.T) {
	const none = `{"connected":true,"pages":[{"page":0,"tabId":1,"url":"https://a.test/","title":"","tools":[],"refused":[]}],"note":"No tools so far: `
	const some = `{"connected":true,"pages":[{"page":0,"tabId":1,"url":"https://a.test/","title":"","tools":[{"name":"webmcp_a_test_page0_add",`
	for _, x := range []struct {
		is    registry.Readiness
		later registry.Event // what comes of the page within 5 s
		takes time.Duration
		want  string
	}{
		{"", nil, calls.ToolsAppear, none},
		{registry.StillLoading, nil, calls.PageReady, none},
		{registry.StillLoading, tools("A", 11, "add"), 5*time.Second + calls.ToolsQuiet, some},
		{registry.StillLoading, registry.PageChanged{Page: "A", Readiness: registry.NoWebMCP}, 5*time.Second + calls.ToolsAppear, "error: Page 0 (https://a.test/) has no WebMCP: "},
		{registry.StillLoading, registry.PageChanged{Page: "A", Readiness: registry.Initializing}, calls.PageReady, "error: Page 0 (https://a.test/) has an MCP server that has not answered initialize. "},
		{registry.NoWebMCP, nil, calls.ToolsAppear, "error: Page 0 (https://a.test/) has no WebMCP: it has loaded without document.modelContext "},
		{registry.Initializing, nil, calls.PageReady, "error: Page 0 (https://a.test/) has an MCP server that has not answered initialize. "},
		{registry.Initializing, tools("A", 11, "add"), 5*time.Second + calls.ToolsQuiet, some},
		{registry.Initializing, registry.PageChanged{Page: "A"}, 5*time.Second + calls.ToolsAppear, none},
	} {
		bubble(t, func(t *testing.T) {
			h, b := newExplicitHub(t, view.AllTabs)
			delete(b.sites, "https://a.test/")
			c := h.connect(true)
			c.handshake()
			begun := time.Now()
			c.send(callLine("1", "connect_webmcp", `{"page":0}`))
			synctest.Wait()
			h.change(registry.PageChanged{Page: "A", Readiness: x.is})
			if x.later != nil {
				fakeclock.Elapse(5 * time.Second)
				h.change(x.later)
			}
			fakeclock.Elapse(x.takes - time.Since(begun) - time.Millisecond)
			if got := c.take(); x.later == nil && len(got) > 0 {
				t.Errorf("%s: too early: %s", x.is, got)
			}
			fakeclock.Elapse(time.Millisecond)
			got := said(t, c.take()[0])
			if !strings.HasPrefix(got, x.want) {
				t.Errorf("%s, then %v: got %s\nwant %s", x.is, x.later, got, x.want)
			}
			if is, want := strings.Contains(got, "Page 0 (https://a.test/) is still loading."), x.is == registry.StillLoading && x.later == nil; is != want {
				t.Errorf("%s, then %v: says that it is still loading: %t, want %t: %s", x.is, x.later, is, want, got)
			}
			c.hangUp()
		})
	}
	t.Run("of several pages", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, _ := newExplicitHub(t, view.AllTabs)
			c := h.connect(true)
			c.handshake()
			c.send(callLine("1", "connect_webmcp", `{"page":1}`))
			fakeclock.Elapse(calls.ToolsAppear)
			c.take()
			h.change(registry.PageChanged{Page: "A", Readiness: registry.Initializing})
			c.send(callLine("2", "connect_webmcp", `{}`))
			fakeclock.Elapse(calls.ToolsQuiet)
			if got := c.answer(); !strings.Contains(got, `"connected":true`) || !strings.Contains(got, `"note":"Page 0 (https://a.test/) has an MCP server that has not answered`) {
				t.Error(got)
			}
			c.hangUp()
		})
	})
}
