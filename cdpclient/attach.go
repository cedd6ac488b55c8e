package cdpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mafredri/cdp/devtool"
)

// BrowserWebSocketURL asks a running Chrome at browserURL (such as http://127.0.0.1:9222) for the address of its
// browser endpoint. It returns a ws:// or wss:// address unchanged. It waits at most 10 s. Errors contain neither the
// URL's user nor its query.
func BrowserWebSocketURL(ctx context.Context, browserURL string) (string, error) {
	u, err := url.Parse(browserURL)
	if err != nil || u.Host == "" {
		return "", errors.New("that is not the address of a browser; give it like http://127.0.0.1:9222")
	}
	switch u.Scheme {
	case "ws", "wss":
		return browserURL, nil
	case "http", "https":
	default:
		return "", fmt.Errorf("%s is not the address of a browser; it must start with http:// or ws://",
			Place(browserURL))
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	seen := &lastFailure{next: &http.Transport{DisableKeepAlives: true}} // no proxy: the hub reaches Chrome directly
	dt := devtool.New(strings.TrimRight(devtoolURL(u), "/"), devtool.WithClient(&http.Client{Transport: seen}))
	v, err := dt.Version(ctx)
	if err != nil {
		return "", versionError(browserURL, err, seen.err)
	}
	if v.WebSocketDebuggerURL == "" {
		return "", fmt.Errorf("%s answered, but is not a Chrome with remote debugging", Place(browserURL))
	}
	return v.WebSocketDebuggerURL, nil
}

// DebuggingFlags returns the flags for a Chrome that listens at browserURL and has WebMCP switched on; "" means the
// usual port.
func DebuggingFlags(browserURL string) string {
	port := "9222"
	if u, err := url.Parse(browserURL); err == nil && u.Port() != "" {
		port = u.Port()
	}
	return "--remote-debugging-port=" + port + " --user-data-dir=DIR --enable-features=WebMCP, where DIR is a " +
		"profile of its own"
}

// devtoolURL rewrites IPv6 literals, which package devtool can't parse.
func devtoolURL(u *url.URL) string {
	if u.Hostname() != "::1" {
		return u.String()
	}
	v := *u
	v.Host = "localhost:" + u.Port()
	return v.String()
}

// lastFailure is a transport that remembers why the last request failed, which package devtool doesn't report.
type lastFailure struct {
	next http.RoundTripper
	err  error // needs no lock, because there is one request at a time
}

func (l *lastFailure) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.next.RoundTrip(r)
	l.err = err
	if err == nil && resp.StatusCode != http.StatusOK {
		l.err = fmt.Errorf("HTTP %d %s", resp.StatusCode, http.StatusText(resp.StatusCode)) // not the server's text
	}
	return resp, err
}

func versionError(browserURL string, err, cause error) error {
	if cause == nil {
		cause = err
	}
	at := Place(browserURL)
	var op *net.OpError
	switch {
	case errors.Is(cause, context.DeadlineExceeded):
		return fmt.Errorf("the browser at %s did not answer in time", at)
	case errors.As(cause, &op) && op.Op == "dial":
		return fmt.Errorf("no browser listens at %s (%w); start Chrome with %s, or use --auto-connect", at, op.Err,
			DebuggingFlags(browserURL))
	}
	return fmt.Errorf("%s did not answer like a Chrome with remote debugging (%w); if remote debugging was allowed "+
		"in chrome://inspect, use --auto-connect", at, unplaced(cause))
}

// ActivePortURL returns the address of the running Chrome of a profile, from the file DevToolsActivePort.
func ActivePortURL(userDataDir string) (string, error) {
	name := filepath.Join(userDataDir, "DevToolsActivePort")
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no Chrome with remote debugging uses the profile %s; open "+
			"chrome://inspect/#remote-debugging in it and allow remote debugging: %w", userDataDir, err)
	}
	if err != nil {
		return "", fmt.Errorf("find Chrome's debugging port: %w; see that you may read that file, or attach by "+
			"--browser-url", err)
	}
	port, path, _ := strings.Cut(string(bytes.TrimSpace(b)), "\n")
	port, path = strings.TrimSpace(port), strings.TrimSpace(path)
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || !strings.HasPrefix(path, "/devtools/browser") {
		return "", fmt.Errorf("%s is incomplete; Chrome may just be starting, try again", name)
	}
	return fmt.Sprintf("ws://127.0.0.1:%d%s", n, path), nil
}
