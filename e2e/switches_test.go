package e2e

import (
	"strings"
	"syscall"
	"testing"
)

func TestDisableWebmcpAutoRegister(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := attachHub(t, c, "--disable-webmcp-auto-register")
	p := c.open(t, pages.url("shop.html"))
	// The two tools that are always there reach the page's all the same.
	for !strings.Contains(textOf(h.call("list_webmcp_tools", nil)), "add-to-cart") {
		p.eval(`new Promise(requestAnimationFrame)`)
	}
	if got := h.list(); find(got, "list_webmcp_tools") == nil || find(got, "call_webmcp_tool") == nil || len(pageTools(got)) != 0 {
		t.Errorf("listed: %q", pageTools(got))
	}
	wantText(t, h.call("call_webmcp_tool", map[string]any{"name": "search", "arguments": map[string]any{"q": "x"}}), "found x")
	if h.count("notifications/tools/list_changed") != 0 {
		t.Error("list_changed though the list never changes")
	}
	h.signal(syscall.SIGUSR2)
	h.waitNames(toolName("0", "add_to_cart"), toolName("0", "search"))
}

func TestAutoRegistrationIsSwitchedWhileRunning(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := attachHub(t, c)
	p := c.open(t, pages.url("dynamic.html"))
	h.waitNames(toolName("0", "first"), toolName("0", "unlock"))
	h.signal(syscall.SIGUSR1)
	h.waitNoPageTools()
	p.eval(`add('meanwhile')`)
	h.signal(syscall.SIGUSR2)
	h.waitNames(toolName("0", "first"), toolName("0", "meanwhile"), toolName("0", "unlock"))
	wantText(t, h.call(toolName("0", "meanwhile"), nil), "meanwhile ran")
}

func (h *hub) signal(s syscall.Signal) {
	h.t.Helper()
	if err := h.cmd.Process.Signal(s); err != nil {
		h.t.Fatal(err)
	}
}

func TestPageIndexes(t *testing.T) {
	t.Parallel()
	t.Run("position", func(t *testing.T) {
		c := nativeChrome(t)
		h := attachHub(t, c)
		first := c.open(t, pages.url("dynamic.html"))
		h.waitTool(toolName("0", "unlock"))
		c.open(t, pages.url("shop.html"))
		h.waitTool(toolName("1", "search"))
		first.close()
		h.waitNames(toolName("0", "add_to_cart"), toolName("0", "search"))
	})
	t.Run("stable", func(t *testing.T) {
		c := nativeChrome(t)
		h := attachHub(t, c, "--page-index", "stable")
		first := c.open(t, pages.url("dynamic.html"))
		h.waitTools("two tools", func(tools toolList) bool { return len(pageTools(tools)) == 2 })
		c.open(t, pages.url("shop.html"))
		before := pageTools(h.waitTools("four tools", func(tools toolList) bool { return len(pageTools(tools)) == 4 }))
		first.close()
		after := pageTools(h.waitTools("two tools", func(tools toolList) bool { return len(pageTools(tools)) == 2 }))
		for _, name := range after {
			if !strings.Contains(strings.Join(before, " "), name) {
				t.Errorf("%s was renamed: before %q", name, before)
			}
		}
	})
}

func TestStaleNameIsRefused(t *testing.T) {
	t.Parallel()
	// The client saw page 0's and page 1's search; then page 0 closes, and page 1
	// takes its name. A client that hasn't listed again must not reach the wrong page.
	c := nativeChrome(t)
	h := startRaw(t, "--browser-url", c.browserURL())
	h.initialize()
	first := c.open(t, pages.url("shop.html"))
	h.waitListed(toolName("0", "search"))
	second := c.open(t, pages.url("shop.html"))
	h.waitListed(toolName("1", "search"))
	seen := h.changes
	first.close()
	for h.changes == seen {
		h.read() // the list has changed, and this client doesn't look
	}
	m := h.ask("tools/call", map[string]any{"name": toolName("0", "add_to_cart"), "arguments": map[string]any{"product": "tea"}})
	if said := string(m.Result); m.Error == nil && !strings.Contains(said, `"isError":true`) {
		t.Errorf("the stale name was called: %s", said)
	}
	if got := string(second.eval(`notes.has('added')`)); got != "false" {
		t.Error("the call reached the other page")
	}
	// Its new name works, and after a new list the old name does too.
	m = h.ask("tools/call", map[string]any{"name": toolName("1", "search"), "arguments": map[string]any{"q": "x"}})
	if !strings.Contains(string(m.Result), "found x") {
		t.Errorf("the renamed tool: %s %+v", m.Result, m.Error)
	}
	h.waitListed(toolName("0", "search"))
	m = h.ask("tools/call", map[string]any{"name": toolName("0", "search"), "arguments": map[string]any{"q": "x"}})
	if !strings.Contains(string(m.Result), "found x") {
		t.Errorf("after listing again: %s %+v", m.Result, m.Error)
	}
}

func TestMaxToolName(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := attachHub(t, c, "--max-tool-name", "40")
	p := c.open(t, pages.url("dynamic.html"))
	p.eval(`add('a-very-long-name-that-goes-on'); add('a-very-long-name-that-goes-off')`)
	tools := h.waitTools("four tools", func(tools toolList) bool { return len(pageTools(tools)) == 4 })
	for _, name := range pageTools(tools) {
		if len(name) > 40 {
			t.Errorf("%s is %d long", name, len(name))
		}
	}
}
