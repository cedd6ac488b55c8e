package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// browserTools are those that --automation lists, sorted.
var browserTools = strings.Fields(`click close_page drag emulate evaluate_script fill fill_form get_console_message get_network_request handle_dialog hover
	list_console_messages list_network_requests list_pages navigate_page new_page performance_analyze_insight performance_start_trace
	performance_stop_trace press_key resize_page select_page take_screenshot take_snapshot upload_file wait_for`)

// automate starts a hub with browser tools on a Chromium, and a client.
func automate(t *testing.T, c *chrome, flags ...string) focusClient {
	t.Helper()
	h := focusClient{startRaw(t, append([]string{"--browser-url", c.browserURL()}, flags...)...)}
	h.initialize()
	return h
}

// pageID finds a page by the end of its address.
func (h focusClient) pageID(address string) int {
	h.t.Helper()
	var id int
	poll(h.t, address+" is not among the pages", func() bool {
		list, _ := h.do("list_pages", nil)
		found := regexp.MustCompile(`(?m)^(\d+): .*` + regexp.QuoteMeta(address)).FindStringSubmatch(list)
		if found != nil {
			id = number(found[1])
		}
		return found != nil
	})
	return id
}

func TestAutomationLists(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	c.open(t, pages.url("plain.html"))
	tabTools := []string{"open_tab", "list_tabs", "close_tab", "focus_tab"}
	pageTools := []string{"list_pages", "new_page", "close_page", "select_page"}
	webmcp := []string{"call_webmcp_tool", "list_webmcp_tools"}
	for _, row := range []struct {
		flags       []string
		has, hasNot []string
	}{
		{nil, slices.Concat(tabTools, webmcp), browserTools},
		{[]string{"--automation"}, slices.Concat(browserTools, webmcp), tabTools},
		{[]string{"--automation=input,navigation"}, []string{"click", "fill", "wait_for", "list_pages"}, []string{"take_snapshot", "emulate", "performance_start_trace", "list_network_requests"}},
		{[]string{"--automation=debugging"}, []string{"take_snapshot", "open_tab", "list_tabs"}, []string{"click", "list_pages"}},
		{[]string{"--automation", "--mode=focus"}, []string{"open_tab", "list_tabs", "close_tab", "focus_tab", "take_snapshot", "click"}, pageTools},
	} {
		t.Run(strings.Join(row.flags, " "), func(t *testing.T) {
			h := automate(t, c, append(row.flags, "--no-share")...)
			if slices.Contains(row.flags, "--mode=focus") {
				h.does("connect_browser", nil, `"connected":true`)
				h.does("focus_tab", map[string]any{"tabId": h.tabID("plain.html")}, "plain.html")
			}
			names := h.names()
			for _, name := range row.has {
				if !slices.Contains(names, name) {
					t.Errorf("%s is not listed: %q", name, names)
				}
			}
			for _, name := range row.hasNot {
				if slices.Contains(names, name) {
					t.Errorf("%s is listed", name)
				}
			}
		})
	}
}

func TestAutomationFlagsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		flags []string
		says  string
	}{
		{[]string{"--automation", "--naming=mcpb"}, "--automation and --naming=mcpb exclude each other"},
		{[]string{"--automation=input,mouse"}, `"mouse" is no category of browser tools; there are input, navigation, emulation, performance, network, debugging, webmcp, and all`},
	} {
		if _, said, code := runHub(t, row.flags...); code == 0 || !strings.Contains(said, row.says) {
			t.Errorf("%q: exit code %d, said %s", row.flags, code, said)
		}
	}
}

