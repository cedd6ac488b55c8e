package mcpserver

import (
	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/registry"
)

// logged passes a page's log message on to the clients that see the page and
// want messages of its level.
func (s *Server) logged(l registry.PageLogged) {
	params, severity, ok := l.Message()
	if !ok {
		return
	}
	e := notification("notifications/message", params)
	s.eachSession(func(sess *session) {
		if severity >= severityOf(sess.peer.GetLogLevel()) {
			sess.out.log(l.Server.Page, e)
		}
	})
}

func severityOf(level mcp.LoggingLevel) int {
	for i, l := range registry.LogLevels {
		if l == string(level) {
			return i
		}
	}
	return len(registry.LogLevels)
}

// maxLogged is how many messages may wait for a client before it is spared
// further log messages.
const maxLogged = 256

// log queues a log message, if the client sees the page and reads what it is sent.
func (o *outbox) log(page registry.PageID, e entry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.offers.sees(page) && o.notice.ready && o.hears() && len(o.queue) < maxLogged {
		o.push(&e)
		o.wakeWriter()
	}
}

// logLevelSet tells the pages the lowest level that any client wants.
func (s *Server) logLevelSet() {
	lowest := len(registry.LogLevels) - 1
	s.eachSession(func(sess *session) { lowest = min(lowest, severityOf(sess.peer.GetLogLevel())) })
	if p := s.options.PageServers; p != nil {
		p.SetLogLevel(registry.LogLevels[lowest])
	}
}
