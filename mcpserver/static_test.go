package mcpserver

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"webmcphub/registry"
)

// overviewOutput is the structured result of list_webmcp_tools, as far as tests look
// at it.
type overviewOutput struct {
	Browser string
	Sites   []struct {
		Site        string
		Tabs        int
		Cached      bool
		Name, Tool  string
		Description string
		InputSchema json.RawMessage
	}
	Pages []struct {
		Page, TabID        int
		URL, Origin, Title string
		State              string
		Tools              []struct {
			Name, Tool, Origin, Description   string
			InputSchema, Annotations, Claimed json.RawMessage
		}
		Refused []struct{ Tool, Why string }
	}
}

// outputSchema is that of one of our own tools.
func (c *rawClient) outputSchema(name string) json.RawMessage {
	c.t.Helper()
	var list struct {
		Tools []struct {
			Name         string
			OutputSchema json.RawMessage
		}
	}
	if err := json.Unmarshal(c.hub.current.Load().List().Legacy(), &list); err != nil {
		c.t.Fatal(err)
	}
	for _, t := range list.Tools {
		if t.Name == name {
			return t.OutputSchema
		}
	}
	c.t.Fatalf("%s is not listed", name)
	return nil
}

// overviewOf calls list_webmcp_tools and checks the answer against the tool's
// own output schema.
func (c *rawClient) overviewOf(args string) (o overviewOutput) {
	c.t.Helper()
	c.send(callLine("1", "list_webmcp_tools", args))
	var answer outcome
	if err := json.Unmarshal([]byte(c.take()[0]), &answer); err != nil {
		c.t.Fatal(err)
	}
	if answer.Result.Content[0].Text != string(answer.Result.StructuredContent) {
		c.t.Error("the text is not the structured content")
	}
	if err := json.Unmarshal(answer.Result.StructuredContent, &o); err != nil {
		c.t.Fatal(err)
	}
	c.wantValid("list_webmcp_tools", answer.Result.StructuredContent)
	return o
}

// wantValid holds structured content to a tool's own output schema.
func (c *rawClient) wantValid(tool string, content json.RawMessage) {
	c.t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.outputSchema(tool)))
	if err != nil {
		c.t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("urn:output", doc); err != nil {
		c.t.Fatal(err)
	}
	schema, err := compiler.Compile("urn:output")
	if err != nil {
		c.t.Fatal(err)
	}
	v, _ := jsonschema.UnmarshalJSON(strings.NewReader(string(content)))
	if err := schema.Validate(v); err != nil {
		c.t.Error(err)
	}
}

func TestListWebMCPTools(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		c := h.connect(true)
		c.handshake()
		// Nobody has told anything of Chrome: that it is well, with no tab open, would be a guess.
		if o := c.overviewOf(`{}`); len(o.Pages) != 0 || !strings.Contains(o.Browser, "connecting to Chrome") {
			t.Errorf("%+v", o)
		}
		h.page("A", "https://a.test/x", "one "+`{"type":"object","properties":{"n":{"type":"integer"}}}`, strings.Repeat("long", 100))
		h.page("B", "https://b.test/", "two words")
		h.change(registry.BrowserChanged{Status: "Chrome is slow today"})
		c.take()
		o := c.overviewOf(`{}`)
		if o.Browser != "Chrome is slow today" || len(o.Pages) != 2 {
			t.Fatalf("%+v", o)
		}
		a := o.Pages[0]
		if a.Page != 0 || a.TabID != 1 || a.URL != "https://a.test/x" || a.Title != "Title of A" || len(a.Tools) != 1 || len(a.Refused) != 1 {
			t.Errorf("%+v", a)
		}
		if tool := a.Tools[0]; tool.Name != "webmcp_a_test_page0_one" || tool.Tool != "one" || !strings.Contains(tool.Description, "does one") || !strings.Contains(string(tool.InputSchema), `"n"`) {
			t.Errorf("%+v", tool)
		}
		if o = c.overviewOf(`{"page":1.0}`); len(o.Pages) != 1 || o.Pages[0].Tools[0].Tool != "two words" {
			t.Errorf("%+v", o)
		}
		h.change(registry.BrowserChanged{})
		for args, want := range map[string]string{
			`{"page":5}`:   "error: There is no page 5. Open pages: 0 (https://a.test/x), 1 (https://b.test/).",
			`{"page":"1"}`: "error: The arguments don't match the tool's schema: /page: expected integer, got string.",
			`{"page":-1}`:  "error: The arguments don't match the tool's schema: /page: expected at least 0, got -1.",
			`[]`:           "error: The arguments must be a JSON object, not an array.",
		} {
			if got := c.call("list_webmcp_tools", args); got != want {
				t.Errorf("%s: %s", args, got)
			}
		}
		c.hangUp()
	})
}

