package automation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"webmcphub/internal/scripttest"
	"webmcphub/registry/tokencount"
)

// TestToolsDocument holds docs/tools.md to the table.
func TestToolsDocument(t *testing.T) {
	scripttest.Document(t, "../docs/tools.md", toolsDocument(t))
}

func toolsDocument(t *testing.T) []byte {
	var b bytes.Buffer
	b.WriteString(`# Browser tools

<!-- Made from the table of tools by: go test ./automation -run TestToolsDocument -update -->

With ` + "`--automation`" + ` an agent can see and operate pages that offer no tools of their own. The tools have the names and parameters of
chrome-devtools-mcp, and take its earlier spellings too; evaluate_script and list_console_messages refuse serviceWorkerId, and evaluate_script
waits for a stable DOM only if waitForStableDom is true. [automation.md](automation.md) says how they behave.

Every tool but those about the list of tabs takes ` + "`pageId`" + `, and uses the client's current page without it.
`)
	all := Table(Categories(), false)
	for _, c := range Categories() {
		fmt.Fprintf(&b, "\n## %s\n\n| tool | what it does | parameters | it |\n|---|---|---|---|\n", c)
		for _, tool := range all {
			if tool.Category == c {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", tool.Name, cell(tool.Description), cell(parameters(t, tool)), effects[tool.Effect])
			}
		}
	}
	return b.Bytes()
}

var effects = map[Effect]string{Reads: "reads", Chooses: "changes what you see", Acts: "acts", Irrevocably: "acts, for good"}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func parameters(t *testing.T, tool *Tool) string {
	var schema struct {
		Properties map[string]struct {
			Description string
			Enum        []string
		}
		Required []string
	}
	if err := json.Unmarshal(tool.Input, &schema); err != nil {
		t.Fatal(err)
	}
	var names, texts []string
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		first := func(n string) int {
			if i := slices.Index(schema.Required, n); i >= 0 {
				return i
			}
			return len(schema.Required)
		}
		if d := first(a) - first(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		if name == "pageId" && !tool.Tabs {
			continue
		}
		p := schema.Properties[name]
		text := "`" + name + "`"
		if slices.Contains(schema.Required, name) {
			text = "**" + text + "**"
		}
		if p.Enum != nil {
			text += " (" + strings.Join(p.Enum, ", ") + ")"
		}
		if p.Description != "" {
			text += ": " + p.Description
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// TestTable holds each tool to what automation promises of all.
func TestTable(t *testing.T) {
	all := Table(Categories(), false)
	want := strings.Fields(`click close_page drag emulate evaluate_script fill fill_form get_console_message get_network_request handle_dialog hover
		list_console_messages list_network_requests list_pages navigate_page new_page performance_analyze_insight performance_start_trace
		performance_stop_trace press_key resize_page select_page take_screenshot take_snapshot upload_file wait_for`)
	var names []string
	size, cost := 0, 0
	for _, tool := range all {
		names = append(names, tool.Name)
		size += len(tool.Encoded())
		cost += tokencount.Estimate(string(tool.Encoded()) + ",")
		if tool.Title == "" || tool.Description == "" || !json.Valid(tool.Input) {
			t.Errorf("%s lacks something", tool.Name)
		}
		if tool.run.call == nil {
			t.Errorf("%s has no handler", tool.Name)
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("the tools are %q", names)
	}
	// chrome-devtools-mcp 1.11's definitions of the same 26 tools have 24,919 characters.
	if limit := 24919 * 60 / 100; size > limit {
		t.Errorf("the definitions have %d characters, and %d are to be the most", size, limit)
	}
	// They cost about 5,654 tokens.
	if limit := 5654 * 60 / 100; cost > limit {
		t.Errorf("the definitions cost %d tokens, and %d are to be the most", cost, limit)
	}
}

// TestStatedAnnotations: with what MCP takes to hold where a hint is missing, a tool in a list has the
// annotations that it has.
func TestStatedAnnotations(t *testing.T) {
	for _, tool := range Table(Categories(), false) {
		var listed struct{ Annotations map[string]bool }
		var all map[string]bool
		text, _ := json.Marshal(tool.Annotations())
		if err := errors.Join(json.Unmarshal(tool.Encoded(), &listed), json.Unmarshal(text, &all)); err != nil || len(all) != 4 {
			t.Fatal(tool.Name, err, all)
		}
		if _, said := listed.Annotations["readOnlyHint"]; !said {
			t.Errorf("%s doesn't say whether it only reads", tool.Name)
		}
		is := map[string]bool{"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true}
		maps.Copy(is, listed.Annotations)
		if all["readOnlyHint"] { // then MCP gives the two no meaning
			is["destructiveHint"], is["idempotentHint"] = false, true
		}
		if !maps.Equal(is, all) {
			t.Errorf("%s is %v, but its list says %v", tool.Name, all, listed.Annotations)
		}
	}
}

func TestEarlierSpellings(t *testing.T) {
	all := Table(Categories(), false)
	for _, c := range []struct{ tool, was, is string }{
		{"close_page", `{"pageIdx":3}`, `{"pageId":3}`},
		{"list_console_messages", `{"pageIdx":3}`, `{"pageIdx":3}`},
		{"upload_file", `{"uid":"a","filePath":"x"}`, `{"filePaths":["x"],"uid":"a"}`},
		{"wait_for", `{"text":"x"}`, `{"text":["x"]}`},
		{"wait_for", `{"text":["x","y"]}`, `{"text":["x","y"]}`},
		{"evaluate_script", `{"args":[{"uid":"1_2"},"b"]}`, `{"args":["1_2","b"]}`},
		{"click", `7`, `7`},
	} {
		tool := all[slices.IndexFunc(all, func(t *Tool) bool { return t.Name == c.tool })]
		if got := tool.Arguments(json.RawMessage(c.was)); string(got) != c.is {
			t.Errorf("%s: %s became %s", c.tool, c.was, got)
		}
	}
}
