package main

import (
	"context"
	"strings"
	"time"
)

// A peer is a server, and what an agent must know to use it.
type peer struct {
	name    string // for -only
	title   string // of its column
	version string
	mcpb    bool // it needs pages with @mcp-b/global

	// command starts it, attached to the browser.
	command func(c *chromium) []string
	// owns says of a listed tool whether it is a page's.
	owns func(tool string) bool
	// arrive does what an agent must do before it can use a tab, or gives
	// errNotSeen. No other tab has our page.
	arrive func(ctx context.Context, s *session, t *tab) error
	// asked counts the tools of all tabs that an agent is told of when it asks for
	// them in a call of its own; nil if tools/list is the way.
	asked func(ctx context.Context, s *session) (int, error)
	verbs map[verb]act
}

// none is for servers whose tools/list has no pages' tools.
func none(string) bool { return false }

// appear waits until the list has a page's tool, by the page's name for it.
func (p *peer) appear(ctx context.Context, s *session, within time.Duration, name string) error {
	return s.ListUntil(ctx, within, func(tools []tool) bool { return p.find(tools, name) != "" })
}

// find is the server's name for it: servers add words before or after it.
func (p *peer) find(tools []tool, name string) string {
	for _, t := range tools {
		if p.owns(t.Name) && (t.Name == name || strings.HasSuffix(t.Name, "_"+name) ||
			strings.HasPrefix(t.Name, name+"_")) {
			return t.Name
		}
	}
	return ""
}

// count is how many tools of pages a list has.
func (p *peer) count(tools []tool) (n int) {
	for _, t := range tools {
		if p.owns(t.Name) {
			n++
		}
	}
	return n
}
