package mcpserver

import (
	"testing"

	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

// A tab is kept only while it is its holder's focused one, however that ends.
func TestLeaseEndsWithTheFocus(t *testing.T) {
	for name, end := range map[string]func(h *hub, a *rawClient){
		"open_tab": func(h *hub, a *rawClient) {
			a.steps([3]string{"open_tab", `{"url":"https://c.test/"}`, `{"tab":{"id":3,"title":"Title of new1","url":"https://c.test/"},"focused":true,"toolsAvailable":["search","see"]} !`})
		},
		"the browser was lost": func(h *hub, a *rawClient) {
			h.change(registry.BrowserChanged{Status: "it was closed"})
			h.change(registry.BrowserChanged{})
		},
		"a crash": func(h *hub, a *rawClient) {
			h.change(registry.PageChanged{Page: "A", State: "crashed"})
			h.change(registry.PageChanged{Page: "A"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h, _ := newTabHub(t, view.FocusedTab)
				a, b := h.connect(true), h.connect(true)
				for _, c := range []*rawClient{a, b} {
					c.handshake()
					c.steps([3]string{"connect_browser", `{}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":2} !`})
				}
				a.send(callLine("1", "focus_tab", `{"tabId":1,"exclusive":true}`))
				a.take()
				end(h, a)
				b.take()
				b.send(callLine("1", "connect_browser", `{}`))
				b.take()
				if got := b.call("call_webmcp_tool", `{"name":"add"}`); got != `A/add {}` {
					t.Error(got)
				}
			})
		})
	}
}

// The focus of clients follows the user, unless they keep a tab to themselves.
func TestFollowUser(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := &tabBrowser{}
		h := newHub(t, echo, func(o *Options, _ *registry.Options) { o.Mode, o.Browser, o.FollowUser = view.FocusedTab, b, true })
		b.h = h
		h.page("A", "https://a.test/", "add")
		h.page("B", "https://b.test/", "search")
		follows, keeps, waits := h.connect(true), h.connect(true), h.connect(true)
		for _, c := range []*rawClient{follows, keeps} {
			c.handshake()
			c.steps([3]string{"connect_browser", `{}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":2} !`})
			c.list()
		}
		waits.handshake() // it has not connected to the browser
		keeps.steps([3]string{"focus_tab", `{"tabId":1,"exclusive":true}`, `{"success":true,"tab":{"id":1,"title":"Title of A","url":"https://a.test/"},"toolsAvailable":["add"]} !`})
		keeps.list()

		h.change(registry.PageInFront{Page: "A"}, registry.PageInFront{Page: "B"})
		follows.expect(listChanged)
		follows.wantList("close_tab", "focus_tab", "list_tabs", "open_tab", "search")
		keeps.expect()
		waits.expect()
		waits.wantList("connect_browser")
		h.change(registry.PageInFront{Page: "B"})
		follows.expect()
		h.change(registry.PageInFront{Page: "A"})
		follows.expect(listChanged)
		follows.wantList("close_tab", "focus_tab", "list_tabs", "open_tab", "add")
	})
}
