package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

func TestListIsSortedAndTheSameBytes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("B", "https://z.test/", "b", "a", "Z")
		h.page("A", "https://a.test/", "c")
		c := h.connect(true)
		c.handshake()
		names := c.list()
		want := withOwn("webmcp_a_test_page1_c", "webmcp_z_test_page0_Z", "webmcp_z_test_page0_a", "webmcp_z_test_page0_b")
		if !slices.Equal(names, want) || !slices.IsSorted(names) {
			t.Errorf("got %v", names)
		}
		get := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		c.send(get)
		first := c.take()[0]
		h.change(tools("A", 1, "c", "d"))
		c.send(get)
		if second := c.take(); second[len(second)-1] == first {
			t.Error("the list doesn't follow the change")
		}
		h.change(tools("A", 1, "c"))
		h.change(registry.PageChanged{Page: "A", URL: "https://a.test/", Title: "changed"})
		c.take()
		c.send(get)
		if again := c.take()[0]; again != first {
			t.Errorf("the list is not the same:\n%s\n%s", first, again)
		}
		c.hangUp()
	})
}

func TestListIsSerialisedOncePerListChange(t *testing.T) {
	h := newHub(t, echo)
	h.page("A", "https://a.test/", "c")
	bytesOf := func() *byte { return &h.current.Load().List().Legacy()[0] }
	before := bytesOf()
	h.change(registry.PageChanged{Page: "A", URL: "https://a.test/", Title: "changed"})
	if bytesOf() != before {
		t.Error("a new title made a new list")
	}
	h.change(tools("A", 1, "d"))
	if bytesOf() == before {
		t.Error("a new tool made no new list")
	}
}

func TestCalls(t *testing.T) {
	const schema = ` {"type":"object","properties":{"qty":{"type":"integer","minimum":1},"items":{"type":"array","items":{"type":"object","required":["sku"],"properties":{"sku":{"type":["string","null"]}}}},"size":{"enum":["S","M"]}},"required":["qty"],"additionalProperties":false}`
	h := func(t *testing.T) (*hub, *rawClient) {
		h := newHub(t, echo)
		h.page("A", "https://shop.test/", "add"+schema, "free", `odd {"properties":{"first name":{"type":"string"}},"required":["first name"],"additionalProperties":false}`,
			`clock {"properties":{"at":{"type":"string","pattern":"^[1-12]:[0-59]$"}}}`)
		c := h.connect(true)
		c.handshake()
		return h, c
	}
	const next = " The page was not asked; correct the arguments and call webmcp_shop_test_page0_add again."
	tests := []struct{ name, args, want string }{
		{"webmcp_shop_test_page0_add", `{"qty":2}`, `A/add {"qty":2}`},
		{"webmcp_shop_test_page0_free", `null`, `A/free {}`},
		{"webmcp_shop_test_page0_free", ` {"big": 9007199254740993} `, `A/free {"big": 9007199254740993}`},
		{"webmcp_shop_test_page0_odd", `{"first_name":"Ada"}`, `A/odd {"first name":"Ada"}`},
		{"webmcp_shop_test_page0_clock", `{"at":"9:30"}`, `A/clock {"at":"9:30"}` + "\n[webmcp-hub: the page was asked although the arguments don't match its schema: /at: \"9:30\" does not match the pattern \"^[1-12]:[0-59]$\".]"},
		{"webmcp_shop_test_page0_clock", `{"at":930}`, `error: The arguments don't match the tool's schema: /at: expected string, got number.`},
		{"webmcp_shop_test_page0_free", `[1]`, `error: The arguments must be a JSON object, not an array. The page was not asked; correct the arguments and call webmcp_shop_test_page0_free again.`},
		{"webmcp_shop_test_page0_add", `"{}"`, `error: The arguments must be a JSON object, not a string.` + next},
		{"webmcp_shop_test_page0_add", `{}`, `error: The arguments don't match the tool's schema: /qty: is required but missing.` + next},
		{"webmcp_shop_test_page0_add", `{"qty":"2"}`, `error: The arguments don't match the tool's schema: /qty: expected integer, got string.` + next},
		{"webmcp_shop_test_page0_add", `{"qty":0}`, `error: The arguments don't match the tool's schema: /qty: expected at least 1, got 0.` + next},
		{"webmcp_shop_test_page0_add", `{"qty":1,"a/b":1}`, `error: The arguments don't match the tool's schema: /a~1b: the tool knows no such argument.` + next},
		{"webmcp_shop_test_page0_add", `{"qty":1,"size":"XL"}`, `error: The arguments don't match the tool's schema: /size: expected one of "S", "M", got "XL".` + next},
		{"webmcp_shop_test_page0_add", `{"qty":1,"items":[{"sku":"a"},{"sku":5}]}`, `error: The arguments don't match the tool's schema: /items/1/sku: expected null or string, got number.` + next},
		{"nonsense", `{}`, `rpc -32602: unknown tool: no tool is called nonsense. List the tools again`},
		{"free", `{}`, `rpc -32602: unknown tool: no tool is called free. The nearest that exist: webmcp_shop_test_page0_free.`},
		{"webmcp_shop_test_page7_add", `{}`, `error: no tool is called webmcp_shop_test_page7_add. The nearest that exist: webmcp_shop_test_page0_add.`},
	}
	for _, test := range tests {
		t.Run(test.name+test.args, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				_, c := h(t)
				if got := c.call(test.name, test.args); !strings.HasPrefix(got, test.want) {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
				c.hangUp()
			})
		})
	}
}

