package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestHostilePage(t *testing.T) {
	t.Parallel()
	for _, r := range []runtime{native, mcpb5, mcpb2, polyfill, early} {
		t.Run(string(r), func(t *testing.T) {
			c := chromeFor(t, r)
			h := attachHub(t, c)
			p := c.open(t, pages.url("hostile.html", "runtime="+string(r)))
			h.waitTool(toolName("0", "honest"))
			clientSafe(t, h)

			p.eval(`attackBridge()`)
			p.happened("attacked")
			// The page is still served, and so is every other.
			p.eval(`addTool({name: 'after'})`)
			c.open(t, pages.otherSite("shop.html", "runtime="+string(r)))
			h.waitTool(toolName("1", "search"))
			wantText(t, h.call(toolName("1", "search"), map[string]any{"q": "x"}), "found x")
			if r == native {
				h.waitTool(toolName("0", "after"))
				wantText(t, h.call(toolName("0", "honest"), nil), "honest ran")
			}
			clientSafe(t, h)
		})
	}
}

// clientSafe checks what every MCP client relies on, for all tools in the list.
func clientSafe(t *testing.T, h *hub) {
	t.Helper()
	valid := regexp.MustCompile(`^[A-Za-z0-9_-]{1,51}$`)
	seen := map[string]bool{}
	for _, tool := range h.list() {
		if !valid.MatchString(tool.Name) {
			t.Errorf("no client accepts the name %q", tool.Name)
		}
		if seen[tool.Name] {
			t.Errorf("%s is there twice", tool.Name)
		}
		seen[tool.Name] = true
		if tool.InputSchema.Type != "object" {
			t.Errorf("the schema of %s is of type %q", tool.Name, tool.InputSchema.Type)
		}
		for _, bad := range []string{"\x1b", "\x00", "\u202e", "\u200b"} {
			if strings.Contains(tool.Description, bad) {
				t.Errorf("the description of %s has the character %q", tool.Name, bad)
			}
		}
		if strings.Contains(tool.Name, "forged") {
			t.Errorf("a forged tool is listed: %s", tool.Name)
		}
	}
}

func TestToolsWithOddSchemasCanBeCalled(t *testing.T) {
	t.Parallel()
	h := attachHub(t, nativeChrome(t))
	nativeChrome(t).open(t, pages.url("hostile.html"))
	h.waitTool(toolName("0", "honest"))
	for _, tool := range []string{"union_root", "header", "recursive", "wordy", "control"} {
		h.waitTool(toolName("0", tool))
		args := map[string]any{}
		if got := h.call(toolName("0", tool), args); got.IsError {
			t.Errorf("%s: %s", tool, asJSON(got))
		}
	}
}

func TestPageServerThatLies(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"not-a-list", "mixed", "endless-pages", "too-many"} {
		t.Run(answer, func(t *testing.T) {
			c := plainChrome(t)
			h := attachHub(t, c)
			p := c.open(t, pages.url("garbage-server.html", "answer="+answer))
			p.happened("listed")
			if answer == "mixed" {
				h.waitTool(toolName("0", "fine"))
				h.call(toolName("0", "fine"), nil) // any answer will do, but there is one
			}
			c.open(t, pages.url("plain.html"))
			clientSafe(t, h)
		})
	}
}

func TestStorm(t *testing.T) {
	t.Parallel()
	const n, tabs = 500, 4
	c := nativeChrome(t)
	h := attachHub(t, c)
	var all []*tab
	var want []string
	for i := range tabs {
		all = append(all, c.open(t, pages.url("storm.html")))
		want = append(want, toolName(fmt.Sprint(i), "steady"), toolName(fmt.Sprint(i), "settled"))
		h.waitTool(toolName(fmt.Sprint(i), "steady"))
	}
	for _, p := range all {
		p.eval(fmt.Sprintf(`storm(%d), true`, n))
	}
	h.waitNames(want...)
	for i := range all {
		wantText(t, h.call(toolName(fmt.Sprint(i), "settled"), nil), "settled ran")
	}
	if got := h.count("notifications/tools/list_changed"); got > n {
		t.Errorf("%d notifications for a storm of %d changes: they are not coalesced", got, n*tabs*2)
	}
}
