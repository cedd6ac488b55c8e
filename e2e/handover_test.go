package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// call calls a tool, which must succeed, and returns its text.
func (h *rawHub) call(name string, args map[string]any) string {
	h.t.Helper()
	m := h.ask("tools/call", map[string]any{"name": name, "arguments": args})
	var r struct {
		Content []struct{ Text string }
		IsError bool
	}
	if m.Error != nil || json.Unmarshal(m.Result, &r) != nil || r.IsError || len(r.Content) == 0 {
		h.t.Fatalf("%s: %s %+v", name, m.Result, m.Error)
	}
	return r.Content[0].Text
}

// tabs are the ids of the open tabs, by address.
func (h *rawHub) tabs() map[string]int {
	h.t.Helper()
	var r struct {
		Tabs []struct {
			ID  int `json:"id"`
			URL string
		}
	}
	text := h.call("list_tabs", map[string]any{})
	if err := json.Unmarshal([]byte(text), &r); err != nil || len(r.Tabs) == 0 {
		h.t.Fatalf("list_tabs: %s", text)
	}
	tabs := map[string]int{}
	for _, t := range r.Tabs {
		tabs[t.URL] = t.ID
	}
	return tabs
}

// held waits until a guest holds what its owner reaches Chrome by, and has heard of
// the tabs, as its log says.
func (h *rawHub) held() {
	h.t.Helper()
	poll(h.t, "the guest isn't given Chrome's pipe", func() bool {
		log := h.stderr.String()
		log = log[strings.LastIndex(log, "joined the webmcp-hub"):]
		return strings.Contains(log, "files=2") && strings.Contains(log, "plain.html")
	})
}

// TestTheNextHubHasTheSameChrome, whichever way the owner ends: the pages are the
// same documents, under the same names.
func TestTheNextHubHasTheSameChrome(t *testing.T) {
	t.Parallel()
	chromePath(t)
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("needs /proc")
	}
	for name, end := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "told to end": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			profile := t.TempDir()
			flags := []string{"--headless", "--user-data-dir", profile, "--chrome-arg=" + pages.url("shop.html")}
			start := func() *rawHub {
				h := startRaw(t, flags...)
				h.initialize()
				h.searches()
				return h
			}
			first, second := start(), start()
			second.call("open_tab", map[string]any{"url": pages.url("kept.html")})
			second.call("open_tab", map[string]any{"url": pages.url("dynamic.html")})
			second.call(toolName("1", "fill"), map[string]any{"text": "half a form"})
			kept := second.call(toolName("1", "recall"), nil)
			if strings.Count(kept, "half a form") != 4 {
				t.Fatalf("the page has %s", kept)
			}
			// What comes in between gives the pages other ids than counting anew would.
			second.call("close_tab", map[string]any{"tabId": second.tabs()[pages.url("shop.html")]})
			second.call("open_tab", map[string]any{"url": pages.url("plain.html")})
			tabs, chrome := second.tabs(), processes(profile)
			second.held()

			// Each owner goes and the next has the same page.
			third := start2(t, flags)
			hubs := []*rawHub{first, second, third}
			for len(hubs) > 1 {
				owner := hubs[0]
				for _, h := range hubs[1:] {
					h.held()
					if strings.Contains(h.stderr.String(), "this process takes its place") {
						owner = h
					}
				}
				before := map[*rawHub]int{}
				for _, h := range hubs {
					before[h] = h.changes
				}
				owner.signal(end)
				owner.waitExit()
				hubs = slices.DeleteFunc(hubs, func(h *rawHub) bool { return h == owner })
				for _, h := range hubs {
					for h.changes == before[h] {
						h.read()
					}
					h.waitListed(toolName("0", "recall"))
					if got := h.call(toolName("0", "recall"), nil); got != kept {
						t.Errorf("the page has %s, it had %s", got, kept)
					}
					if got := h.tabs(); fmt.Sprint(got) != fmt.Sprint(tabs) {
						t.Errorf("the tabs are %v, they were %v", got, tabs)
					}
				}
			}
			if n := chromes(profile); n != 1 {
				t.Errorf("%d Chromes run", n)
			}
			last := hubs[0]
			late := start2(t, flags)
			if got := late.call(toolName("0", "recall"), nil); got != kept {
				t.Errorf("the page has %s, it had %s", got, kept)
			}
			if now := processes(profile); now[0] != chrome[0] {
				t.Errorf("Chrome is process %s, it was %s", now[0], chrome[0])
			}
			last.call("open_tab", map[string]any{"url": pages.url("shop.html")})
			last.waitListed(toolName("3", "search"))
			for _, h := range []*rawHub{late, last} {
				_ = h.stdin.Close()
				if code := h.waitExit(); code != 0 {
					t.Errorf("exit code %d", code)
				}
			}
			waitNoProcess(t, profile)
		})
	}
}

// start2 starts one more hub where the kept page is the first.
func start2(t *testing.T, flags []string) *rawHub {
	t.Helper()
	h := startRaw(t, flags...)
	h.initialize()
	h.waitListed(toolName("0", "recall"))
	return h
}

