package mcpserver

import (
	"errors"
	"strings"
	"testing"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

// Whatever shows a tab shows the title that it has now, which the catalog may not
// know yet.
func TestTitlesAreAskedFor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := newTabHub(t, view.AllTabs)
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", "list_webmcp_tools", `{}`))
		if got := strings.Join(c.take(), ""); !strings.Contains(got, "Title of A") {
			t.Errorf("the list is %s", got)
		}
		b.titles = map[registry.PageID]registry.Title{"A": {Text: "Cart (1)"}, "gone": {Text: "Nothing"}}
		for _, call := range [][2]string{
			{"list_tabs", `{}`}, {"list_webmcp_tools", `{}`}, {"list_webmcp_tools", `{"page":0}`},
			{"focus_tab", `{"tabId":1}`}, {"list_tabs", `{}`}, {"list_webmcp_tools", `{}`},
		} {
			c.send(callLine("1", call[0], call[1]))
			got := strings.Join(c.take(), "")
			if !strings.Contains(got, "Cart (1)") || strings.Contains(got, "Title of A") || strings.Contains(got, "Nothing") {
				t.Errorf("%s %s: %s", call[0], call[1], got)
			}
			if others := strings.HasPrefix(call[0], "list") && call[1] == `{}`; strings.Contains(got, "Title of B") != others {
				t.Errorf("%s %s: %s", call[0], call[1], got)
			}
		}
		c.steps([3]string{"webmcp_a_test_page0_search", `{}`, `A/search {}`}) // what was listed under another title can be called
		b.titles = map[registry.PageID]registry.Title{"new1": {Text: "Sees"}}
		c.steps([3]string{"open_tab", `{"url":"https://c.test/"}`, `{"tab":{"id":3,"title":"Sees","url":"https://c.test/"},"focused":true,"toolsAvailable":["webmcp_c_test_page2_see","webmcp_c_test_page2_search"]} !`})
		asked := b.listed.Load()
		c.steps([3]string{"webmcp_c_test_page2_see", `{}`, `new1/see {}`})
		c.list()
		if n := b.listed.Load() - asked; n != 0 {
			t.Errorf("the titles were asked for %d times by who doesn't read them", n)
		}
		c.hangUp()
	})
}

// In focus mode a page is shown with the names that its tools have there, also
// under a title that the catalog doesn't have.
func TestTitlesInFocusMode(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, b := newExplicitHub(t, view.FocusedTab)
		c := b.h.connect(true)
		c.handshake()
		b.titles = map[registry.PageID]registry.Title{"A": {Text: "Cart (1)"}}
		for _, call := range [][3]string{
			{"connect_browser", `{}`, `"connected":true`},
			{"focus_tab", `{"tabId":1}`, `"title":"Cart (1)"`},
			{"connect_webmcp", `{}`, `"title":"Cart (1)","tools":[{"name":"add",`},
			{"list_tabs", `{}`, `"title":"Cart (1)","url":"https://a.test/","focused":true`},
		} {
			c.send(callLine("1", call[0], call[1]))
			lines := c.take()
			fakeclock.Elapse(calls.ToolsQuiet)
			if got := strings.ReplaceAll(strings.Join(append(lines, c.take()...), ""), `\"`, `"`); !strings.Contains(got, call[2]) {
				t.Errorf("%s %s: %s", call[0], call[1], got)
			}
		}
		c.hangUp()
	})
}

// A list waits for titles no longer than a second, and goes without them.
func TestTitlesThatDoNotCome(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, b := newTabHub(t, view.AllTabs)
		c := h.connect(true)
		c.handshake()
		b.silent = true
		begin := time.Now()
		c.send(callLine("1", "list_tabs", `{}`))
		if got := c.take(); len(got) != 0 {
			t.Errorf("at once: %q", got)
		}
		fakeclock.Elapse(calls.TitlesWait)
		if got := strings.Join(c.take(), ""); !strings.Contains(got, "Title of A") || time.Since(begin) != time.Second {
			t.Errorf("after %v: %s", time.Since(begin), got)
		}
		h.change(registry.BrowserChanged{Status: "it was lost"})
		b.none = errors.New("it was lost")
		asked := b.listed.Load()
		c.send(callLine("1", "list_webmcp_tools", `{}`))
		if got := strings.Join(c.take(), ""); !strings.Contains(got, "it was lost") || b.listed.Load() != asked {
			t.Errorf("asked %d times more: %s", b.listed.Load()-asked, got)
		}
		c.hangUp()
	})
}
