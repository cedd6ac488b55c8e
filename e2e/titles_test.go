package e2e

import (
	"strings"
	"testing"
)

// A title that a script sets long after the load, which Chrome announces to nobody.
func TestTitleSetByScript(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{nil, {"--explicit-connect"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			c := nativeChrome(t)
			p := c.open(t, pages.url("shop.html"))
			h := attachHub(t, c, flags...)
			poll(t, "the list lacks the page", func() bool { return strings.Contains(textOf(h.call("list_webmcp_tools", nil)), "shop.html") })
			for tool, title := range map[string]string{"list_tabs": "Cart (1)", "list_webmcp_tools": "Cart (2)"} {
				p.eval(`document.title = "` + title + `"; new Promise(done => setTimeout(done, 300))`)
				if list := textOf(h.call(tool, nil)); !strings.Contains(list, `"title":"`+title+`"`) {
					t.Errorf("%s answers %s", tool, list)
				}
			}
		})
	}
}
