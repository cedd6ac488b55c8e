package e2e

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// runHub runs a command of the hub to its end.
func runHub(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return runHubWith(t, "", args...)
}

// runHubWith does so with this standard input.
func runHubWith(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, hubUnderTest(t), args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	cmd.Env = environ(t)
	cmd.WaitDelay = patience
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if strings.Contains(errs.String(), "panic:") || strings.Contains(errs.String(), "DATA RACE") {
		t.Errorf("webmcp-hub %s: %s", strings.Join(args, " "), &errs)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// TestBadCommandLines: each is refused with what is wrong, on stderr only.
func TestBadCommandLines(t *testing.T) {
	t.Parallel()
	for _, bad := range []struct {
		args string
		says string
	}{
		{"--no-such-flag", "no-such-flag"},
		{"frobnicate", "frobnicate"},
		{"--browser-url not-a-url", "--browser-url"},
		{"--browser-url ftp://127.0.0.1:1", "http://"},
		{"--ws-endpoint http://127.0.0.1:1", "ws://"},
		{"--ws-header X:y", "--ws-endpoint"},
		{"--browser-url http://127.0.0.1:1 --browser-url http://127.0.0.1:1", "twice"},
		{"--call-timeout soon", "call-timeout"},
		{"--call-timeout 0s", "call-timeout"},
		{"--page-index last", "page-index"},
		{"--max-tool-name 3", "max-tool-name"},
		{"--isolated --user-data-dir /nonexistent", "exclude"},
		{"--browser-url http://127.0.0.1:1 --isolated", "--isolated"},
		{"--log-level loud", "log-level"},
		{"record", "record needs the file to record to: webmcp-hub record FILE"},
		{"replay", "webmcp-hub replay FILE"},
		{"--log-file /nonexistent/dir/log", "/nonexistent/dir"},
		{"check --juint x", `"webmcp-hub check --help"`},
		{"check --explain schema-rang", `"webmcp-hub check --help"`},
		{"pins forget --x", `"webmcp-hub pins forget --help"`},
		{"call --call-timeout 0s x", `"webmcp-hub call --help"`},
		{"--hedless", `"webmcp-hub --help"`},
	} {
		t.Run(bad.args, func(t *testing.T) {
			stdout, stderr, code := runHub(t, strings.Fields(bad.args)...)
			if code == 0 || stdout != "" || !strings.Contains(stderr, bad.says) {
				t.Errorf("exit %d, stdout %q, stderr %q; want a failure that says %q", code, stdout, stderr, bad.says)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	stdout, _, code := runHub(t, "version")
	if code != 0 || !strings.Contains(stdout, "v0.0.0-e2e") {
		t.Errorf("exit %d: %q", code, stdout)
	}
}

func TestToolsCommand(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	c.open(t, pages.url("shop.html")).waitLoaded()
	stdout, stderr, code := runHub(t, "tools", "--browser-url", c.browserURL())
	if code != 0 || !strings.Contains(stdout, toolName("0", "add_to_cart")) || !strings.Contains(stdout, "Puts a product into the cart") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	stdout, stderr, code = runHub(t, "tokens", "--tools=0", "--browser-url", c.browserURL())
	if code != 0 || !strings.Contains(stdout, "    "+toolName("0", "add_to_cart")+"\n") || !strings.Contains(stdout, "tab 1, page 0") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

// TestToolsCommandPrintsAddressesAsTheyStand, without JSON's escapes for HTML.
func TestToolsCommandPrintsAddressesAsTheyStand(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	c.open(t, pages.url("shop.html")+"?a=1&b=2")
	stdout, stderr, code := runHub(t, "tools", "--json", "--browser-url", c.browserURL())
	if code != 0 || !strings.Contains(stdout, "shop.html?a=1&b=2") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

func TestCallCommand(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	c.open(t, pages.url("shop.html"))
	stdout, stderr, code := runHub(t, "call", "--browser-url", c.browserURL(), toolName("0", "search"), `{"q":"it"}`)
	if code != 0 || !strings.Contains(stdout, "found it") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	for _, bad := range []struct{ tool, args, says string }{
		{toolName("0", "search"), `{"q":`, "JSON"},
		{toolName("0", "search"), `{"q":7}`, "q"},
		{"no_such_tool", `{}`, "no_such_tool"},
	} {
		stdout, stderr, code := runHub(t, "call", "--wait", "500ms", "--browser-url", c.browserURL(), bad.tool, bad.args)
		if code == 0 || !strings.Contains(stdout+stderr, bad.says) {
			t.Errorf("call %s %s: exit %d: %s%s", bad.tool, bad.args, code, stdout, stderr)
		}
	}
	if _, stderr, code := runHub(t, "tools", "--wait", "500ms", "--browser-url", "http://127.0.0.1:1"); code == 0 || !strings.Contains(stderr, "127.0.0.1:1") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestCommandsUseTheRunningHub: tools and call see what the agent sees, also with
// the Chrome that the hub launched, which has no debugging port.
func TestCommandsUseTheRunningHub(t *testing.T) {
	t.Parallel()
	chromePath(t)
	profile := t.TempDir()
	h := startRaw(t, "--headless", "--user-data-dir", profile, "--chrome-arg="+pages.url("lifecycle.html"))
	h.initialize()
	name := toolName("0", "a_hangs")
	h.waitListed(name)
	for _, way := range [][]string{{"--user-data-dir", profile}, {"--hub", strconv.Itoa(h.cmd.Process.Pid)}} {
		stdout, stderr, code := runHub(t, append([]string{"tools"}, way...)...)
		if code != 0 || stderr != "" || !strings.Contains(stdout, name) {
			t.Errorf("%q: exit %d: %s%s", way, code, stdout, stderr)
		}
	}
	call := func(stdin string, args ...string) (stdout, stderr string, code int) {
		return runHubWith(t, stdin, append([]string{"call", "--user-data-dir", profile}, args...)...)
	}
	stdout, stderr, code := call("", "open_tab", `{"url":"`+pages.url("shop.html")+`"}`)
	if code != 0 {
		t.Errorf("open_tab, a tool of the hub's own: exit %d: %s%s", code, stdout, stderr)
	}
	if stdout, stderr, code = call(`{"q":"it"}`, "search", "-"); code != 0 || !strings.Contains(stdout, "found it") {
		t.Errorf("arguments from stdin: exit %d: %s%s", code, stdout, stderr)
	}
	if stdout, stderr, code = call("", "nope"); code != 1 || !strings.Contains(stdout+stderr, "webmcp-hub tools") {
		t.Errorf("a tool that isn't there: exit %d: %s%s", code, stdout, stderr)
	}
	if stdout, stderr, code = call("", "--call-timeout", "500ms", "a-hangs"); code != 1 || !strings.Contains(stdout+stderr, "500ms") {
		t.Errorf("a tool that hangs: exit %d: %s%s", code, stdout, stderr)
	}
	_ = h.stdin.Close()
	h.waitExit()

	if _, stderr, code := runHub(t, "tools", "--user-data-dir", profile); code != 1 || !strings.Contains(stderr, "no webmcp-hub runs") {
		t.Errorf("after the hub's end: exit %d: %s", code, stderr)
	}
}

// TestToolsSaysWhyThereAreNone: mostly because WebMCP is off in that Chrome.
func TestToolsSaysWhyThereAreNone(t *testing.T) {
	t.Parallel()
	c := plainChrome(t)
	c.open(t, pages.url("shop.html"))
	stdout, stderr, code := runHub(t, "tools", "--browser-url", c.browserURL())
	if code != 0 || !strings.Contains(stdout, "no tools") || !strings.Contains(stderr, "WebMCP is switched off") || !strings.Contains(stderr, "--enable-features=WebMCP") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	c = nativeChrome(t)
	c.open(t, pages.url("plain.html"))
	stdout, stderr, code = runHub(t, "tools", "--browser-url", c.browserURL())
	if code != 0 || !strings.Contains(stderr, "No open page offers tools") || strings.Contains(stderr, "switched off") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	_, stderr, code = runHub(t, "tools", "--wait", "500ms", "--browser-url", "http://127.0.0.1:1")
	if code != 1 || !strings.Contains(stderr, "--remote-debugging-port=1 --user-data-dir=DIR --enable-features=WebMCP") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestDoctorCommand(t *testing.T) {
	t.Parallel()
	chromePath(t)
	if stdout, stderr, code := runHub(t, "doctor"); code != 0 || !strings.Contains(stdout, "WebMCP is switched on") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	for _, ill := range []struct{ args, remedy string }{
		{"--executable-path=/nonexistent/chrome", "/nonexistent/chrome"},
		{"--browser-url=http://127.0.0.1:1", "--remote-debugging-port"},
		{"--browser-url=" + plainChrome(t).browserURL(), "--enable-features=WebMCP"},
	} {
		stdout, stderr, code := runHub(t, "doctor", ill.args)
		if code == 0 || !strings.Contains(stdout, ill.remedy) {
			t.Errorf("doctor %s: exit %d: %s%s", ill.args, code, stdout, stderr)
		}
	}
}

func TestDemoCommand(t *testing.T) {
	t.Parallel()
	chromePath(t)
	stdout, stderr, code := runHub(t, "demo")
	if code != 0 {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	for _, shows := range []string{"+ webmcp_shop_localhost_page0_add_to_cart\n", "+ webmcp_shop_localhost_page1_open_ticket\n"} {
		if !strings.Contains(stdout, shows) {
			t.Errorf("the demo doesn't show %s:\n%s", shows, stdout)
		}
	}
	// The last line is a command that can be copied, wherever the program is.
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	said, err := exec.Command("sh", "-c", "claude() { shift 4; \"$@\" --version; }; "+last).CombinedOutput()
	if err != nil || !strings.Contains(string(said), "webmcp-hub v0.0.0-e2e") {
		t.Errorf("%s: %v: %s", last, err, said)
	}
}

// TestWaysToAttach: by the address of the debugging port, of the websocket, and by
// the file that Chrome leaves in its profile.
func TestWaysToAttach(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	c.open(t, pages.url("shop.html"))
	for _, flags := range [][]string{
		{"--browser-url", c.browserURL()},
		{"--browser-url", c.browserURL() + "/"},
		{"--ws-endpoint", c.wsURL},
		{"--ws-endpoint", c.wsURL, "--ws-header", "X-Test: a, b"},
		{"--auto-connect", "--user-data-dir", c.profile},
	} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			h := startHub(t, flags...)
			h.waitTool(toolName("0", "search"))
		})
	}
}

// TestNoLaunch: with --no-launch nothing is started, whatever a client asks.
func TestNoLaunch(t *testing.T) {
	t.Parallel()
	profile := t.TempDir()
	h := startRaw(t, "--launch=false", "--user-data-dir", profile)
	h.initialize()
	said := string(h.ask("tools/call", map[string]any{"name": "connect_browser", "arguments": map[string]any{"launch": true}}).Result)
	if !strings.Contains(said, "no Chrome with remote debugging uses the profile") {
		t.Errorf("connect_browser says %s", said)
	}
	if n := chromes(profile); n != 0 {
		t.Errorf("%d Chromes run", n)
	}
}

func TestNoChromeToLaunch(t *testing.T) {
	t.Parallel()
	h := startRaw(t, "--isolated", "--headless", "--executable-path", filepath.Join(t.TempDir(), "no-chrome"))
	h.initialize()
	var said string
	// The attempt is made in the background: ask until it has failed.
	for begun := time.Now(); time.Since(begun) < patience; {
		said = string(h.ask("tools/call", map[string]any{"name": "list_webmcp_tools", "arguments": map[string]any{}}).Result)
		if !strings.Contains(said, "connecting to Chrome") {
			break
		}
	}
	if !strings.Contains(said, "no-chrome") {
		t.Errorf("list_webmcp_tools doesn't say that there is no Chrome: %s", said)
	}
}
