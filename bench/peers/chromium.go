package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
)

//go:embed page.html
var pageHTML string

// toolsOfAPage is how many tools each page has, echo among them.
const toolsOfAPage = 10

// A chromium is the browser that servers attach to, with the server of its pages.
// A bare client drives it.
type chromium struct {
	chrome *launch.Chrome
	pipe   *cdpclient.Conn
	url    string // where servers find it
	pages  *httptest.Server
	port   int // the relay's, which pages look for; 0 without @mcp-b/global
	opened int
}

// A tab shows our page.
type tab struct {
	target  string
	session cdpclient.SessionID
	url     string // no other tab has it
	answers chan cdpclient.ToolResponded
}

// startChromium starts one with Chrome's own WebMCP, or, if a relay's port is given, one without it whose pages have
// @mcp-b/global.
func startChromium(ctx context.Context, modules string, port int) (*chromium, error) {
	args := []string{"--remote-debugging-port=0", "--disable-gpu",
		// Tabs behind others are not to be slower than the one in front.
		"--disable-background-timer-throttling", "--disable-renderer-backgrounding",
		"--disable-backgrounding-occluded-windows"}
	if port != 0 {
		args = append(args, "--disable-features=WebMCP,WebMCPTesting")
	}
	chrome, err := launch.Start(ctx, launch.Options{Headless: true, Args: args})
	if err != nil {
		return nil, err
	}
	c := &chromium{chrome: chrome, port: port}
	c.pipe = cdpclient.NewConn(chrome.Wire, func(cdpclient.Message) {})
	endpoint, err := cdpclient.ActivePortURL(chrome.UserDataDir)
	var at *url.URL
	if err == nil {
		at, err = url.Parse(endpoint)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	c.url = "http://" + at.Host
	c.pages = httptest.NewServer(c.serve(modules))
	return c, nil
}

func (c *chromium) close() {
	_ = c.pipe.Close()
	_ = c.chrome.Close()
	if c.pages != nil {
		c.pages.Close()
	}
}

// serve gives the page, and what npm brought of the relay and of @mcp-b/global.
func (c *chromium) serve(modules string) http.Handler {
	runtime, embed := "", ""
	if c.port != 0 {
		runtime = `<script src="/npm/@mcp-b/global/dist/index.iife.js"></script>`
		embed = fmt.Sprintf(`<script src="/npm/@mcp-b/webmcp-local-relay/dist/browser/embed.js" data-relay-port="%d"></script>`, c.port)
	}
	page := strings.NewReplacer("<!--runtime-->", runtime, "<!--embed-->", embed).Replace(pageHTML)
	mux := http.NewServeMux()
	mux.Handle("/npm/", http.StripPrefix("/npm/", http.FileServer(http.Dir(modules))))
	serveAutomation(mux)
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page))
	})
	return mux
}

// version is the browser's, as Chromium says it.
func (c *chromium) version() string { return strings.Replace(c.chrome.Version.Product, "/", " ", 1) }

