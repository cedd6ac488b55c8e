package focus

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"webmcphub/registry"

	"webmcphub/registry/names"
)

// The input schemas are those of the specification, to the letter.
func TestCoreToolInputs(t *testing.T) {
	want := map[string]string{
		"connect_browser": `{
  "type": "object",
  "properties": {
    "launch": {
      "type": "boolean",
      "description": "Launch new browser instance if none found",
      "default": false
    }
  }
}`,
		"list_tabs": `{
  "type": "object",
  "properties": {}
}`,
		"open_tab": `{
  "type": "object",
  "properties": {
    "url": {
      "type": "string",
      "description": "URL to open"
    },
    "focus": {
      "type": "boolean",
      "description": "Focus the new tab after opening",
      "default": true
    }
  },
  "required": ["url"]
}`,
		"focus_tab": `{
  "type": "object",
  "properties": {
    "tabId": {
      "type": "number",
      "description": "ID of the tab to focus"
    },
    "exclusive": {
      "type": "boolean",
      "description": "Keep other clients' calls out of the tab until you focus another tab, or this one without exclusive.",
      "default": false
    }
  },
  "required": ["tabId"]
}`,
		"close_tab": `{
  "type": "object",
  "properties": {
    "tabId": {
      "type": "number",
      "description": "ID of tab to close. Defaults to focused tab."
    }
  }
}`,
	}
	var names []string
	for _, tool := range CoreTools() {
		names = append(names, tool.Name)
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(want[tool.Name])); err != nil || compact.String() != string(tool.InputSchema) {
			t.Errorf("%s: %s\nwant %s", tool.Name, tool.InputSchema, compact.String())
		}
		wantSchema(t, tool.InputSchema)
		wantSchema(t, tool.OutputSchema)
		var encoded struct {
			Name         string          `json:"name"`
			Description  string          `json:"description"`
			OutputSchema json.RawMessage `json:"outputSchema"`
			Annotations  json.RawMessage `json:"annotations"`
		}
		if err := json.Unmarshal(tool.Encoded, &encoded); err != nil || encoded.Name != tool.Name || encoded.Description != tool.Description ||
			encoded.Annotations == nil || string(encoded.OutputSchema) != string(tool.OutputSchema) || bytes.Contains(tool.Encoded, []byte("_meta")) {
			t.Errorf("encoded as %s (%v)", tool.Encoded, err)
		}
	}
	if !slices.IsSorted(names) || len(names) != len(want) {
		t.Errorf("the tools are %q", names)
	}
	for s := Disconnected; s <= TabFocused; s++ {
		for _, name := range s.CoreTools() {
			if !slices.Contains(names, name) || !reservedNames[name] {
				t.Errorf("%v shows %s", s, name)
			}
		}
	}
}

// TestTabsKeptOut: of tabs that the rules keep out only the origin is told, as by list_pages.
func TestTabsKeptOut(t *testing.T) {
	origins, err := names.ParseOrigins(nil, []string{"https://bank.example"})
	if err != nil {
		t.Fatal(err)
	}
	h := newHub(t, registry.Options{Origins: origins})
	h.open("p0", "https://bank.example/account?token=secret")
	h.step(registry.PageChanged{Page: "p0", Title: "12,000 in your account"})
	h.open("p1", "https://shop.example/?q=chairs")
	h.step(registry.PageChanged{Page: "p1", Title: "Chairs"})
	h.flush()
	c := h.state.Catalog()
	const list = `{"tabs":[{"id":1,"title":"","url":"https://bank.example","focused":false,"toolCount":0,"state":"is kept out by the user's rules for sites"},{"id":2,"title":"Chairs","url":"https://shop.example/?q=chairs","focused":false,"toolCount":0}],"focusedTabId":null}`
	if got := string(ListTabsResult(c, nil).JSON); !strings.Contains(got, list) {
		t.Errorf("list_tabs: %s\nwant %s", got, list)
	}
	for _, got := range []string{
		string(FocusTabResult(c.Tab("p0"), nil).JSON), string(OpenTabResult(c.Tab("p0"), true, nil).JSON), tabText(c.Tab("p0")),
	} {
		if strings.Contains(got, "secret") || strings.Contains(got, "12,000") || !strings.Contains(got, "https://bank.example") {
			t.Errorf("it tells %s", got)
		}
	}
}

