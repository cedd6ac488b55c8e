package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// A hub is a running webmcp-hub and the MCP client that started it.
type hub struct {
	t      *testing.T
	client *client.Client
	cmd    *exec.Cmd
	stderr *log
	// changed holds a token from each list_changed until waitTools takes it.
	changed chan struct{}
	any     chan struct{} // the same for any notification and waitNotification

	mu       sync.Mutex
	notified []mcp.JSONRPCNotification
}

// attachHub starts a hub on a Chrome that is already running.
func attachHub(t *testing.T, c *chrome, flags ...string) *hub {
	t.Helper()
	return startHub(t, append([]string{"--browser-url", c.browserURL()}, flags...)...)
}

// launchHub starts a hub that starts its own throw-away Chromium.
func launchHub(t *testing.T, flags ...string) *hub {
	t.Helper()
	chromePath(t)
	return startHub(t, append([]string{"--isolated", "--headless"}, flags...)...)
}

// startHub starts a hub with a client that begins with initialize, as all do today.
func startHub(t *testing.T, flags ...string) *hub {
	t.Helper()
	return startHubWith(t, []client.ClientOption{client.WithLegacyProtocolOnly()}, flags...)
}

func startHubWith(t *testing.T, options []client.ClientOption, flags ...string) *hub {
	t.Helper()
	h := &hub{t: t, stderr: &log{}, changed: make(chan struct{}, 1), any: make(chan struct{}, 1)}
	args := append([]string{"--log-level", "debug"}, flags...)
	stdio := transport.NewStdioWithOptions(hubUnderTest(t), nil, args, transport.WithCommandFunc(
		func(_ context.Context, command string, _ []string, args []string) (*exec.Cmd, error) {
			h.cmd = exec.Command(command, args...)
			h.cmd.Stderr, h.cmd.Env = h.stderr, environ(t)
			return h.cmd, nil
		}))
	h.client = client.NewClient(stdio, options...)
	h.client.OnNotification(h.notice)
	if err := h.client.Start(context.Background()); err != nil {
		t.Fatalf("starting webmcp-hub %s: %v", strings.Join(args, " "), err)
	}
	t.Cleanup(h.finish)
	ctx, cancel := h.patience()
	defer cancel()
	request := mcp.InitializeRequest{}
	if len(options) > 0 {
		request.Params.ProtocolVersion = "2025-06-18"
	}
	request.Params.ClientInfo = mcp.Implementation{Name: "e2e", Version: "1"}
	if _, err := h.client.Initialize(ctx, request); err != nil {
		t.Fatalf("initialize: %v\n%s", err, h.stderr)
	}
	return h
}

// finish ends the session as a client does, by closing stdin, and checks that
// the hub ended cleanly by itself.
func (h *hub) finish() {
	begun := time.Now()
	if err := h.client.Close(); err != nil {
		h.t.Errorf("the hub didn't end cleanly: %v", err)
	}
	if took := time.Since(begun); took > 10*time.Second {
		h.t.Errorf("the hub took %v to end after its stdin", took)
	}
	h.stderr.check(h.t)
}

func (h *hub) patience() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}

func (h *hub) notice(n mcp.JSONRPCNotification) {
	h.mu.Lock()
	h.notified = append(h.notified, n)
	h.mu.Unlock()
	poke(h.any)
	if n.Method == mcp.MethodNotificationToolsListChanged {
		poke(h.changed)
	}
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// count is how many notifications of a method have come so far.
func (h *hub) count(method string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, got := range h.notified {
		if got.Method == method {
			n++
		}
	}
	return n
}

func (h *hub) list() []mcp.Tool {
	h.t.Helper()
	ctx, cancel := h.patience()
	defer cancel()
	list, err := h.client.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		h.t.Fatalf("tools/list: %v", err)
	}
	return list.Tools
}

// pageTools are the names of the listed tools that come from pages, sorted.
func pageTools(tools []mcp.Tool) []string {
	var names []string
	for _, tool := range tools {
		if pageTool.MatchString(tool.Name) {
			names = append(names, tool.Name)
		}
	}
	slices.Sort(names)
	return names
}

// toolList shortens the conditions that tests wait for.
type toolList = []mcp.Tool

var pageTool = regexp.MustCompile(`^webmcp_.*_?page\d+_`)

// waitTools lists the tools after each list_changed until they are as wanted. A
// change that the hub doesn't announce is therefore never seen.
func (h *hub) waitTools(want string, ok func([]mcp.Tool) bool) []mcp.Tool {
	h.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		tools := h.list()
		if ok(tools) {
			return tools
		}
		select {
		case <-h.changed:
		case <-deadline.C:
			h.t.Fatalf("waited %v for %s; the page tools are now %q (and would be after a list without a notification: %q)",
				patience, want, pageTools(tools), pageTools(h.list()))
		}
	}
}

