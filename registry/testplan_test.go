package registry

import (
	"strings"
	"testing"

	"webmcphub/registry/names"
)

// The cases of the specification's test plan (parts A to G) under its own
// words. Here are those that the pure core decides; the others need a page, a
// wire or a client, and live with those:
//
//	A executes registered tools and returns results            actors: TestGoldenPaths; e2e: TestIntegration
//	D handles page close during sync gracefully                here what the core does; actors: TestSyncGuard
//	E subscribes to ToolListChangedNotificationSchema on connect   actors: TestEventDrivenSync
//	E re-syncs tools when notification received                actors: TestEventDrivenSync
//	E handles rapid successive notifications                   here what the core does; actors: TestSyncGuard
//	F handles navigation during tool sync                      here what the core does; actors: TestSyncGuard
//	F handles page close during tool sync                      here what the core does; actors: TestSyncGuard
//	F handles concurrent syncs for same page                   actors: TestSyncGuard
//	F handles WebMCP connection failure gracefully             actors: TestEdgeCases
//	F handles tool execution when connection lost              here the answer's text; actors: TestEdgeCases
//	F returns error result when page navigated during call     here the answer's text; actors: TestEdgeCases
//	F removes all tools when disabled                          mcpserver: TestEdgeCases
//	G all                                                      e2e: TestIntegration

const (
	todos = "http://localhost:3000/app"
	code  = "https://github.com/search"
)

func TestGoldenPaths(t *testing.T) {
	t.Run("registers tools when page with WebMCP connects", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", todos)
		h.report("p0", "getTodos", "addTodo")
		h.want("webmcp_localhost_3000_page0_getTodos", "webmcp_localhost_3000_page0_addTodo")
	})
	t.Run("generates correct tool IDs with naming convention", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", todos)
		h.open("p1", code)
		h.open("p2", "https://example.com")
		h.report("p0", "getTodos")
		h.report("p1", "searchRepos")
		h.report("p2", "submitForm")
		h.want("webmcp_localhost_3000_page0_getTodos", "webmcp_github_com_page1_searchRepos", "webmcp_example_com_page2_submitForm")
	})
	t.Run("generates correct tool descriptions with context", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", todos)
		h.reportTools("p0", &PageTool{Name: "getTodos", Doc: 1, Description: "Fetch all todo items from the database"})
		wantDescription(t, h, "webmcp_localhost_3000_page0_getTodos", "[WebMCP • localhost:3000 • Page 0] Fetch all todo items from the database")
	})
	t.Run("updates tools when WebMCP sends list_changed notification", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", todos)
		h.report("p0", "old")
		before := h.notices
		h.report("p0", "new")
		h.want("webmcp_localhost_3000_page0_new")
		if h.notices != before+1 {
			t.Errorf("%d notifications, want 1", h.notices-before)
		}
	})
	t.Run("removes tools when page navigates away", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", todos)
		h.report("p0", "getTodos")
		h.navigate("p0", code)
		h.want()
	})
	t.Run("removes tools when page closes", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", todos)
		h.report("p0", "getTodos")
		h.step(PageClosed{"p0"})
		h.want()
	})
	t.Run("handles multiple pages with different tools", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", todos)
		h.open("p1", code)
		h.report("p1", "searchRepos", "openIssue")
		h.report("p0", "getTodos")
		h.want("webmcp_localhost_3000_page0_getTodos", "webmcp_github_com_page1_searchRepos", "webmcp_github_com_page1_openIssue")
	})
	t.Run("reconnects and re-registers tools after page reload", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", todos)
		h.report("p0", "getTodos")
		h.navigate("p0", todos)
		h.want()
		h.report("p0", "getTodos")
		h.want("webmcp_localhost_3000_page0_getTodos")
		if doc := h.server["webmcp_localhost_3000_page0_getTodos"].Route.Doc; doc != 2 {
			t.Errorf("it leads to document %d, want 2", doc)
		}
	})
}

func TestToolNaming(t *testing.T) {
	for _, c := range []struct{ name, url, want string }{
		{"sanitizes domain: localhost:3000 → localhost_3000", "http://localhost:3000/x", "localhost_3000"},
		{"sanitizes domain: github.com → github_com", "https://github.com/x", "github_com"},
		{"sanitizes domain with subdomains: api.github.com → api_github_com", "https://api.github.com/x", "api_github_com"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := names.ExtractDomain(c.url); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	t.Run("sanitizes tool names with special chars: get-todos → get_todos", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.report("p0", "get-todos")
		h.want("webmcp_github_com_page0_get_todos")
	})
	t.Run("generates unique IDs for same tool on different pages", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.open("p1", code)
		h.report("p0", "search")
		h.report("p1", "search")
		h.want("webmcp_github_com_page0_search", "webmcp_github_com_page1_search")
	})
	t.Run("regenerates IDs correctly when page indexes shift", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", todos)
		h.open("p1", code)
		h.report("p1", "search")
		h.step(PageClosed{"p0"})
		h.flush()
		h.want("webmcp_github_com_page0_search")
		wantDescription(t, h, "webmcp_github_com_page0_search", "[WebMCP • github.com • Page 0] No description")
	})
}

