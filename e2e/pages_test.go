package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A runtime is what gives a page its WebMCP: Chrome itself, or a package that
// the page loads. The page server puts it where a page says <!--runtime-->.
type runtime string

const (
	native runtime = "native"
	mcpb5  runtime = "mcpb5" // @mcp-b/global 5.1.0
	mcpb2  runtime = "mcpb2" // @mcp-b/global 2.1.0
)

// bundles are the runtimes' scripts, in node_modules.
var bundles = map[runtime]string{
	mcpb5: "@mcp-b/global/dist/index.iife.js",
	mcpb2: "mcp-b-global-2/dist/index.iife.js",
}

// pages serves testdata/pages on 127.0.0.1 (and, as another site, localhost).
var pages *pageServer

type pageServer struct{ http *httptest.Server }

func servePages() *pageServer {
	files := http.FileServer(http.Dir("testdata/pages"))
	mux := http.NewServeMux()
	mux.Handle("/npm/", http.StripPrefix("/npm/", http.FileServer(http.Dir("node_modules"))))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
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
	return &pageServer{http: httptest.NewServer(mux)}
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

// needNPM skips a test where `npm ci` hasn't run, or fails it where it must.
func needNPM(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("node_modules/.package-lock.json"); err != nil {
		missing(t, "the npm packages are not there: run `npm ci` in e2e/ (make test does)")
	}
}

// missing skips, or fails when the caller said that everything must be there.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("WEBMCP_REQUIRE_CHROME") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}
