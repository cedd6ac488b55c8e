package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// A focusClient is a client of a hub in focus mode that counts what it is told:
// list_changed must come exactly when its list is another one.
type focusClient struct{ *rawHub }

func startFocus(t *testing.T, flags ...string) focusClient {
	t.Helper()
	h := focusClient{startRaw(t, append([]string{"--mode=focus"}, flags...)...)}
	h.initialize()
	return h
}

// do calls a tool and gives its text.
func (h focusClient) do(name string, args map[string]any) (text string, failed bool) {
	h.t.Helper()
	if args == nil {
		args = map[string]any{}
	}
	m := h.ask("tools/call", map[string]any{"name": name, "arguments": args})
	var r struct {
		IsError bool
		Content []struct{ Text string }
	}
	if m.Error != nil {
		return m.Error.Message, true
	}
	if err := json.Unmarshal(m.Result, &r); err != nil || len(r.Content) == 0 {
		h.t.Fatalf("%s: %s", name, m.Result)
	}
	return r.Content[0].Text, r.IsError
}

func (h focusClient) does(name string, args map[string]any, says string) string {
	h.t.Helper()
	text, failed := h.do(name, args)
	if failed || !strings.Contains(text, says) {
		h.t.Fatalf("%s %v: %s; want %s", name, args, text, says)
	}
	return text
}

func (h focusClient) refuses(name string, args map[string]any, says string) {
	h.t.Helper()
	if text, failed := h.do(name, args); !failed || !strings.Contains(strings.ToLower(text), strings.ToLower(says)) {
		h.t.Errorf("%s %v: %s; want the error %s", name, args, text, says)
	}
}