func TestToolDescription(t *testing.T) {
	for _, c := range []struct{ name, url, description, want string }{
		{"formats: [WebMCP • localhost:3000 • Page 0] description", "http://localhost:3000/", "description", "[WebMCP • localhost:3000 • Page 0] description"},
		{"reverses localhost sanitization correctly", "http://localhost/", "x", "[WebMCP • localhost:80 • Page 0] x"},
		{"reverses domain sanitization correctly", "https://api.github.com/x", "x", "[WebMCP • api.github.com • Page 0] x"},
		{"handles missing description gracefully", "https://github.com/", "", "[WebMCP • github.com • Page 0] No description"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := names.Describe(names.DisplayHost(c.url), 0, c.description); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestToolLifecycle(t *testing.T) {
	t.Run("registers new tools on initial connection", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.want()
		effects := h.step(ToolsReported{"p0", 1, []*PageTool{{Name: "search"}}})
		h.want("webmcp_github_com_page0_search")
		if len(effects) == 0 {
			t.Error("the first tools of a page wait for the flush interval")
		}
	})
	t.Run("updates existing tools instead of re-registering", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.reportTools("p0", &PageTool{Name: "search", Doc: 1, Description: "old"})
		before := h.served
		h.step(ToolsReported{"p0", 1, []*PageTool{{Name: "search", Doc: 1, Description: "new"}}})
		if withdrawn, published := differ(before, h.served); len(withdrawn) > 0 || len(published) != 1 {
			t.Errorf("withdrew %v, published %v", withdrawn, published)
		}
		wantDescription(t, h, "webmcp_github_com_page0_search", "[WebMCP • github.com • Page 0] new")
	})
	t.Run("removes tools that no longer exist in list", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.report("p0", "search", "star")
		h.report("p0", "search")
		h.want("webmcp_github_com_page0_search")
	})
	t.Run("removes all page tools on navigation", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.report("p0", "search", "star", "fork")
		h.navigate("p0", "https://github.com/other")
		h.want()
	})
	t.Run("removes tools on transport close callback", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.report("p0", "search")
		h.report("p0") // what a tab says when the page's server is gone
		h.want()
	})
	t.Run("does NOT remove tools from other pages", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.open("p1", todos)
		h.report("p0", "search")
		h.report("p1", "getTodos")
		h.navigate("p0", code)
		h.flush()
		h.want("webmcp_localhost_3000_page1_getTodos")
	})
	t.Run("removes all page tools when page closes", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.report("p0", "search", "star", "fork")
		h.step(PageClosed{"p0"})
		h.want()
	})
	t.Run("handles page close during sync gracefully", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.step(PageClosed{"p0"})
		h.report("p0", "search") // the sync's result comes too late
		h.want()
	})
	t.Run("re-registers tools after page reload", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.report("p0", "search")
		h.navigate("p0", code)
		h.report("p0", "search")
		h.want("webmcp_github_com_page0_search")
	})
	t.Run("registers tools for new page opened", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.report("p0", "search")
		h.open("p1", todos)
		h.report("p1", "getTodos")
		h.want("webmcp_github_com_page0_search", "webmcp_localhost_3000_page1_getTodos")
	})
}