// waitNames waits until the page tools are exactly these.
func (h *hub) waitNames(names ...string) []mcp.Tool {
	h.t.Helper()
	slices.Sort(names)
	return h.waitTools("exactly "+strings.Join(names, " "), func(tools []mcp.Tool) bool {
		return slices.Equal(pageTools(tools), names)
	})
}

// waitTool waits for one tool, whatever else there is.
func (h *hub) waitTool(name string) mcp.Tool {
	h.t.Helper()
	tools := h.waitTools(name, func(tools []mcp.Tool) bool { return find(tools, name) != nil })
	return *find(tools, name)
}

// waitNoPageTools waits until no page offers anything.
func (h *hub) waitNoPageTools() {
	h.t.Helper()
	h.waitTools("no page tools", func(tools []mcp.Tool) bool { return len(pageTools(tools)) == 0 })
}

func find(tools []mcp.Tool, name string) *mcp.Tool {
	i := slices.IndexFunc(tools, func(tool mcp.Tool) bool { return tool.Name == name })
	if i < 0 {
		return nil
	}
	return &tools[i]
}

// tryCall calls a tool; its error is a protocol error, not the tool's.
func (h *hub) tryCall(ctx context.Context, name string, args any) (*mcp.CallToolResult, error) {
	request := mcp.CallToolRequest{}
	request.Params.Name = name
	request.Params.Arguments = args
	return h.client.CallTool(ctx, request)
}

// call calls a tool and fails the test when there is no result at all.
func (h *hub) call(name string, args any) *mcp.CallToolResult {
	h.t.Helper()
	ctx, cancel := h.patience()
	defer cancel()
	result, err := h.tryCall(ctx, name, args)
	if err != nil {
		h.t.Fatalf("calling %s: %v", name, err)
	}
	return result
}

// start calls a tool without waiting; the result comes on the channel, which
// is closed without one when there is none.
func (h *hub) start(ctx context.Context, name string, args any) <-chan *mcp.CallToolResult {
	done := make(chan *mcp.CallToolResult, 1)
	go func() {
		defer close(done)
		if result, err := h.tryCall(ctx, name, args); err == nil {
			done <- result
		} else if ctx.Err() == nil {
			h.t.Errorf("calling %s: %v", name, err)
		}
	}()
	return done
}

// await waits for a call that start began.
func (h *hub) await(done <-chan *mcp.CallToolResult) *mcp.CallToolResult {
	h.t.Helper()
	select {
	case result, ok := <-done:
		if !ok {
			h.t.Fatal("the call ended without a result")
		}
		return result
	case <-time.After(patience):
		h.t.Fatalf("the call hangs: no answer after %v", patience)
	}
	return nil
}

// textOf joins the texts of a result.
func textOf(result *mcp.CallToolResult) string {
	var texts []string
	for _, content := range result.Content {
		if text, ok := content.(mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// wantText checks a result that is one text and no error.
func wantText(t *testing.T, result *mcp.CallToolResult, want string) {
	t.Helper()
	if got := textOf(result); result.IsError || got != want {
		t.Errorf("got %s, want the text %q", asJSON(result), want)
	}
}

// wantError checks a result that is an error whose text says each of these.
func wantError(t *testing.T, result *mcp.CallToolResult, says ...string) {
	t.Helper()
	if !result.IsError {
		t.Errorf("got %s, want an error", asJSON(result))
	}
	for _, s := range says {
		if !strings.Contains(strings.ToLower(textOf(result)), strings.ToLower(s)) {
			t.Errorf("the error %q doesn't say %q", textOf(result), s)
		}
	}
}

func asJSON(v any) string {
	b, _ := json.Marshal(v)
	if len(b) > 2000 {
		b = append(b[:2000], "…"...)
	}
	return string(b)
}

// A log collects a program's stderr.
type log struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	more chan struct{} // nil unless somebody waits
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.more != nil {
		close(l.more)
		l.more = nil
	}
	return l.buf.Write(p)
}

// wait waits until the log has a text.
func (l *log) wait(t *testing.T, text string) {
	t.Helper()
	for limit := time.After(patience); ; {
		l.mu.Lock()
		found := strings.Contains(l.buf.String(), text)
		if l.more == nil {
			l.more = make(chan struct{})
		}
		more := l.more
		l.mu.Unlock()
		if found {
			return
		}
		select {
		case <-more:
		case <-limit:
			t.Fatalf("the log does not say %q", text)
		}
	}
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// check fails the test when the hub had a bug on the way, and shows what a hub
// said to whoever reads a failed test.
func (l *log) check(t *testing.T) {
	said := l.String()
	for _, bug := range []string{"DATA RACE", "panic:", "goroutine 1 ["} {
		if strings.Contains(said, bug) {
			t.Errorf("the hub reported a bug of its own: %q", bug)
		}
	}
	if t.Failed() {
		if len(said) > 20_000 {
			said = said[:8_000] + "\n[…]\n" + said[len(said)-12_000:]
		}
		t.Logf("webmcp-hub said on stderr:\n%s", said)
	}
}
