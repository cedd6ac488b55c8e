package mcpserver

import (
	"cmp"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// logged passes a page's log message on to the clients that see the page and
// want messages of its level, and to the requests of protocol 2026-07-28 that do.
func (s *Server) logged(l registry.PageLogged) {
	params, severity, ok := l.Message()
	if !ok {
		return
	}
	f := jsonrpc.Notification(string(mcp.MethodNotificationMessage), params)
	s.sessions.each(func(sess *session) {
		if sess.client.Conn.LogDuring(l.Server, severity, f) {
			sess.logs(cmp.Or(l.Origin, names.OpaqueOrigin))
		}
		if severity >= severityOf(sess.peer.GetLogLevel()) && sess.client.Lens.Sees(l.Server.Page) {
			sess.logs(cmp.Or(l.Origin, names.OpaqueOrigin))
			sess.client.Conn.Log(f)
		}
	})
}

func severityOf(level mcp.LoggingLevel) int {
	for i, l := range sanitize.LogLevels {
		if l == string(level) {
			return i
		}
	}
	return len(sanitize.LogLevels)
}

// defaultLogLevel is what clients get that have set none.
const defaultLogLevel = mcp.LoggingLevelError

// logLevels remembers which level the pages were told. Its lock orders those who
// tell them.
type logLevels struct {
	mu   sync.Mutex
	told string // "" until a client sets one
}

// logLevelSet tells the pages the lowest level that any client wants, after a
// client has set another one or is gone.
func (s *Server) logLevelSet(byClient bool) {
	pages := s.options.PageServers
	if pages == nil {
		return
	}
	s.levels.mu.Lock()
	defer s.levels.mu.Unlock()
	if s.levels.told == "" && !byClient {
		return
	}
	lowest := severityOf(defaultLogLevel)
	s.sessions.each(func(sess *session) { lowest = min(lowest, severityOf(sess.peer.GetLogLevel())) })
	if level := sanitize.LogLevels[lowest]; level != s.levels.told {
		s.levels.told = level
		pages.SetLogLevel(level)
	}
}
