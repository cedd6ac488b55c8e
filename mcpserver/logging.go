package mcpserver

import (
	"cmp"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// logged passes a page's log message on to the clients that see the page and want messages of its level. It also
// passes it on for the requests of protocol 2026-07-28 that want it.
func (s *Server) logged(l registry.PageLogged) {
	params, severity, ok := l.Message()
	if !ok {
		return
	}
	f := jsonrpc.Notification(string(mcp.MethodNotificationMessage), params)
	s.sessions.each(func(sess *session) {
		if sess.client.Conn.LogDuring(l.Server, severity, f) {
			sess.logs(cmp.Or(l.Origin, names.OpaqueOrigin), params)
		}
		if severity >= severityOf(sess.GetLogLevel()) && sess.client.View.Sees(l.Server.Page) {
			sess.logs(cmp.Or(l.Origin, names.OpaqueOrigin), params)
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

// defaultLogLevel is the level for clients that have set none.
const defaultLogLevel = mcp.LoggingLevelError

// levelFor is how long pages keep logging at the level that a request of protocol 2026-07-28 names. That protocol
// sets no level for a client, and the client is likely to make more such requests.
const levelFor = 10 * time.Minute

// logLevels holds the log level that the pages have. Its lock keeps changes of the level in order.
type logLevels struct {
	mu    sync.Mutex
	level string // "" until a client sets one
	// named is the lowest severity that requests have named lately. It counts until the time until.
	named int
	until time.Time
}

// logLevelNamed makes pages log messages from this severity on, which a request has named. It must be called before
// the request asks a page.
func (s *Server) logLevelNamed(severity int) {
	if severity >= len(sanitize.LogLevels) {
		return // the request wants no messages, or its level doesn't exist
	}
	now, l := time.Now(), &s.levels
	l.mu.Lock()
	if severity <= l.named || !now.Before(l.until) {
		l.named, l.until = severity, now.Add(levelFor)
	}
	l.mu.Unlock()
	s.logLevelSet(true)
}

// logLevelSet gives the pages the lowest level that any client wants or any request has named lately. Callers call it
// after a client has set or named another level, or is gone.
func (s *Server) logLevelSet(byClient bool) {
	pages := s.options.PageServers
	if pages == nil {
		return
	}
	s.levels.mu.Lock()
	defer s.levels.mu.Unlock()
	if s.levels.level == "" && !byClient {
		return
	}
	lowest := severityOf(defaultLogLevel)
	if time.Now().Before(s.levels.until) {
		lowest = min(lowest, s.levels.named)
	}
	s.sessions.each(func(sess *session) { lowest = min(lowest, severityOf(sess.GetLogLevel())) })
	if level := sanitize.LogLevels[lowest]; level != s.levels.level {
		s.levels.level = level
		pages.SetLogLevel(level)
	}
}

// logs reports to Trust that the hub sends the client what a document of this origin has logged.
func (s *session) logs(origin string, params json.RawMessage) {
	trust := s.server.options.Trust
	if trust == nil {
		return
	}
	d := calls.Action{Where: calls.Where{Origin: origin}}
	if d.Session = s.client.ID; s.client.Sessionless {
		d.Session = ""
	}
	trust.Sent(d)
	trust.Read(d, params)
}