func TestEventDrivenSync(t *testing.T) {
	t.Run("adds new tools from updated list", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.report("p0", "search")
		h.report("p0", "search", "star")
		h.want("webmcp_github_com_page0_search", "webmcp_github_com_page0_star")
	})
	t.Run("removes deleted tools from updated list", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.report("p0", "search", "star")
		h.report("p0", "star")
		h.want("webmcp_github_com_page0_star")
	})
	t.Run("updates modified tool schemas", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.reportTools("p0", &PageTool{Name: "search", InputSchema: []byte(`{"type":"object","properties":{"q":{}}}`)})
		before := h.notices
		schema := `{"type":"object","properties":{"query":{}}}`
		h.reportTools("p0", &PageTool{Name: "search", InputSchema: []byte(schema)})
		if got := h.server["webmcp_github_com_page0_search"].InputSchema; string(got) != schema {
			t.Errorf("schema %s, want %s", got, schema)
		}
		if h.notices != before+1 {
			t.Errorf("%d notifications, want 1", h.notices-before)
		}
	})
	t.Run("handles rapid successive notifications", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.report("p0", "search")
		before := h.notices
		for range 100 { // all within one interval
			h.step(ToolsReported{"p0", 1, []*PageTool{{Name: "star"}}})
			h.step(ToolsReported{"p0", 1, []*PageTool{{Name: "fork"}}})
		}
		h.flush()
		h.want("webmcp_github_com_page0_fork")
		if n := h.notices - before; n > 2 {
			t.Errorf("%d notifications, want the leading and the trailing edge", n)
		}
	})
}

func TestEdgeCases(t *testing.T) {
	t.Run("handles navigation during tool sync", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.navigate("p0", todos)
		h.step(ToolsReported{"p0", 1, []*PageTool{{Name: "search"}}}) // what the old document offered
		h.flush()
		h.want()
	})
	t.Run("handles page close during tool sync", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.open("p1", code)
		h.step(PageClosed{"p0"})
		h.report("p0", "search")
		h.report("p1", "search")
		h.want("webmcp_github_com_page0_search")
		if page := h.server["webmcp_github_com_page0_search"].Route.Page; page != "p1" {
			t.Errorf("it leads to %s, want p1", page)
		}
	})
	t.Run("handles tool execution when connection lost", func(t *testing.T) {
		wantAnswer(t, EndedByLoss("search"), "connection to Chrome was lost", "tool \"search\"", "unknown", "come back")
		wantAnswer(t, EndedByServer("search"), "MCP server stopped", "tool \"search\"", "unknown", "List the tools again")
	})
	t.Run("returns error result when page navigated during call", func(t *testing.T) {
		wantAnswer(t, EndedByNavigation("search", todos), "navigated to "+todos, "tool \"search\"", "unknown", "List the tools again")
	})
	t.Run("tracks tools correctly across multiple pages", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", todos)
		h.open("p1", code)
		h.open("p2", "https://example.com")
		h.report("p0", "a")
		h.report("p1", "b")
		h.report("p2", "c")
		h.report("p1", "b", "d")
		h.navigate("p0", todos)
		h.flush()
		h.want("webmcp_github_com_page1_b", "webmcp_github_com_page1_d", "webmcp_example_com_page2_c")
	})
	t.Run("handles same domain on multiple tabs", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.open("p1", code)
		h.report("p0", "search")
		h.report("p1", "search")
		h.report("p0")
		h.want("webmcp_github_com_page1_search")
	})
	t.Run("updates page index in tool names when pages close", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", todos)
		h.open("p1", code)
		h.open("p2", "https://example.com")
		h.report("p1", "b")
		h.report("p2", "c")
		h.step(PageClosed{"p0"})
		h.flush()
		h.want("webmcp_github_com_page0_b", "webmcp_example_com_page1_c")
	})
	t.Run("does not register tools when disabled", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.report("p0", "search")
		if n := h.state.Catalog().WithOptions(ListOptions{Unlisted: true}).Len(); n != 0 {
			t.Errorf("%d tools are listed", n)
		}
	})
	t.Run("re-registers tools when re-enabled", func(t *testing.T) {
		h := newHub(t, Options{})
		h.open("p0", code)
		h.report("p0", "search")
		disabled := h.state.Catalog().WithOptions(ListOptions{Unlisted: true})
		h.report("p0", "search", "star")
		h.flush()
		if is := h.state.Catalog().WithOptions(ListOptions{}); disabled.Len() != 0 || is.Len() != 2 || is.Lookup("webmcp_github_com_page0_star") == nil {
			t.Errorf("%d tools, then %d", disabled.Len(), is.Len())
		}
	})
}

func wantDescription(t *testing.T, h *hub, name, want string) {
	t.Helper()
	if tool := h.server[name]; tool == nil {
		t.Errorf("%s is not published", name)
	} else if tool.Description != want {
		t.Errorf("description %q, want %q", tool.Description, want)
	}
}

// wantAnswer checks that an error result says these things.
func wantAnswer(t *testing.T, r Result, says ...string) {
	t.Helper()
	got := text(t, r)
	if !r.IsError {
		t.Errorf("not an error: %s", got)
	}
	for _, s := range says {
		if !strings.Contains(got, s) {
			t.Errorf("%q doesn't say %q", got, s)
		}
	}
}