// TestTwoAgentsOnTwoTabs has two clients of one hub work in a tab each for 200 rounds:
// neither gets into the other's, and the user's tab stays in front.
func TestTwoAgentsOnTwoTabs(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	user := c.open(t, pages.url("plain.html", "of=user"))
	user.browser("Target.activateTarget", map[string]any{"targetId": user.target}, nil)
	user.eval(`(() => { window.lost = []; for (const type of ['blur', 'visibilitychange', 'pagehide']) addEventListener(type, () => lost.push(type), true) })()`)
	before := string(user.eval(`document.visibilityState + document.hasFocus()`))

	agents := []focusClient{automate(t, c, "--automation"), automate(t, c, "--automation")}
	uids := make([]string, len(agents))
	for i, h := range agents {
		name := "of=agent" + strconv.Itoa(i)
		h.does("new_page", map[string]any{"url": pages.url("plain.html", name)}, "is your current page")
		h.does("evaluate_script", map[string]any{"function": `() => {
			document.body.insertAdjacentHTML('beforeend', '<button>Count</button><input aria-label=Field>')
			window.clicks = 0
			document.querySelector('button').onclick = () => clicks++
		}`}, "")
		snapshot := h.does("take_snapshot", nil, `button "Count"`)
		uids[i] = regexp.MustCompile(`(\S+) button "Count"`).FindStringSubmatch(snapshot)[1]
	}
	if uids[0] == uids[1] {
		t.Errorf("two tabs have the uid %s", uids[0])
	}
	if list := agents[0].does("list_pages", nil, "of=agent1"); !strings.Contains(list, "[yours]") || !strings.Contains(list, "[used by raw") {
		t.Errorf("the two don't share a hub: %s", list)
	}
	for round := 1; round <= 200; round++ {
		for _, call := range []struct {
			name string
			args func(i int) map[string]any
			says func(i int) string
		}{
			{"click", func(i int) map[string]any { return map[string]any{"uid": uids[i]} }, func(int) string { return "" }},
			{"evaluate_script", func(int) map[string]any {
				return map[string]any{"function": `() => location.search + " " + clicks + " " + document.visibilityState`}
			}, func(i int) string { return "of=agent" + strconv.Itoa(i) + " " + strconv.Itoa(round) }},
		} {
			var ids []int
			for i, h := range agents {
				ids = append(ids, h.request("tools/call", map[string]any{"name": call.name, "arguments": call.args(i)}))
			}
			for i, h := range agents {
				m := h.answer(ids[i])
				if m.Error != nil || strings.Contains(string(m.Result), `"isError":true`) || !strings.Contains(string(m.Result), call.says(i)) {
					t.Fatalf("round %d: %s of agent %d: %s %v, want %s", round, call.name, i, m.Result, m.Error, call.says(i))
				}
			}
		}
	}
	agents[1].refuses("click", map[string]any{"uid": uids[0]}, uids[0]) // which is another tab's
	if lost, now := string(user.eval(`lost.join()`)), string(user.eval(`document.visibilityState + document.hasFocus()`)); lost != `""` || now != before {
		t.Errorf("the user's tab lost %s, and is %s; it was %s", lost, now, before)
	}
}

// TestAutomationKeepsToTheRules: what the user denies is neither read nor opened, and
// calls are written down with their tabs.
func TestAutomationKeepsToTheRules(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	h := automate(t, c, "--automation", "--no-share", "--deny-origin", "http://127.0.0.1:*", "--audit-log", path)
	denied, allowed := pages.otherSite("plain.html"), pages.url("plain.html")
	if !strings.HasPrefix(denied, "http://127.0.0.1:") {
		denied, allowed = allowed, denied
	}
	c.open(t, denied)
	c.open(t, allowed)
	no, yes := h.pageID(strings.TrimSuffix(denied, "/plain.html")), h.pageID(allowed) // of what is kept out only the origin is told
	h.refuses("take_snapshot", map[string]any{"pageId": no}, "kept out by the user's rules")
	h.refuses("wait_for", map[string]any{"pageId": no, "text": []string{"without"}}, "kept out by the user's rules")
	h.refuses("new_page", map[string]any{"url": denied}, "kept out by the user's rules")
	h.refuses("navigate_page", map[string]any{"pageId": yes, "url": denied}, "kept out by the user's rules")
	h.does("take_snapshot", map[string]any{"pageId": yes}, "A page without tools")
	h.does("wait_for", map[string]any{"pageId": yes, "text": "without tools"}, "is shown in <h1>")
	h.refuses("take_snapshot", map[string]any{"pageId": yes, "pages": 1}, `pages`)
	h.refuses("take_snapshot", map[string]any{"pageId": 99}, "there is no page 99")
	_ = h.stdin.Close()
	h.waitExit()

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		tool string
		tab  int
		ok   bool
	}{{"take_snapshot", yes, true}, {"wait_for", yes, true}, {"take_snapshot", no, false}} {
		found := false
		for line := range strings.Lines(string(text)) {
			var e struct {
				Name, Tool, Outcome string
				TabID               int
			}
			if json.Unmarshal([]byte(line), &e) == nil && (e.Name == want.tool || e.Tool == want.tool) && e.TabID == want.tab && (e.Outcome == "ok") == want.ok {
				found = true
			}
		}
		if !found {
			t.Errorf("the audit log has no %+v:\n%s", want, text)
		}
	}
}

