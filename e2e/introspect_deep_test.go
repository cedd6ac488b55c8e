package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// A deep page has more than one tree: shadow trees, frames, and dialogs that
// stand before the rest.
type deep struct {
	*hub
	p *tab
}

// has waits until the page's tools are these and get_page_content.
func (d deep) has(own ...string) {
	d.t.Helper()
	names := []string{toolName("0", "get_page_content")}
	for _, name := range own {
		names = append(names, toolName("0", name))
	}
	d.waitNames(names...)
}

// hasAlso waits until the page has a tool, or has it no more.
func (d deep) hasAlso(name string, has bool) {
	d.t.Helper()
	d.waitTools(fmt.Sprintf("%s: %v", name, has), func(tools []mcp.Tool) bool {
		return slices.Contains(pageTools(tools), toolName("0", name)) == has
	})
}

// use calls a tool and returns what the page has logged by then.
func (d deep) use(name string, args any) string {
	d.t.Helper()
	if got := d.call(toolName("0", name), args); got.IsError {
		d.t.Errorf("%s: %s", name, textOf(got))
	}
	return string(d.p.eval(`logged.splice(0).join()`))
}

func TestIntrospectDeep(t *testing.T) {
	t.Parallel()
	introspectedWays(t, false, testIntrospectedDeep)
}

func testIntrospectedDeep(t *testing.T, h *hub, c *chrome) {
	d := deep{h, c.open(t, pages.url("deep.html"))}
	d.has("click_outer", "click_buy_tea", "enter_your_size", "submit_order")
	for _, use := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"click_outer", nil, `"outer"`},
		{"click_buy_tea", nil, `"bought"`},
		{"enter_your_size", map[string]any{"text": "M"}, `"size M"`},
		{"submit_order", map[string]any{"amount": "3"}, `"order 3"`},
	} {
		if got := d.use(use.tool, use.args); got != use.want {
			t.Errorf("%s: the page logged %s, want %s", use.tool, got, use.want)
		}
	}

	d.p.eval(`inShadow('shop-card').querySelector('p').insertAdjacentHTML('afterend', '<button>New</button>')`)
	d.hasAlso("click_new", true)
	d.p.eval(`inShadow('shop-card').querySelector('button').remove()`)
	d.hasAlso("click_new", false)
	d.p.eval(`defineLate()`)
	d.hasAlso("click_late", true)
	d.p.eval(`document.querySelector('main').inert = true`)
	d.hasAlso("click_outer", false)
	d.p.eval(`document.querySelector('main').inert = false`)
	d.hasAlso("click_outer", true)

	t.Run("frames", d.testFrames)
	t.Run("dialogs", d.testDialogs)
}

func (d deep) testFrames(t *testing.T) {
	d.p.eval(fmt.Sprintf(`frame('<title>f</title><p>Framed words</p><button onclick="parent.log(1)">Framed</button>'), frame(%q), frame('<button>Tiny</button>', 'width: 1px; height: 1px')`,
		pages.otherSite("shop.html")))
	d.hasAlso("click_framed", true)
	if got := d.use("click_framed", nil); got != `"1"` {
		t.Errorf("the page logged %s", got)
	}
	content := textOf(d.call(toolName("0", "get_page_content"), nil))
	last := 0
	for _, want := range []string{"On the surface", "In the shadow", "Buy tea", "Amount", "The end", "Framed words"} {
		at := strings.Index(content, want)
		if at < last {
			t.Errorf("%q is not in its place in the page's text: %s", want, content)
		}
		last = max(last, at)
	}
	for _, never := range []string{"Out of sight", "Vault", "typed", "Slotted", "log("} {
		if strings.Contains(content, never) {
			t.Errorf("the page's text has %q in it: %s", never, content)
		}
	}
	d.p.eval(`document.querySelector('iframe').style.display = 'none'`)
	d.hasAlso("click_framed", false)
	d.p.eval(`document.querySelector('iframe').style.display = ''`)
	d.hasAlso("click_framed", true)
	d.p.eval(`ask.showModal()`)
	d.has("submit_answer")
	d.p.eval(`ask.close()`)
	d.hasAlso("click_framed", true)
	// A tool of the page's own takes the place of all that are made, the frame's too; one of a frame's only of that frame's.
	const add = `.body.insertAdjacentHTML('beforeend', '<form toolname="own" tooldescription="d"><button>Own</button></form>')`
	d.p.eval(`document` + add)
	d.waitNames(toolName("0", "own"))
	d.p.eval(`document.querySelector('[toolname]').remove()`)
	d.hasAlso("click_framed", true)
	d.p.eval(`document.querySelector('iframe').contentDocument` + add)
	d.waitTools("the frame's own tool", func(tools []mcp.Tool) bool {
		names := pageTools(tools)
		return slices.Contains(names, toolName("0", "own")) && slices.Contains(names, toolName("0", "click_outer")) && !slices.Contains(names, toolName("0", "click_framed"))
	})
	for _, name := range pageTools(d.list()) {
		if strings.Contains(name, "tiny") || strings.Contains(name, "cart") {
			t.Errorf("%s is of a frame that nobody can use, or of another site's", name)
		}
	}
	d.p.eval(`document.querySelectorAll('iframe').forEach(f => f.remove())`)
	d.hasAlso("own", false)
}

func (d deep) testDialogs(t *testing.T) {
	d.p.eval(`ask.showModal()`)
	if got := d.call(toolName("0", "click_outer"), nil); !got.IsError {
		t.Errorf("what stands behind a dialog was clicked: %s", textOf(got))
	}
	d.has("submit_answer")
	d.use("submit_answer", map[string]any{"why": "because"})
	if got := string(d.p.eval(`[ask.open, ask.returnValue]+''`)); got != `"false,ok"` {
		t.Errorf("the dialog is %s", got)
	}
	d.hasAlso("click_outer", true)

	d.p.eval(`inShadow('shop-modal').querySelector('dialog').showModal()`)
	d.has("click_slotted")
	d.p.eval(`ask.showModal()`) // the front one, though it isn't the last in the page's order
	d.has("submit_answer")
	d.p.eval(`ask.close()`)
	d.has("click_slotted")
	if got := d.use("click_slotted", nil); got != `"slotted"` {
		t.Errorf("the page logged %s", got)
	}
	d.p.eval(`inShadow('shop-modal').querySelector('dialog').close()`)
	d.hasAlso("click_outer", true)

	d.p.eval(`sheet.hidden = false`)
	d.has("click_agree")
	d.p.eval(`sheet.hidden = true`)
	d.hasAlso("click_outer", true)
}
