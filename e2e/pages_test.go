package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A runtime is what gives a page its WebMCP: Chrome itself, or a package that
// the page loads. The page server puts it where a page says <!--runtime-->.
type runtime string

const (
	native runtime = "native"
	mcpb5  runtime = "mcpb5" // @mcp-b/global 5.1.0
	mcpb2  runtime = "mcpb2" // @mcp-b/global 2.1.0

	polyfill runtime = "polyfill" // @mcp-b/webmcp-polyfill 5.1.0 alone, without an MCP server
	early    runtime = "early"    // @mcp-b/webmcp-polyfill 0.3.3, which knows navigator.modelContext alone
	forms    runtime = "forms"    // nothing that knows of forms: they are for the hub to read
)

// bundles are the runtimes' scripts, in node_modules.
var bundles = map[runtime]string{
	mcpb5: "@mcp-b/global/dist/index.iife.js",
	mcpb2: "mcp-b-global-2/dist/index.iife.js",

	polyfill: "@mcp-b/webmcp-polyfill/dist/index.iife.js",
	early:    "mcp-b-polyfill-0/dist/index.iife.js",
	forms:    "mcp-b-global-2/dist/index.iife.js", // for the page's other tools
}

// pages serves testdata/pages on 127.0.0.1 (and, as another site, localhost).
var pages *pageServer

type pageServer struct {
	http  *httptest.Server
	gates sync.Map // key -> *gate
}

func servePages() *pageServer {
	files := http.FileServer(http.Dir("testdata/pages"))
	s := &pageServer{}
	mux := http.NewServeMux()
	mux.Handle("/npm/", http.StripPrefix("/npm/", http.FileServer(http.Dir("node_modules"))))
	mux.HandleFunc("/asking", func(_ http.ResponseWriter, r *http.Request) { s.held(r.URL.Query().Get("held")).ask() })
	mux.HandleFunc("/asked", func(_ http.ResponseWriter, r *http.Request) { // answers once a page that is held back was asked for
		select {
		case <-s.held(r.URL.Query().Get("held")).asked:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !r.URL.Query().Has("cached") { // which also keeps a page out of the back-forward cache
			w.Header().Set("Cache-Control", "no-store")
		}
		if key := r.URL.Query().Get("held"); key != "" {
			s.held(key).wait(r.Context())
		}
		if filepath.Ext(r.URL.Path) != ".html" {
			files.ServeHTTP(w, r)
			return
		}
		html, err := os.ReadFile(filepath.Join("testdata/pages", filepath.Base(r.URL.Path)))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		script := ""
		if bundle, ok := bundles[runtime(r.URL.Query().Get("runtime"))]; ok {
			script = `<script src="/npm/` + bundle + `"></script>`
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(strings.Replace(string(html), "<!--runtime-->", script, 1)))
	})
	s.http = httptest.NewServer(mux)
	return s
}

// A gate holds a page back that was asked for with ?held=KEY.
type gate struct {
	asked, opened chan struct{}
	ask, open     func()
}

func (s *pageServer) held(key string) *gate {
	asked, opened := make(chan struct{}), make(chan struct{})
	g, _ := s.gates.LoadOrStore(key, &gate{
		asked: asked, opened: opened,
		ask:  sync.OnceFunc(func() { close(asked) }),
		open: sync.OnceFunc(func() { close(opened) }),
	})
	return g.(*gate)
}

func (g *gate) wait(ctx context.Context) {
	g.ask()
	select {
	case <-g.opened:
	case <-ctx.Done():
	}
}

// endless is a script that never ends: it waits for the server, which costs no processor time, and once loops is called
// it loops for ever.
func (s *pageServer) endless(t *testing.T) (script string, loops func()) {
	g := s.held(t.Name() + " is endless")
	t.Cleanup(g.open)
	return `{ const wait = new XMLHttpRequest(); wait.open('GET', '/plain.html` + query([]string{"held=" + t.Name() + " is endless"}) + `', false); wait.send(); for (;;); }`, g.open
}

func (s *pageServer) close() { s.http.Close() }

// port is what the names of tools from these pages carry.
func (s *pageServer) port() string {
	u, _ := url.Parse(s.http.URL)
	return u.Port()
}

// url is the address of a page; more are query parameters, as "key=value".
func (s *pageServer) url(page string, more ...string) string {
	return s.http.URL + "/" + page + query(more)
}

// otherSite is the same page on a site that is foreign to url's.
func (s *pageServer) otherSite(page string, more ...string) string {
	return "http://localhost:" + s.port() + "/" + page + query(more)
}

func query(more []string) string {
	values := url.Values{}
	for _, m := range more {
		k, v, _ := strings.Cut(m, "=")
		values.Add(k, v)
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// toolName is the name under which the hub publishes a tool of the idx-th tab,
// when that tab shows one of these pages.
func toolName(idx string, tool string) string {
	return "webmcp_localhost_" + pages.port() + "_page" + idx + "_" + tool
}

// missing skips, or fails when the caller said that everything must be there.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("WEBMCP_REQUIRE_CHROME") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}
