package focus

import (
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/registry"
)

// TestSeveralBrowsers: where there are several, agents are told which there are, and which
// one each tab is in; where there is one, nothing says anything of it.
func TestSeveralBrowsers(t *testing.T) {
	h := newHub(t, registry.Options{})
	h.step(registry.BrowsersNamed{Browsers: []registry.NamedBrowser{{Name: "a", Labels: []string{"eu"}}, {Name: "b"}}})
	h.step(registry.BrowserChanged{Browser: "a"})
	h.step(registry.BrowserChanged{Browser: "b", Status: "refused"})
	h.step(registry.PageOpened{Page: "a/1", Browser: "a", URL: "https://a.example/"})
	h.flush()
	c := h.state.Catalog()
	const all = `"browsers":[{"name":"a","labels":["eu"],"connected":true},{"name":"b","connected":false,"status":"refused"}]`
	for name, result := range map[string]registry.Result{
		ListTabs: ListTabsResult(c, nil), OpenTab: OpenTabResult(c.Tabs()[0], false, nil), FocusOnTab: FocusTabResult(c.Tabs()[0], nil), ConnectBrowser: ConnectedResult("Chrome", "1", c),
	} {
		if tab := `"id":1,"browser":"a",`; name != ConnectBrowser && !strings.Contains(string(result.JSON), tab) {
			t.Errorf("%s doesn't say the tab's browser: %s", name, result.JSON)
		}
		if (name == ListTabs || name == ConnectBrowser) && !strings.Contains(string(result.JSON), all) {
			t.Errorf("%s doesn't say which browsers there are: %s", name, result.JSON)
		}
	}
	one := map[string]Tool{}
	for _, tool := range CoreTools() {
		one[tool.Name] = tool
	}
	for _, tool := range CoreToolsOfSeveral() {
		wantSchema(t, tool.InputSchema)
		wantSchema(t, tool.OutputSchema)
		var input, output struct{ Properties map[string]json.RawMessage }
		if err := json.Unmarshal(tool.InputSchema, &input); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(tool.OutputSchema, &output); err != nil {
			t.Fatal(err)
		}
		if takes := input.Properties["browser"] != nil; takes != (tool.Name == OpenTab || tool.Name == ConnectBrowser) {
			t.Errorf("%s takes a browser: %v", tool.Name, takes)
		}
		if says := output.Properties["browsers"] != nil; says != (tool.Name == ListTabs || tool.Name == ConnectBrowser) {
			t.Errorf("%s says the browsers: %v", tool.Name, says)
		}
		for _, word := range []string{`"browser":{"type":"string"`, `"browsers"`} {
			if strings.Contains(string(one[tool.Name].Encoded), word) {
				t.Errorf("with one browser, %s has %s", tool.Name, word)
			}
		}
	}
}
