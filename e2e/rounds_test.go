package e2e

import (
	"encoding/json"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestPagesAskInRounds: in protocol 2026-07-28, which has no requests to clients, what a
// page asks reaches the user of the official TypeScript client, and the answer the page.
func TestPagesAskInRounds(t *testing.T) {
	t.Parallel()
	node := newNodePath(t)
	c := chromeFor(t, mcpb5)
	c.open(t, pages.url("conformance.html", "runtime="+string(mcpb5)))
	flags := []string{"--no-share", "--browser-url", c.browserURL()}
	// Each has the page for itself: of two hubs, the page would ask either.
	for _, over := range []string{"stdio", "HTTP"} {
		t.Run(over, func(t *testing.T) {
			reached := append([]string{hubUnderTest(t)}, flags...)
			if over == "HTTP" {
				w := startWeb(t, append(flags, "--no-stdio")...)
				t.Cleanup(func() { w.signal(syscall.SIGTERM) })
				reached = []string{w.url, w.token}
			}
			stderr := &log{}
			t.Cleanup(func() { stderr.check(t) })
			cmd := exec.CommandContext(t.Context(), node, append([]string{"rounds.mjs", toolName("0", "test_elicitation"), `{"message":"Who are you?"}`}, reached...)...)
			cmd.Stderr, cmd.Env = stderr, append(environ(t), "NODE_NO_WARNINGS=1")
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Asked  []string
				Result tsResult
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v in %q", err, out)
			}
			if len(got.Asked) != 1 || !strings.HasSuffix(got.Asked[0], "asks: Who are you?") || !strings.HasPrefix(got.Asked[0], "[untrusted page content] The web page ") {
				t.Errorf("the user was asked %q", got.Asked)
			}
			if len(got.Result.Content) != 1 || got.Result.IsError || !strings.Contains(got.Result.Content[0].Text, `"username":"zoe"`) {
				t.Errorf("the tool's result: %+v", got.Result)
			}
		})
	}
}
