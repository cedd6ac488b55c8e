package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// TestInspector: the MCP Inspector's command line, which connects, asks one thing
// and ends, over stdio and HTTP, with initialize and without (2026-07-28).
func TestInspector(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	w := startWeb(t, "--no-stdio", "--no-share", "--browser-url", c.browserURL())
	c.open(t, pages.url("shop.html"))
	search := toolName("0", "search")
	h := w.connect(t)
	h.waitTool(search)
	i := inspector{t, newNodePath(t), t.TempDir()}

	// This one may list before the hub has the page: it asks for the hub's own tools.
	stdio := []string{hubUnderTest(t), "--no-share", "--browser-url", c.browserURL()}
	web := []string{"--server-url", w.url, "--transport", "http", "--header", "Authorization: Bearer " + w.token}
	for _, row := range []struct {
		name, era, tool string
		server          []string
	}{
		{"stdio", "legacy", "list_webmcp_tools", stdio},
		{"stdio", "modern", "list_webmcp_tools", stdio},
		{"HTTP", "legacy", search, web},
		{"HTTP", "modern", search, web},
	} {
		t.Run(row.era+" over "+row.name, func(t *testing.T) {
			i.t = t
			options := append([]string{"--protocol-era", row.era}, row.server...)
			if row.name == "stdio" { // the hub's command line is the last
				options = append(options[:2:2], append([]string{"-e", "GORACE=" + os.Getenv("GORACE"), "--"}, row.server...)...)
			}
			var list struct{ Tools []mcp.Tool }
			i.run(&list, append([]string{"--method", "tools/list", "--strict"}, options...)...)
			if find(list.Tools, row.tool) == nil {
				t.Errorf("no %s in %s", row.tool, asJSON(list))
			}
			args := "{}"
			if row.tool == search {
				args = `{"q":"it"}`
			}
			var result struct {
				Content []struct{ Text string }
				IsError bool
			}
			i.run(&result, append([]string{"--method", "tools/call", "--tool-name", row.tool, "--tool-args-json", args}, options...)...)
			if result.IsError || len(result.Content) != 1 || row.tool == search && result.Content[0].Text != "found it" {
				t.Errorf("%s gave %s", row.tool, asJSON(result))
			}
		})
	}
	if err := h.client.Close(); err != nil {
		t.Error(err)
	}
	w.signal(syscall.SIGTERM)
	if code := w.waitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

type inspector struct {
	t    *testing.T
	node string
	home string // where it would keep its settings
}

// run asks one thing and decodes the answer. With --strict it fails where a tool's
// schema is nothing for all clients.
func (i inspector) run(answer any, args ...string) {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(i.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, i.node, append([]string{
		"node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli", "--format", "json"}, args...)...)
	cmd.Env = append(environ(i.t), "HOME="+i.home)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		i.t.Fatalf("the Inspector with %q: %v\n%s%s", args, err, &stderr, &stdout)
	}
	if err := json.Unmarshal(stdout.Bytes(), &struct{ Result any }{answer}); err != nil {
		i.t.Fatalf("%v in %s", err, &stdout)
	}
}
