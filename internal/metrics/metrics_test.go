package metrics

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"webmcphub/registry"

	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry/offer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hub is a registry whose effects m is told of.
type hub struct {
	*registry.State
	*Metrics
}

func newHub(o Options) hub {
	return hub{registry.NewState(registry.Options{}), New(o)}
}

func (h hub) tell(events ...registry.Event) {
	for _, e := range append(events, registry.FlushDue{}, registry.FlushDue{}) {
		h.Apply(h.Step(e))
	}
}

func (h hub) opens(page registry.PageID, tools ...string) {
	var all []*offer.PageTool
	for _, name := range tools {
		all = append(all, &offer.PageTool{Runtime: offer.Native, Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)})
	}
	h.tell(registry.PageOpened{Page: page, URL: "https://" + string(page) + ".test/"}, registry.ToolsReported{Page: page, Tools: all})
}

func get(t *testing.T, m *Metrics, path string) (status int, text string) {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String()
}

// has fails unless the figures have each of these lines.
func has(t *testing.T, m *Metrics, lines ...string) {
	t.Helper()
	_, text := get(t, m, mcpserver.MetricsPath)
	for _, line := range lines {
		if !strings.Contains(text, "\nwebmcp_hub_"+line+"\n") {
			t.Errorf("there is no %s in\n%s", line, grep(text, "webmcp_hub_"))
		}
	}
}

func grep(text, beginning string) (found string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, beginning) {
			found += line
		}
	}
	return found
}

// TestFigures: what happens to a hub is counted.
func TestFigures(t *testing.T) {
	h := newHub(Options{Version: "v1.2.3", MaxPages: 10, MaxClients: 4})
	has(t, h.Metrics, "pages 0", "tools 0", "browsers 1", "browsers_connected 0", "browser_connections_lost_total 0", "catalog_changes_total 0", "list_changed_total 0")
	h.tell(registry.BrowserChanged{})
	h.opens("one", "a", "b")
	h.opens("two", "c")
	has(t, h.Metrics, "pages 2", "tools 3", "browsers_connected 1", "browser_connections_lost_total 0", "list_changed_total 2")
	h.tell(registry.BrowserChanged{Status: "the connection was lost"}, registry.PageClosed{Page: "one"}, registry.PageClosed{Page: "two"})
	h.tell(registry.BrowserChanged{Status: "the connection was lost, twice"})
	has(t, h.Metrics, "pages 0", "tools 0", "browsers 1", "browsers_connected 0", "browser_connections_lost_total 1")

	h.Called(calls.Record{Outcome: "ok", Took: 3 * time.Millisecond, Tool: &registry.HubTool{}})
	h.Called(calls.Record{Outcome: "error", Took: 2 * time.Second, Tool: &registry.HubTool{}})
	h.Called(calls.Record{Outcome: "refused", Took: time.Microsecond, Name: "what_a_client_made_up"})
	has(t, h.Metrics,
		`calls_total{of="page",outcome="ok"} 1`, `calls_total{of="page",outcome="error"} 1`, `calls_total{of="hub",outcome="refused"} 1`,
		`call_duration_seconds_bucket{of="page",le="0.0025"} 0`, `call_duration_seconds_bucket{of="page",le="0.005"} 1`,
		`call_duration_seconds_bucket{of="page",le="+Inf"} 2`, `call_duration_seconds_count{of="hub"} 1`)
	began := time.Now()
	h.Called(calls.Record{Outcome: "ok", Tool: &registry.HubTool{}, Began: began, Asked: began.Add(2 * time.Second), Answered: began.Add(2*time.Second + 20*time.Millisecond), Took: 2*time.Second + 21*time.Millisecond})
	has(t, h.Metrics, // those of which it isn't known don't count
		`call_part_duration_seconds_bucket{part="queue",le="1"} 0`, `call_part_duration_seconds_bucket{part="queue",le="2.5"} 1`,
		`call_part_duration_seconds_bucket{part="page",le="0.01"} 0`, `call_part_duration_seconds_bucket{part="page",le="0.025"} 1`,
		`call_part_duration_seconds_bucket{part="hub",le="0.0005"} 0`, `call_part_duration_seconds_bucket{part="hub",le="0.0025"} 1`,
		`call_part_duration_seconds_count{part="page"} 1`)
	_, text := get(t, h.Metrics, mcpserver.MetricsPath)
	for _, want := range []string{`version="v1.2.3"`, "\ngo_goroutines ", "\nprocess_open_fds "} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if strings.Contains(text, "made_up") {
		t.Error("a client's word is in it")
	}
}

