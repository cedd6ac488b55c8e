package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// automatedBrowser is a shared Chromium with the extension as install --automation writes it, unpaired.
func automatedBrowser(t *testing.T) extended {
	t.Helper()
	return extended{withAutomatedExtension.lend(t), t}
}

func launchAutomated(t *testing.T) *chrome {
	t.Helper()
	return mustLaunch(t, true, automatedExtension(t))
}

// automatedExtension is the argument of a Chromium that is to have that extension.
func automatedExtension(t *testing.T) string {
	t.Helper()
	hubUnderTest(t)
	dir, err := installedAutomatedExtension()
	if err != nil {
		t.Fatal(err)
	}
	return "--load-extension=" + dir
}

var installedAutomatedExtension = sync.OnceValues(func() (dir string, err error) {
	dir = filepath.Join(builds, "extension")
	if said, err := exec.Command(hubBinary, "extension", "install", "--automation", dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("extension install: %w\n%s", err, said)
	}
	return dir, nil
})

// automatedChrome is one, and a hub that it is paired with.
func automatedChrome(t *testing.T, more ...string) (*hub, extended) {
	t.Helper()
	pair := newPairing(t)
	c := automatedBrowser(t)
	h := startHub(t, append(append(pair.flags(), "--automation=all"), more...)...)
	c.pair(pair.port, pair.token)
	return h, c
}

// debugged says whether the extension debugs a tab at this address, of which Chrome tells the user by a banner: then it
// can't attach once more.
func (c extended) debugged(address string) bool {
	c.t.Helper()
	p := c.popup()
	defer p.close()
	return string(p.eval(`chrome.tabs.query({}).then(async (all) => {
		const tabId = all.find((tab) => tab.url.startsWith(`+quoted(address)+`)).id;
		try { await chrome.debugger.attach({ tabId }, '1.3') } catch (e) { if (/already attached/.test(e.message)) return true; throw e }
		await chrome.debugger.detach({ tabId });
		return false;
	})`)) == "true"
}

