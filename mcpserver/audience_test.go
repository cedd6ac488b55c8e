package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// refusals are all requests that can be refused for what there is; %s are
// tools' names.
var refusals = [][2]string{
	{"connect_browser", `{}`}, {"connect_browser", `{"launch":"x"}`},
	{"list_tabs", `{}`}, {"list_tabs", `[]`},
	{"open_tab", `{"url":"https://refused.test/"}`}, {"open_tab", `{"url":"https://proxies.test/"}`}, {"open_tab", `{"url":"file:///x"}`}, {"open_tab", `{}`},
	{"focus_tab", `{"tabId":77}`}, {"focus_tab", `{"tabId":3}`}, {"focus_tab", `{}`},
	{"close_tab", `{"tabId":77}`}, {"close_tab", `{"tabId":3}`},
	{"connect_webmcp", `{"page":77}`}, {"connect_webmcp", `{"page":"x"}`},
	{"disconnect_webmcp", `{"page":77}`},
	{"list_webmcp_tools", `{}`}, {"list_webmcp_tools", `{"page":0}`}, {"list_webmcp_tools", `{"page":77}`},
	{"call_webmcp_tool", `{"name":"nothing"}`}, {"call_webmcp_tool", `{"name":"add"}`}, {"call_webmcp_tool", `{"name":"add","page":0}`},
	{"call_webmcp_tool", `{"name":"webmcp_b_test_page1_search","page":0}`}, {"call_webmcp_tool", `{"name":"search"}`},
	{"add", `{}`}, {"search", `{}`}, {"nothing", `{}`},
	{"webmcp_a_test_page0_add", `{}`}, {"webmcp_b_test_page1_search", `{}`}, {"webmcp_x_page9_y", `{}`},
	{"website_tool_a_test_tab1_add", `{}`}, {"website_tool_a_test_add", `{}`}, {"website_tool_x_tab9_y", `{}`},
}

// offerRefusals likewise, of pages' own servers.
var offerRefusals = [][2]string{
	{"resources/read", `{"uri":"webmcp://a.test/page0/note%3A%2F%2F1"}`}, {"resources/read", `{"uri":"webmcp://x/page7/y"}`},
	{"resources/subscribe", `{"uri":"webmcp://a.test/page0/note%3A%2F%2F1"}`},
	{"prompts/get", `{"name":"webmcp_a_test_page0_add"}`}, {"prompts/get", `{"name":"webmcp_a_test_page0_ask"}`}, {"prompts/get", `{"name":"x"}`},
	{"completion/complete", `{"ref":{"type":"ref/prompt","name":"webmcp_a_test_page0_ask"},"argument":{"name":"n","value":""}}`},
	{"completion/complete", `{"ref":{"type":"ref/resource","uri":"webmcp://a.test/page0/file%3A%2F%2F{path}"},"argument":{"name":"path","value":""}}`},
}

var ownTool = regexp.MustCompile(`\b(connect_browser|list_tabs|open_tab|focus_tab|close_tab|connect_webmcp|disconnect_webmcp|list_webmcp_tools|call_webmcp_tool)\b`)

// audienceHub is a client of some kind, and what becomes of its browser.
type audienceHub struct {
	*offerHub
	browser *tabBrowser
	client  *rawClient
	ends    func(tool string) registry.Result // how calls end; nil for well
	standIn bool
	named   map[string]int // how often texts advised a tool
}

func newAudienceHub(t *testing.T, set func(*Options, *registry.Options)) *audienceHub {
	h := &audienceHub{standIn: strings.Contains(t.Name(), "stand-in"), offerHub: &offerHub{}, browser: &tabBrowser{gen: 10}, named: map[string]int{}}
	h.browser.sites = map[string][]string{"https://a.test/": {"add", "search"}}
	h.hub = newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
		if h.ends != nil {
			return h.ends(c.Tool.Route.Tool)
		}
		return echo(ctx, c)
	}, set, func(o *Options, _ *registry.Options) {
		o.PageServers, o.Browser = h.offerHub, audienceBrowser{h.browser}
		if h.standIn {
			o.Browser, o.Unreachable = h.browser, true
		}
	})
	h.browser.h = h.hub
	h.client = h.connect(true)
	h.client.handshake()
	return h
}