// TestTheNextHubHasEachClientsFocus, and the tab that one keeps to itself.
func TestTheNextHubHasEachClientsFocus(t *testing.T) {
	t.Parallel()
	chromePath(t)
	for name, end := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "told to end": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			flags := []string{"--headless", "--launch", "--mode", "focus", "--user-data-dir", t.TempDir(), "--chrome-arg=" + pages.url("shop.html")}
			start := func() *rawHub {
				h := startRaw(t, flags...)
				h.initialize()
				h.call("connect_browser", map[string]any{})
				return h
			}
			first, second, third := start(), start(), start()
			second.call("open_tab", map[string]any{"url": pages.url("kept.html")})
			second.call("open_tab", map[string]any{"url": pages.url("plain.html"), "focus": false})
			second.waitListed("recall")
			tabs := second.tabs()
			second.call("focus_tab", map[string]any{"tabId": tabs[pages.url("kept.html")], "exclusive": true})
			second.call("fill", map[string]any{"text": "mine"})
			kept := second.call("recall", nil)
			third.call("focus_tab", map[string]any{"tabId": tabs[pages.url("shop.html")]})
			third.waitListed("search")
			for h, focus := range map[*rawHub]string{second: `"exclusive":true`, third: `"page":`} {
				h.held()
				poll(t, "the guest isn't told its client's focus", func() bool { return strings.Contains(strings.ReplaceAll(h.stderr.String(), `\`, ""), focus) })
			}
			before := map[*rawHub]int{second: second.changes, third: third.changes}
			first.signal(end)
			first.waitExit()
			for h, tool := range map[*rawHub]string{second: "recall", third: "search"} {
				for h.changes == before[h] {
					h.read()
				}
				h.waitListed(tool)
			}
			if got := second.call("recall", nil); got != kept {
				t.Errorf("the page has %s, it had %s", got, kept)
			}
			if got := third.call("search", map[string]any{"q": "it"}); got != "found it" {
				t.Errorf("the other client's page says %s", got)
			}
			m := third.ask("tools/call", map[string]any{"name": "focus_tab", "arguments": map[string]any{"tabId": tabs[pages.url("kept.html")], "exclusive": true}})
			if !strings.Contains(string(m.Result), "kept by another client") {
				t.Errorf("the tab that one keeps to itself is given to another: %s", m.Result)
			}
			for _, h := range []*rawHub{second, third} { // either may own the hub and wait for the other
				_ = h.stdin.Close()
			}
		})
	}
}

// TestAKeptTabStaysKept: where an owner that attached to a Chrome is killed, the clients keep their focus, and no other
// client's call reaches the tab that one has to itself, not even before its holder has joined the next owner.
func TestAKeptTabStaysKept(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"all", "focus"} {
		t.Run(mode, func(t *testing.T) {
			c := nativeChrome(t)
			start := func() *rawHub {
				h := startRaw(t, "--browser-url", c.browserURL(), "--mode", mode)
				h.initialize()
				if mode == "focus" {
					h.call("connect_browser", map[string]any{})
				}
				return h
			}
			owner, holder, other := start(), start(), start()
			defer func() { // any may own the hub and wait for the others
				for _, h := range []*rawHub{owner, holder, other} {
					_ = h.stdin.Close()
				}
			}()
			holder.call("open_tab", map[string]any{"url": pages.url("kept.html")})
			fill, recall := "fill", "recall"
			if mode == "all" {
				fill, recall = toolName("0", fill), toolName("0", recall)
			}
			holder.waitListed(recall)
			tab := map[string]any{"tabId": holder.tabs()[pages.url("kept.html")], "exclusive": true}
			for range 5 {
				holder.call("focus_tab", tab)
				holder.call(fill, map[string]any{"text": "mine"})
				kept := holder.call(recall, nil)
				poll(t, "the guest isn't told its client's focus", func() bool {
					log := strings.ReplaceAll(holder.stderr.String(), `\`, "")
					return strings.Contains(log[strings.LastIndex(log, "joined the webmcp-hub"):], `"exclusive":true`)
				})
				before := holder.changes
				owner.signal(syscall.SIGKILL)
				owner.waitExit()
				// The other's client is quick, whoever is the next owner.
				tried := fill
				for range 20 {
					tried = "focus_tab"
					args := tab
					if mode == "all" {
						tried, args = fill, map[string]any{"text": "another's"}
					}
					m := other.ask("tools/call", map[string]any{"name": tried, "arguments": args})
					if m.Error == nil && !strings.Contains(string(m.Result), `"isError":true`) {
						t.Fatalf("%s of another client was carried out: %s", tried, m.Result)
					}
				}
				for holder.changes == before {
					holder.read()
				}
				holder.waitListed(recall)
				if got := holder.call(recall, nil); got != kept {
					t.Errorf("the page has %s, it had %s", got, kept)
				}
				m := other.ask("tools/call", map[string]any{"name": "focus_tab", "arguments": tab})
				if !strings.Contains(string(m.Result), "kept by another client") {
					t.Errorf("the tab is given to another: %s", m.Result)
				}
				// The holder must be a guest of the next owner, too.
				if strings.Contains(holder.stderr.String(), "this process takes its place") {
					break
				}
				owner, other = other, start()
			}
		})
	}
}
