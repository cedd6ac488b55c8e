package e2e

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// TestSafe: with --safe, looking and opening pages ask nothing; the first call of each kind on a site asks, and further
// ones don't; what was read on one site goes to another only after a question of its own.
func TestSafe(t *testing.T) {
	t.Parallel()
	s := startShopper(t, "--safe", "--automation", "--dialogs=report")
	asked := 0
	does := func(questions int, tool string, args map[string]any) string {
		t.Helper()
		r := s.call(tool, args)
		if now := s.person.questions(); r.IsError || len(now)-asked != questions {
			t.Errorf("%s %v: asked %d times, want %d: %q; the answer is %s", tool, args, len(now)-asked, questions, now[asked:], textOf(r))
		}
		asked = len(s.person.questions())
		return textOf(r)
	}
	s.person.answers(mcp.ElicitationResponseActionAccept, "hour")
	does(0, toolName("0", "look"), nil)
	does(0, "list_pages", nil)
	snapshot := does(0, "take_snapshot", nil)
	does(1, toolName("0", "pay"), map[string]any{"to": "Ann"})
	does(0, toolName("0", "pay"), map[string]any{"to": "Bob"})
	does(0, toolName("0", "approve"), nil)
	uid := regexp.MustCompile(`(\S+) button "Approve"`).FindStringSubmatch(snapshot)
	if uid == nil {
		t.Fatalf("no button in %s", snapshot)
	}
	does(1, "click", map[string]any{"uid": uid[1]})
	does(0, "press_key", map[string]any{"key": "a"})
	does(1, "evaluate_script", map[string]any{"function": "() => reached.join()"})
	does(0, "evaluate_script", map[string]any{"function": "() => 1"})
	if got := string(s.page.eval(`reached.join()`)); got != `"pay Ann,pay Bob,approve,click,key"` {
		t.Errorf("the page did %v", got)
	}

	// Another site: what may go there is asked (its address has a port that the client has read), and its first action.
	s.person.answers(mcp.ElicitationResponseActionAccept, "once")
	does(1, "new_page", map[string]any{"url": strings.Replace(pages.url("plain.html", "of=mail"), "127.0.0.1", "localhost", 1)})
	does(1, "press_key", map[string]any{"key": "b"})
	s.person.answers(mcp.ElicitationResponseActionDecline, "no")
	if r := s.call("press_key", map[string]any{"key": "b"}); !r.IsError || !strings.Contains(textOf(r), "the user refused it") {
		t.Errorf("refused: %s", textOf(r))
	}

	// The next hub of that client has the answers that hold for an hour.
	s.finish()
	s.hub = s.begin()
	s.waitTool(toolName("0", "pay"))
	asked = len(s.person.questions())
	does(0, toolName("0", "pay"), map[string]any{"to": "Cleo"})
}

// A client that can't ask its user is told where the question waits; without a browser that shows it nobody answers, and
// nothing is done.
func TestSafeWithoutElicitation(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		setenv(t, name, t.TempDir())
	}
	h := startHubWith(t, []client.ClientOption{client.WithLegacyProtocolOnly()}, "--browser-url", c.browserURL(), "--no-share", "--safe")
	page := c.open(t, pages.url("plain.html", "of=shop"))
	page.eval(paysHere)
	h.waitTool(toolName("0", "pay"))
	ctx, cancel := context.WithCancel(t.Context())
	called := make(chan struct{})
	go func() {
		defer close(called)
		var r mcp.CallToolRequest
		r.Params.Name, r.Params.Arguments = toolName("0", "pay"), map[string]any{"to": "Ann"}
		if got, err := h.client.CallTool(ctx, r); err == nil && !got.IsError {
			t.Errorf("it was called: %s", textOf(got))
		}
	}()
	h.stderr.wait(t, "waits for an answer on the hub's live page")
	cancel()
	<-called
	if got := string(page.eval(`reached.length`)); got != "0" {
		t.Errorf("the page did %v", got)
	}
}
