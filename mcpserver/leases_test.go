package mcpserver

import (
	"strings"
	"testing"
	"webmcphub/mcpserver/view"
)

func TestLease(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := newTabHub(t, view.FocusedTab)
		join := func() *rawClient {
			c := h.connect(true)
			c.handshake()
			c.steps([3]string{"connect_browser", `{}`, `{"connected":true,"browser":{"name":"Chrome","version":"156.0.1"},"tabCount":2} !`})
			return c
		}
		a := join()
		b := join()
		const focused = `{"success":true,"tab":{"id":1,"title":"Title of A","url":"https://a.test/"},"toolsAvailable":["add","search"]}`
		const kept = `ab 1 (https://a.test/) is kept by another client, test (stdio-1), which has focused it with exclusive: true. Work in another tab, or try again once that client has let go of it.`
		a.steps([3]string{"focus_tab", `{"tabId":1,"exclusive":true}`, focused + " !"})
		b.steps(
			[3]string{"focus_tab", `{"tabId":1,"exclusive":true}`, `error: T` + kept},
			[3]string{"focus_tab", `{"tabId":1}`, focused + " !"}, // to look at it
			[3]string{"add", `{}`, `error: add was not called: t` + kept},
			[3]string{"call_webmcp_tool", `{"name":"add"}`, `error: webmcp_a_test_page0_add was not called: t` + kept},
			[3]string{"close_tab", `{}`, `error: T` + kept},
		)
		a.steps([3]string{"add", `{}`, `A/add {}`})

		// Focusing the tab without it lets go.
		a.steps([3]string{"focus_tab", `{"tabId":1}`, focused})
		b.steps([3]string{"add", `{}`, `A/add {}`})
		// So does focusing another one.
		a.steps([3]string{"focus_tab", `{"tabId":1,"exclusive":true}`, focused})
		a.steps([3]string{"focus_tab", `{"tabId":2}`, `{"success":true,"tab":{"id":2,"title":"Title of B","url":"https://b.test/"},"toolsAvailable":["search"]} !`})
		b.steps([3]string{"add", `{}`, `A/add {}`})
		// And the client's end.
		a.steps([3]string{"focus_tab", `{"tabId":1,"exclusive":true}`, focused + " !"})
		b.send(callLine("1", "add", `{}`))
		if got := said(t, b.take()[0]); !strings.Contains(got, "kept by another client") {
			t.Error(got)
		}
		a.hangUp()
		b.steps([3]string{"add", `{}`, `A/add {}`})
	})
}
