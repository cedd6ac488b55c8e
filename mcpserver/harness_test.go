package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// callerFunc is a Caller of one function.
type callerFunc func(ctx context.Context, c calls.Call) registry.Result

func (f callerFunc) Call(ctx context.Context, c calls.Call) registry.Result { return f(ctx, c) }

// echo answers with the tool's route and arguments.
func echo(_ context.Context, c calls.Call) registry.Result {
	return sanitize.TextResult(fmt.Sprintf("%s/%s %s", c.Tool.Route.Page, c.Tool.Route.Tool, c.Args))
}

// swappable is a Caller whose function a test may change before it is called.
type swappable struct{ callerFunc }

// hub is a server with a registry behind it.
type hub struct {
	*Server
	t     testing.TB
	pages *swappable
	mu    sync.Mutex // a tabBrowser changes it, too
	state *registry.State
}

func newHub(t testing.TB, call callerFunc, options ...func(*Options, *registry.Options)) *hub {
	o, ro := Options{Version: "1.2.3"}, registry.Options{}
	for _, set := range options {
		set(&o, &ro)
	}
	pages := &swappable{call}
	return &hub{Server: New(o, pages), t: t, pages: pages, state: registry.NewState(ro)}
}

// reaches has calls done by another function from now on.
func (h *hub) reaches(call callerFunc) { h.pages.callerFunc = call }

// hangs has no call answered from now on. What ended the first one comes by the channel.
func (h *hub) hangs() (ended chan error) {
	ended = make(chan error, 1)
	h.reaches(func(ctx context.Context, _ calls.Call) registry.Result {
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return registry.Result{}
	})
	return ended
}

// change steps all events and applies the outcome as one flush.
func (h *hub) change(events ...registry.Event) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	var effects []registry.Effect
	var pages []registry.PageID
	for _, e := range append(events, registry.FlushDue{}, registry.FlushDue{}) {
		for _, effect := range h.state.Step(e) {
			if n, ok := effect.(registry.NotifyListChanged); ok {
				pages = append(pages, n.Pages...)
				continue
			}
			effects = append(effects, effect)
		}
	}
	if pages != nil {
		effects = append(effects, registry.NotifyListChanged{Pages: pages})
	}
	h.Apply(effects)
}

func open(page, url string) registry.Event {
	return registry.PageOpened{Page: registry.PageID(page), URL: url, Title: "Title of " + page}
}

func navigated(page string, gen int, url string) registry.Event {
	return registry.Navigated{Page: registry.PageID(page), Gen: registry.Gen(gen), URL: url}
}

// tools reports a page's tools; each is a name, or a name, a blank and the
// tool's schema.
func tools(page string, gen int, specs ...string) registry.Event {
	e := registry.ToolsReported{Page: registry.PageID(page), Gen: registry.Gen(gen)}
	for _, spec := range specs {
		name, schema, found := strings.Cut(spec, " {")
		tool := &registry.PageTool{Frame: "F", Doc: registry.Gen(gen), Runtime: offer.Native, Name: name, Description: "does " + name}
		if found {
			tool.InputSchema = json.RawMessage("{" + schema)
		}
		e.Tools = append(e.Tools, tool)
	}
	return e
}

// page opens a page with tools.
func (h *hub) page(page, url string, specs ...string) {
	h.t.Helper()
	h.change(open(page, url), navigated(page, 1, url), tools(page, 1, specs...))
}

// repeatable is tools, of which each says that it may be called twice.
func repeatable(page string, gen int, names ...string) registry.Event {
	e := tools(page, gen, names...).(registry.ToolsReported)
	for _, t := range e.Tools {
		t.Annotations.Destructive = new(bool)
	}
	return e
}

// repeatablePage opens a page with such tools.
func (h *hub) repeatablePage(page, url string, names ...string) {
	h.t.Helper()
	h.change(open(page, url), navigated(page, 1, url), repeatable(page, 1, names...))
}

// rawClient is a raw client on a pipe, for use in a synctest bubble.
type rawClient struct {
	t      testing.TB
	hub    *hub
	in     *io.PipeWriter // to the server
	out    *io.PipeReader
	cancel context.CancelCauseFunc
	served chan error

	mu    sync.Mutex
	lines []string
}

// connect starts a session; reading says whether the client reads.
func (h *hub) connect(reading bool) *rawClient {
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &rawClient{t: h.t, hub: h, in: in, out: out, cancel: cancel, served: make(chan error, 1)}
	go func() {
		err := h.ServeStdio(ctx, serverIn, serverOut)
		serverIn.Close()
		serverOut.Close()
		c.served <- err
	}()
	if reading {
		go c.read()
	}
	h.t.Cleanup(func() { // after a failure
		cancel(nil)
		in.Close()
		out.Close()
	})
	return c
}

