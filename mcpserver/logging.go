package mcpserver

import (
	"cmp"
	"sync"
	"time"

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

// levelFor is how long pages keep to the level that a request of protocol 2026-07-28 names,
// which has no level of its own for the client: it is likely to make more such requests.
const levelFor = 10 * time.Minute

// logLevels remembers which level the pages were told. Its lock orders those who
// tell them.
type logLevels struct {
	mu   sync.Mutex
	told string // "" until a client sets one
	// The lowest severity that requests named of late, and until when it counts.
	named int
	until time.Time
}

// logLevelNamed has pages log what a request wants that names that level, by its severity: they
// are told before they are asked.
func (s *Server) logLevelNamed(severity int) {
	if severity >= len(sanitize.LogLevels) {
		return // it wants nothing, or what is none
	}
	now, l := time.Now(), &s.levels
	l.mu.Lock()
	if severity <= l.named || !now.Before(l.until) {
		l.named, l.until = severity, now.Add(levelFor)
	}
	l.mu.Unlock()
	s.logLevelSet(true)
}

// logLevelSet tells the pages the lowest level that any client wants, or any request has named of
// late, after a client has set or named another one or is gone.
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
	if time.Now().Before(s.levels.until) {
		lowest = min(lowest, s.levels.named)
	}
	s.sessions.each(func(sess *session) { lowest = min(lowest, severityOf(sess.peer.GetLogLevel())) })
	if level := sanitize.LogLevels[lowest]; level != s.levels.told {
		s.levels.told = level
		pages.SetLogLevel(level)
	}
}
