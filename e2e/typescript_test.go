package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A tsClient is the official TypeScript SDK's client, run by client.mjs.
type tsClient struct {
	t     *testing.T
	stdin io.WriteCloser
	lines chan string
}

// startTS has it start a hub with these flags, over stdio.
func startTS(t *testing.T, flags ...string) *tsClient {
	t.Helper()
	return connectTS(t, append([]string{hubUnderTest(t), "--log-level", "debug"}, flags...)...)
}

// connectTS gives client.mjs its arguments.
func connectTS(t *testing.T, args ...string) *tsClient {
	t.Helper()
	stderr := &log{}
	cmd := exec.Command(nodePath(t), append([]string{"client.mjs"}, args...)...)
	cmd.Stderr, cmd.Env = stderr, environ(t)
	cmd.WaitDelay = patience
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &tsClient{t: t, stdin: stdin, lines: make(chan string)}
	exited := make(chan error, 1)
	go func() {
		for lines := bufio.NewReader(stdout); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				break
			}
			c.lines <- line
		}
		close(c.lines)
		exited <- cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = stdin.Close()
		go func() { // an answer that a failed test left unread
			for range c.lines {
			}
		}()
		if err := <-exited; err != nil {
			t.Errorf("the client ended with %v", err)
		}
		stderr.check(t)
	})
	return c
}

// do has the client run a command of client.mjs and decodes its result.
func (c *tsClient) do(command string, params map[string]any, result any) {
	c.t.Helper()
	message := map[string]any{"command": command}
	for k, v := range params {
		message[k] = v
	}
	if _, err := io.WriteString(c.stdin, asLine(message)+"\n"); err != nil {
		c.t.Fatal(err)
	}
	select {
	case line, ok := <-c.lines:
		if !ok {
			c.t.Fatalf("the client ended at %s", command)
		}
		var answer struct {
			Result json.RawMessage `json:"result"`
			Error  string          `json:"error"`
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			c.t.Fatalf("%s: %v in %q", command, err, line)
		}
		if answer.Error != "" {
			c.t.Fatalf("%s: %s", command, answer.Error)
		}
		if result != nil {
			if err := json.Unmarshal(answer.Result, result); err != nil {
				c.t.Fatalf("%s: %v in %s", command, err, answer.Result)
			}
		}
	case <-time.After(2 * patience):
		c.t.Fatalf("%s: no answer", command)
	}
}

type tsResult struct {
	IsError bool
	Content []struct{ Type, Text string }
}

func (c *tsClient) call(name string, args map[string]any) (result tsResult) {
	c.t.Helper()
	c.do("call", map[string]any{"name": name, "args": args}, &result)
	return result
}

func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	for _, r := range []runtime{native, mcpb5} {
		t.Run(string(r), func(t *testing.T) {
			c := chromeFor(t, r)
			startTS(t, "--browser-url", c.browserURL()).use(c, r)
		})
	}
}

func TestTypeScriptClientOverHTTP(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	w := startWeb(t, "--no-stdio", "--no-share", "--browser-url", c.browserURL())
	t.Cleanup(func() { w.signal(syscall.SIGTERM) }) // after the client's end
	connectTS(t, w.url, w.token).use(c, native)
}

// use does all that a client can, with pages on the runtime.
func (c *tsClient) use(browser *chrome, r runtime) {
	t := c.t
	var server struct {
		Name, Version string
		Capabilities  struct{ Tools struct{ ListChanged bool } }
	}
	c.do("server", nil, &server)
	if !server.Capabilities.Tools.ListChanged || server.Version != "v0.0.0-e2e" {
		t.Errorf("server: %+v", server)
	}

	p := browser.open(t, pages.url("dynamic.html", "runtime="+string(r)))
	c.do("listUntil", map[string]any{"names": []string{toolName("0", "first"), toolName("0", "unlock")}}, nil)
	if got := c.call(toolName("0", "unlock"), nil); got.IsError || got.Content[0].Text != "unlocked" {
		t.Errorf("unlock: %+v", got)
	}
	c.do("listUntil", map[string]any{"names": []string{toolName("0", "secret")}}, nil)
	if got := c.call(toolName("0", "secret"), nil); got.IsError || got.Content[0].Text != "secret ran" {
		t.Errorf("secret: %+v", got)
	}
	p.navigate(pages.url("behaviours.html", "runtime="+string(r)))
	c.do("listUntil", map[string]any{"names": []string{toolName("0", "first")}, "gone": true}, nil)
	c.do("listUntil", map[string]any{"names": []string{toolName("0", "answers_and_goes")}}, nil)

	if got := c.call(toolName("0", "image"), nil); len(got.Content) != 5 || got.Content[1].Type != "image" {
		t.Errorf("image: %+v", got)
	}
	if got := c.call(toolName("0", "throws"), nil); !got.IsError || !strings.Contains(got.Content[0].Text, "the till is on fire") {
		t.Errorf("throws: %+v", got)
	}
	if got := c.call(toolName("0", "structured"), nil); got.IsError {
		t.Errorf("structured: %+v", got)
	}
	if got := c.call("list_webmcp_tools", nil); got.IsError || !strings.Contains(got.Content[0].Text, "answers-and-goes") {
		t.Errorf("list_webmcp_tools: %+v", got)
	}
	c.do("callUntilCancelled", map[string]any{"key": "k", "name": toolName("0", "waits")}, nil)
	p.happened("waiting")
	c.do("cancel", map[string]any{"key": "k"}, nil)
	if r == native {
		p.happened("aborted")
	}
	c.do("callUntilProgress", map[string]any{"name": toolName("0", "hangs")}, nil)
	c.do("ping", nil, nil)
}

func TestTypeScriptClientTakesTheHostilePage(t *testing.T) {
	t.Parallel()
	// The SDK checks every tool and result against its own schemas.
	c := nativeChrome(t)
	h := startTS(t, "--browser-url", c.browserURL())
	c.open(t, pages.url("hostile.html"))
	h.do("listUntil", map[string]any{"names": []string{toolName("0", "honest")}}, nil)
	if got := h.call(toolName("0", "honest"), nil); got.IsError {
		t.Errorf("honest: %+v", got)
	}
	if got := h.call("list_webmcp_tools", nil); got.IsError {
		t.Errorf("list_webmcp_tools: %+v", got)
	}
}

func TestTypeScriptClientSurvivesABigResult(t *testing.T) {
	t.Parallel()
	// The SDK ends the connection at a line of more than 10 MiB.
	c := nativeChrome(t)
	h := startTS(t, "--browser-url", c.browserURL(), "--max-result-tokens=0")
	c.open(t, pages.url("behaviours.html"))
	h.do("listUntil", map[string]any{"names": []string{toolName("0", "answers_and_goes")}}, nil)
	var said strings.Builder
	for _, c := range h.call(toolName("0", "big"), map[string]any{"bytes": 11 << 20}).Content {
		said.WriteString(c.Text)
	}
	if end := said.String()[max(0, said.Len()-200):]; said.Len() == 0 || said.Len() > 10<<20 || !strings.Contains(end, "too long") {
		t.Errorf("11 MiB came as %d bytes that end in %q", said.Len(), end)
	}
	if got := h.call(toolName("0", "text"), nil); got.IsError || len(got.Content) != 1 || got.Content[0].Text != "plain" {
		t.Errorf("text: %+v", got)
	}
}
