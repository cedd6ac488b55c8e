package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/registry/tokencount"
)

func TestTokensAreCountedByTab(t *testing.T) {
	var list []mcp.Tool
	encoded := map[string]string{}
	for name, description := range map[string]string{"list_webmcp_tools": "Lists.", "cheap": "Short.", "dear": strings.Repeat("Says much. ", 200), "other": strings.Repeat("Says some. ", 50)} {
		raw := `{"name":"` + name + `","description":"` + description + `","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}},"annotations":{"readOnlyHint":true},"_meta":{"webmcp-hub/provenance":{"trust":"untrusted","origin":"https://shop.example","tabId":1}}}`
		var tool mcp.Tool
		if err := json.Unmarshal([]byte(raw), &tool); err != nil {
			t.Fatal(err)
		}
		list, encoded[name] = append(list, tool), raw
	}
	var o Overview
	if err := json.Unmarshal([]byte(`{"pages":[{"page":0,"tabId":1,"url":"https://b.example/","title":"B","tools":[{"name":"other"}]},{"page":1,"tabId":2,"url":"https://a.example/","title":"A","tools":[{"name":"cheap"},{"name":"dear"}]},{"page":2,"tabId":5,"url":"https://c.example/","tools":[]}]}`), &o); err != nil {
		t.Fatal(err)
	}
	c, err := Count(o, list)
	if err != nil {
		t.Fatal(err)
	}
	if c.Tabs[0].TabID != 2 || c.Tabs[0].Tools[0].Name != "dear" || c.Tabs[1].TabID != 1 || c.Tabs[2].Tokens != 0 {
		t.Errorf("the dearest isn't first: %+v", c)
	}
	for _, tool := range c.Tabs[0].Tools {
		if want := tokencount.Estimate(encoded[tool.Name]); tool.Tokens < want*9/10 || tool.Tokens > want*11/10 {
			t.Errorf("%s costs %d, and as the hub lists it %d", tool.Name, tool.Tokens, want)
		}
	}
	if c.Own <= 0 || c.Own+c.Tabs[0].Tokens+c.Tabs[1].Tokens != c.Tokens {
		t.Errorf("the sum is wrong: %+v", c)
	}
	var out strings.Builder
	c.Print(&out, 1)
	if got := out.String(); !strings.Contains(got, "tab 2, page 1  A  https://a.example/") || !strings.Contains(got, "    dear\n") || strings.Contains(got, "    cheap\n") || !strings.Contains(got, "1 more") {
		t.Error(got)
	}
}
