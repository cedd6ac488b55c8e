package gateway

import (
	"slices"

	"webmcphub/cluster/wire"
	"webmcphub/registry/sanitize"
)

// setLevel notes the lowest level of pages' log messages that a room wants, "" for none, and has the
// nodes told the lowest that any room wants: rooms share their nodes.
func (g *Gateway) setLevel(r *room, level string) {
	g.mu.Lock()
	g.levels[r] = level
	if level == "" {
		delete(g.levels, r)
	}
	g.mu.Unlock()
	for _, t := range g.talks() {
		t.box.Must(levelled{})
	}
}

// level is the lowest that any room wants; "" where none has said any.
func (g *Gateway) level() (lowest string) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, level := range g.levels {
		if lowest == "" || slices.Index(sanitize.LogLevels, level) < slices.Index(sanitize.LogLevels, lowest) {
			lowest = level
		}
	}
	return lowest
}

// levelled says that the rooms want other levels than before.
type levelled struct{}

// tellLevel tells the node the level, once it is there.
func (t *talk) tellLevel() {
	if level := t.level(); level != "" && t.up {
		t.begin(&flight{kind: wire.SetLogLevel, body: wire.Level{Level: level}, reply: make(chan outcome, 1)})
	}
}