func TestNameThatMeansAnotherPage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://shop.test/a", "add")
		h.page("B", "https://shop.test/b", "add")
		c := h.connect(true)
		c.handshake()
		c.list()
		h.change(registry.PageClosed{Page: "A"})
		c.expect(listChanged)
		if got := c.call("webmcp_shop_test_page0_add", `{}`); !strings.Contains(got, "page 0 was closed, so webmcp_shop_test_page0_add now names another page; list the tools again") {
			t.Error(got)
		}
		if got := c.call("webmcp_shop_test_page1_add", `{}`); got != "B/add {}" {
			t.Errorf("a renamed tool: %s", got)
		}
		c.list()
		if got := c.call("webmcp_shop_test_page0_add", `{}`); got != "B/add {}" {
			t.Error(got)
		}
		c.hangUp()
	})
}

// A name of an earlier list means what it meant there, although the list that
// was read last has nothing of that name: the call may have been on its way, or
// the agent not have looked since.
func TestNameOfAnEarlierList(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://shop.test/a", "add")
		h.page("B", "https://shop.test/b", "add")
		c := h.connect(true)
		c.handshake()
		c.list()
		h.change(tools("A", 1))
		c.expect(listChanged)
		c.list() // without page 0's
		h.change(registry.PageClosed{Page: "A"})
		c.expect(listChanged)
		if got := c.call("webmcp_shop_test_page0_add", `{}`); !strings.Contains(got, "page 0 was closed, so webmcp_shop_test_page0_add now names another page; list the tools again") {
			t.Errorf("the name of the list before: %s", got)
		}
		c.list()
		if got := c.call("webmcp_shop_test_page0_add", `{}`); got != "B/add {}" {
			t.Errorf("when it was listed again: %s", got)
		}
		for i := range view.EarlierLists + 1 {
			h.change(tools("B", 1, "other"+strconv.Itoa(i)))
			c.expect(listChanged)
			c.list()
		}
		c.hangUp()
	})
}

func TestToolThatIsGone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://shop.test/a", "add", "odd name")
		c := h.connect(true)
		c.handshake()
		c.list()
		h.change(tools("A", 1, "other"))
		c.take()
		if got := c.call("webmcp_shop_test_page0_add", `{}`); !strings.HasPrefix(got, "error: webmcp_shop_test_page0_add is gone: its page no longer offers add.") {
			t.Error(got)
		}
		c.hangUp()
	})
}

func TestResultsWithLineBreaksStayOneLine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, func(context.Context, calls.Call) registry.Result {
			return registry.Result{JSON: json.RawMessage("{\r\n\"content\": [\n{\"type\":\"text\",\"text\":\"a\\nb\"}]}")}
		})
		h.page("A", "https://a.test/", "x")
		c := h.connect(true)
		c.handshake()
		if got := c.call("webmcp_a_test_page0_x", `{}`); got != "a\nb" {
			t.Errorf("%q", got)
		}
		c.hangUp()
	})
}

func TestCallerWithoutResult(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, func(context.Context, calls.Call) registry.Result { return registry.Result{} })
		h.page("A", "https://a.test/", "x")
		c := h.connect(true)
		c.handshake()
		if got := c.call("webmcp_a_test_page0_x", `{}`); !strings.HasPrefix(got, "error: ") {
			t.Error(got)
		}
		c.hangUp()
	})
}

func TestResultsSayTheAddressOfTheirAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, func(context.Context, calls.Call) registry.Result {
			r := sanitize.TextResult("ok")
			r.FrameURL = "https://shop.test/cart?a=1&b"
			return r
		})
		h.page("A", "https://shop.test/", "add")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", "webmcp_shop_test_page0_add", `{}`))
		answer := c.take()[0]
		for _, want := range []string{`"frameUrl":"https://shop.test/cart?a=1&b"`, `"origin":"https://shop.test"`, `"trust":"[untrusted page content]"`, `"page":0`} {
			if !strings.Contains(answer, want) {
				t.Errorf("%s is not in %s", want, answer)
			}
		}
		c.hangUp()
	})
}