func (c *rawClient) read() {
	r := bufio.NewReader(c.out)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			c.mu.Lock()
			c.lines = append(c.lines, line)
			c.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// send writes raw lines.
func (c *rawClient) send(lines ...string) {
	c.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(c.in, l+"\n"); err != nil {
			c.t.Fatalf("sending: %v", err)
		}
	}
}

// take waits until all is quiet and gives the lines that came since the last time.
func (c *rawClient) take() []string {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := c.lines
	c.lines = nil
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\n")
		if !json.Valid([]byte(lines[i])) || strings.Count(l, "\n") != 1 {
			c.t.Errorf("not one line of JSON: %q", l)
		}
	}
	return lines
}

// provenance is what results say of where they come from; TestResultsSayWhereTheyComeFrom
// looks at it, other tests do without.
var provenance = regexp.MustCompile(`,"_meta":\{"` + sanitize.ProvenanceKey + `":\{[^}]*\}\}`)

// expect compares what came with want, without provenance. A want that ends
// in … is a prefix.
func (c *rawClient) expect(want ...string) {
	c.t.Helper()
	got := c.take()
	for i := range got {
		got[i] = provenance.ReplaceAllString(got[i], "")
	}
	ok := len(got) == len(want)
	for i := 0; ok && i < len(want); i++ {
		if prefix, cut := strings.CutSuffix(want[i], "…"); cut {
			ok = strings.HasPrefix(got[i], prefix)
		} else {
			ok = got[i] == want[i]
		}
	}
	if !ok {
		c.t.Fatalf("got:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

const (
	initialize  = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	ping        = `{"jsonrpc":"2.0","id":"ping","method":"ping"}`
	pong        = `{"jsonrpc":"2.0","id":"ping","result":{}}`
)

// handshake initializes the session.
func (c *rawClient) handshake() {
	c.t.Helper()
	c.send(initialize, initialized)
	c.expect(`{"jsonrpc":"2.0","id":"init","result":{…`)
}

// list reads the list and gives its names.
func (c *rawClient) list() (names []string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
	lines := c.take()
	if len(lines) != 1 {
		c.t.Fatalf("tools/list was answered with %q", lines)
	}
	var r struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(lines[0]), &r); err != nil {
		c.t.Fatal(err)
	}
	for _, t := range r.Result.Tools {
		names = append(names, t.Name)
	}
	return names
}

// ownTools are the hub's own tools that a client which sees all tabs always has, sorted.
var ownTools = []string{"call_webmcp_tool", "call_webmcp_tools", "find_webmcp_tools", "list_webmcp_tools", "read_result"}

// withOwn is the list of such a client that has these tools besides.
func withOwn(others ...string) []string {
	return slices.Sorted(slices.Values(slices.Concat(ownTools, others)))
}

func callLine(id, name, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, args)
}

// outcome is a tools/call's answer.
type outcome struct {
	ID     json.RawMessage
	Error  *jsonrpc.Error
	Result struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
}

// call calls a tool and gives the answer: the text, with "error: " before it
// for an isError and "rpc code: " for a protocol error.
func (c *rawClient) call(name, args string) string {
	c.t.Helper()
	c.send(callLine("1", name, args))
	lines := c.take()
	if len(lines) != 1 {
		c.t.Fatalf("call of %s was answered with %q", name, lines)
	}
	return said(c.t, lines[0])
}

func said(t testing.TB, line string) string {
	var o outcome
	if err := json.Unmarshal([]byte(line), &o); err != nil {
		t.Fatal(err)
	}
	if o.Error != nil {
		return fmt.Sprintf("rpc %d: %s", o.Error.Code, o.Error.Message)
	}
	var texts []string
	for _, block := range o.Result.Content {
		texts = append(texts, block.Text)
	}
	if o.Result.IsError {
		return "error: " + strings.Join(texts, "\n")
	}
	return strings.Join(texts, "\n")
}

// hangUp ends the client's input and expects the session to end well.
func (c *rawClient) hangUp() {
	c.t.Helper()
	c.in.Close()
	if err := <-c.served; err != nil {
		c.t.Errorf("ServeStdio: %v", err)
	}
}

// bubble runs a test with fake time.
func bubble(t *testing.T, f func(t *testing.T)) { synctest.Test(t, f) }

// logged collects log lines.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func withLog(l *logged) func(*Options, *registry.Options) {
	return func(o *Options, _ *registry.Options) {
		o.Logger = slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
}
