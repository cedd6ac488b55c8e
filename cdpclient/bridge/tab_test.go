package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
	"webmcphub/cdpclient/pagemcp"
)

// bridgeTab is one tab of a real Chromium with the bridge in it: a small hub. Each document that says
// "mcp-server-ready" gets a client.
type bridgeTab struct {
	t    testing.TB
	conn *cdpclient.Conn
	sid  cdpclient.SessionID

	mu       sync.Mutex
	news     chan struct{}                      // closed and renewed at each event
	contexts map[int]cdpclient.ExecutionContext // the bridge's
	frames   map[string]cdpclient.Frame
	restored int // restores from the back/forward cache
	servers  []*bridgeServer
	heard    []bridgeHeard
}

// bridgeServer is a document's server as the hub sees it.
type bridgeServer struct {
	*pagemcp.Client
	tab     *bridgeTab
	context cdpclient.ExecutionContext
	adapter bool
	url     string // of the document, when it said that it was ready
	changes int    // calls of OnListChanged
	stopped bool
}

// bridgeHeard is one decoded message of the page.
type bridgeHeard struct {
	frame  string
	result bool // it came as the result of a request, not by the binding
	Message
}

const bridgeWait = 2 * time.Minute // @mcp-b/global takes its time on a busy machine

// bridgeChrome returns a connection to the test binary's Chromium with or without WebMCP of its own. No two tests use
// one at a time.
func bridgeChrome(t *testing.T, native bool) *cdpclient.Conn {
	t.Helper()
	needChrome(t)
	b := chromes[native]
	if b == nil {
		var err error
		if b, err = startChrome(native); err != nil {
			t.Fatal(err)
		}
		chromes[native] = b
	}
	return b.conn
}

// chromes has the Chromiums of this test binary that have been started, by whether they have WebMCP of their own.
var chromes = map[bool]*bridgeBrowser{}

type bridgeBrowser struct {
	chrome *launch.Chrome
	conn   *cdpclient.Conn
}

func startChrome(native bool) (*bridgeBrowser, error) {
	args := []string{"--disable-gpu", "--host-resolver-rules=MAP *.test 127.0.0.1",
		"--disable-features=SpareRendererForSitePerProcess"} // a process in reserve costs a fifth of a start
	if !native {
		args = append(args, "--disable-features=WebMCP") // wins over --enable-features
	}
	ctx, cancel := context.WithTimeout(context.Background(), bridgeWait)
	defer cancel()
	chrome, err := launch.Start(ctx, launch.Options{Headless: true, Args: args})
	if err != nil {
		return nil, err
	}
	return &bridgeBrowser{chrome, cdpclient.NewConn(chrome.Wire, func(cdpclient.Message) {})}, nil
}

func (b *bridgeBrowser) close() error {
	_ = b.conn.Close()
	<-b.conn.Done()
	return b.chrome.Close()
}

func newBridgeTab(t testing.TB, conn *cdpclient.Conn) *bridgeTab {
	t.Helper()
	tab := &bridgeTab{t: t, conn: conn, news: make(chan struct{}), contexts: map[int]cdpclient.ExecutionContext{}, frames: map[string]cdpclient.Frame{}}
	var target struct{ TargetID string }
	tab.must("", cdpclient.TargetCreateTarget, map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID cdpclient.SessionID }
	tab.must("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	tab.sid = attached.SessionID
	conn.Attach(tab.sid, tab.inbox)
	tab.must(tab.sid, cdpclient.PageEnable, nil, nil)
	tab.must(tab.sid, cdpclient.RuntimeEnable, nil, nil)
	t.Cleanup(func() {
		tab.must("", cdpclient.TargetCloseTarget, map[string]any{"targetId": target.TargetID}, nil)
		for _, s := range tab.servers {
			s.Close(nil)
		}
	})
	return tab
}

func (tab *bridgeTab) install() {
	tab.t.Helper()
	for _, c := range Install() {
		tab.must(tab.sid, c.Method, c.Params, nil)
	}
}

func (tab *bridgeTab) introspect() {
	tab.t.Helper()
	for _, c := range IntrospectInstall() {
		tab.must(tab.sid, c.Method, c.Params, nil)
	}
}

func (tab *bridgeTab) must(sid cdpclient.SessionID, method string, params, result any) {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bridgeWait)
	defer cancel()
	if err := tab.conn.Call(ctx, sid, method, params, result); err != nil {
		tab.t.Fatal(err)
	}
}

