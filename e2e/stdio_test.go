package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// TestBadLines: each gets a JSON-RPC error where one is due, and serving goes on.
func TestBadLines(t *testing.T) {
	t.Parallel()
	h := startRaw(t, "--browser-url", nativeChrome(t).browserURL())
	h.initialize()
	for _, bad := range []struct {
		line string
		code int
	}{
		{`this is not JSON`, -32700},
		{`{"jsonrpc":"2.0","id":77,"method":`, -32700},
		{`{"id":77}`, -32600},
		{`{"jsonrpc":"1.0","id":77,"method":"ping"}`, -32600},
		{`42`, -32600},
		{`{"jsonrpc":"2.0","id":77,"method":"no/such/method"}`, -32601},
		{`{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":7}}`, -32602},
		{`{"jsonrpc":"2.0","id":77,"method":"tools/call","params":"x"}`, -32602},
	} {
		h.write(bad.line)
		m := h.read()
		for m.Method != "" { // notifications may come between
			m = h.read()
		}
		if m.Error == nil || m.Error.Code != bad.code {
			t.Errorf("%s was answered by %+v %s, want error %d", bad.line, m.Error, m.Result, bad.code)
		}
	}
	// Nothing is due for these.
	for _, line := range []string{``, `   `, `{"jsonrpc":"2.0","method":"notifications/nonsense"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}`,
		`{"jsonrpc":"2.0","id":99999,"result":{}}`} {
		h.write(line)
	}
	if m := h.ask("ping", nil); m.Error != nil {
		t.Errorf("ping after bad lines: %v", m.Error)
	}
	// A line of 4 MiB is as good as any other.
	m := h.ask("tools/call", map[string]any{"name": "list_webmcp_tools", "arguments": map[string]any{"page": 0, "x": strings.Repeat("x", 4<<20)}})
	if m.Error != nil && m.Error.Code != -32602 {
		t.Errorf("a long line: %+v", m.Error)
	}
	if !h.listed("list_webmcp_tools") {
		t.Error("tools/list doesn't work any more")
	}
}

func TestInitializeAndListAnswerBeforeChromeIsThere(t *testing.T) {
	t.Parallel()
	// Nothing listens on this port: Chrome never comes.
	h := startRaw(t, "--browser-url", "http://127.0.0.1:1")
	h.initialize()
	list := h.ask("tools/list", nil)
	for _, tool := range []string{"list_webmcp_tools", "call_webmcp_tool"} {
		if !strings.Contains(string(list.Result), tool) {
			t.Errorf("tools/list lacks %s: %s", tool, list.Result)
		}
	}
	// The agent is told what is wrong, and what would help.
	said := string(h.ask("tools/call", map[string]any{"name": "list_webmcp_tools", "arguments": map[string]any{}}).Result)
	if !strings.Contains(said, "127.0.0.1:1") {
		t.Errorf("list_webmcp_tools doesn't say that Chrome can't be reached: %s", said)
	}
}

func TestCancelledRequestIsNotAnswered(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := startRaw(t, "--browser-url", c.browserURL())
	p := c.open(t, pages.url("behaviours.html"))
	h.initialize()
	waits := toolName("0", "waits")
	h.waitListed(waits)
	id := h.request("tools/call", map[string]any{"name": waits, "arguments": map[string]any{}})
	p.happened("waiting")
	h.write(asLine(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id, "reason": "changed my mind"}}))
	p.happened("aborted")
	ping := h.request("ping", nil)
	for m := h.read(); !m.is(ping); m = h.read() {
		if m.is(id) {
			t.Errorf("the cancelled call was answered: %s", m.Result)
		}
	}
}

func TestTheEndOfStdinAnswersOrCancelsCalls(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"end of stdin", "SIGTERM", "SIGINT"} {
		t.Run(end, func(t *testing.T) {
			c := nativeChrome(t)
			h := startRaw(t, "--browser-url", c.browserURL())
			p := c.open(t, pages.url("behaviours.html"))
			h.initialize()
			waits := toolName("0", "waits")
			h.waitListed(waits)
			h.request("tools/call", map[string]any{"name": waits, "arguments": map[string]any{}})
			p.happened("waiting")
			switch end {
			case "SIGTERM":
				h.signal(syscall.SIGTERM)
			case "SIGINT":
				h.signal(syscall.SIGINT)
			default:
				_ = h.stdin.Close()
			}
			if code := h.waitExit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			p.happened("aborted")
			// Whatever it still said was the protocol's.
			for line := range h.lines {
				if !json.Valid([]byte(line)) {
					t.Errorf("not a message on stdout: %q", line)
				}
			}
			// The Chrome that it attached to is untouched.
			p.eval(`1`)
		})
	}
}

func TestProtocolVersions(t *testing.T) {
	t.Parallel()
	h := startRaw(t, "--browser-url", nativeChrome(t).browserURL())
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01"} {
		m := h.ask("initialize", map[string]any{"protocolVersion": version, "capabilities": map[string]any{},
			"clientInfo": map[string]any{"name": "raw", "version": "0"}})
		if m.Error != nil {
			t.Errorf("initialize with %s: %+v", version, m.Error)
			continue
		}
		if known := version != "1999-01-01"; known && !strings.Contains(string(m.Result), `"`+version+`"`) {
			t.Errorf("initialize with %s: %s", version, m.Result)
		}
	}
}

// TestNewestProtocol: mcp-go's client prefers the protocol without initialize,
// in which list_changed only comes to whoever listens.
func TestNewestProtocol(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := startHubWith(t, nil, "--browser-url", c.browserURL())
	stop, err := h.client.ListenAsync(context.Background(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	h.waitNotification("notifications/subscriptions/acknowledged", func(map[string]any) bool { return true })
	p := c.open(t, pages.url("dynamic.html"))
	h.waitTool(toolName("0", "unlock"))
	p.eval(`add('late')`)
	h.waitTool(toolName("0", "late"))
	wantText(t, h.call(toolName("0", "late"), nil), "late ran")
}