func TestCallWebMCPTool(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{"full name", `{"name":"webmcp_shop_test_page0_add","arguments":{"a":1}}`, `A/add {"a":1}`},
		{"own name", `{"name":"only here"}`, `B/only here {}`},
		{"own name and page", `{"name":"add","page":1}`, `B/add {}`},
		{"own name of two pages", `{"name":"add"}`, `error: 2 tools are called add. Call one by its full name: webmcp_shop_test_page0_add (https://shop.test/a), webmcp_shop_test_page1_add (https://shop.test/b).`},
		{"full name of another page", `{"name":"webmcp_shop_test_page0_add","page":1}`, `error: `},
		{"no such page", `{"name":"add","page":9}`, `error: There is no page 9.`},
		{"no such tool", `{"name":"nope"}`, `error: no tool is called nope.`},
		{"no such tool there", `{"name":"nope","page":0}`, `error: Page 0 (https://shop.test/a) has no tool called nope. It has: add, int.`},
		{"no name", `{}`, `error: The arguments don't match the tool's schema: /name: is required but missing.`},
		{"arguments as a string", `{"name":"add","page":0,"arguments":"{}"}`, `error: The arguments don't match the tool's schema: /arguments: expected object, got string.`},
		{"wrong arguments", `{"name":"int","arguments":{"n":"x"}}`, `error: The arguments don't match the tool's schema: /n: expected integer, got string. The page was not asked; correct the arguments and call webmcp_shop_test_page0_int again.`},
	}
	for _, unlisted := range []bool{false, true} {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					h := newHub(t, echo, func(o *Options, _ *registry.Options) { o.Unlisted = unlisted })
					h.page("A", "https://shop.test/a", "add", `int {"type":"object","properties":{"n":{"type":"integer"}}}`)
					h.page("B", "https://shop.test/b", "add", "only here")
					c := h.connect(true)
					c.handshake()
					if n := len(c.list()); unlisted && n != len(ownTools) || !unlisted && n != len(ownTools)+4 {
						t.Errorf("%d tools are listed", n)
					}
					c.overviewOf(`{}`)
					if got := c.call("call_webmcp_tool", test.args); !strings.HasPrefix(got, test.want) {
						t.Errorf("got  %s\nwant %s", got, test.want)
					}
					c.hangUp()
				})
			})
		}
	}
}

func TestCallWebMCPToolAfterPagesShifted(t *testing.T) {
	for _, unlisted := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			h := newHub(t, echo, func(o *Options, _ *registry.Options) { o.Unlisted = unlisted })
			h.page("A", "https://shop.test/a", "add", "unique")
			h.page("B", "https://shop.test/b", "add")
			h.page("C", "https://shop.test/c", "pay")
			c := h.connect(true)
			c.handshake()
			c.overviewOf(`{}`)
			h.change(registry.PageClosed{Page: "A"}, tools("C", 0, "pay"))
			h.change(tools("C", 1, "pay", "unique"))
			c.take()
			for args, want := range map[string]string{
				`{"name":"webmcp_shop_test_page0_add"}`: "another page",
				`{"name":"add","page":0}`:               "error: Page 0 is another page now: https://shop.test/b.",
				`{"name":"unique"}`:                     "error: unique was a tool of another page when you listed the tools; now only webmcp_shop_test_page1_unique is called so.",
				`{"name":"pay"}`:                        "C/pay {}",
				`{"name":"add"}`:                        "B/add {}",
			} {
				if got := c.call("call_webmcp_tool", args); !strings.Contains(got, want) {
					t.Errorf("unlisted %v %s:\ngot  %s\nwant %s", unlisted, args, got, want)
				}
			}
			// One page read anew is enough to call its tools.
			c.overviewOf(`{"page":0}`)
			for _, args := range []string{`{"name":"webmcp_shop_test_page0_add"}`, `{"name":"add","page":0}`} {
				if got := c.call("call_webmcp_tool", args); got != "B/add {}" {
					t.Errorf("unlisted %v %s: %s", unlisted, args, got)
				}
			}
			if got := c.call("call_webmcp_tool", `{"name":"unique"}`); !strings.HasPrefix(got, "error: ") {
				t.Error(got)
			}
			c.hangUp()
		})
	}
}

func TestListingSwitchedOffWhileRunning(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://shop.test/a", "add")
		c := h.connect(true)
		c.handshake()
		c.list()
		h.SetPageToolsListed(false)
		c.expect(listChanged)
		if got := c.call("call_webmcp_tool", `{"name":"webmcp_shop_test_page0_add"}`); got != "A/add {}" {
			t.Error(got)
		}
		if got := c.list(); !slices.Equal(got, ownTools) {
			t.Error(got)
		}
		c.hangUp()
	})
}