// inbox runs on the connection's reader and never blocks.
func (tab *bridgeTab) inbox(m cdpclient.Message) {
	if r, ok := m.(cdpclient.Reply); ok {
		r.Tag.(func(cdpclient.Reply))(r)
		return
	}
	e, ok := m.(cdpclient.Event)
	if !ok {
		return
	}
	var deliver func()
	tab.mu.Lock()
	switch e.Method {
	case cdpclient.RuntimeExecutionContextCreated:
		if c := decodeFor[cdpclient.ExecutionContextCreated](tab.t, e).Context; c.Name == World {
			tab.contexts[c.ID] = c
		}
	case cdpclient.RuntimeExecutionContextsCleared:
		clear(tab.contexts)
	case cdpclient.PageFrameNavigated:
		f := decodeFor[cdpclient.FrameNavigated](tab.t, e)
		tab.frames[f.Frame.ID] = f.Frame
		if f.Type == cdpclient.NavigationBFCache {
			tab.restored++
		}
	case cdpclient.RuntimeBindingCalled:
		deliver = tab.bindingCalled(decodeFor[cdpclient.BindingCalled](tab.t, e))
	}
	tab.mu.Unlock()
	if deliver != nil {
		deliver()
	}
	tab.mu.Lock()
	close(tab.news)
	tab.news = make(chan struct{})
	tab.mu.Unlock()
}

func (tab *bridgeTab) bindingCalled(b cdpclient.BindingCalled) (deliver func()) {
	context, known := tab.contexts[b.ExecutionContextID]
	m, err := Decode(b.Payload)
	if b.Name != Binding || !known || err != nil {
		tab.t.Errorf("strange binding call %+.200v: %v", b, err)
		return nil
	}
	tab.heard = append(tab.heard, bridgeHeard{context.AuxData.FrameID, false, m})
	var server *bridgeServer
	for _, s := range tab.servers {
		if s.context.UniqueID == context.UniqueID && s.adapter == m.Adapter && !s.stopped {
			server = s
		}
	}
	if server == nil && pagemcp.IsReady(m.Payload) {
		server = tab.newServer(context, m.Adapter)
	}
	if server == nil {
		return nil
	}
	return func() { server.deliver(m) }
}

func (tab *bridgeTab) newServer(context cdpclient.ExecutionContext, adapter bool) *bridgeServer {
	s := &bridgeServer{tab: tab, context: context, adapter: adapter, url: tab.frames[context.AuxData.FrameID].URL}
	count := func(f func()) func() {
		return func() {
			tab.mu.Lock()
			defer tab.mu.Unlock()
			f()
		}
	}
	s.Client = pagemcp.New(tab.send(context, adapter), pagemcp.Options{
		OnListChanged: count(func() { s.changes++ }), OnClosed: count(func() { s.stopped = true }), ReadyTimeout: bridgeWait,
	})
	tab.servers = append(tab.servers, s)
	return s
}

func (tab *bridgeTab) send(c cdpclient.ExecutionContext, adapter bool) pagemcp.SendFunc {
	function := Send
	if adapter {
		function = AdapterSend
	}
	return func(ctx context.Context, payload json.RawMessage) error {
		var result json.RawMessage
		if err := tab.conn.Call(ctx, tab.sid, CallMethod, Call(c.UniqueID, function, payload), &result); err != nil {
			return err
		}
		return CallError(result)
	}
}

// CallTool calls a tool as the hub does, and waits for the end. It cancels the call when ctx ends.
func (s *bridgeServer) CallTool(ctx context.Context, name string, args json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error) {
	type end struct {
		result json.RawMessage
		err    error
	}
	ends := make(chan end, 2) // the answer's, and that of a request that fails
	payload, cancel, err := s.Client.CallTool(name, args, progress, func(result json.RawMessage, err error) { ends <- end{result, err} })
	if err != nil {
		return nil, err
	}
	function := Request
	if s.adapter {
		function = AdapterSend
	}
	s.tab.conn.Post(s.tab.sid, CallMethod, Call(s.context.UniqueID, function, payload), func(r cdpclient.Reply) {
		m, came, err := Message{}, false, r.Err
		if err == nil {
			m, came, err = Answer(r.Result)
		}
		if err != nil {
			ends <- end{nil, err}
		}
		if came {
			s.tab.mu.Lock()
			s.tab.heard = append(s.tab.heard, bridgeHeard{s.context.AuxData.FrameID, true, m})
			s.tab.mu.Unlock()
			s.deliver(m)
		}
	})
	select {
	case e := <-ends:
		return e.result, e.err
	case <-ctx.Done():
		cancel()
		return nil, ctx.Err()
	}
}