// Results have the specification's fields, also as structuredContent, which
// satisfies the tool's own output schema.
func TestCoreToolResults(t *testing.T) {
	h := newHub(t, registry.Options{})
	h.open("p0", "https://mail.google.com/mail/u/0/#inbox")
	h.step(registry.PageChanged{Page: "p0", Title: "Inbox (3)\u202e - Gmail"})
	h.open("p1", "https://www.expedia.com/Flights")
	h.report("p1", "search_flights", "select.flight")
	h.open("p2", "https://crashed.example")
	h.step(registry.PageChanged{Page: "p2", State: "crashed"})
	h.flush()
	c := h.state.Catalog()
	tab := c.Tab("p1")
	tools := BareTools(tab, 0)
	const tab1 = `"tab":{"id":2,"title":"","url":"https://www.expedia.com/Flights"}`
	const listed = `{"tabs":[{"id":1,"title":"Inbox (3) - Gmail","url":"https://mail.google.com/mail/u/0/#inbox","focused":false,"toolCount":0},{"id":2,"title":"","url":"https://www.expedia.com/Flights","focused":`
	for _, x := range []struct {
		tool   string
		result registry.Result
		want   string
		failed bool
	}{
		{"connect_browser", ConnectedResult("Chrome", "120.0.0", c), `{"connected":true,"browser":{"name":"Chrome","version":"120.0.0"},"tabCount":2}`, false},
		{"connect_browser", NotConnectedResult("", "open <it>"), `{"connected":false,"error":"No browser found","instructions":"open <it>"}`, true},
		{"connect_browser", NotConnectedResult("refused", ""), `{"connected":false,"error":"refused","instructions":"` + NoBrowserInstructions + `"}`, true},
		{"list_tabs", ListTabsResult(c, tab), listed + `true,"toolCount":2,"tokens":166}],"focusedTabId":2}`, false},
		{"list_tabs", ListTabsResult(c, nil), listed + `false,"toolCount":2,"tokens":166}],"focusedTabId":null}`, false},
		{"list_tabs", ListTabsResult(registry.EmptyCatalog(), nil), `{"tabs":[],"focusedTabId":null}`, false},
		{"open_tab", OpenTabResult(tab, true, tools), `{` + tab1 + `,"focused":true,"toolsAvailable":["search_flights","select_flight"]}`, false},
		{"open_tab", OpenTabResult(tab, false, tools), `{` + tab1 + `,"focused":false,"toolsAvailable":[]}`, false},
		{"focus_tab", FocusTabResult(tab, tools), `{"success":true,` + tab1 + `,"toolsAvailable":["search_flights","select_flight"]}`, false},
		{"focus_tab", FocusTabResult(tab, nil), `{"success":true,` + tab1 + `,"toolsAvailable":[]}`, false},
		{"close_tab", CloseTabResult(2), `{"closed":true,"tabId":2}`, false},
	} {
		got := decoded[struct {
			StructuredContent json.RawMessage
			IsError           bool
		}](t, x.result.JSON)
		if string(got.StructuredContent) != x.want || text(t, x.result) != x.want {
			t.Errorf("%s gives %s\nwant %s", x.tool, x.result.JSON, x.want)
		}
		if got.IsError != x.failed || x.result.IsError != x.failed {
			t.Errorf("%s: isError is %v", x.tool, got.IsError)
		}
		for _, tool := range CoreTools() {
			if tool.Name == x.tool {
				if err := validate(t, tool.OutputSchema, got.StructuredContent); err != nil {
					t.Errorf("%s: %v", x.tool, err)
				}
				if validate(t, tool.OutputSchema, []byte(`{"tab":1}`)) == nil {
					t.Errorf("%s: its schema takes anything", x.tool)
				}
			}
		}
	}
}

func validate(t *testing.T, schema, value []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	return compiler.MustCompile("schema.json").Validate(v)
}