// automatedSite has a page with a field, a button, something logged and fetched, and a frame of another site.
func automatedSite(t *testing.T) string {
	t.Helper()
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/inner":
			fmt.Fprint(w, `<title>Inner</title><button onclick="this.textContent = 'inner was pressed'">Press inside</button>`)
		case "/data":
			fmt.Fprint(w, `data`)
		case "/second":
			fmt.Fprint(w, `<title>Second</title><h1>The second page</h1>`)
		default:
			fmt.Fprintf(w, `<title>First</title><label>Name <input id=name onkeydown="if (event.key === 'Enter') out.textContent = 'entered ' + value"></label>
				<button onclick="console.log('logged by the click'); fetch('/data'); setTimeout(() => out.textContent = 'hello ' + document.getElementById('name').value, 50)">Greet</button>
				<p id=out></p><iframe src="%s/inner"></iframe>`, otherOrigin(s.URL))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// uid finds an element of a snapshot by its line.
func uidOf(t *testing.T, snapshot, line string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^\s*(\S+) ` + line).FindStringSubmatch(snapshot)
	if found == nil {
		t.Fatalf("no %s in %s", line, snapshot)
	}
	return found[1]
}

// TestExtensionAutomation: the browser tools in a tab that its browser's extension tells of.
func TestExtensionAutomation(t *testing.T) {
	t.Parallel()
	h, c := automatedChrome(t)
	site := automatedSite(t)
	c.open(t, site+"/")
	says := func(want, tool string, args map[string]any) string {
		t.Helper()
		r := h.call(tool, args)
		got := textOf(r)
		if r.IsError || !strings.Contains(got, want) {
			t.Fatalf("%s says %s, want %s", tool, got, want)
		}
		return got
	}
	poll(t, "the hub doesn't list the tab", func() bool { return strings.Contains(textOf(h.call("list_pages", nil)), site) })
	says("First 42", "evaluate_script", map[string]any{"function": "() => document.title + ' ' + (6*7)"})
	shot := says("Greet", "take_snapshot", nil)
	says("", "fill", map[string]any{"uid": uidOf(t, shot, `textbox "Name"`), "value": "Ada"})
	says("", "click", map[string]any{"uid": uidOf(t, shot, `button "Greet"`)})
	says("hello Ada", "wait_for", map[string]any{"text": []string{"hello Ada"}})
	says("logged by the click", "list_console_messages", nil)
	says("/data", "list_network_requests", nil)
	says("", "click", map[string]any{"uid": uidOf(t, shot, `button "Press inside"`)})
	says("inner was pressed", "wait_for", map[string]any{"text": []string{"inner was pressed"}})
	says("", "click", map[string]any{"uid": uidOf(t, shot, `textbox "Name"`)})
	says("", "press_key", map[string]any{"key": "Enter"})
	says("entered Ada", "wait_for", map[string]any{"text": []string{"entered Ada"}})
	r := h.call("take_screenshot", nil)
	if r.IsError || !hasImage(r) {
		t.Errorf("take_screenshot says %s", textOf(r))
	}
	says("", "navigate_page", map[string]any{"url": site + "/second"})
	says("The second page", "take_snapshot", nil)
	says("", "navigate_page", map[string]any{"type": "back"})
	says("Greet", "take_snapshot", nil)
	says("/second?new", "new_page", map[string]any{"url": site + "/second?new"})
	says("The second page", "take_snapshot", nil)
	tabs := says("/second?new", "list_pages", nil)
	number := regexp.MustCompile(`(?m)^(\d+): .*/second\?new`).FindStringSubmatch(tabs)
	if number == nil {
		t.Fatalf("list_pages says %s", tabs)
	}
	id, _ := strconv.Atoi(number[1])
	says("", "close_page", map[string]any{"pageId": id})
	poll(t, "the page stays", func() bool { return !strings.Contains(textOf(h.call("list_pages", nil)), "second?new") })
}

// TestExtensionAutomationEndedByTheUser: what the user has ended stays so until they allow it again.
func TestExtensionAutomationEndedByTheUser(t *testing.T) {
	t.Parallel()
	h, c := automatedChrome(t)
	site := automatedSite(t)
	c.open(t, site+"/second")
	poll(t, "the hub doesn't list the tab", func() bool { return strings.Contains(textOf(h.call("list_pages", nil)), site) })
	title := func() *mcp.CallToolResult {
		return h.call("evaluate_script", map[string]any{"function": "() => document.title"})
	}
	if r := h.call("take_snapshot", nil); r.IsError || !strings.Contains(textOf(r), "The second page") {
		t.Fatalf("take_snapshot says %s", textOf(r))
	}
	popup := c.popup()
	popup.waitFor(`document.querySelector('button.end')`)
	popup.eval(`document.querySelector('button.end').click()`)
	popup.waitFor(`document.querySelector('button.allow')`)
	h.call("select_page", map[string]any{"pageId": 1})
	wantError(t, title(), "the user has ended automation of this tab")
	popup.eval(`document.querySelector('button.allow').click()`)
	popup.waitFor(`!document.querySelector('button.allow')`)
	if r := title(); r.IsError || !strings.Contains(textOf(r), "Second") {
		t.Errorf("after the user allowed it again: %s", textOf(r))
	}
}

// TestExtensionAutomationIsExtra: the extension without the permission says how the user can have it.
func TestExtensionAutomationIsExtra(t *testing.T) {
	t.Parallel()
	pair := newPairing(t)
	h := startHub(t, append(pair.flags(), "--automation=all")...)
	c := sharedExtended(t, true)
	site := automatedSite(t)
	c.open(t, site+"/second")
	c.pair(pair.port, pair.token)
	poll(t, "the hub doesn't list the tab", func() bool { return strings.Contains(textOf(h.call("list_pages", nil)), site) })
	wantError(t, h.call("take_snapshot", nil), "extension install --automation")
}

// TestExtensionAutomationWhereChromeForbids: pages that Chrome keeps extensions out of.
func TestExtensionAutomationWhereChromeForbids(t *testing.T) {
	t.Parallel()
	h, c := automatedChrome(t)
	c.open(t, "chrome://version/")
	poll(t, "the hub doesn't list the tab", func() bool { return strings.Contains(textOf(h.call("list_pages", nil)), "chrome://version") })
	wantError(t, h.call("take_snapshot", nil), "Chrome lets no extension debug this page")
}

// hasImage says whether a result has an image.
func hasImage(r *mcp.CallToolResult) bool {
	for _, content := range r.Content {
		if _, is := content.(mcp.ImageContent); is {
			return true
		}
	}
	return false
}

// TestExtensionAutomationRecordsANewPage: new_page records all requests of its page also where the client's current page
// was closed, and where the hub knows no other tab.
func TestExtensionAutomationRecordsANewPage(t *testing.T) {
	t.Parallel()
	h, _ := automatedChrome(t)
	for i := range 3 {
		address := pages.url("plain.html", "round="+strconv.Itoa(i))
		poll(t, "no browser opens the page", func() bool { return !h.call("new_page", map[string]any{"url": address}).IsError })
		requests := textOf(h.call("list_network_requests", nil))
		if !strings.Contains(requests, fmt.Sprintf("/plain.html?round=%d", i)) || strings.Contains(requests, "Recorded since") {
			t.Errorf("round %d: %s", i, requests)
		}
		if r := h.call("close_page", map[string]any{"pageId": listed(t, h, address)}); r.IsError {
			t.Fatal(textOf(r))
		}
	}
}