// audienceBrowser is one whose browsers may open no tabs.
type audienceBrowser struct{ *tabBrowser }

func (b audienceBrowser) OpenTab(ctx context.Context, tab registry.NewTab) (registry.PageID, error) {
	if strings.Contains(tab.URL, "proxies") {
		return "", registry.OpensNoTabs{}
	}
	return b.tabBrowser.OpenTab(ctx, tab)
}

// ask sends a request, gives it time, and returns the answer's line.
func (h *audienceHub) ask(line string) string {
	h.client.send(line)
	h.client.t.Helper()
	fakeclock.Elapse(time.Minute)
	for _, l := range h.client.take() {
		if strings.HasPrefix(l, `{"jsonrpc":"2.0","id":1,`) {
			return l
		}
	}
	h.t.Fatalf("%s was not answered", line)
	return ""
}

// check says which tools the answer to a request names that the client isn't shown.
func (h *audienceHub) check(stage, asked, line string) {
	h.t.Helper()
	answer := h.ask(line)
	if !strings.Contains(answer, `"isError":true`) && !strings.Contains(answer, `"error":{`) && !strings.Contains(answer, `"state":`) {
		return
	}
	if strings.Count(answer, "all connect_browser") > 1 {
		h.t.Errorf("%s, %s: connect_browser is advised twice:\n%s", stage, line, answer)
	}
	// The agent itself named what it asked for.
	advised := slices.DeleteFunc(ownTool.FindAllString(answer, -1), func(name string) bool { return name == asked })
	if len(advised) == 0 {
		return
	}
	listed := h.client.list()
	for _, name := range advised {
		h.named[name]++
		if !slices.Contains(listed, name) {
			h.t.Errorf("%s, %s: it is advised to call %s, but it is shown only %q:\n%s", stage, line, name, listed, answer)
		}
		if h.standIn && name == "connect_browser" {
			h.t.Errorf("%s, %s: connect_browser is advised, which helps nobody here:\n%s", stage, line, answer)
		}
	}
}

func (h *audienceHub) checkAll(stage string) {
	h.t.Helper()
	for _, r := range refusals {
		h.check(stage, r[0], callLine("1", r[0], r[1]))
	}
	for _, r := range offerRefusals {
		h.check(stage, "", ask("1", r[0], r[1]))
	}
}

// allEndings are all ways in which a call ends without an answer of its tool.
var allEndings = []func(tool string) registry.Result{
	func(tool string) registry.Result { return registry.EndedByNavigation(tool, "https://a.test/") },
	registry.EndedByFrame, registry.EndedByClose, registry.EndedByCrash, registry.EndedByLoss, registry.EndedByExtension,
	registry.EndedByStop, registry.EndedByRemoval, registry.EndedByFailure, registry.EndedByServer, registry.EndedByCancel, registry.EndedByDisconnect,
	func(tool string) registry.Result { return registry.EndedByTimeout(tool, "late") },
	func(tool string) registry.Result { return registry.NotThere(tool, registry.PageNotConnected) },
	func(tool string) registry.Result { return registry.NotThere(tool, "its frame is gone") },
	func(tool string) registry.Result { return registry.BehindDialog(tool, "alert") },
	func(tool string) registry.Result { return registry.PageFailure(tool, "") },
}