func TestFindTab(t *testing.T) {
	h := newHub(t, registry.Options{})
	h.open("p0", "https://a.example")
	h.open("p1", "https://b.example")
	h.step(registry.PageChanged{Page: "p1", State: "crashed"})
	h.flush()
	c := h.state.Catalog()
	if tab, err := FindTab(c, 1); err != nil || tab.Page != "p0" {
		t.Errorf("got %v (%v)", tab, err)
	}
	for id, says := range map[float64]string{
		0: "there is no tab 0", -1: "there is no tab -1", 1.5: "there is no tab 1.5", 3: "Open tabs: 1 (https://a.example). Call", math.MaxFloat64: "no tab 1.7976931348623157e+308",
		2: "tab 2 (https://b.example) crashed",
	} {
		if tab, err := FindTab(c, id); err == nil || tab != nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v (%v), want an error that says %q", tab, err, says)
		}
	}
	if _, err := FindTab(registry.EmptyCatalog(), 1); err == nil || !strings.Contains(err.Error(), "no tab is open. Call open_tab") {
		t.Errorf("got %v", err)
	}

	one, nine := 1.0, 9.0
	if tab, err := FindTabToClose(c, nil, &one); err != nil || tab.Page != "p0" {
		t.Errorf("got %v (%v)", tab, err)
	}
	if tab, err := FindTabToClose(c, c.Tab("p0"), nil); err != nil || tab.Page != "p0" {
		t.Errorf("got %v (%v)", tab, err)
	}
	if tab, err := FindTabToClose(c, c.Tab("p0"), &nine); err == nil {
		t.Errorf("got %v", tab)
	}
	if tab, err := FindTabToClose(c, nil, nil); err == nil || !strings.Contains(err.Error(), "Give tabId") {
		t.Errorf("got %v (%v)", tab, err)
	}

	for i := range 30 {
		h.open(registry.PageID(rune('A'+i)), "https://many.example")
	}
	h.flush()
	if _, err := FindTab(h.state.Catalog(), 99); err == nil || strings.Count(err.Error(), "many.example") != 19 || !strings.Contains(err.Error(), ", ….") {
		t.Errorf("got %v", err)
	}
}

// Each state takes the tools that it shows, and says what to do first for others.
func TestRefuseCoreTool(t *testing.T) {
	first := map[State]string{Disconnected: "Call connect_browser first", NoTabs: "Call open_tab first", NoneFocused: "then focus_tab"}
	for s := Disconnected; s <= TabFocused; s++ {
		for _, tool := range CoreTools() {
			err := RefuseCoreTool(s, registry.EmptyCatalog(), tool.Name, everybody)
			want := first[s]
			if tool.Name == ConnectBrowser {
				want = "the browser is connected already. Call "
			}
			if shown := slices.Contains(s.CoreTools(), tool.Name); shown != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%v, %s: %v", s, tool.Name, err)
			}
		}
	}
	h := newHub(t, registry.Options{})
	for status, want := range map[string]string{
		"Chrome went away.":                  "Chrome went away. Call connect_browser first",
		registry.NotAsked:                    "not connected to Chrome. Call connect_browser first",
		"no extension; " + registry.NotAsked: "no extension; not connected to Chrome. Call connect_browser first",
	} {
		h.step(registry.BrowserChanged{Status: status})
		err := RefuseCoreTool(Disconnected, h.state.Catalog(), ListTabs, everybody)
		if want := "list_tabs can't be called now: " + want; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// wantSchema fails the test unless schema is a JSON Schema of draft 2020-12, by
// that draft's own schema.
func wantSchema(t *testing.T, schema []byte) {
	t.Helper()
	draft := jsonschema.NewCompiler().MustCompile("https://json-schema.org/draft/2020-12/schema")
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	if err := draft.Validate(v); err != nil {
		t.Errorf("%s\nis no JSON Schema: %v", schema, err)
	}
}

// TestOpenTabSaysWhatToWaitFor: a focused tab without tools says why it may have none yet.
func TestOpenTabSaysWhatToWaitFor(t *testing.T) {
	h := newHub(t, registry.Options{})
	h.open("p0", "https://shop.example/")
	for readiness, want := range map[registry.Readiness]string{
		"":                        "",
		registry.NoWebMCP:         "",
		registry.StillLoading:     "is still loading: its tools show when they are there",
		registry.Initializing:     "has an MCP server that has not answered initialize yet: its tools show when it has",
		registry.ReadinessUnknown: "has no tools so far; its browser's extension doesn't say whether it is still loading: tools that come later show then",
	} {
		h.step(registry.PageChanged{Page: "p0", Arrived: true, Readiness: readiness})
		h.flush()
		for _, focused := range []bool{true, false} {
			got := decoded[struct{ StructuredContent struct{ State string } }](t, OpenTabResult(h.state.Catalog().Tab("p0"), focused, nil).JSON)
			if !focused { // it is told of no tools in any case
				want = ""
			}
			if got.StructuredContent.State != want {
				t.Errorf("%q, focused %t: got %q, want %q", readiness, focused, got.StructuredContent.State, want)
			}
		}
	}
	h.report("p0", "search")
	h.step(registry.PageChanged{Page: "p0", Arrived: true, Readiness: registry.StillLoading})
	h.flush()
	if got := string(OpenTabResult(h.state.Catalog().Tab("p0"), true, nil).JSON); strings.Contains(got, "state") {
		t.Errorf("a page that has tools: %s", got)
	}
}
