package automationtest

import (
	"context"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Site serves a test's pages. Chromium reaches it under every name that ends in
// ".test", and each name's documents are in a process of their own.
type Site struct {
	port string

	mu    sync.Mutex
	pages map[string]string
	other []func(http.ResponseWriter, *http.Request) bool
}

// Pages has HTML by path ("/"). {{a}} to {{d}} in it become the site's addresses under a.test to d.test
// ("http://a.test:1234").
type Pages map[string]string

// HTML returns the Pages of a site with one page.
func HTML(page string) Pages { return Pages{"/": page} }

// Files returns the HTML files of a folder as Pages, by their paths.
func Files(t testing.TB, files fs.FS) Pages {
	t.Helper()
	pages := Pages{}
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, path)
		pages["/"+path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// Serve starts a site for the rest of the test.
func Serve(t testing.TB, pages Pages) *Site {
	t.Helper()
	s := &Site{pages: maps.Clone(pages)}
	server := httptest.NewUnstartedServer(s)
	// Close waits for requests, also for one that a page makes after CloseClientConnections: they end with the test.
	server.Config.BaseContext = func(net.Listener) context.Context { return t.Context() }
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	s.port = port(server)
	return s
}

func port(of *httptest.Server) string {
	_, port, _ := net.SplitHostPort(of.Listener.Addr().String())
	return port
}

// URL returns the address of a path under a host ("a" is a.test). "127" is 127.0.0.1, which is a secure context.
func (s *Site) URL(host, path string) string {
	if host == "127" {
		return "http://127.0.0.1:" + s.port + path
	}
	return "http://" + host + ".test:" + s.port + path
}

// downloads says that a page of the site offers a download.
func (s *Site) downloads() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range s.pages {
		if strings.Contains(text, " download") {
			return true
		}
	}
	return false
}

// Set adds a page, or changes one.
func (s *Site) Set(path, html string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = html
}

// Handle makes f answer requests first. f returns false for requests that it leaves to others.
func (s *Site) Handle(f func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.other = append(s.other, f)
}

// ServeHTTP answers with a page.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	text, found := s.pages[r.URL.Path]
	other := s.other
	s.mu.Unlock()
	for _, f := range other {
		if f(w, r) {
			return
		}
	}
	if !found {
		http.NotFound(w, r)
		return
	}
	for _, host := range []string{"a", "b", "c", "d"} {
		text = strings.ReplaceAll(text, "{{"+host+"}}", s.URL(host, ""))
	}
	switch {
	case strings.HasSuffix(r.URL.Path, ".js"):
		w.Header().Set("Content-Type", "text/javascript")
	case strings.HasSuffix(r.URL.Path, ".css"):
		w.Header().Set("Content-Type", "text/css")
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	_, _ = w.Write([]byte(text))
}
