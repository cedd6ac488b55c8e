package e2e

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// post sends a body as curl would; headers are "Name: value", and Host among them.
func (w *webHub) post(body io.Reader, headers ...string) (status int, said string) {
	w.t.Helper()
	return w.send(http.MethodPost, body, headers...)
}

func (w *webHub) send(method string, body io.Reader, headers ...string) (status int, said string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, w.url, body)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
	wire := &http.Transport{}
	defer wire.CloseIdleConnections()
	resp, err := (&http.Client{Transport: wire}).Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// TestHTTPRefusals: bad requests get a status that says what is wrong with them,
// and words.
func TestHTTPRefusals(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	w := startWeb(t, "--no-stdio", "--browser-url", c.browserURL())
	t.Cleanup(func() { w.signal(syscall.SIGTERM) })
	token := "Authorization: Bearer " + w.token
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, x := range []struct {
		name    string
		body    io.Reader
		headers []string
		status  int
		says    string
	}{
		{"no token", strings.NewReader(ping), nil, 401, "token"},
		{"a wrong token", strings.NewReader(ping), []string{"Authorization: Bearer nonsense"}, 401, "token"},
		{"a web page of another origin", strings.NewReader(ping), []string{token, "Origin: https://evil.example"}, 403, "origin"},
		{"another host's name", strings.NewReader(ping), []string{token, "Host: evil.example"}, 403, "Host header"},
		{"no JSON", strings.NewReader(`{"jsonrpc":`), []string{token}, 400, ""},
		{"no session", strings.NewReader(list), []string{token}, 400, "initialize"},
		{"a session that never was", strings.NewReader(list), []string{token, "Mcp-Session-Id: nonsense"}, 404, "no such session"},
		{"a body without end", io.LimitReader(spaces{}, 80<<20), []string{token}, 413, ""},
	} {
		status, said := w.post(x.body, x.headers...)
		if status != x.status || !strings.Contains(said, x.says) || !strings.Contains(said, `"error"`) {
			t.Errorf("%s: %d %s; want %d and %q", x.name, status, said, x.status, x.says)
		}
	}
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestHTTPBeyondLoopbackNeedsAToken: the hub does not start.
func TestHTTPBeyondLoopbackNeedsAToken(t *testing.T) {
	t.Parallel()
	w := startRaw(t, "--listen", "0.0.0.0:0", "--no-stdio", "--no-token", "--browser-url", "http://127.0.0.1:1")
	if code := w.waitExit(); code == 0 || !strings.Contains(w.stderr.String(), "--no-token") {
		t.Errorf("exit code %d", code)
	}
}

var focused = regexp.MustCompile(`"focusedTabId":(\d+)`)

// TestHTTPLease: a tab that one client keeps is refused to others by name of
// its holder, until the holder's session is over.
func TestHTTPLease(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	w := startWeb(t, "--no-stdio", "--mode=focus", "--browser-url", c.browserURL())
	t.Cleanup(func() { w.signal(syscall.SIGTERM) })
	c.open(t, pages.url("shop.html"))
	two := w.connect(t)
	join := func(h *hub) {
		t.Helper()
		if r := h.call("connect_browser", nil); r.IsError {
			t.Fatal(textOf(r))
		}
		h.waitTool("focus_tab")
	}
	join(two)
	two.focusOn("shop.html")
	two.waitTool("search")
	for _, end := range []struct {
		name string
		ends func(*hub)
	}{
		{"DELETE", func(h *hub) { // that of mcp-go's client lacks the token
			if status, said := w.send(http.MethodDelete, nil, "Authorization: Bearer "+w.token, "Mcp-Session-Id: "+h.client.GetSessionId()); status/100 != 2 {
				t.Errorf("DELETE: %d %s", status, said)
			}
		}},
		{"focus_tab", func(h *hub) { h.focusOn("shop.html") }},
	} {
		one := w.connect(t)
		join(one)
		id := 0
		if m := focused.FindStringSubmatch(textOf(two.call("list_tabs", nil))); m != nil {
			id = number(m[1])
		}
		if r := one.call("focus_tab", map[string]any{"tabId": id, "exclusive": true}); r.IsError {
			t.Fatal(textOf(r))
		}
		wantText(t, one.call("search", map[string]any{"q": "mine"}), "found mine")
		wantError(t, two.call("search", map[string]any{"q": "it"}), "kept by another client, e2e (http-")
		end.ends(one)
		wantText(t, two.call("search", map[string]any{"q": "it"}), "found it")
	}
}
