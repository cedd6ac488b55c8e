package wire

import (
	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
)

// maxLogged is how many messages may wait for a client before further log messages are dropped.
const maxLogged = 256

// Log queues a log message if the client is ready for it and reads its messages.
func (c *Conn) Log(f jsonrpc.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending.ready && c.hears() && len(c.queue.waiting) < maxLogged {
		c.queue.push(&entry{Frame: f})
		c.queue.wakeWriter()
	}
}

// WantsLogs notes that the client wants the log messages of documents while they carry out r, from this severity on;
// 0 is the least. (In protocol 2026-07-28 each request says so for itself.)
func (c *Conn) WantsLogs(r *Request, severity int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.logs = severity + 1
}

// LogDuring sends a document's log message for those requests that the document is carrying out and that want
// messages of this severity. It reports whether there were any.
func (c *Conn) LogDuring(at registry.ServerRef, severity int, f jsonrpc.Frame) bool {
	var elsewhere []*Rounds
	c.mu.Lock()
	sent := false
	for _, whole := range c.requests.inflight {
		wants := false
		whole.asking(func(r *Request) { wants = wants || r.asked.at == at })
		switch {
		case !wants || whole.logs == 0 || severity < whole.logs-1:
			continue
		case whole.carry.rounds != nil:
			elsewhere = append(elsewhere, whole.carry.rounds)
		default:
			c.logTo(whole, f)
			sent = true
		}
	}
	c.mu.Unlock()
	for _, rounds := range elsewhere {
		if conn, r, _ := rounds.now(); conn != nil { // a round is waiting
			conn.mu.Lock()
			conn.logTo(r, f)
			conn.mu.Unlock()
			sent = true
		}
	}
	return sent
}

// logTo sends a log message that belongs to a request. mu must be held.
func (c *Conn) logTo(r *Request, f jsonrpc.Frame) {
	switch d := r.direct; {
	case r.over || r.muted:
	case d != nil && d.streams && len(d.more) < maxUnread:
		d.more = append(d.more, &entry{Frame: f})
		signal(d.ready)
	case d == nil && c.hears() && len(c.queue.waiting) < maxLogged:
		c.queue.push(&entry{Frame: f})
		c.queue.wakeWriter()
	}
}
