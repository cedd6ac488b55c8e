package gateway

import (
	"slices"

	"webmcphub/cluster/api"
	"webmcphub/registry/sanitize"
)

// setLevel notes the lowest level of pages' log messages that a tenant wants, "" for none, and has the
// nodes told the lowest that any tenant wants: tenants share their nodes.
func (g *Gateway) setLevel(r *tenantServer, level string) {
	g.mu.Lock()
	g.levels[r] = level
	if level == "" {
		delete(g.levels, r)
	}
	g.mu.Unlock()
	for _, s := range g.sessions() {
		s.box.Must(s.tellLevel)
	}
}

// level is the lowest that any tenant wants; "" where none has said any.
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

// tellLevel tells the node the level, once it is there.
func (s *nodeSession) tellLevel() {
	if c := s.conn.Load(); c != nil && s.level() != "" {
		c.send(&api.WatchRequest{Event: &api.WatchRequest_LogLevel_{
			LogLevel: &api.WatchRequest_LogLevel{Level: s.level()}}})
	}
}
