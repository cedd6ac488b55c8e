package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// A peer is a server, and what an agent must know to use it.
type peer struct {
	name    string // for -only
	title   string // of its column
	version string
	mcpb    bool // it needs pages with @mcp-b/global

	// command starts it, attached to the browser; the flags are added to measure pages' tools, or browser tools.
	command                    func(c *chromium) []string
	toolFlags, automationFlags []string

	// owns says of a listed tool whether it is a page's.
	owns func(tool string) bool
	// arrive does what an agent must do before it can use a tab's tools, or gives
	// errNotSeen. No other tab has our page.
	arrive func(ctx context.Context, s *session, t *tab) error
	// countAsked counts the tools of a tab that an agent is told of when it asks for them in a call of its own; nil if
	// tools/list is the way.
	countAsked func(ctx context.Context, s *session, t *tab) (int, error)
	// echo calls the page's tool of that name, and checks the answer.
	echo func(ctx context.Context, s *session, text string) error

	// dialect is how it operates pages; nil if it doesn't.
	dialect *dialect
}

// reach is how long a page that is open may take to show; the relay's script
// looks for its relay again after at most 3 s.
const reach = 10 * time.Second

// appear waits until the list has a page's tool, by the page's name for it.
func (p *peer) appear(ctx context.Context, s *session, name string) error {
	return s.listUntil(ctx, func(tools []tool) bool { return p.find(tools, name) != "" })
}

// find is the server's name for it: servers add words before or after it.
func (p *peer) find(tools []tool, name string) string {
	for _, t := range tools {
		if p.owns(t.name) && (t.name == name || strings.HasSuffix(t.name, "_"+name) ||
			strings.HasPrefix(t.name, name+"_")) {
			return t.name
		}
	}
	return ""
}

// count is how many tools of pages a list has.
func (p *peer) count(tools []tool) (n int) {
	for _, t := range tools {
		if p.owns(t.name) {
			n++
		}
	}
	return n
}

// A stand is one server under measurement, and its only client.
type stand struct {
	c   *chromium
	at  *peer
	s   *session
	dir string // which it may read files from
	v   values // what was measured

	rounds int // of an op
}

// serve runs a server with some flags, from its start to its end, and measures it in between.
func (p *peer) serve(ctx context.Context, c *chromium, flags []string, v values, measure func(*stand) error) error {
	dir, err := os.MkdirTemp("", "bench-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := startSession(dir, append(p.command(c), flags...))
	if err != nil {
		return err
	}
	if err = s.greet(ctx); err == nil {
		err = measure(&stand{c: c, at: p, s: s, dir: dir, v: v})
	}
	s.end()
	if err != nil {
		err = fmt.Errorf("%s: %w\nthe server said on stderr:\n%s", p.name, err, s.stderrEnd())
	}
	return err
}

// errNotSeen says that an agent couldn't reach a tab by a server in time: a figure, not a failure.
var errNotSeen = errors.New("the server doesn't show the tab")

// patience bounds every wait; it costs time only when something is broken.
const patience = 30 * time.Second

// restTime is how long a server is left alone before its memory is read.
const restTime = 2 * time.Second
