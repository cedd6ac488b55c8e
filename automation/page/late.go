package page

import "webmcphub/cdpclient"

// MarkLate records that a wait for a frame's session timed out; a script may keep its process busy for ever. The
// session's frames are [Frame].Late until it answers.
func (p *Page) MarkLate(session cdpclient.SessionID) {
	p.ask(func(o *owner) {
		if s := o.sessions[session]; s != nil {
			o.isLate(s)
		}
	})
}

// isLate marks a session as late and sends it a command that changes nothing and that only the process of its frames
// answers. The session is late until the reply comes.
func (o *owner) isLate(s *session) {
	if s == o.tab || s.late {
		return
	}
	s.late, o.dirty = true, true
	o.post(s.id, cdpclient.RuntimeEnable, nil, func(cdpclient.Reply) { s.late, o.dirty = false, true })
}