// TestAutomationLeavesIdleTabsAlone: with --explicit-connect nothing is attached to a page
// that no tool is used on, and a page must be connected to be used.
func TestAutomationLeavesIdleTabsAlone(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := automate(t, c, "--automation", "--explicit-connect")
	var targets [2]string
	for i, name := range []string{"of=used", "of=idle"} {
		var created struct{ TargetID string }
		if err := c.withPatience("", "Target.createTarget", map[string]any{"url": pages.url("plain.html", name)}, &created); err != nil {
			t.Fatal(err)
		}
		targets[i] = created.TargetID
	}
	attached := func(i int) bool {
		var r struct{ TargetInfo struct{ Attached bool } }
		if err := c.withPatience("", "Target.getTargetInfo", map[string]any{"targetId": targets[i]}, &r); err != nil {
			t.Fatal(err)
		}
		return r.TargetInfo.Attached
	}
	used := h.pageID("of=used")
	h.pageID("of=idle")
	refused, _ := h.do("take_snapshot", map[string]any{"pageId": used})
	index := regexp.MustCompile(`is not connected: call connect_webmcp with page (\d+)`).FindStringSubmatch(refused)
	if index == nil {
		t.Fatalf("a page that isn't connected: %s", refused)
	}
	if attached(0) || attached(1) {
		t.Error("a page is attached to that wasn't connected")
	}
	h.does("connect_webmcp", map[string]any{"page": number(index[1])}, "of=used")
	h.does("take_snapshot", map[string]any{"pageId": used}, "A page without tools")
	h.does("list_pages", nil, "of=idle")
	if !attached(0) || attached(1) {
		t.Errorf("attached are %v and %v, want the first", attached(0), attached(1))
	}
}

// TestAutomationOverTheExtension: tabs without a debugging port are listed, and the tools
// that need one say so.
func TestAutomationOverTheExtension(t *testing.T) {
	t.Parallel()
	pair := newPairing(t)
	h := focusClient{startRaw(t, append(pair.flags(), "--automation")...)}
	h.initialize()
	c := sharedExtended(t, true)
	c.open(t, pages.url("plain.html"))
	c.pair(pair.port, pair.token)
	id := h.pageID("plain.html")
	h.does("select_page", map[string]any{"pageId": id}, "is your current page")
	for tool, args := range map[string]map[string]any{
		"take_snapshot": nil, "wait_for": {"text": []string{"x"}}, "emulate": {"colorScheme": "dark"}, "click": {"uid": "e1"}, "evaluate_script": {"function": "() => 1"},
	} {
		h.refuses(tool, args, "debugging port")
	}
	h.does("new_page", map[string]any{"url": pages.url("plain.html", "of=new")}, "is your current page")
	h.does("close_page", map[string]any{"pageId": h.pageID("of=new")}, "was closed")
}

// TestAutomationMeetsAnEarlierDialog: a dialog that opened before a tool was used in the
// tab is told, and answered.
func TestAutomationMeetsAnEarlierDialog(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	p := c.open(t, pages.url("shop.html"))
	h := automate(t, c, "--automation", "--dialogs=report")
	poll(t, "the page is not listed", func() bool { return strings.Contains(h.call("list_pages", nil), "WebMCP tools") })
	p.page("Page.enable", nil, nil) // who else could close it
	p.eval(`new Promise(done => { setTimeout(() => { window.answer = confirm('Really?') }, 10); done() })`)
	poll(t, "the list doesn't show the dialog", func() bool {
		return strings.Contains(h.call("list_pages", nil), `dialog open: confirm "Really?"`)
	})
	id := h.pageID(pages.url("shop.html"))
	h.refuses("take_snapshot", map[string]any{"pageId": id}, `Really?`)
	h.does("handle_dialog", map[string]any{"pageId": id, "action": "accept"}, `The confirm "Really?" was accepted`)
	h.does("evaluate_script", map[string]any{"pageId": id, "function": "() => window.answer"}, "true")
}

// TestAutomationRecordsANewPageAfterItsCurrentOneWasClosed: new_page records all requests of its page also where the
// client's current page is closing, or was the last one.
func TestAutomationRecordsANewPageAfterItsCurrentOneWasClosed(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := automate(t, c, "--automation", "--no-share")
	for i := range 4 {
		h.does("new_page", map[string]any{"url": pages.url("plain.html", "round="+strconv.Itoa(i))}, "was opened")
		requests := h.does("list_network_requests", nil, "GET")
		if strings.Contains(requests, "Recorded since") {
			t.Errorf("round %d: %s", i, requests)
		}
		h.does("close_page", map[string]any{"pageId": h.pageID("round=" + strconv.Itoa(i))}, "")
	}
}
