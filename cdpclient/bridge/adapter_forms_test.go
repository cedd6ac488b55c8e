package bridge

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"webmcphub/cdpclient"
)

// TestFormSchemaParity reads the same forms as Chromium does and as the adapter does.
func TestFormSchemaParity(t *testing.T) {
	html, err := os.ReadFile(filepath.Join("testdata", "forms.html"))
	if err != nil {
		t.Fatal(err)
	}
	base := serveBridgePages(t, "", map[string]string{"/forms": string(html)})
	native := nativeForms(t, base+"/forms")

	tab := newBridgeTab(t, bridgeChrome(t, false))
	tab.install()
	tab.navigate(base + "/forms")
	tab.loaded()
	s := tab.server("/forms")
	list, err := s.ListTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(native) < 8 || len(list) != len(native) {
		t.Errorf("the adapter lists %d tools, Chromium %d", len(list), len(native))
	}
	for _, tool := range list {
		want, ok := native[tool.Name]
		if !ok {
			t.Errorf("Chromium has no tool %s", tool.Name)
			continue
		}
		if tool.Description != want.Description {
			t.Errorf("%s: the description is %q, natively %q", tool.Name, tool.Description, want.Description)
		}
		compareSchemas(t, tool.Name, tool.InputSchema, want.InputSchema)
	}
}

// nativeForms reads them by getTools: WebMCP.toolsAdded leaves out a schema that has a name like "é".
func nativeForms(t *testing.T, url string) map[string]cdpclient.Tool {
	t.Helper()
	tab := newBridgeTab(t, bridgeChrome(t, true))
	tab.navigate(url)
	tab.loaded()
	var tools []cdpclient.Tool
	got := tab.eval(`document.modelContext.getTools().then((all) =>
		all.map(({name, description, inputSchema}) => ({name, description, inputSchema})))`)
	if err := json.Unmarshal([]byte(got), &tools); err != nil {
		t.Fatal(err)
	}
	native := map[string]cdpclient.Tool{}
	for _, tool := range tools {
		native[tool.Name] = tool
	}
	return native
}

// compareSchemas compares property for property, so that a difference can be read.
func compareSchemas(t *testing.T, tool string, got, want json.RawMessage) {
	t.Helper()
	var g, w struct {
		Type       string
		Properties map[string]any
		Required   []string
	}
	if err := errors.Join(json.Unmarshal(got, &g), json.Unmarshal(want, &w)); err != nil {
		t.Errorf("%s: %v: %s, natively %s", tool, err, got, want)
		return
	}
	for name := range w.Properties {
		if !reflect.DeepEqual(g.Properties[name], w.Properties[name]) {
			t.Errorf("%s.%s is\n%v, natively\n%v", tool, name, g.Properties[name], w.Properties[name])
		}
		delete(g.Properties, name)
	}
	if len(g.Properties) > 0 || g.Type != w.Type || !reflect.DeepEqual(g.Required, w.Required) {
		t.Errorf("%s has more: %v, type %q, required %q, natively %q", tool, g.Properties, g.Type, g.Required, w.Required)
	}
}

// TestFormIsReadWhole serves a form in two halves.
func TestFormIsReadWhole(t *testing.T) {
	goOn := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<form toolname="first" tooldescription="d"><input name="x"></form><form toolname="slow" tooldescription="d"><input name="a">`))
		w.(http.Flusher).Flush()
		select {
		case <-goOn:
		case <-r.Context().Done():
		}
		_, _ = w.Write([]byte(`<input name="b"></form>`))
	}))
	t.Cleanup(server.Close)
	tab := newBridgeTab(t, bridgeChrome(t, false))
	tab.install()
	tab.navigate(server.URL + "/slow")
	list := func() (names []string, schema string) {
		tools, err := tab.server("/slow").ListTools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools {
			names, schema = append(names, tool.Name), string(tool.InputSchema)
		}
		return names, schema
	}
	if names, _ := list(); !slices.Equal(names, []string{"first"}) { // both forms are in the document
		t.Errorf("half of the page gives %q", names)
	}
	close(goOn)
	tab.wait("a change", func() bool { return tab.servers[0].changes > 0 })
	if names, schema := list(); len(names) != 2 || !strings.Contains(schema, `"b"`) {
		t.Errorf("the page gives %q, the last with %s", names, schema)
	}
}
