package e2e

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// Web apps as npm ships them, which know nothing of WebMCP, with --introspect.

// petstore is what Swagger UI shows instead of an API on the internet.
const petstore = `{"openapi": "3.0.0", "info": {"title": "Local petstore", "version": "1"}, "paths": {"/pets/{id}": {"get": {
	"summary": "Finds a pet", "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
	"responses": {"200": {"description": "a pet"}}}}}}`

// An app is one of them, on a server of its own.
type app struct {
	*httptest.Server
}

func serveApp(t *testing.T, name string) app {
	needNPM(t)
	dir := filepath.Join("node_modules", name)
	if _, err := os.Stat(dir); err != nil {
		missing(t, name+" is not there: run `npm ci` in e2e/ (make test does)")
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(dir)))
	mux.HandleFunc("/petstore.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(petstore))
	})
	mux.HandleFunc("/pets/", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("the pet of " + r.URL.Path))
	})
	mux.HandleFunc("/swagger-initializer.js", func(w http.ResponseWriter, _ *http.Request) {
		script, err := os.ReadFile(filepath.Join(dir, "swagger-initializer.js"))
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(bytes.Replace(script, []byte("https://petstore.swagger.io/v2/swagger.json"), []byte("/petstore.json"), 1))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return app{server}
}

// tool is the name under which the hub lists a tool of the app's tab.
func (a app) tool(name string) string {
	u, _ := url.Parse(a.URL)
	return "webmcp_localhost_" + u.Port() + "_page0_" + name
}

// own are the tools' names within the page.
func (a app) own(tools []mcp.Tool) (names []string) {
	for _, name := range pageTools(tools) {
		names = append(names, strings.TrimPrefix(name, a.tool("")))
	}
	return names
}

// introspectedWays runs a test over each way in, with a hub that introspects.
func introspectedWays(t *testing.T, webmcp bool, test func(t *testing.T, h *hub, c *chrome)) {
	everyWay(t, webmcp, []string{"--introspect", "--max-tool-name", "128"}, test)
}

func TestIntrospectSwaggerUI(t *testing.T) {
	t.Parallel()
	introspectedWays(t, true, testIntrospectedSwaggerUI)
}

func testIntrospectedSwaggerUI(t *testing.T, h *hub, c *chrome) {
	a := serveApp(t, "swagger-ui-dist")
	p := c.open(t, a.URL+"/index.html")
	expand := h.waitTool(a.tool("click_get_pets_id_finds_a_pet"))
	if got := runtimeOf(expand); got != "dom" {
		t.Errorf("the tool is reached by %q", got)
	}
	explore := h.waitTool(a.tool("submit_explore"))
	if len(explore.InputSchema.Properties) != 1 {
		t.Errorf("the address form takes %v", explore.InputSchema.Properties)
	}
	before := a.own(h.list())
	use := func(name string, args any) {
		t.Helper()
		if got := h.call(h.waitTool(a.tool(name)).Name, args); got.IsError {
			t.Errorf("%s: %s", name, textOf(got))
		}
	}
	use("click_get_pets_id_finds_a_pet", nil)
	use("click_try_it_out", nil)
	use("enter_id", map[string]any{"text": "7"})
	use("click_execute", nil)
	h.waitTool(a.tool("click_clear")) // which is there once the API was asked
	content := textOf(h.call(a.tool("get_page_content"), nil))
	for _, want := range []string{"Swagger UI\n" + a.URL, "Local petstore", "Finds a pet", "/pets/7"} {
		if !strings.Contains(content, want) {
			t.Errorf("%q is not in the page's text: %s", want, content)
		}
	}
	if after := a.own(h.list()); !slices.ContainsFunc(before, func(name string) bool { return slices.Contains(after, name) }) {
		t.Errorf("no name outlived the changes: %q, %q", before, after)
	}

	// The page's own tools take their place.
	p.eval(`void document.modelContext.registerTool({name: 'own', description: 'd', execute: () => 'x'}, {signal: (stop = new AbortController()).signal})`)
	h.waitNames(a.tool("own"))
	p.eval(`stop.abort()`)
	h.waitTool(a.tool("submit_explore"))
}

func TestIntrospectReveal(t *testing.T) {
	t.Parallel()
	introspectedWays(t, false, testIntrospectedReveal)
}

func testIntrospectedReveal(t *testing.T, h *hub, c *chrome) {
	a := serveApp(t, "reveal.js")
	p := c.open(t, a.URL+"/demo.html")
	next := h.waitTool(a.tool("click_next_slide")).Name
	h.waitTool(a.tool("open_hakim_el_hattab"))
	if got := h.call(next, nil); got.IsError {
		t.Error(textOf(got))
	}
	h.waitTool(a.tool("click_previous_slide")) // enabled by now
	if got := string(p.eval(`Reveal.getIndices().h`)); got != "1" {
		t.Errorf("the page shows slide %s", got)
	}
	if content := textOf(h.call(a.tool("get_page_content"), nil)); !strings.Contains(content, "Preview Overlays") {
		t.Errorf("the page's text is %s", content)
	}
	p.navigate(pages.url("plain.html"))
	h.waitNames(toolName("0", "get_page_content"))
}

// TestIntrospectEmojiPicker: a web component, all of whose controls are in its shadow tree.
func TestIntrospectEmojiPicker(t *testing.T) {
	t.Parallel()
	introspectedWays(t, false, testIntrospectedEmojiPicker)
}

func testIntrospectedEmojiPicker(t *testing.T, h *hub, c *chrome) {
	needNPM(t)
	p := c.open(t, pages.url("emoji.html"))
	name := func(tool string) string { return toolName("0", tool) }
	use := func(tool string, args any) {
		t.Helper()
		if got := h.call(h.waitTool(name(tool)).Name, args); got.IsError {
			t.Errorf("%s: %s", tool, textOf(got))
		}
	}
	use("click_animals_and_nature", nil)
	h.waitTool(name("click_dog_face_dog"))
	use("search", map[string]any{"query": "fruit"})
	use("click_red_apple_red", nil)
	if got := string(p.happened("chosen")); got != `"red apple"` {
		t.Errorf("the page got %s", got)
	}
	h.waitTools("the apple alone", func(tools []mcp.Tool) bool { return !slices.Contains(pageTools(tools), name("click_dog_face_dog")) })
}

// TestIntrospectIsOff unless it is asked for, also where an earlier hub did.
func TestIntrospectIsOff(t *testing.T) {
	t.Parallel()
	c := plainChrome(t)
	h := attachHub(t, c, "--introspect")
	c.open(t, pages.url("plain.html"))
	h.waitTool(toolName("0", "get_page_content"))
	other := attachHub(t, c, "--no-share")
	poll(t, "the other hub does not know the page", func() bool { return strings.Contains(textOf(other.call("list_tabs", nil)), "plain.html") })
	p := c.open(t, pages.url("forms.html"))
	other.waitTool(toolName("1", "find"))
	p.close()
	other.waitNoPageTools()
}