// alone closes every tab but the one that open opens.
func (c *chromium) alone(ctx context.Context, open func(context.Context) (*tab, error)) (*tab, error) {
	old, err := c.targets(ctx)
	if err != nil {
		return nil, err
	}
	t, err := open(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range old {
		if err := c.pipe.Call(ctx, "", cdpclient.TargetCloseTarget, map[string]any{"targetId": id}, nil); err != nil {
			return nil, err
		}
	}
	return t, until(ctx, "the other tabs stay", func() (bool, error) {
		left, err := c.targets(ctx)
		return slices.Equal(left, []string{t.target}), err
	})
}

// several opens so many tabs, and leaves no other.
func (c *chromium) several(ctx context.Context, n int, open func(context.Context) (*tab, error)) ([]*tab, error) {
	first, err := c.alone(ctx, open)
	tabs := []*tab{first}
	for err == nil && len(tabs) < n {
		var t *tab
		if t, err = open(ctx); err == nil {
			tabs = append(tabs, t)
		}
	}
	return tabs, err
}

func (c *chromium) targets(ctx context.Context) (pages []string, err error) {
	var r struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	err = c.pipe.Call(ctx, "", cdpclient.TargetGetTargets, nil, &r)
	for _, t := range r.TargetInfos {
		if t.Type == "page" {
			pages = append(pages, t.TargetID)
		}
	}
	return pages, err
}

// open opens a tab and waits until its page has registered its tools.
func (c *chromium) open(ctx context.Context) (*tab, error) {
	c.opened++
	return c.openAt(ctx, fmt.Sprintf("/?tools=%d&tab=%d", toolsOfAPage-1, c.opened), `typeof registered == "boolean"`)
}

// openAt opens a tab at one of our addresses and waits until its page says that it is ready.
func (c *chromium) openAt(ctx context.Context, path, ready string) (*tab, error) {
	t := &tab{url: c.pages.URL + path, answers: make(chan cdpclient.ToolResponded, 16)}
	var created struct{ TargetID string }
	if err := c.pipe.Call(ctx, "", cdpclient.TargetCreateTarget, map[string]any{"url": t.url}, &created); err != nil {
		return nil, err
	}
	t.target = created.TargetID
	var attached struct{ SessionID cdpclient.SessionID }
	if err := c.pipe.Call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": t.target, "flatten": true},
		&attached); err != nil {
		return nil, err
	}
	t.session = attached.SessionID
	c.pipe.Attach(t.session, t.receive)
	err := until(ctx, t.url+" does not load", func() (bool, error) {
		// Before it is at its address, it is an empty page that is ready at once.
		value, err := c.evaluate(ctx, t, fmt.Sprintf("location.href.startsWith(%q) && %s", t.url, ready))
		return string(value) == "true", err
	})
	if err != nil {
		return nil, err
	}
	at, err := c.evaluate(ctx, t, "location.href") // a page may have gone on to another fragment
	if err != nil {
		return nil, err
	}
	return t, json.Unmarshal(at, &t.url)
}

func (t *tab) receive(m cdpclient.Message) {
	e, ok := m.(cdpclient.Event)
	if !ok || e.Method != cdpclient.WebMCPToolResponded {
		return
	}
	var r cdpclient.ToolResponded
	if json.Unmarshal(e.Params, &r) != nil {
		return
	}
	select {
	case t.answers <- r:
	default: // nobody asked
	}
}

// until looks until it's so.
func until(ctx context.Context, failure string, ok func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for why := error(nil); ; {
		so, err := ok()
		if so {
			return nil
		}
		if err != nil {
			why = err // perhaps of a page that is about to go
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(errors.New(failure), why, ctx.Err())
		}
	}
}

// evaluate runs a script in a page and gives its value's JSON.
func (c *chromium) evaluate(ctx context.Context, t *tab, script string) (json.RawMessage, error) {
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	err := c.pipe.Call(ctx, t.session, cdpclient.RuntimeEvaluate,
		map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true}, &r)
	if err == nil && r.ExceptionDetails != nil {
		err = fmt.Errorf("the page threw %s", r.ExceptionDetails)
	}
	return r.Result.Value, err
}

// bareEcho calls the page's echo without any server between.
func (c *chromium) bareEcho(ctx context.Context, t *tab, text string) error {
	input, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		return err
	}
	var r cdpclient.InvokeToolResult
	if err := c.pipe.Call(ctx, t.session, cdpclient.WebMCPInvokeTool,
		cdpclient.InvokeToolParams{FrameID: t.target, ToolName: "echo", Input: input}, &r); err != nil {
		return err
	}
	for {
		select {
		case a := <-t.answers:
			if a.InvocationID != r.InvocationID {
				continue
			}
			return same(string(a.Output), `{"content":[{"text":"`+text+`","type":"text"}]}`,
				`{"content":[{"type":"text","text":"`+text+`"}]}`)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// same is an error unless what was got is one of those.
func same(got string, wants ...string) error {
	if slices.Contains(wants, got) {
		return nil
	}
	return fmt.Errorf("the answer is %.500q, not %q", got, wants[0])
}
