package probe

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// One Chromium serves all tests of this binary; each opens tabs of its own.
var shared struct {
	sync.Mutex
	browser *Browser
}

// The actor library's throttle of dead letters sleeps on for a second when one was thrown
// away, whatever ends meanwhile.
var throttles = goleak.IgnoreTopFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1")

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.browser != nil {
		shared.browser.Close()
	}
	if code == 0 {
		if err := goleak.Find(throttles); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// aBrowser is the Chromium of all tests.
func aBrowser(t *testing.T) *Browser {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil && os.Getenv("WEBMCP_REQUIRE_CHROME") == "" {
		t.Skip("there is no Chromium")
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.browser == nil {
		b, err := Start(context.Background(), Options{ExecutablePath: "chromium", Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		shared.browser = b
	}
	return shared.browser
}

// serve serves pages by their paths on this machine, and gives the address of the first.
// PORT in them becomes the server's.
func serve(t *testing.T, pages map[string]string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if to, redirect := strings.CutPrefix(page, "-> "); redirect {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		if r.URL.Path == "/basic" {
			w.Header().Set("WWW-Authenticate", "Basic realm=shop")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if page == "never" {
			<-r.Context().Done()
			return
		}
		kind := "text/html; charset=utf-8"
		if strings.HasSuffix(r.URL.Path, ".js") {
			kind = "text/javascript; charset=utf-8"
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(strings.ReplaceAll(page, "PORT", port)))
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return "http://shop.localhost:" + port
}

// page is a document with these parts, each HTML or a script.
func page(parts ...string) string {
	var b strings.Builder
	b.WriteString("<!doctype html><meta charset=utf-8><title>Test</title>\n")
	for _, p := range parts {
		if strings.HasPrefix(p, "<") {
			fmt.Fprintln(&b, p)
			continue
		}
		fmt.Fprintf(&b, "<script>{\n%s\n}</script>\n", p)
	}
	return b.String()
}
