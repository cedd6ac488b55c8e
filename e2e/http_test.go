package e2e

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// A webHub is a hub that serves HTTP.
type webHub struct {
	*rawHub
	url, token string
}

var servedAt = regexp.MustCompile(`served over HTTP" url=(\S+)`)

func startWeb(t *testing.T, flags ...string) *webHub {
	t.Helper()
	file := filepath.Join(t.TempDir(), "made", "token")
	open := slices.Contains(flags, "--no-token")
	flags = append([]string{"--listen", "127.0.0.1:0"}, flags...)
	if !open {
		flags = append(flags, "--token-file", file)
	}
	w := &webHub{rawHub: startRaw(t, flags...)}
	poll(t, "the hub doesn't say where it serves", func() bool {
		found := servedAt.FindStringSubmatch(w.stderr.String())
		if found != nil {
			w.url = found[1]
		}
		return found != nil
	})
	if open {
		return w
	}
	token, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w.token = strings.TrimSpace(string(token))
	if strings.Contains(w.stderr.String(), w.token) || !strings.Contains(w.stderr.String(), file) {
		t.Errorf("the log should name the token's file, and not the token:\n%s", w.stderr)
	}
	return w
}

// connect gives a client of the hub with a session of its own.
func (w *webHub) connect(t *testing.T, options ...client.ClientOption) *hub {
	t.Helper()
	return connectTo(t, w.url, w.token, w.stderr, options...)
}

// connectTo gives a client of what serves MCP over HTTP and says the rest to stderr.
func connectTo(t *testing.T, url, token string, stderr *log, options ...client.ClientOption) *hub {
	t.Helper()
	h := &hub{t: t, stderr: stderr, changed: make(chan struct{}, 1), any: make(chan struct{}, 1)}
	wire := &http.Transport{}
	web, err := transport.NewStreamableHTTP(url,
		transport.WithHTTPBasicClient(&http.Client{Transport: wire}),
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}),
		transport.WithContinuousListening())
	if err != nil {
		t.Fatal(err)
	}
	h.client = client.NewClient(web, append(options, client.WithLegacyProtocolOnly())...)
	h.client.OnNotification(h.notice)
	ctx, cancel := h.patience()
	defer cancel()
	if err := h.client.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = h.client.Close()
		wire.CloseIdleConnections()
	})
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = "2025-06-18"
	request.Params.ClientInfo = mcp.Implementation{Name: "e2e", Version: "1"}
	if _, err := h.client.Initialize(ctx, request); err != nil {
		t.Fatalf("initialize: %v\n%s", err, stderr)
	}
	return h
}

// TestTwoClientsOverHTTP: each has a tab of its own in focus mode, and hears of
// nothing that happens in the other's.
func TestTwoClientsOverHTTP(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	w := startWeb(t, "--no-stdio", "--mode=focus", "--browser-url", c.browserURL())
	first, second := c.open(t, pages.url("dynamic.html")), c.open(t, pages.url("shop.html"))
	one, two := w.connect(t), w.connect(t)
	for _, h := range []*hub{one, two} {
		if r := h.call("connect_browser", nil); r.IsError {
			t.Fatal(textOf(r))
		}
		h.waitTool("focus_tab")
	}
	one.focusOn("dynamic.html")
	two.focusOn("shop.html")
	one.waitTool("unlock")
	two.waitTool("search")
	wantText(t, two.call("search", map[string]any{"q": "it"}), "found it")
	heard := two.count(mcp.MethodNotificationToolsListChanged)
	first.eval(`add('late')`)
	one.waitTool("late")
	wantText(t, one.call("late", nil), "late ran")
	wantError(t, two.call("late", nil), "no tool is called late")
	if now := two.count(mcp.MethodNotificationToolsListChanged); now != heard {
		t.Errorf("the other client was told %d times of a change that it doesn't see", now-heard)
	}
	second.eval(`1`) // is still there

	resp, err := http.Post(w.url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %s", resp.Status)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	w.signal(syscall.SIGTERM)
	if code := w.waitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// focusOn focuses the tab whose address ends so.
func (h *hub) focusOn(page string) {
	h.t.Helper()
	tabs := textOf(h.call("list_tabs", nil))
	found := regexp.MustCompile(`"id":(\d+),"title":"[^"]*","url":"[^"]*` + regexp.QuoteMeta(page)).FindStringSubmatch(tabs)
	if found == nil {
		h.t.Fatalf("%s is not among the tabs: %s", page, tabs)
	}
	if r := h.call("focus_tab", map[string]any{"tabId": number(found[1])}); r.IsError {
		h.t.Fatal(textOf(r))
	}
}

// TestHTTPBesideStdio: both are served, and the end of stdin ends both.
func TestHTTPBesideStdio(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	w := startWeb(t, "--browser-url", c.browserURL())
	p := c.open(t, pages.url("dynamic.html"))
	w.initialize()
	w.waitListed(toolName("0", "unlock"))
	h := w.connect(t)
	h.waitTool(toolName("0", "unlock"))
	p.eval(`add('late')`)
	w.waitListed(toolName("0", "late"))
	h.waitTool(toolName("0", "late"))
	wantText(t, h.call(toolName("0", "late"), nil), "late ran")
	if err := h.client.Close(); err != nil {
		t.Error(err)
	}
	_ = w.stdin.Close()
	if code := w.waitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
