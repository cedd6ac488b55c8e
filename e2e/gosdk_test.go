package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A sdkClient is the official Go SDK's client of a hub.
type sdkClient struct {
	t *testing.T
	*mcp.ClientSession
	changed  chan struct{} // a token from each list_changed until waitTool takes it
	progress chan float64
}

// connectSDK begins a session at one protocol revision.
func connectSDK(t *testing.T, revision string, transport mcp.Transport) *sdkClient {
	t.Helper()
	c := &sdkClient{t: t, changed: make(chan struct{}, 1), progress: make(chan float64, 100)}
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e-go-sdk", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { poke(c.changed) },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.progress <- r.Params.Progress
		},
	})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	c.ClientSession = session
	if speaks := session.InitializeResult().ProtocolVersion; speaks != revision {
		t.Errorf("asked for protocol %s, got %s", revision, speaks)
	}
	return c
}

// waitTool lists after each list_changed until a tool is there.
func (c *sdkClient) waitTool(name string) *mcp.Tool {
	c.t.Helper()
	for {
		list, err := c.ListTools(c.t.Context(), nil)
		if err != nil {
			c.t.Fatal(err)
		}
		for _, tool := range list.Tools {
			if tool.Name == name {
				return tool
			}
		}
		select {
		case <-c.changed:
		case <-time.After(patience):
			c.t.Fatalf("no list_changed came that brought %s", name)
		}
	}
}

func (c *sdkClient) call(params *mcp.CallToolParams) string {
	c.t.Helper()
	result, err := c.CallTool(c.t.Context(), params)
	if err != nil {
		c.t.Fatalf("calling %s: %v", params.Name, err)
	}
	var texts []string
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	if result.IsError {
		c.t.Errorf("%s failed: %q", params.Name, texts)
	}
	return strings.Join(texts, "\n")
}

// TestGoSDK: the official Go SDK's client, in each protocol revision, over stdio
// and HTTP.
func TestGoSDK(t *testing.T) {
	t.Parallel()
	c := chromeFor(t, mcpb5) // whose tools can tell progress
	p := c.open(t, pages.url("counts.html", "runtime="+string(mcpb5)))
	flags := []string{"--no-share", "--browser-url", c.browserURL()}
	w := startWeb(t, append(flags, "--no-stdio")...)
	for i, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		stdio := func(t *testing.T) mcp.Transport {
			stderr := &log{}
			t.Cleanup(func() { stderr.check(t) })
			cmd := exec.Command(hubUnderTest(t), append(flags, "--log-level", "debug")...)
			cmd.Stderr, cmd.Env = stderr, environ(t)
			return &mcp.CommandTransport{Command: cmd, TerminateDuration: patience}
		}
		web := func(t *testing.T) mcp.Transport {
			wire := bearing{&http.Transport{}, w.token}
			t.Cleanup(wire.CloseIdleConnections)
			return &mcp.StreamableClientTransport{Endpoint: w.url, HTTPClient: &http.Client{Transport: wire}}
		}
		for j, over := range []struct {
			name      string
			transport func(*testing.T) mcp.Transport
		}{{"stdio", stdio}, {"HTTP", web}} {
			t.Run(revision+" over "+over.name, func(t *testing.T) {
				h := connectSDK(t, revision, over.transport(t))
				h.use(p, 2*i+j)
				begun := time.Now()
				if err := h.Close(); err != nil {
					t.Errorf("closing: %v", err)
				}
				if took := time.Since(begun); took > 10*time.Second {
					t.Errorf("closing took %v", took)
				}
			})
		}
	}
	w.signal(syscall.SIGTERM)
	if code := w.waitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// use does all that a client can; key is the number of this one.
func (c *sdkClient) use(p *tab, key int) {
	t := c.t
	t.Helper()
	if tool := c.waitTool(toolName("0", "pauses")); !strings.HasSuffix(tool.Description, "] the pauses tool") {
		t.Errorf("described as %q", tool.Description)
	}
	if got := c.call(&mcp.CallToolParams{Name: toolName("0", "pauses"), Arguments: map[string]any{"ms": 0}}); got != "paused" {
		t.Errorf("got %q", got)
	}
	late := fmt.Sprintf("late_%d", key)
	p.eval(fmt.Sprintf("addTool({name: %q}).registered", late))
	c.waitTool(toolName("0", late))
	if got := c.call(&mcp.CallToolParams{Name: toolName("0", late)}); got != late+" ran" {
		t.Errorf("got %q", got)
	}

	lasts := &mcp.CallToolParams{Name: toolName("0", "lasts"), Arguments: map[string]any{"key": key}}
	lasts.SetProgressToken("steps")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, lasts)
		ended <- err
	}()
	p.eval(fmt.Sprintf("until(saw => saw.started.includes(%d))", key))
	p.eval(fmt.Sprintf("progress(%d, {progress: 3, total: 7})", key))
	select {
	case got := <-c.progress:
		if got != 3 {
			t.Errorf("progress %v", got)
		}
	case <-time.After(patience):
		t.Error("no progress came")
	}
	cancel()
	p.eval(fmt.Sprintf("until(saw => saw.aborted.includes(%d))", key))
	select {
	case err := <-ended:
		if err == nil {
			t.Error("a cancelled call ended well")
		}
	case <-time.After(patience):
		t.Error("the cancelled call hangs")
	}

	if c.InitializeResult().ProtocolVersion < "2026" { // which has no ping
		if err := c.Ping(t.Context(), nil); err != nil {
			t.Errorf("ping: %v", err)
		}
	}
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "nonsense"}); err == nil || !strings.Contains(err.Error(), "no tool is called nonsense") {
		t.Errorf("calling what isn't there: %v", err)
	}
}

// bearing sends a hub's token with each request.
type bearing struct {
	*http.Transport
	token string
}

func (w bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.token)
	return w.Transport.RoundTrip(r)
}