func (h focusClient) names() (names []string) {
	h.t.Helper()
	var r struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(h.ask("tools/list", nil).Result, &r); err != nil {
		h.t.Fatal(err)
	}
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

// told waits until the list is as wanted, by as many list_changed as there must
// be, or by none.
func (h focusClient) told(seen, changes int, names ...string) {
	h.t.Helper()
	for h.changes < seen+changes {
		h.read()
	}
	h.ask("ping", nil)
	if got := h.names(); !slices.Equal(got, names) {
		h.t.Errorf("the list is %q, want %q", got, names)
	}
	if got := h.changes - seen; got != changes {
		h.t.Errorf("told %d times, want %d", got, changes)
	}
}

// becomes waits for the list, however often it is told.
func (h focusClient) becomes(names ...string) {
	h.t.Helper()
	for {
		seen := h.changes
		if slices.Equal(h.names(), names) {
			return
		}
		for h.changes == seen {
			h.read()
		}
	}
}

// opens opens a tab, whose tools make the list these names, and returns how many changes of the list had been told
// before. On a busy machine a page's tools can take longer to come than the 2 s that open_tab waits; then it is opened
// again, up to five times.
func (h focusClient) opens(url string, names []string, want string) (seen int) {
	h.t.Helper()
	before := h.names()
	for try := 1; ; try++ {
		seen = h.changes
		began := time.Now()
		said, failed := h.do("open_tab", map[string]any{"url": url})
		if !failed && strings.Contains(said, want) {
			return seen
		}
		if took := time.Since(began); failed || try == 5 || took < 2*time.Second || !strings.Contains(said, "still loading") && !strings.Contains(said, `"toolsAvailable":[]`) {
			h.t.Fatalf("after %v open_tab %s: %s; want %s", took, url, said, want)
		}
		h.becomes(names...)
		h.does("close_tab", nil, `"closed":true`)
		h.becomes(before...)
	}
}

// tabID finds a tab by the end of its address.
func (h focusClient) tabID(page string) int {
	h.t.Helper()
	var id int
	poll(h.t, page+" is not among the tabs", func() bool {
		tabs, _ := h.do("list_tabs", nil)
		found := regexp.MustCompile(`"id":(\d+),"title":"[^"]*","url":"[^"]*` + regexp.QuoteMeta(page)).FindStringSubmatch(tabs)
		if found != nil {
			id = number(found[1])
		}
		return found != nil
	})
	return id
}

// offers waits until pages offer these tools, whether the client sees them or not.
func (h focusClient) offers(tools ...string) {
	h.t.Helper()
	for _, tool := range tools {
		poll(h.t, "no page offers "+tool, func() bool {
			said, _ := h.do("list_webmcp_tools", nil)
			return strings.Contains(said, `"tool":"`+tool+`"`)
		})
	}
}

var (
	notConnected = []string{"connect_browser"}
	noTabs       = []string{"list_tabs", "open_tab"}
	noneFocused  = []string{"focus_tab", "list_tabs", "open_tab"}
	shopFocused  = []string{"close_tab", "focus_tab", "list_tabs", "open_tab", "add_to_cart", "search"}
	dynFocused   = []string{"close_tab", "focus_tab", "list_tabs", "open_tab", "first", "unlock"}
)

// TestFocusMode goes through the states, from connect_browser to close_tab.
func TestFocusMode(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := startFocus(t, "--browser-url", c.browserURL())
	h.told(0, 0, notConnected...)
	h.refuses("open_tab", map[string]any{"url": pages.url("shop.html")}, "Call connect_browser first")
	h.refuses("list_tabs", nil, "Call connect_browser first")
	h.does("connect_browser", nil, `"connected":true,"browser":{"name":"Chrome"`)
	h.told(0, 1, noTabs...)
	h.does("connect_browser", nil, `"connected":true`) // changes nothing
	h.refuses("focus_tab", map[string]any{"tabId": 1}, "no tab is open")
	h.refuses("close_tab", nil, "no tab is open")

	seen := h.opens(pages.url("shop.html"), shopFocused, `"toolsAvailable":["add_to_cart","search"]`)
	h.told(seen, 1, shopFocused...)
	h.does("search", map[string]any{"q": "it"}, "found it")

	seen = h.changes
	h.does("open_tab", map[string]any{"url": pages.url("dynamic.html"), "focus": false}, `"focused":false,"toolsAvailable":[]`)
	dyn, shop := h.tabID("dynamic.html"), h.tabID("shop.html")
	h.offers("unlock")
	h.refuses("open_tab", map[string]any{"url": "not a url"}, "is not a whole URL")
	h.refuses("focus_tab", map[string]any{"tabId": 4711}, "there is no tab 4711")
	h.told(seen, 0, shopFocused...)

	h.does("focus_tab", map[string]any{"tabId": dyn}, `"success":true`)
	h.told(seen, 1, dynFocused...)
	h.refuses("search", map[string]any{"q": "it"}, fmt.Sprintf("search was not called: it is a tool of tab %d", shop))
	h.does("call_webmcp_tool", map[string]any{"name": "search", "arguments": map[string]any{"q": "me"}}, "found me")
	h.does("call_webmcp_tool", map[string]any{"name": "search", "page": 0, "arguments": map[string]any{"q": "me"}}, "found me")
	h.does("list_webmcp_tools", map[string]any{"page": 0}, "add-to-cart")

	seen = h.changes
	h.does("close_tab", map[string]any{"tabId": shop}, `"closed":true`)
	h.told(seen, 0, dynFocused...)
	h.does("close_tab", nil, `"closed":true`)
	h.told(seen, 1, noTabs...)
}

// TestFocusModeEdges is the specification's table of edge cases, as far as a
// browser does them.
func TestFocusModeEdges(t *testing.T) {
	t.Parallel()
	c := ownChrome(t)
	h := startFocus(t, "--browser-url", c.browserURL())
	shop, dyn := c.open(t, pages.url("shop.html")), c.open(t, pages.url("dynamic.html"))
	h.does("connect_browser", nil, `"tabCount":2`)
	h.told(0, 1, noneFocused...)
	focus := func(page string, becomes ...string) {
		t.Helper()
		h.does("focus_tab", map[string]any{"tabId": h.tabID(page)}, `"success":true`)
		h.becomes(becomes...)
	}

	focus("dynamic.html", dynFocused...)
	seen := h.changes
	dyn.eval(`add('late')`)
	h.told(seen, 1, append(slices.Clone(dynFocused[:4]), "first", "late", "unlock")...)
	shop.reload() // another tab
	extra := c.open(t, pages.url("plain.html"))
	h.tabID("plain.html")
	seen = h.changes
	h.told(seen, 0, append(slices.Clone(dynFocused[:4]), "first", "late", "unlock")...)

	// Page navigates (same tab).
	dyn.navigate(pages.url("shop.html?2"))
	h.becomes(shopFocused...)
	h.does("search", map[string]any{"q": "it"}, "found it")
	h.refuses("first", nil, "first is gone: its page navigated to "+pages.url("shop.html?2"))

	// User closes focused tab in browser.
	seen = h.changes
	dyn.close()
	h.told(seen, 1, noneFocused...)
	h.refuses("search", map[string]any{"q": "it"}, "no tab is focused")
	h.refuses("close_tab", nil, "no tab is focused")

	// Tab crashes.
	focus("shop.html", shopFocused...)
	seen = h.changes
	shop.crash()
	h.told(seen, 1, noneFocused...)
	if tabs, _ := h.do("list_tabs", nil); strings.Contains(tabs, "shop.html") {
		t.Errorf("a crashed tab is listed: %s", tabs)
	}
	extra.close()
	h.becomes(noTabs...)

	// The browser is killed while a tab is focused.
	c.open(t, pages.url("shop.html?3"))
	focus("shop.html?3", shopFocused...)
	seen = h.changes
	c.kill()
	h.told(seen, 1, notConnected...)
	h.refuses("list_tabs", nil, "Call connect_browser first")
	h.refuses("search", map[string]any{"q": "it"}, "connect_browser")
	if text, failed := h.do("connect_browser", nil); !failed || !strings.Contains(text, `"connected":false,"error":"No browser found"`) {
		t.Errorf("connect_browser without a browser: %s", text)
	}
}

// TestFollowUserFocus: the focus goes with the user, not with what the hub does.
func TestFollowUserFocus(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := startFocus(t, "--follow-user-focus", "--browser-url", c.browserURL())
	shop, dyn := c.open(t, pages.url("shop.html")), c.open(t, pages.url("dynamic.html"))
	show := func(p *tab) { p.browser("Target.activateTarget", map[string]any{"targetId": p.target}, nil) }
	h.does("connect_browser", nil, `"tabCount":2`)
	h.tabID("dynamic.html")
	h.offers("unlock", "search")
	h.told(0, 1, noneFocused...)
	show(shop)
	h.becomes(shopFocused...)
	show(dyn)
	h.becomes(dynFocused...)
	dyn.reload()
	h.becomes(dynFocused...)

	// What the hub itself does is no switch of the user's.
	h.does("open_tab", map[string]any{"url": pages.url("plain.html"), "focus": false}, `"focused":false`)
	plain := h.tabID("plain.html")
	h.becomes(dynFocused...)
	h.does("close_tab", map[string]any{"tabId": plain}, `"closed":true`)
	h.becomes(dynFocused...)
	show(shop)
	h.becomes(shopFocused...)
}

// TestTabsInTheBackground: open_tab with focus false leaves the tab in front there.
func TestTabsInTheBackground(t *testing.T) {
	t.Parallel()
	everyWay(t, false, nil, func(t *testing.T, h *hub, c *chrome) {
		front := c.open(t, pages.url("plain.html"))
		var tabs struct{ Tabs []struct{ ID int } }
		poll(t, "the tab is not listed", func() bool {
			text := textOf(h.call("list_tabs", nil))
			return strings.Contains(text, "plain.html") && json.Unmarshal([]byte(text), &tabs) == nil
		})
		if got := h.call("focus_tab", map[string]any{"tabId": tabs.Tabs[len(tabs.Tabs)-1].ID}); got.IsError {
			t.Fatal(textOf(got))
		}
		shown := func() string { return string(front.eval(`document.visibilityState`)) }
		poll(t, "the tab is not in front", func() bool { return shown() == `"visible"` })
		for _, background := range []bool{true, false} {
			got := h.call("open_tab", map[string]any{"url": pages.url("dynamic.html"), "focus": !background})
			if got.IsError {
				t.Fatal(textOf(got))
			}
			if want := `"hidden"`; background {
				if got := shown(); got != `"visible"` {
					t.Errorf("the tab in front is %s", got)
				}
			} else {
				poll(t, "the new tab is not in front", func() bool { return shown() == want })
			}
		}
	})
}

// TestExplicitConnect: nothing is attached to a page before connect_webmcp, and
// disconnect_webmcp lets go of it, in both modes.
func TestExplicitConnect(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"all", "focus"} {
		t.Run(mode, func(t *testing.T) {
			c := nativeChrome(t)
			h := focusClient{startRaw(t, "--explicit-connect", "--mode", mode, "--browser-url", c.browserURL())}
			h.initialize()
			var created struct{ TargetID string }
			if err := c.withPatience("", "Target.createTarget", map[string]any{"url": pages.url("shop.html")}, &created); err != nil {
				t.Fatal(err)
			}
			attached := func() (is bool) {
				var r struct{ TargetInfo struct{ Attached bool } }
				if err := c.withPatience("", "Target.getTargetInfo", map[string]any{"targetId": created.TargetID}, &r); err != nil {
					t.Fatal(err)
				}
				return r.TargetInfo.Attached
			}
			if mode == "focus" {
				h.does("connect_browser", nil, `"connected":true`)
				h.does("focus_tab", map[string]any{"tabId": h.tabID("shop.html")}, `"toolsAvailable":[]`)
				h.becomes("close_tab", "connect_webmcp", "disconnect_webmcp", "focus_tab", "list_tabs", "open_tab")
			}
			poll(t, "the page is not listed", func() bool {
				said, _ := h.do("list_webmcp_tools", nil)
				return strings.Contains(said, "shop.html") && strings.Contains(said, `"state":"is not connected`)
			})
			if attached() {
				t.Error("the hub is attached to the page")
			}
			for range 2 {
				said := h.does("connect_webmcp", nil, `"connected":true`)
				if !strings.Contains(said, `"tool":"search"`) {
					t.Errorf("connect_webmcp doesn't say what tools there are: %s", said)
				}
				if !attached() {
					t.Error("the hub is not attached to the page")
				}
				h.does("call_webmcp_tool", map[string]any{"name": "search", "page": 0, "arguments": map[string]any{"q": "it"}}, "found it")
				name := toolName("0", "search")
				if mode == "focus" {
					name = "search"
				}
				h.does(name, map[string]any{"q": "it"}, "found it")
				h.does("disconnect_webmcp", map[string]any{"page": 0}, `"disconnected":true`)
				poll(t, "the hub is still attached to the page", func() bool { return !attached() })
				h.refuses(name, map[string]any{"q": "it"}, "is not connected")
				h.refuses("call_webmcp_tool", map[string]any{"name": "search", "page": 0}, "is not connected")
			}
		})
	}
}