func (s *bridgeServer) deliver(m Message) {
	if m.Payload == nil {
		s.DeliverOversize(m.ID, m.Oversize)
		return
	}
	s.Deliver(m.Payload)
}

// wait returns when ok does, which is called with tab.mu held.
func (tab *bridgeTab) wait(what string, ok func() bool) {
	tab.t.Helper()
	deadline := time.After(bridgeWait)
	for {
		tab.mu.Lock()
		done, news := ok(), tab.news
		tab.mu.Unlock()
		if done {
			return
		}
		select {
		case <-news:
		case <-deadline:
			tab.t.Fatalf("did not happen: %s", what)
		}
	}
}

// server waits for the newest server whose document's address ends so, and connects to it.
func (tab *bridgeTab) server(urlSuffix string) *bridgeServer {
	tab.t.Helper()
	var found *bridgeServer
	tab.wait("a server in "+urlSuffix, func() bool {
		for _, s := range tab.servers {
			if strings.HasSuffix(cmp.Or(s.url, "?"), urlSuffix) && !s.stopped {
				found = s
			}
		}
		return found != nil
	})
	ctx, cancel := context.WithTimeout(context.Background(), bridgeWait)
	defer cancel()
	if err := found.Connect(ctx); err != nil {
		tab.t.Fatal(err)
	}
	return found
}

func (tab *bridgeTab) navigate(url string) {
	tab.t.Helper()
	tab.must(tab.sid, cdpclient.PageNavigate, map[string]any{"url": url}, nil)
}

// loaded returns after the load event of the tab's document.
func (tab *bridgeTab) loaded() {
	tab.t.Helper()
	tab.eval(`new Promise((done) => document.readyState === "complete" ? setTimeout(done) : addEventListener("load", () => setTimeout(done)))`)
}

// eval runs a script in the page's own world and returns its value as JSON.
func (tab *bridgeTab) eval(script string) string {
	tab.t.Helper()
	var r cdpclient.EvaluateResult
	tab.must(tab.sid, cdpclient.RuntimeEvaluate, cdpclient.EvaluateParams{Expression: script, ReturnByValue: true, AwaitPromise: true}, &r)
	if r.ExceptionDetails != nil {
		tab.t.Fatalf("%.200s: %+v", script, r.ExceptionDetails.Exception)
	}
	return string(r.Result.Value)
}

func decodeFor[T any](t testing.TB, e cdpclient.Event) (v T) {
	if err := json.Unmarshal(e.Params, &v); err != nil {
		t.Errorf("%s: %v", e.Method, err)
	}
	return v
}

// serveBridgePages serves pages by path; csp, if any, goes with each document.
func serveBridgePages(t testing.TB, csp string, pages map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		} else {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			if csp != "" {
				w.Header().Set("Content-Security-Policy", csp)
			}
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// bridgePackage reads the browser bundle of a version of @mcp-b/global.
func bridgePackage(t testing.TB, version string) string {
	t.Helper()
	root := cmp.Or(os.Getenv("WEBMCP_NPM"), filepath.Join("..", "..", "e2e", "node_modules"))
	dirs := map[string][]string{"5.1.0": {"@mcp-b/global"}, "2.1.0": {"mcp-b-global-2", "mcpb2"}}[version]
	for _, dir := range dirs {
		if data, err := os.ReadFile(filepath.Join(root, dir, "dist", "index.iife.js")); err == nil {
			return string(data)
		}
	}
	why := "needs @mcp-b/global " + version + ": run npm ci in e2e, or set WEBMCP_NPM to a node_modules folder"
	if os.Getenv("WEBMCP_REQUIRE_CHROME") == "1" {
		t.Fatal(why)
	}
	t.Skip(why)
	return ""
}

// writeBridgeFile puts html into a file and returns its file: address.
func writeBridgeFile(t testing.TB, html string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(html), 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + filepath.ToSlash(path)
}
