package page

import "webmcphub/cdpclient"

// Late notes that a frame's session was waited for in vain, as a script may keep its process
// busy for good. Its frames are [Frame].Late from now until it answers.
func (p *Page) Late(session cdpclient.SessionID) {
	p.ask(func(o *owner) {
		if s := o.sessions[session]; s != nil {
			o.isLate(s)
		}
	})
}

// isLate asks a session something that only the process of its frames answers, and that
// changes nothing, and holds it for late until the answer comes.
func (o *owner) isLate(s *session) {
	if s == o.tab || s.late {
		return
	}
	s.late, o.dirty = true, true
	o.post(s.id, cdpclient.RuntimeEnable, nil, func(cdpclient.Reply) { s.late, o.dirty = false, true })
}
