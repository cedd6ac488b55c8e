package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// toolsPage has what the tools other than the basic ones need: lists to drag in, file fields, and buttons for dialogs and popups.
const toolsPage = `<!doctype html><title>Tools</title><meta name=viewport content="width=device-width">
	<ul id=html5><li draggable=true id=a aria-label="Item A" role=button>A</li><li draggable=true id=b aria-label="Item B" role=button>B</li></ul>
	<button id=knob style="position:relative;left:0">Knob</button>
	<label>Files <input type=file multiple id=files></label><button id=choose>Choose a file</button>
	<label>First <input id=first></label><label>Last <input id=last></label>
	<button id=hovered>Hover me</button>
	<button onclick="out.textContent = 'confirmed ' + confirm('Sure?')">Ask</button>
	<button onclick="window.open('/popup')">Open a popup</button>
	<p id=out></p>
	<script>
		const say = (text) => out.textContent = text;
		a.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'A');
		b.ondragover = (e) => e.preventDefault();
		b.ondrop = (e) => { e.preventDefault(); b.after(a); say('dropped ' + e.dataTransfer.getData('text/plain')) };
		let from;
		knob.onpointerdown = (e) => { from = e.clientX; knob.setPointerCapture(e.pointerId) };
		knob.onpointermove = (e) => { if (from !== undefined) knob.style.left = e.clientX - from + 'px' };
		knob.onpointerup = () => { from = undefined; say('knob at ' + knob.style.left) };
		files.onchange = async () => say('got ' + files.files[0].name + ': ' + await files.files[0].text());
		choose.onclick = () => { const f = document.createElement('input'); f.type = 'file'; f.onchange = () => say('chose ' + f.files[0].name); f.click() };
		hovered.onmouseenter = () => say('hovered');
	</script>`

// toolsWorkers are the scripts of workers that the page can start.
var toolsWorkers = map[string]string{
	"/worker.js":  `new Worker("/inner.js")`,
	"/inner.js":   `console.log("I am the inner worker")`,
	"/service.js": `console.log("I am the service worker")`,
}

