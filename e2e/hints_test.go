package e2e

import (
	"encoding/json"
	"testing"
)

// What a page claims of its tools, as clients get it: what it didn't say is not
// said, and a frame from elsewhere is not believed.
func TestHints(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	p := c.open(t, pages.url("frames.html", "src="+pages.otherSite("inner.html", "tool=safe")))
	const hints = `addTool({name: 'none', title: 'A title'});
		addTool({name: 'empty', annotations: {}});
		addTool({name: 'reads', annotations: {readOnlyHint: true}});
		addTool({name: 'destroys', annotations: {destructiveHint: true}});
		addTool({name: 'asks', annotations: {consequentialHint: true}});
		addTool({name: 'both', annotations: {readOnlyHint: true, consequentialHint: true, untrustedContentHint: true}})`
	p.eval(hints)
	for _, run := range []struct {
		flags []string
		want  map[string]string // annotations and claims by tool
	}{
		{nil, map[string]string{"none": ` `, "empty": ` `, "reads": `{"readOnlyHint":true} `, "destroys": ` `, "asks": `{"destructiveHint":true} `,
			"both": `{"destructiveHint":true,"openWorldHint":true} `, "safe": ` {"readOnlyHint":true}`}},
		{[]string{"--page-hints", "all"}, map[string]string{"safe": `{"readOnlyHint":true} `}},
		{[]string{"--page-hints", "none"}, map[string]string{"reads": ` {"readOnlyHint":true}`, "asks": `{"destructiveHint":true} `}},
		{[]string{"--page-hints", "trusted", "--trust-hints", "http://elsewhere.test"}, map[string]string{"reads": ` {"readOnlyHint":true}`}},
		{[]string{"--page-hints", "trusted", "--trust-hints", "http://127.0.0.1:*"}, map[string]string{"reads": `{"readOnlyHint":true} `, "safe": ` {"readOnlyHint":true}`}},
	} {
		h := attachHub(t, c, append([]string{"--no-share"}, run.flags...)...)
		h.waitTools("the page's", func(tools toolList) bool {
			return find(tools, toolName("0", "both")) != nil && find(tools, toolName("0", "safe")) != nil
		})
		var list struct {
			Pages []struct {
				Tools []struct {
					Tool                 string
					Annotations, Claimed json.RawMessage
				}
			}
		}
		listed := textOf(h.call("list_webmcp_tools", nil))
		if err := json.Unmarshal([]byte(listed), &list); err != nil {
			t.Fatalf("%s: %v", listed, err)
		}
		got := map[string]string{}
		for _, tool := range list.Pages[0].Tools {
			got[tool.Tool] = string(tool.Annotations) + " " + string(tool.Claimed)
		}
		for tool, want := range run.want {
			if got[tool] != want {
				t.Errorf("%v: of %s is said %q, want %q", run.flags, tool, got[tool], want)
			}
		}
	}
}

// @mcp-b/global mirrors its tools to native WebMCP, which has fewer words for
// them: title and hints are the ones that it tells itself.
func TestTitlesOfMirroredTools(t *testing.T) {
	t.Parallel()
	needNPM(t)
	c := nativeChrome(t)
	p := c.open(t, pages.url("dynamic.html", "runtime="+string(mcpb5)))
	h := attachHub(t, c)
	p.eval(`addTool({name: 'buy', title: 'Buy it', annotations: {destructiveHint: true, idempotentHint: false}}).registered`)
	titled := func(title string) func(toolList) bool {
		return func(tools toolList) bool {
			tool := find(tools, toolName("0", "buy"))
			return tool != nil && tool.Title == title
		}
	}
	tools := h.waitTools("the tool with its title", titled("Buy it"))
	if got := asJSON(find(tools, toolName("0", "buy")).Annotations); got != `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false}` {
		t.Errorf("its hints are %s", got)
	}
	wantText(t, h.call(toolName("0", "buy"), nil), "buy ran")
}