// TestFiguresOfSeveralBrowsers: each that is lost counts, while others are connected.
func TestFiguresOfSeveralBrowsers(t *testing.T) {
	h := newHub(Options{MaxPages: 1, MaxClients: 1})
	h.tell(registry.BrowsersNamed{Browsers: []registry.NamedBrowser{{Name: "a"}, {Name: "b"}}}, registry.BrowserChanged{Browser: "a"}, registry.BrowserChanged{Browser: "b"})
	has(t, h.Metrics, "browsers 2", "browsers_connected 2", "browser_connections_lost_total 0")
	h.tell(registry.BrowserChanged{Browser: "a", Status: "lost"})
	has(t, h.Metrics, "browsers 2", "browsers_connected 1", "browser_connections_lost_total 1")
	h.tell(registry.BrowserChanged{Browser: "b", Status: "lost"})
	h.tell(registry.BrowserChanged{Browser: "b"})
	has(t, h.Metrics, "browsers_connected 1", "browser_connections_lost_total 2")
}

// TestClients: requests in flight and sessions are counted as they come and go.
func TestClients(t *testing.T) {
	h := newHub(Options{MaxPages: 10, MaxClients: 4})
	called, answer := make(chan struct{}), make(chan struct{})
	server := mcpserver.New(mcpserver.Options{}, callerFunc(func() { close(called); <-answer }))
	h.tell(registry.BrowserChanged{})
	h.opens("one", "a")
	server.Apply([]registry.Effect{registry.SetCatalog{Catalog: h.current.Load()}})
	h.Watch(server)
	in, out := newConversation(), newConversation()
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- server.ServeStdio(ctx, in, out) }()
	in.say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	out.hear(t, `"id":0`)
	in.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	in.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"webmcp_one_test_page0_a"}}`)
	<-called
	has(t, h.Metrics, "clients 1", "requests_in_flight 1", "leases 0", "pressure 0.25")
	var p Pressure
	if _, text := get(t, h.Metrics, mcpserver.PressurePath); json.Unmarshal([]byte(text), &p) != nil || p.Pressure != 0.25 ||
		p.Clients != (Share{1, 4}) || p.Requests != (Share{1, mcpserver.MaxRunning}) || p.Pages != (Share{1, 10}) {
		t.Errorf("the pressure is %s", text)
	}
	close(answer)
	out.hear(t, `"id":1`)
	end()
	in.end()
	<-served
	has(t, h.Metrics, "clients 0", "requests_in_flight 0")
}

// TestProbes: the hub is ready while there is a browser, or one that comes when it is needed.
func TestProbes(t *testing.T) {
	for _, c := range []struct {
		status string
		onNeed bool
		want   int
	}{{"", false, 200}, {"secret.example is not reached", false, 503}, {"it is started when it is needed", true, 200}} {
		h := newHub(Options{MaxPages: 1, MaxClients: 1, OnNeed: c.onNeed})
		h.tell(registry.BrowserChanged{Status: "it is looked for"})
		h.tell(registry.BrowserChanged{Status: c.status})
		if status, text := get(t, h.Metrics, mcpserver.ReadyPath); status != c.want || strings.Contains(text, "secret") {
			t.Errorf("%+v: %d %s", c, status, text)
		}
		if status, _ := get(t, h.Metrics, mcpserver.HealthPath); status != 200 {
			t.Errorf("%+v: health is %d", c, status)
		}
	}
}

type callerFunc func()

func (f callerFunc) Call(context.Context, calls.Call) registry.Result {
	f()
	return registry.Result{JSON: json.RawMessage(`{"content":[]}`)}
}

// conversation is one direction of a client's messages.
type conversation struct {
	lines chan string
	left  []byte
	once  sync.Once
}

func newConversation() *conversation { return &conversation{lines: make(chan string, 16)} }

func (c *conversation) say(line string) { c.lines <- line + "\n" }
func (c *conversation) end()            { c.once.Do(func() { close(c.lines) }) }

func (c *conversation) Read(p []byte) (int, error) {
	if len(c.left) == 0 {
		line, more := <-c.lines
		if !more {
			return 0, fmt.Errorf("the client is gone")
		}
		c.left = []byte(line)
	}
	n := copy(p, c.left)
	c.left = c.left[n:]
	return n, nil
}

func (c *conversation) Write(p []byte) (int, error) {
	c.lines <- string(p)
	return len(p), nil
}

// hear waits for a message that has the text.
func (c *conversation) hear(t *testing.T, text string) {
	t.Helper()
	for line := range c.lines {
		if strings.Contains(line, text) {
			return
		}
	}
	t.Fatalf("the server never said %s", text)
}
