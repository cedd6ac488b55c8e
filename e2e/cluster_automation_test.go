package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// TestClusterAutomation: an agent of a gateway operates the pages of a browser that it has acquired, on a node in a
// process of its own, and another tenant's agent doesn't; it hears of it when the node is killed in the middle of a
// call, and goes on at another one.
func TestClusterAutomation(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	one := c.node(t, "one", "--automation")
	c.node(t, "two", "--automation")
	a := c.gateway(t, "a", "--automation")
	shop, bank := operating{c.client(t, a, "shop")}, operating{c.client(t, a, "bank")}

	opened := shop.does("new_page", map[string]any{"url": pages.url("plain.html"), "browser": shop.acquire("one")}, "is your current page")
	page := number(regexp.MustCompile(`Page (\d+) was opened`).FindStringSubmatch(opened)[1])
	shop.operates()

	bank.does("new_page", map[string]any{"url": pages.url("plain.html", "of=bank"), "browser": bank.acquire("two")}, "is your current page")
	if list := bank.does("list_pages", nil, "of=bank"); strings.Contains(list, "one/chrome-1") {
		t.Errorf("a tenant sees another's pages: %s", list)
	}
	for _, tool := range []string{"take_snapshot", "select_page", "close_page", "take_screenshot"} {
		bank.refuses(tool, map[string]any{"pageId": page}, "There is no page")
	}
	bank.refuses("evaluate_script", map[string]any{"function": "() => 1", "pageId": page}, "There is no page")

	ended := make(chan *mcp.CallToolResult, 1)
	go func() {
		ended <- shop.call("evaluate_script", map[string]any{"function": "() => { document.title = 'it runs'; return new Promise(() => {}) }", "timeout": 60_000})
	}()
	poll(t, "the script doesn't run", func() bool { return strings.Contains(textOf(shop.call("list_pages", nil)), "it runs") })
	one.kill()
	if r := <-ended; !r.IsError || !strings.Contains(textOf(r), "The node one, which runs the browser, was lost while evaluate_script ran") {
		t.Errorf("the call under way ended as %s", asJSON(r))
	}
	bank.does("evaluate_script", map[string]any{"function": "() => 6 * 7"}, "42")
}

// operating is a client that uses browser tools.
type operating struct{ *hub }

// does calls a tool, which must do it and say so.
func (h operating) does(name string, args map[string]any, says string) string {
	h.t.Helper()
	r := h.call(name, args)
	if text := textOf(r); !r.IsError && strings.Contains(text, says) {
		return text
	}
	h.t.Fatalf("%s %v answers %.1000s; want %s", name, args, asJSON(r), says)
	return ""
}

// refuses calls a tool, which must say why it doesn't.
func (h operating) refuses(name string, args map[string]any, says string) {
	h.t.Helper()
	if r := h.call(name, args); !r.IsError || !strings.Contains(textOf(r), says) {
		h.t.Errorf("%s %v answers %.1000s; want the error %s", name, args, asJSON(r), says)
	}
}

// operates does on the current page what an agent does.
func (h operating) operates() {
	h.t.Helper()
	h.does("evaluate_script", map[string]any{"function": `() => {
		document.body.insertAdjacentHTML('beforeend', '<button>Count</button><button>Ask</button><input aria-label=Field>')
		window.clicks = 0
		const [count, ask] = document.querySelectorAll('button')
		count.onclick = () => console.log('clicks', ++clicks)
		ask.onclick = () => { window.said = prompt('How many?') }
	}`}, "")
	snapshot := h.does("take_snapshot", nil, `button "Count"`)
	uid := func(what string) string {
		h.t.Helper()
		found := regexp.MustCompile(`(\S+) ` + regexp.QuoteMeta(what)).FindStringSubmatch(snapshot)
		if found == nil {
			h.t.Fatalf("the snapshot lacks %s: %s", what, snapshot)
		}
		return found[1]
	}
	h.does("click", map[string]any{"uid": uid(`button "Count"`)}, "Clicked")
	h.does("fill", map[string]any{"uid": uid(`textbox "Field"`), "value": "Ada"}, `It holds "Ada"`)
	h.does("click", map[string]any{"uid": uid(`button "Ask"`)}, "How many?")
	h.does("handle_dialog", map[string]any{"action": "accept", "promptText": "three"}, "accepted")
	h.does("evaluate_script", map[string]any{"function": "() => [clicks, said, document.querySelector('input').value]"}, `[1,"three","Ada"]`)
	h.does("take_screenshot", nil, "A picture of what the page shows")
	h.refuses("take_screenshot", map[string]any{"filePath": "/tmp/shot.png"}, "filePath names a file")
	h.does("list_console_messages", nil, "clicks 1")
	h.does("list_network_requests", nil, "plain.html")
	h.does("resize_page", map[string]any{"width": 500, "height": 400}, "500")
	h.does("navigate_page", map[string]any{"url": pages.url("plain.html", "of=again")}, "of=again")
	h.does("list_pages", nil, "of=again")
	h.refuses("click", map[string]any{"uid": uid(`button "Count"`)}, uid(`button "Count"`)) // of the document before
}
