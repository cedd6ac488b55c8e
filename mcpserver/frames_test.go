package mcpserver

import (
	"strings"
	"testing"

	"webmcphub/registry"
)

// An agent that reads the list sees whose tool a frame's is.
func TestTheListSaysWhoseAFramesToolIs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.change(open("A", "https://bank.test/"), navigated("A", 1, "https://bank.test/"),
			registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{
				{Name: "own", Frame: "A", Doc: 1, Origin: "https://bank.test"},
				{Name: "ad", Frame: "F", Doc: 2, FrameURL: "about:srcdoc", Origin: "https://ads.test"},
				{Name: "whose", Frame: "G", Doc: 3, FrameURL: "about:blank"},
			}})
		c := h.connect(true)
		c.handshake()
		got := c.call("list_webmcp_tools", `{}`)
		for _, want := range []string{
			`"url":"https://bank.test/","title"`,
			`"tool":"own","description":"[WebMCP • bank.test • Page 0] No description"`,
			`"tool":"ad","origin":"https://ads.test","description":"[WebMCP • bank.test • Page 0] [frame of https://ads.test] No description"`,
			`"tool":"whose","origin":"unknown"`,
		} {
			if !strings.Contains(got, want) {
				t.Errorf("the list lacks %s:\n%s", want, got)
			}
		}
		h.change(registry.PageChanged{Page: "A", URL: "about:blank", Origin: "https://bank.test"})
		c.take()
		if got := c.call("list_webmcp_tools", `{}`); !strings.Contains(got, `"url":"about:blank","origin":"https://bank.test"`) {
			t.Error(got)
		}
		c.hangUp()
	})
}
