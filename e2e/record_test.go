package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
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
