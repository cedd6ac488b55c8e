package e2e

import (
	"strings"
	"testing"
)

// TestIntrospectSaysWhatAClickDid: what came of a click on a button or a link is
// said with the answer, as of what is typed.
func TestIntrospectSaysWhatAClickDid(t *testing.T) {
	t.Parallel()
	introspectedWays(t, false, func(t *testing.T, h *hub, c *chrome) {
		p := c.open(t, pages.url("plain.html"))
		p.eval(`document.body.insertAdjacentHTML('beforeend', ` + "`" + `<main><button onclick="out.textContent = 'Ten in the cart'">Add</button>
			<button>Deaf</button><p id=out>Empty</p>
			<a href="#more">More</a><a href="/form.html" target=_blank>Aside</a><a href="/shop.html?by=link">Shop</a></main>` + "`" + `), 0`)
		use := func(tool string, wants ...string) {
			t.Helper()
			name := h.waitTool(toolName("0", tool)).Name
			got := h.call(name, nil)
			for _, want := range wants {
				if got.IsError || !strings.Contains(textOf(got), want) {
					t.Errorf("%s answered %s, want %q", tool, asJSON(got), want)
				}
			}
		}
		use("click_add", "The button was clicked.", `New in the page: "Ten in the cart"`, "Gone from the page: 1 line")
		use("click_deaf", "The button was clicked.", "Nothing in the page has changed since")
		use("open_more", "The page's address is now "+pages.url("plain.html")+"#more")
		use("open_aside", "If it opens another tab")
		use("open_shop", "The page goes to "+pages.url("shop.html")+"?by=link")
		p.navigate(pages.url("plain.html"))
		p.eval(`document.body.insertAdjacentHTML('beforeend', '<button onclick="setTimeout(() => location.href = \'/shop.html\', 20)">Leave</button>'), 0`)
		use("click_leave", "The page goes to "+pages.url("shop.html"))
	})
}
