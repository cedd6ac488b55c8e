package mcpserver

import (
	"strings"
	"testing"

	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

// What the lists that were read last lack means what it meant in earlier ones:
// the page that has taken its place since is not asked.
func TestOffersOfEarlierLists(t *testing.T) {
	const (
		ask0      = "webmcp_a_test_page0_ask"
		template0 = "webmcp://a.test/page0/note%3A%2F%2F{id}"
		filled0   = "webmcp://a.test/page0/note%3A%2F%2F7"
	)
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		h.page("A", "https://a.test/", "note://1", "note://{id}", "#ask")
		h.page("B", "https://a.test/", "note://1", "note://{id}", "#ask")
		c := h.connect(true)
		c.handshake()
		lists := []string{"resources/list", "resources/templates/list", "prompts/list"}
		read := func() {
			for _, list := range lists {
				c.names(list)
			}
		}
		asks := map[string]string{
			"resources/read":                    `{"uri":"` + note0 + `"}`,
			"resources/read ":                   `{"uri":"` + filled0 + `"}`,
			"prompts/get":                       `{"name":"` + ask0 + `"}`,
			"completion/complete":               `{"ref":{"type":"ref/prompt","name":"` + ask0 + `"},"argument":{"name":"a","value":"t"}}`,
			"completion/complete (of template)": `{"ref":{"type":"ref/resource","uri":"` + template0 + `"},"argument":{"name":"id","value":"1"}}`,
		}
		wantEach := func(when, says string) {
			t.Helper()
			for what, params := range asks {
				method, _, _ := strings.Cut(what, " ")
				if got := c.one(method, params); !strings.Contains(got, says) {
					t.Errorf("%s, %s: got %s, want %s", when, what, got, says)
				}
			}
		}
		read()
		h.change(offered("A", 1))
		c.take()
		read() // without page 0's
		for range view.EarlierLists + 2 {
			h.change(registry.PageChanged{Page: "A", URL: "https://a.test/", Title: "Another"})
			read() // the same lists: they push nothing out
		}
		wantEach("while page 0 offers nothing", "is gone: its page no longer offers")
		h.change(registry.PageClosed{Page: "A"})
		c.take()
		h.heard()
		wantEach("when page 0 is another page", "is gone: the page that it belonged to was closed")
		h.expectHeard()

		// One kind of list says nothing of the other.
		c.names("resources/list")
		wantText(t, c.one("resources/read", asks["resources/read"]), `"text":"read"`)
		delete(asks, "resources/read")
		wantEach("when only the resources were listed again", "is gone: the page that it belonged to was closed")
		read()
		for what, params := range asks {
			method, _, _ := strings.Cut(what, " ")
			if got := c.one(method, params); strings.Contains(got, "is gone") {
				t.Errorf("when it was listed again: %s", got)
			}
		}
		c.hangUp()
	})
}

// In focus mode a name of the tab before doesn't reach a tool of that name that
// the tab of now has registered since.
func TestBareNamesOfEarlierLists(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := newTabHub(t, view.FocusedTab)
		c := h.connect(true)
		c.handshake()
		c.steps(
			[3]string{"connect_browser", `{}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":2} !`},
			[3]string{"focus_tab", `{"tabId":1}`, `{"success":true,"tab":{"id":1,"title":"Title of A","url":"https://a.test/"},"toolsAvailable":["add","search"]} !`},
		)
		c.list()
		c.steps([3]string{"focus_tab", `{"tabId":2}`, `{"success":true,"tab":{"id":2,"title":"Title of B","url":"https://b.test/"},"toolsAvailable":["search"]} !`})
		c.list()
		for range view.EarlierLists + 2 {
			h.change(registry.PageChanged{Page: "B", URL: "https://b.test/", Title: "Another"})
			c.list() // the same list
		}
		c.steps([3]string{"add", `{}`, `error: add was not called: it is a tool of tab 1 (https://a.test/), and tab 2 (https://b.test/) is focused now. Call focus_tab with tabId 1 to go back to it.`})
		h.change(tools("B", 1, "search", "add"))
		c.expect(listChanged)
		c.steps([3]string{"add", `{}`, `error: add was not called: it is a tool of tab 1 (https://a.test/), and tab 2 (https://b.test/) is focused now, whose add is another tool. Call focus_tab with tabId 1 to go back to it, or list the tools again and call the other if you mean that.`})
		c.list()
		c.steps([3]string{"add", `{}`, `B/add {}`})
		c.hangUp()
	})
}

// The same holds for what call_webmcp_tool is given: a page's own name for a tool,
// and a page's index.
func TestOwnNamesAndIndexesOfEarlierLists(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://a.test/", "see")
		h.page("B", "https://b.test/", "buy")
		c := h.connect(true)
		c.handshake()
		c.call("list_webmcp_tools", `{}`)
		h.change(registry.PageClosed{Page: "B"})
		c.expect(listChanged)
		c.call("list_webmcp_tools", `{}`)
		h.page("C", "https://c.test/", "buy")
		c.expect(listChanged)
		if got := c.call("call_webmcp_tool", `{"name":"buy"}`); !strings.HasPrefix(got, "error: buy was a tool of another page when you listed the tools") {
			t.Error(got)
		}
		if got := c.call("call_webmcp_tool", `{"name":"buy","page":1}`); !strings.HasPrefix(got, "error: Page 1 is another page now: https://c.test/") {
			t.Error(got)
		}
		c.call("list_webmcp_tools", `{}`)
		if got := c.call("call_webmcp_tool", `{"name":"buy","page":1}`); got != "C/buy {}" {
			t.Error(got)
		}
		if got := c.call("call_webmcp_tool", `{"name":"buy"}`); got != "C/buy {}" {
			t.Error(got)
		}
		c.hangUp()
	})
}
