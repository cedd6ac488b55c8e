package mcpserver

import (
	"reflect"
	"strings"
	"testing"

	"webmcphub/registry"
)

// TestBrowserOfATab: an agent says in which of several browsers a tab opens, by a name or a
// label; a word that no browser has opens nothing, and the answer says which there are.
func TestBrowserOfATab(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := &tabBrowser{}
		h := newHub(t, echo, func(o *Options, _ *registry.Options) { o.Browser, o.OnRequest, o.Several = b, true, true })
		b.h = h
		h.change(
			registry.BrowsersNamed{Browsers: []registry.NamedBrowser{{Name: "a", Labels: []string{"eu"}}, {Name: "b", Labels: []string{"eu", "test"}}}},
			registry.BrowserChanged{Browser: "b"}, registry.BrowserChanged{Browser: "a", Status: "refused"},
			registry.PageOpened{Page: "b/1", Browser: "b", URL: "https://b.test/"},
		)
		c := h.connect(true)
		c.handshake()
		for _, step := range []struct {
			word string
			want []string
		}{{`"a"`, []string{"a"}}, {`"eu"`, []string{"b", "a"}}, {`"test"`, []string{"b"}}} {
			c.call("open_tab", `{"url":"https://c.test/","focus":false,"browser":`+step.word+`}`)
			h.mu.Lock()
			if !reflect.DeepEqual(b.newest.In, step.want) {
				t.Errorf("%s opens in %q, want %q", step.word, b.newest.In, step.want)
			}
			h.mu.Unlock()
		}
		c.call("open_tab", `{"url":"https://c.test/","focus":false}`)
		if b.newest.In != nil {
			t.Errorf("without a word it opens in %q", b.newest.In)
		}
		opened := b.opened
		const there = `The browsers are: a (eu) [not connected], b (eu, test)`
		for _, tool := range []string{"open_tab", "connect_browser"} {
			if got := c.call(tool, `{"url":"https://c.test/","browser":"c"}`); !strings.Contains(got, there) {
				t.Errorf("%s: %s", tool, got)
			}
		}
		if b.opened != opened || b.asked != 0 {
			t.Errorf("%d tabs were opened, and %d times a browser was asked for", b.opened-opened, b.asked)
		}
		c.call("connect_browser", `{"browser":"test"}`)
		if b.asked != 1 || !reflect.DeepEqual(b.into, []string{"b"}) {
			t.Errorf("%q were asked for", b.into)
		}
		if schema := string(c.outputSchema("list_webmcp_tools")); !strings.Contains(schema, `"browsers":{"type":"array"`) || !strings.Contains(schema, `"browser":{"type":"string","description":"The page's browser."}`) {
			t.Errorf("its schema doesn't say so: %s", schema)
		}
		if got := c.call("list_webmcp_tools", `{}`); !strings.Contains(got, `"browser":"b"`) || !strings.Contains(got, `"browsers":[{"name":"a"`) {
			t.Errorf("the list doesn't say which browsers there are: %s", got)
		}
	})
}
