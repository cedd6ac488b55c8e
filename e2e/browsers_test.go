package e2e

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestTwoBrowsers: one hub has the tabs of two Chromiums, and opens tabs in the one that is
// named. When one is killed, its tools go at once and the other's stay.
func TestTwoBrowsers(t *testing.T) {
	t.Parallel()
	a, b := nativeChrome(t), ownChrome(t) // the second is killed
	h := focusClient{startRaw(t, "--browser-url", a.browserURL(), "--browser-url", b.browserURL(), "--no-share")}
	h.initialize()
	nameOf := func(c *chrome) string {
		u, err := url.Parse(c.browserURL())
		if err != nil {
			t.Fatal(err)
		}
		return u.Host
	}
	opened := func(c *chrome, path string) {
		t.Helper()
		text := h.does("open_tab", map[string]any{"url": pages.url("shop.html", path), "browser": nameOf(c), "focus": false}, `"browser":"`+nameOf(c)+`"`)
		var r struct{ Tab struct{ URL string } }
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if ids, err := c.pageTargets(t.Context()); err != nil || len(ids) != 1 {
			t.Errorf("%s is in another browser: %q, %v", path, ids, err)
		}
	}
	opened(a, "runtime=native")
	opened(b, "runtime=native")
	h.refuses("open_tab", map[string]any{"url": pages.url("plain.html"), "browser": "nobody"}, "the browsers are: "+nameOf(a)+", "+nameOf(b))

	// pageTools are the tools of a browser's pages.
	pageTools := func(c *chrome) (tools []string) {
		t.Helper()
		return slices.Concat(h.toolsByPage(nameOf(c))...)
	}
	for seen := h.changes; len(pageTools(a)) == 0 || len(pageTools(b)) == 0; seen = h.changes {
		for h.changes == seen {
			h.read()
		}
	}
	stays, goes := pageTools(a), pageTools(b)
	h.does("list_tabs", nil, `"browsers":[{"name":"`+nameOf(a)+`","connected":true},{"name":"`+nameOf(b)+`","connected":true}]`)

	t.Run("browsers of a file", func(t *testing.T) { browsersOfAFile(t, a, b) })

	seen := h.changes
	b.kill()
	killed := time.Now()
	for len(pageTools(b)) > 0 {
		for h.changes == seen {
			h.read()
		}
		seen = h.changes
	}
	t.Logf("the tools of the Chromium that was killed went after %v", time.Since(killed))
	if took := time.Since(killed); took > 5*time.Second {
		t.Errorf("that took %v", took)
	}
	if now := pageTools(a); !slices.Equal(now, stays) {
		t.Errorf("of the other Chromium %q are left of %q", now, stays)
	}
	names := h.names()
	for _, tool := range goes {
		if !slices.Contains(stays, tool) && slices.Contains(names, tool) {
			t.Errorf("%s is still listed", tool)
		}
	}
	if text := h.does("list_tabs", nil, `{"name":"`+nameOf(a)+`","connected":true}`); !strings.Contains(text, `{"name":"`+nameOf(b)+`","connected":false`) {
		t.Errorf("list_tabs: %s", text)
	}
	h.refuses("open_tab", map[string]any{"url": pages.url("plain.html"), "browser": nameOf(b)}, "is not connected")
}

// browsersOfAFile: a hub has the browsers that a file names, by their labels and with rules
// of their own, and follows the file: what is taken out of it goes with its pages.
func browsersOfAFile(t *testing.T, a, b *chrome) {
	file := filepath.Join(t.TempDir(), "browsers.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file+"~", []byte("browsers:\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+"~", file); err != nil { // half of it would be a list, too
			t.Fatal(err)
		}
	}
	one := "  - {name: one, endpoint: '" + a.browserURL() + "', labels: [lab]}\n"
	two := "  - {name: two, endpoint: '" + b.browserURL() + "', labels: [lab, ruled], deny: ['http://*:*']}\n"
	write(two + one + "  - {name: three}\n")
	h := focusClient{startRaw(t, "--browsers", file, "--no-share")}
	h.initialize()
	h.stderr.wait(t, "line 4: endpoint must be a URL")
	poll(t, "no tools of the browser without rules", func() bool { return len(h.toolsByPage("one")) == 1 && len(h.toolsByPage("one")[0]) > 0 })
	h.does("connect_browser", map[string]any{"browser": "ruled"}, "")
	poll(t, "not both are connected", func() bool {
		text, _ := h.do("list_tabs", nil)
		return strings.Contains(text, `"browsers":[{"name":"two","labels":["lab","ruled"],"connected":true},{"name":"one","labels":["lab"],"connected":true}]`)
	})
	for _, tools := range h.toolsByPage("two") {
		if len(tools) > 0 {
			t.Errorf("the rules of one browser leave tools there: %q", tools)
		}
	}
	address := pages.url("plain.html", "file")
	h.refuses("open_tab", map[string]any{"url": address, "browser": "ruled"}, "is denied")
	h.does("open_tab", map[string]any{"url": address, "browser": "lab", "focus": false}, `"browser":"one"`)
	write(two)
	h.stderr.wait(t, "was read again")
	poll(t, "the browser that was taken out is there still", func() bool {
		text, _ := h.do("list_tabs", nil)
		return !strings.Contains(text, `"browser":"one"`) && !strings.Contains(text, `"name":"one"`)
	})
	if tabs := h.toolsByPage("two"); len(tabs) == 0 {
		t.Error("the other browser's pages went, too")
	}
	h.refuses("open_tab", map[string]any{"url": address, "browser": "one"}, "The browsers are: two")
}

// toolsByPage are the names of the tools of each page in a browser.
func (h focusClient) toolsByPage(browser string) (all [][]string) {
	h.t.Helper()
	var list struct {
		Pages []struct {
			Browser string
			Tools   []struct{ Name string }
		}
	}
	if text := h.does("list_webmcp_tools", map[string]any{"detail": "names"}, ""); json.Unmarshal([]byte(text), &list) != nil {
		h.t.Fatal(text)
	}
	for _, page := range list.Pages {
		if page.Browser != browser {
			continue
		}
		var names []string
		for _, tool := range page.Tools {
			names = append(names, tool.Name)
		}
		all = append(all, names)
	}
	return all
}
