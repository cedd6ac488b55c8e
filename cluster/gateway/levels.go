package gateway

import (
	"slices"

	"webmcphub/cluster/api"
	"webmcphub/registry/sanitize"
)

// setLevel notes the lowest level of pages' log messages that a tenant wants; "" means none. It sends the nodes the
// lowest level that any tenant wants, because tenants share the nodes.
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

// level returns the lowest level that any tenant wants, or "" if no tenant wants any.
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

// tellLevel sends the node the level, if the node is connected.
func (s *nodeSession) tellLevel() {
	if c := s.conn.Load(); c != nil && s.level() != "" {
		c.send(&api.WatchRequest{Event: &api.WatchRequest_LogLevel_{
			LogLevel: &api.WatchRequest_LogLevel{Level: s.level()}}})
	}
}