// Whatever is refused, and whoever the client is: the tools that the answer
// names are in the client's own list at that moment.
func TestRefusalsNameListedToolsOnly(t *testing.T) {
	kinds := map[string]func(*Options, *registry.Options){
		"all":             func(o *Options, _ *registry.Options) {},
		"all, on request": func(o *Options, _ *registry.Options) { o.OnRequest = true },
		"all, explicit":   func(o *Options, _ *registry.Options) { o.ExplicitConnect = true },
		"all, unlisted":   func(o *Options, _ *registry.Options) { o.Unlisted = true },
		"mcpb naming":     func(o *Options, r *registry.Options) { o.Naming, r.Naming = offer.MCPBNames, offer.MCPBNames },
		"focus":           func(o *Options, _ *registry.Options) { o.Mode, o.OnRequest = view.FocusedTab, true },
		"focus, explicit": func(o *Options, _ *registry.Options) {
			o.Mode, o.OnRequest, o.ExplicitConnect = view.FocusedTab, true, true
		},
		"focus, unlisted":    func(o *Options, _ *registry.Options) { o.Mode, o.OnRequest, o.Unlisted = view.FocusedTab, true, true },
		"the stand-in":       func(o *Options, _ *registry.Options) { o.OnRequest = true },
		"the stand-in focus": func(o *Options, _ *registry.Options) { o.Mode, o.OnRequest = view.FocusedTab, true },
	}
	advised := map[string]bool{}
	for kind, set := range kinds {
		t.Run(kind, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newAudienceHub(t, set)
				h.browser.none = errors.New("another process has the browser")
				h.change(registry.BrowserChanged{Status: "another process has the browser; stop it"})
				h.checkAll("without a browser")
				h.change(registry.BrowserChanged{Status: registry.NotAsked})
				h.checkAll("nobody has asked for the browser")
				if !h.standIn {
					h.stages()
				}
				for name := range h.named {
					advised[name] = true
				}
			})
		})
	}
	for _, name := range []string{"connect_browser", "connect_webmcp", "list_webmcp_tools", "call_webmcp_tool", "focus_tab", "open_tab", "list_tabs"} {
		if !advised[name] {
			t.Errorf("no text advises %s, so this test shows nothing of it", name)
		}
	}
}

// stages goes through what can become of tabs.
func (h *audienceHub) stages() {
	h.browser.none = nil
	h.change(registry.BrowserChanged{})
	h.checkAll("not yet connected to by the client")
	h.ask(callLine("1", "connect_browser", `{}`))
	h.checkAll("without tabs")
	h.offerHub.page("A", "https://a.test/", "note://1", "file://{path}", "#ask")
	h.change(tools("A", 1, "add", "search"), offered("A", 1, "note://1", "file://{path}", "#ask"))
	h.offerHub.page("B", "https://b.test/")
	h.change(tools("B", 1, "search"))
	h.offerHub.page("C", "https://c.test/")
	h.change(registry.PageChanged{Page: "C", State: "crashed"})
	h.read()
	h.checkAll("no tab is focused")
	h.ask(callLine("1", "focus_tab", `{"tabId":1}`))
	h.read()
	h.checkAll("a tab is focused")
	for i, ends := range allEndings {
		h.ends = ends
		for _, name := range []string{"add", "webmcp_a_test_page0_add", "website_tool_a_test_tab1_add"} {
			h.check(fmt.Sprintf("ending %d", i), "", callLine("1", name, `{}`))
		}
		h.check(fmt.Sprintf("ending %d", i), "call_webmcp_tool", callLine("1", "call_webmcp_tool", `{"name":"add","page":0}`))
	}
	h.ends = nil
	h.answer = func(context.Context, registry.DocumentRef, string, func(json.RawMessage)) (json.RawMessage, error) {
		return nil, registry.PageError{Code: jsonrpc.CodeInternal, Text: "the page could not be asked: " + registry.PageNotConnected}
	}
	h.checkAll("a page that can't be asked")
	h.change(registry.PageChanged{Page: "A", State: registry.NotConnected}, navigated("A", 2, "https://a.test/"))
	h.checkAll("the focused tab is not connected")
	h.change(registry.PageChanged{Page: "A"}, tools("A", 2, "search"))
	h.checkAll("the tab has lost a tool")
	h.SetPageToolsListed(false)
	h.checkAll("page tools are not listed")
	h.SetPageToolsListed(true)
	h.read()
	h.ask(callLine("1", "focus_tab", `{"tabId":2}`))
	h.checkAll("another tab is focused")
	h.change(registry.PageChanged{Page: "B", State: "crashed"})
	h.checkAll("the focused tab crashed")
	h.change(registry.PageClosed{Page: "A"}, registry.PageClosed{Page: "B"}, registry.PageClosed{Page: "C"})
	h.checkAll("all tabs are closed")
	h.change(registry.BrowserChanged{Status: "the connection was lost"})
	h.checkAll("the browser is gone")
	h.change(registry.BrowserChanged{})
	h.offerHub.page("D", "https://a.test/", "note://1", "file://{path}", "#ask")
	h.checkAll("the browser is back, and the client has not connected to it")
	h.read()
	h.checkAll("likewise, and the client has read its lists")
}

// read has the client know all that is listed.
func (h *audienceHub) read() {
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		h.ask(ask("1", method, `{}`))
	}
}
