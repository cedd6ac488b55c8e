package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// A session with a real page is recorded, and replayed without any browser: the same client
// reads the same bytes. A hub that is killed leaves what was said so far.
func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	file := filepath.Join(t.TempDir(), "session.jsonl")
	h := startRawCommand(t, "record", file, "--browser-url", c.browserURL(), "--no-share", "--log-level", "debug")
	p := c.open(t, pages.url("behaviours.html"))
	h.initialize()
	echo := toolName("0", "echo")
	h.waitListed(echo)
	call := func(tool string, args map[string]any) {
		h.ask("tools/call", map[string]any{"name": toolName("0", tool), "arguments": args})
	}
	call("echo", map[string]any{"value": "tea <&> \u2028"})
	call("throws", nil)
	call("image", nil)
	h.ask("tools/call", map[string]any{"name": "list_webmcp_tools"})
	p.eval(`addTool({name: "late", execute: () => "late"})`)
	h.waitListedAnew(toolName("0", "late"))
	call("late", nil)
	call("echo", map[string]any{"value": "tea <&> \u2028"})
	call("no-such-tool", nil)
	h.ask("resources/list", nil)
	poll(t, "the recording lacks the last answer", func() bool {
		text, _ := os.ReadFile(file)
		return strings.Count(string(text), `"hub":{"jsonrpc":"2.0","id":`+asJSON(h.last)+`,`) == 1
	})
	h.signal(syscall.SIGKILL)
	h.waitExit()
	for line := range h.lines {
		h.heard = append(h.heard, line)
	}

	r := startRawCommand(t, "replay", file)
	for _, line := range h.said {
		r.write(line)
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if m.ID != nil {
			for string(r.read().ID) != string(m.ID) { // what is said besides is heard, too
			}
		}
	}
	if err := r.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	for line := range r.lines {
		r.heard = append(r.heard, line)
	}
	if got, want := strings.Join(r.heard, ""), strings.Join(h.heard, ""); got != want {
		t.Errorf("the replay says\n%s\nand the hub said\n%s", got, want)
	}
	if code := r.waitExit(); code != 0 || len(r.heard) < 10 {
		t.Errorf("exit code %d after %d lines", code, len(r.heard))
	}
}

// TestRecordKeepsSecretsOut: neither the recording nor the audit log nor the hub's log has what was typed into a page's
// fields for a card, a code and a password, what a page's tool was called with, or what a page says. The audit log names
// the site of each call.
func TestRecordKeepsSecretsOut(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	dir := t.TempDir()
	file, audit, log := filepath.Join(dir, "session.jsonl"), filepath.Join(dir, "audit.jsonl"), filepath.Join(dir, "log")
	h := startRawCommand(t, "record", file, "--browser-url", c.browserURL(), "--no-share", "--automation", "--audit-log", audit, "--log-file", log, "--log-level", "debug")
	p := c.open(t, pages.url("behaviours.html"))
	h.initialize()
	h.waitListed(toolName("0", "echo"))
	h.ask("tools/list", nil)
	p.eval(`document.body.innerHTML = "<form><input aria-label=Name><input aria-label=Card autocomplete='billing cc-number' value='5555 5555 5555 4444'><input aria-label=OTP autocomplete=one-time-code>" +
		"<input aria-label=Pass type=password><input type=hidden name=csrf value=csrf-of-the-page></form><p>Paid with 4000056655665556"`)
	text := func(m message) string { return string(m.Result) }
	call := func(tool string, args map[string]any) string {
		t.Helper()
		m := h.ask("tools/call", map[string]any{"name": tool, "arguments": args})
		if m.Error != nil || strings.Contains(text(m), `"isError":true`) {
			t.Fatalf("%s: %s", tool, text(m))
		}
		return text(m)
	}
	snapshot := call("take_snapshot", nil)
	uid := func(name string) string {
		found := regexp.MustCompile(`\\n *(\S+) [^"]*\\"` + name + `\\"`).FindStringSubmatch(snapshot)
		if found == nil {
			t.Fatalf("no %s in %s", name, snapshot)
		}
		return found[1]
	}
	if strings.Contains(snapshot, "5555 5555") || !strings.Contains(snapshot, "cc-number") || !strings.Contains(snapshot, "one-time-code") {
		t.Errorf("the snapshot is %s", snapshot)
	}
	call("fill", map[string]any{"uid": uid("Name"), "value": "Ann of the hills"})
	call("fill", map[string]any{"uid": uid("Card"), "value": "no valid 1234567812345678"})
	call("fill_form", map[string]any{"elements": []any{map[string]any{"uid": uid("OTP"), "value": "739204"}, map[string]any{"uid": uid("Pass"), "value": "correct horse"}}})
	call(toolName("0", "echo"), map[string]any{"value": "card 4111 1111 1111 1111", "card": "4012888888881881", "code": "829103", "csrf": "my-csrf", "twoFactorCode": "x7y8z9"})
	call("navigate_page", map[string]any{"url": pages.url("plain.html") + "?access_token=t0k3nt0k3n&q=tea"})
	if err := h.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	h.waitExit()
	var said string
	for _, name := range []string{file, audit, log} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"4000056655665556", "5555 5555", "1234567812345678", "739204", "correct horse", "4111 1111", "4012888888881881", "829103", "my-csrf", "x7y8z9", "t0k3n"} {
			if at := strings.Index(string(raw), secret); at >= 0 {
				t.Errorf("%s is in %s: %s", secret, filepath.Base(name), raw[max(0, at-200):min(len(raw), at+100)])
			}
		}
		said += string(raw)
	}
	origin := strings.TrimSuffix(pages.url(""), "/")
	for _, want := range []string{"Ann of the hills", "q=tea", `"name":"fill"`} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing says %s", want)
		}
	}
	for line := range strings.Lines(said) {
		if strings.Contains(line, `"event":"call"`) && !strings.Contains(line, `"origin":"`+origin+`"`) {
			t.Errorf("no site in %s", line)
		}
	}
	if !strings.Contains(said, `"to":"`+origin+`"`) {
		t.Error("no line says where the navigation leads")
	}
}
