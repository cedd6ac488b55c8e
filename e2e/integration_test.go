package e2e

import (
	"strings"
	"testing"
)

// TestIntegration is the list of end-to-end cases from the user's specification,
// under its names, once for each way in which a page can have WebMCP.
func TestIntegration(t *testing.T) {
	t.Parallel()
	for _, r := range []runtime{native, mcpb5, mcpb2, polyfill, early} {
		t.Run(string(r), func(t *testing.T) {
			t.Parallel()
			integration(t, r)
		})
	}
}

// integration goes through the cases with as few hubs and tabs as they allow: a tab costs Chrome as much as all that a
// case does in it.
func integration(t *testing.T, r runtime) {
	with := "runtime=" + string(r)
	c := chromeFor(t, r)
	t.Run("tools of a page that was already open appear", func(t *testing.T) {
		c := chromeFor(t, r) // the same, whose tabs are closed in the end
		c.open(t, pages.url("shop.html", with)).waitLoaded()
		attachHub(t, c).waitNames(toolName("0", "add_to_cart"), toolName("0", "search"))
	})
	h := attachHub(t, c)
	var p *tab
	defer func() { h.t = t }()
	run := func(name string, test func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			h.t = t
			if p != nil {
				p.t = t
			}
			test(t)
		})
	}

	run("tools appear in client.listTools() after WebMCP connect", func(t *testing.T) {
		p = c.open(t, pages.url("shop.html", with))
		tools := h.waitNames(toolName("0", "add_to_cart"), toolName("0", "search"))
		tool := find(tools, toolName("0", "add_to_cart"))
		want := "[WebMCP • localhost:" + pages.port() + " • Page 0] Puts a product into the cart"
		if tool.Description != want {
			t.Errorf("description %q, want %q", tool.Description, want)
		}
		if tool.InputSchema.Type != "object" || tool.InputSchema.Required[0] != "product" || tool.InputSchema.Properties["quantity"] == nil {
			t.Errorf("the schema is not the page's: %s", asJSON(tool.InputSchema))
		}
		if r == early {
			return // which doesn't tell annotations
		}
		if hint := find(tools, toolName("0", "search")).Annotations.ReadOnlyHint; hint == nil || !*hint {
			t.Errorf("readOnlyHint is %v", hint)
		}
	})

	run("legacy list_webmcp_tools still works alongside dynamic tools", func(t *testing.T) {
		list := h.call("list_webmcp_tools", nil)
		for _, want := range []string{toolName("0", "search"), "add-to-cart", pages.url("shop.html"), "quantity"} {
			if !strings.Contains(textOf(list), want) {
				t.Errorf("list_webmcp_tools doesn't say %q: %s", want, textOf(list))
			}
		}
		wantText(t, h.call("call_webmcp_tool", map[string]any{"name": "search", "page": 0, "arguments": map[string]any{"q": "x"}}), "found x")
		wantText(t, h.call("call_webmcp_tool", map[string]any{"name": toolName("0", "search"), "arguments": map[string]any{"q": "y"}}), "found y")
	})

	run("several tabs side by side", func(t *testing.T) {
		first := p
		p = c.open(t, pages.url("shop.html", with))
		h.waitNames(toolName("0", "add_to_cart"), toolName("0", "search"), toolName("1", "add_to_cart"), toolName("1", "search"))
		h.call(toolName("1", "add_to_cart"), map[string]any{"product": "tea"})
		if got := string(first.eval(`notes.has('added')`)); got != "false" {
			t.Error("the call reached the other tab")
		}
		first.close()
		h.waitNames(toolName("0", "add_to_cart"), toolName("0", "search"))
		p.eval(`notes.delete('added')`)
	})

	run("a call reaches the page with its arguments", func(t *testing.T) {
		wantText(t, h.call(toolName("0", "add_to_cart"), map[string]any{"product": "Käse 🧀", "quantity": 2}), "added 2 × Käse 🧀")
		if got := string(p.eval(`happened('added').then(a => a.product === 'Käse 🧀' && a.quantity === 2)`)); got != "true" {
			t.Errorf("the page saw %s", p.happened("added"))
		}
	})

	run("going back restores the tools", func(t *testing.T) {
		p.navigate(pages.url("plain.html"))
		h.waitNoPageTools()
		p.eval(`setTimeout(() => history.back()), true`)
		h.waitNames(toolName("0", "add_to_cart"), toolName("0", "search"))
		wantText(t, h.call(toolName("0", "search"), map[string]any{"q": "it"}), "found it")
	})

	run("tools disappear from list after page navigation", func(t *testing.T) {
		p.navigate(pages.url("plain.html"))
		h.waitNoPageTools()
		p.navigate(pages.url("dynamic.html", with))
		h.waitNames(toolName("0", "first"), toolName("0", "unlock"))
	})

	run("client can call dynamically registered tools", func(t *testing.T) {
		p.eval(`add('late')`)
		h.waitTool(toolName("0", "late"))
		wantText(t, h.call(toolName("0", "late"), nil), "late ran")
		wantText(t, h.call(toolName("0", "unlock"), nil), "unlocked")
		h.waitTool(toolName("0", "secret"))
		wantText(t, h.call(toolName("0", "secret"), nil), "secret ran")
	})

	run("tools come back after a reload", func(t *testing.T) {
		p.reload()
		h.waitNames(toolName("0", "first"), toolName("0", "unlock"))
		wantText(t, h.call(toolName("0", "first"), nil), "first ran")
	})

	run("client receives list_changed notification when tools change", func(t *testing.T) {
		p.eval(`add('second')`)
		h.waitNames(toolName("0", "first"), toolName("0", "second"), toolName("0", "unlock"))
		p.eval(`remove('first')`)
		h.waitNames(toolName("0", "second"), toolName("0", "unlock"))
		p.eval(`change('second', 'quite another')`)
		h.waitTools("the new description", func(tools toolList) bool {
			tool := find(tools, toolName("0", "second"))
			return tool != nil && strings.HasSuffix(tool.Description, "] quite another")
		})
		p.eval(`change('second', 'with a schema', {type: 'object', properties: {colour: {type: 'string'}}})`)
		h.waitTools("the new schema", func(tools toolList) bool {
			tool := find(tools, toolName("0", "second"))
			return tool != nil && tool.InputSchema.Properties["colour"] != nil
		})
	})

	run("tools stay within a page that changes its address only", func(t *testing.T) {
		p.eval(`history.pushState({}, '', '/elsewhere.html'); location.hash = 'x'; add('after')`)
		h.waitTool(toolName("0", "after"))
		wantText(t, h.call(toolName("0", "second"), nil), "second ran")
	})
}
