package mcpserver

import (
	"fmt"
	"strings"
	"testing"

	"webmcphub/registry"
)

// listed is more of list_webmcp_tools' structured result.
func (c *rawClient) listed(args string) (o overviewOutput, text string) {
	c.t.Helper()
	return c.overviewOf(args), c.call("list_webmcp_tools", args)
}

func TestListArguments(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://a.test/", "one", "two")
		h.page("B", "https://b.test/", `three {"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
		c := h.connect(true)
		c.handshake()
		if o, _ := c.listed(`{"tab":2}`); len(o.Pages) != 1 || o.Pages[0].Tools[0].Tool != "three" || len(o.Pages[0].Tools[0].InputSchema) == 0 {
			t.Errorf("a short tab is shown in full: %+v", o)
		}
		if o, text := c.listed(`{"detail":"signature"}`); len(o.Pages) != 2 || len(o.Pages[1].Tools[0].InputSchema) != 0 || !strings.Contains(text, `"signature":"three(n: integer)","description":"does three"`) || !strings.Contains(text, `"tokens":`) {
			t.Errorf("%s", text)
		}
		if _, text := c.listed(`{"page":0,"detail":"names"}`); !strings.Contains(text, `"tools":[{"name":"webmcp_a_test_page0_one"},{"name":"webmcp_a_test_page0_two"}],"refused":[]}],"detail":"names"`) {
			t.Errorf("%s", text)
		}
		_, first := c.listed(`{"detail":"names","maxTokens":1}`)
		if _, next := c.listed(`{"cursor":"all.names.1.1.webmcp_a_test_page0_one","maxTokens":1}`); !strings.Contains(first, `"nextCursor":"all.names.1.1.webmcp_a_test_page0_one"`) || !strings.Contains(next, "page0_two") || strings.Contains(next, "page0_one\"}") {
			t.Errorf("%s\n%s", first, next)
		}
		for args, want := range map[string]string{
			`{"tab":7}`:                            "error: There is no tab 7; if there was one, it was closed. Open tabs: 1 (https://a.test/), 2 (https://b.test/). Call list_tabs for what they show.",
			`{"tab":1,"page":0}`:                   "error: Give tab (a tab's id) or page (a page's index), not both.",
			`{"detail":"everything"}`:              `error: The arguments don't match the tool's schema: /detail: `,
			`{"maxTokens":-1}`:                     "error: The arguments don't match the tool's schema: /maxTokens: expected at least 0, got -1.",
			`{"cursor":"next"}`:                    "error: The cursor is none that this tool gave as nextCursor.",
			`{"cursor":"all.names.9.1.gone"}`:      "error: The list can't go on: the tab at which it stopped was closed.",
			`{"cursor":"one.names.9.1.gone"}`:      "error: The list can't go on: the tab at which it stopped was closed.",
			`{"maxTokens":1e300,"detail":"names"}`: `{"pages":`,
		} {
			if got := c.call("list_webmcp_tools", args); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s", args, got)
			}
		}
		c.hangUp()
	})
}

// TestPageIsShownAsAWhole: page by itself means what it always meant, however much the
// page has.
func TestPageIsShownAsAWhole(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		var many []string
		for i := range 400 {
			many = append(many, fmt.Sprintf(`tool%d {"type":"object","properties":{"n":{"type":"integer","description":"How many of them there are to be"}}}`, i))
		}
		h.page("A", "https://a.test/", many...)
		c := h.connect(true)
		c.handshake()
		o, text := c.listed(`{"page":0}`)
		if len(o.Pages[0].Tools) != 400 || len(o.Pages[0].Tools[399].InputSchema) == 0 || strings.Contains(text, `"tokens"`) {
			t.Errorf("%d tools are shown", len(o.Pages[0].Tools))
		}
		if o, _ := c.listed(`{"tab":1}`); len(o.Pages[0].Tools) != 400 || len(o.Pages[0].Tools[0].InputSchema) != 0 {
			t.Errorf("of a long tab all tools are shown without schemas: %+v", o.Pages[0].Tools[0])
		}
		if o, text := c.listed(`{}`); len(o.Pages) != 0 || !strings.Contains(text, `"tabs":["1 a.test 400 Title of A"]`) {
			t.Errorf("%s", text)
		}
		c.hangUp()
	})
}

// TestWhatWasLeftOutIsNotKnown: a client that read of one name, and then a list without
// it, means by the name what it read, also when another page has taken the name over.
func TestWhatWasLeftOutIsNotKnown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://a.test/", "pay")
		h.page("B", "https://b.test/", "other")
		c := h.connect(true)
		c.handshake()
		c.list()
		h.change(registry.PageClosed{Page: "A"})
		h.page("C", "https://a.test/", "pay") // the same name, but for its page's index
		h.change(registry.PageClosed{Page: "B"})
		c.take()
		for _, args := range []string{`{"maxTokens":1}`, `{"detail":"names","page":5}`} {
			c.call("list_webmcp_tools", args)
		}
		if got := c.call("webmcp_a_test_page0_pay", `{}`); !strings.HasPrefix(got, "error: ") {
			t.Errorf("a tool was called that the client can't mean: %s", got)
		}
		c.call("list_webmcp_tools", `{"detail":"names"}`)
		if got := c.call("webmcp_a_test_page0_pay", `{}`); got != "C/pay {}" {
			t.Errorf("after it was shown: %s", got)
		}
		c.hangUp()
	})
}
