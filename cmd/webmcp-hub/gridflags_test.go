package main

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"webmcphub/mcpserver"
)

// TestGrid: a grid's browsers have names, come after others, and are asked for when a client
// needs one, or at once if that is said.
func TestGrid(t *testing.T) {
	for args, want := range map[string]struct {
		names  string
		onNeed bool
		stay   time.Duration
	}{
		"--grid http://h:4444": {"grid-1", true, mcpserver.DefaultLaunchDelay},
		"--grid http://h:4444 --grid-sessions 3 --launch-at-start":          {"grid-1 grid-2 grid-3", false, time.Millisecond},
		"--browser-url http://h:1 --grid http://h:2 --chrome-arg=--lang=de": {"h:1 grid-1", true, mcpserver.DefaultLaunchDelay},
		"--mode focus --grid http://h:2 --headless":                         {"grid-1", false, mcpserver.DefaultLaunchDelay},
		"--browser-url http://h:1":                                          {"", false, time.Millisecond},
	} {
		c, err := parse(t, strings.Fields(args)...)
		if err != nil {
			t.Fatal(args, err)
		}
		s := c.Serve
		_, several, err := s.connectOptions(s.onRequest(), extras{}, slog.New(slog.DiscardHandler))
		var names []string
		for _, b := range several {
			names = append(names, b.Name)
			if grid := strings.HasPrefix(b.Name, "grid"); b.OnNeed != (grid && want.onNeed) || b.Lazy != s.onRequest() || b.Dialer == nil {
				t.Errorf("%s: %s is reached as %+v", args, b.Name, b.ConnectOptions)
			}
		}
		if got := strings.Join(names, " "); got != want.names || err != nil || s.stay() != want.stay {
			t.Errorf("%s: %q, %v, %v", args, got, err, s.stay())
		}
	}
}