// TestExtensionAutomationTools: the tools that TestExtensionAutomation doesn't use, in a tab that its browser's
// extension reaches.
func TestExtensionAutomationTools(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if script, is := toolsWorkers[r.URL.Path]; is {
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, script)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/popup" {
			fmt.Fprint(w, `<title>Popup</title>`)
			return
		}
		fmt.Fprint(w, toolsPage)
	}))
	t.Cleanup(s.Close)
	h, c := automatedChrome(t)
	c.open(t, s.URL+"/")
	id := listed(t, h, s.URL)
	h.call("select_page", map[string]any{"pageId": id})
	shot := textOf(h.call("take_snapshot", nil))
	uid := func(line string) string { t.Helper(); return uidOf(t, shot, line) }
	says := func(t *testing.T, want, tool string, args map[string]any) string {
		t.Helper()
		r := h.call(tool, args)
		got := textOf(r)
		if r.IsError || !strings.Contains(got, want) {
			t.Errorf("%s says %s, want %s", tool, got, want)
		}
		return got
	}
	shows := func(t *testing.T, text string) {
		t.Helper()
		says(t, text, "wait_for", map[string]any{"text": []string{text}, "timeout": 10000})
	}
	file := filepath.Join(t.TempDir(), "letter.txt")
	if err := os.WriteFile(file, []byte("dear reader"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("drag", func(t *testing.T) {
		says(t, "", "drag", map[string]any{"from_uid": uid(`button "Item A"`), "to_uid": uid(`button "Item B"`)})
		shows(t, "dropped A")
		says(t, "", "drag", map[string]any{"from_uid": uid(`button "Knob"`), "x": 40, "y": 0})
		shows(t, "knob at 40px")
	})
	t.Run("upload_file", func(t *testing.T) {
		says(t, "", "upload_file", map[string]any{"uid": uid(`(?:button|file|textbox).* "Files"`), "filePaths": []string{file}})
		shows(t, "got letter.txt: dear reader")
		says(t, "", "upload_file", map[string]any{"uid": uid(`button "Choose a file"`), "filePaths": []string{file}})
		shows(t, "chose letter.txt")
	})
	t.Run("fill_form", func(t *testing.T) {
		says(t, "", "fill_form", map[string]any{"elements": []any{
			map[string]any{"uid": uid(`textbox "First"`), "value": "Ada"}, map[string]any{"uid": uid(`textbox "Last"`), "value": "Byron"}}})
		says(t, "Ada Byron", "evaluate_script", map[string]any{"function": "() => first.value + ' ' + last.value"})
	})
	t.Run("hover", func(t *testing.T) {
		says(t, "", "hover", map[string]any{"uid": uid(`button "Hover me"`)})
		shows(t, "hovered")
	})
	t.Run("handle_dialog", func(t *testing.T) {
		says(t, "Sure?", "click", map[string]any{"uid": uid(`button "Ask"`)})
		says(t, "", "handle_dialog", map[string]any{"action": "accept"})
		shows(t, "confirmed true")
	})
	t.Run("emulate", func(t *testing.T) {
		says(t, "Emulated", "emulate", map[string]any{"colorScheme": "dark", "viewport": "500x400x1", "userAgent": "Tester/1", "cpuThrottlingRate": 2,
			"networkConditions": "Fast 4G", "geolocation": "1,2", "extraHttpHeaders": `{"X-Test":"1"}`})
		says(t, "true 500 Tester/1", "evaluate_script", map[string]any{
			"function": "() => matchMedia('(prefers-color-scheme: dark)').matches + ' ' + innerWidth + ' ' + navigator.userAgent"})
		says(t, "Nothing is emulated", "emulate", map[string]any{"extraHttpHeaders": ""})
		says(t, "", "resize_page", map[string]any{"width": 600, "height": 500})
		says(t, "600", "evaluate_script", map[string]any{"function": "() => innerWidth"})
	})
	t.Run("get_console_message", func(t *testing.T) {
		says(t, "", "evaluate_script", map[string]any{"function": "() => console.warn('a warning', 42)"})
		number := regexp.MustCompile(`msgid=(\d+).*a warning`).FindStringSubmatch(says(t, "a warning", "list_console_messages", nil))
		if number == nil {
			t.Fatal("the message has no msgid")
		}
		says(t, "42", "get_console_message", map[string]any{"msgid": integer(number[1])})
	})
	t.Run("workers", func(t *testing.T) {
		says(t, "", "evaluate_script", map[string]any{"function": `async () => { window.worker = new Worker("/worker.js"); await navigator.serviceWorker.register("/service.js") }`})
		for _, text := range []string{"[log of worker /inner.js] I am the inner worker", "[log of service worker /service.js] I am the service worker"} {
			poll(t, text+" isn't listed", func() bool { return strings.Contains(textOf(h.call("list_console_messages", nil)), text) })
		}
	})
	t.Run("get_network_request", func(t *testing.T) {
		says(t, "", "navigate_page", map[string]any{"type": "reload"}) // whose requests are all recorded
		number := regexp.MustCompile(`reqid=(\d+)`).FindStringSubmatch(says(t, "GET /", "list_network_requests", nil))
		if number == nil {
			t.Fatal("the request has no reqid")
		}
		says(t, "Knob", "get_network_request", map[string]any{"reqid": integer(number[1])})
	})
	t.Run("popup", func(t *testing.T) {
		shot = textOf(h.call("take_snapshot", nil))
		says(t, "", "click", map[string]any{"uid": uid(`button "Open a popup"`)})
		listed(t, h, s.URL+"/popup")
	})
	t.Run("refused", func(t *testing.T) {
		wantError(t, h.call("new_page", map[string]any{"url": s.URL, "isolatedContext": "one"}), "no isolated contexts")
		wantError(t, h.call("performance_start_trace", nil), "a debugging port has it all")
	})
}

// integer is a number that a text has.
func integer(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// TestExtensionAutomationAfterItsDocument: the offscreen document that holds the attachments dies while a tab is
// debugged. The next one detaches what was left, and tabs can be attached to again.
func TestExtensionAutomationAfterItsDocument(t *testing.T) {
	t.Parallel()
	h, c := automatedChrome(t)
	site := automatedSite(t)
	page := c.open(t, site+"/second")
	id := listed(t, h, site)
	if r := h.call("take_snapshot", map[string]any{"pageId": id}); r.IsError {
		t.Fatal(textOf(r))
	}
	p := c.popup()
	p.eval(`chrome.offscreen.closeDocument()`)
	page.eval(`document.title = 'Another'`) // the worker hears of the tab, and has the next document made
	poll(t, "the tab stays debugged by nobody", func() bool { return !c.debugged(site) })
	poll(t, "the hub doesn't list the tab again", func() bool {
		r := h.call("list_pages", nil)
		return strings.Contains(textOf(r), site)
	})
	id = listed(t, h, site)
	if r := h.call("take_snapshot", map[string]any{"pageId": id}); r.IsError || !strings.Contains(textOf(r), "The second page") {
		t.Errorf("take_snapshot with the next document: %s", textOf(r))
	}
}

// TestExtensionAutomationCancelledByTheBanner: Cancel on the banner of a Chromium with a window ends automation of all
// tabs, and the error says so. No tab is attached to again, not even for an offscreen document made since, until the
// user allows it.
func TestExtensionAutomationCancelledByTheBanner(t *testing.T) {
	t.Parallel()
	screen, pair, site := newDisplay(t), newPairing(t), automatedSite(t)
	c := extended{screen.chromium(automatedExtension(t)), t}
	h := startHub(t, append(pair.flags(), "--automation=all")...)
	c.pair(pair.port, pair.token)
	addresses := []string{site + "/second?one", site + "/second?two"}
	pages := []*tab{c.open(t, addresses[0]), c.open(t, addresses[1])}
	snapshot := func(address string) *mcp.CallToolResult {
		return h.call("take_snapshot", map[string]any{"pageId": listed(t, h, address)})
	}
	for _, address := range addresses {
		if r := snapshot(address); r.IsError {
			t.Fatal(textOf(r))
		}
	}
	const ended = "the user has ended automation of this tab"
	poll(t, "Cancel doesn't end it", func() bool {
		screen.press("alt+shift+a", "Return") // the first leads to the banner, whose button gets the second
		return strings.Contains(textOf(snapshot(addresses[0])), ended)
	})
	for _, address := range addresses {
		wantError(t, snapshot(address), ended)
	}
	p := c.popup()
	p.eval(`chrome.offscreen.closeDocument()`)
	pages[0].eval(`document.title = 'Another'`)
	p.waitFor(`document.querySelectorAll('button.allow').length === 2`)
	poll(t, "the hub doesn't hear of it from the next document", func() bool {
		r := snapshot(addresses[0])
		if !r.IsError {
			t.Fatalf("the next document attached: %s", textOf(r))
		}
		return strings.Contains(textOf(r), ended)
	})
	if c.debugged(site) {
		t.Error("the tab is debugged again")
	}
	p.eval(`document.querySelectorAll('button.allow').forEach((b) => b.click())`)
	p.waitFor(`!document.querySelector('button.allow')`)
	if r := snapshot(addresses[0]); r.IsError {
		t.Errorf("after the user allowed it again: %s", textOf(r))
	}
}
