package storm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "embed"

	"webmcphub/cdpclient"
)

//go:embed page.html
var pageHTML string

// tab is a page of a real Chrome, with the driver's session on it.
type tab struct {
	key     int64
	target  string
	session cdpclient.SessionID
}

// servePages serves the storm's page. bundle, if not "", is put before its script.
func servePages(bundle string) *httptest.Server {
	html := strings.Replace(pageHTML, "<!--runtime-->", "", 1)
	if bundle != "" {
		html = strings.Replace(pageHTML, "<!--runtime-->", `<script src="/runtime.js"></script>`, 1)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/runtime.js", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, bundle) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		// An isolated page's clock is exact to 5 µs, others' to 100 µs.
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		w.Header().Set("Cache-Control", "no-store") // and no back-forward cache
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(html)) // the browser's loss
	})
	return httptest.NewServer(mux)
}

// findBundle looks for @mcp-b/global in e2e/node_modules.
func findBundle() (string, error) {
	file, err := findUpwards("e2e", "node_modules", "@mcp-b", "global", "dist", "index.iife.js")
	if err != nil {
		return "", fmt.Errorf("@mcp-b/global: %w; run \"npm ci\" in e2e", err)
	}
	return file, nil
}

// findUpwards looks for a file of the repository from here upwards.
func findUpwards(path ...string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		file := filepath.Join(dir, filepath.Join(path...))
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("%s was not found, here or above", filepath.Join(path...))
		}
		dir = parent
	}
}

// openTab opens a page and waits until its tools are registered.
func (d *chromeDriver) openTab(ctx context.Context, key int64) (*tab, error) {
	url := fmt.Sprintf("%s/?k=%d&tools=%d&epoch=%d", d.web.URL, key, d.s.Tools, d.known.epoch.UnixMilli())
	t := &tab{key: key}
	if err := d.attachTo(ctx, t, url); err != nil {
		return nil, err
	}
	return t, d.ready(ctx, t)
}

// attachTo opens an address in a tab.
func (d *chromeDriver) attachTo(ctx context.Context, t *tab, url string) error {
	var created cdpclient.CreateTargetResult
	if err := d.conn.Call(ctx, "", cdpclient.TargetCreateTarget, cdpclient.CreateTargetParams{URL: url},
		&created); err != nil {
		return err
	}
	t.target = string(created.TargetID)
	var attached cdpclient.SessionParams
	if err := d.conn.Call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": t.target, "flatten": true},
		&attached); err != nil {
		return err
	}
	t.session = attached.SessionID
	return nil
}

// ready waits until a page's document has registered its tools.
func (d *chromeDriver) ready(ctx context.Context, t *tab) error {
	var registered bool
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		// Between two documents, or before the first, there is nothing to ask.
		if err = d.evaluate(ctx, t, `typeof registered == "boolean" && registered`, &registered); err == nil &&
			registered {
			return nil
		}
		select {
		case <-time.After(2 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("page %d did not register its tools in %v (%w)", t.key, patience, errors.Join(err))
}

// evaluate runs a script in a page and decodes its value.
func (d *chromeDriver) evaluate(ctx context.Context, t *tab, script string, value any) error {
	ctx, cancel := context.WithTimeout(ctx, converge) // 200 pages take their time on two cores
	defer cancel()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	err := d.conn.Call(ctx, t.session, cdpclient.RuntimeEvaluate,
		map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true}, &r)
	switch {
	case err != nil:
		return err
	case r.ExceptionDetails != nil:
		return fmt.Errorf("page %d threw %.300s", t.key, r.ExceptionDetails)
	case value == nil:
		return nil
	}
	return json.Unmarshal(r.Result.Value, value)
}
