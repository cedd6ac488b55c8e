package cdpclient

import (
	"cmp"
	"encoding/json"
	"slices"
)

// route delivers one message of the wire. Only the reader calls it. It ignores messages that are not CDP: one odd
// frame is no reason to lose a browser full of pages.
func (c *Conn) route(msg []byte) {
	e, err := parseEnvelope(msg)
	switch {
	case err != nil:
	case e.hasID:
		c.routeReply(e)
	case e.method != nil:
		c.routeEvent(e)
	}
}

// routeReply finds the command by the id alone, because Chrome's refusal for an unknown session has no sessionId.
func (c *Conn) routeReply(e envelope) {
	p := c.takeReply(e.id)
	if p == nil {
		return
	}
	if e.fail == nil {
		p.answer(Reply{Result: e.result})
		return
	}
	refusal := decodeError(e.fail)
	var ended []*session
	if refusal.Code == CodeSessionNotFound && p.s != c.browser {
		ended = c.end(p.s.id) // its detachedFromTarget came before this connection
	}
	tellEnded(ended)
	p.answer(Reply{Err: refusal})
	c.failPending(ended)
}

// takeReply removes and returns the pending reply with an id. It returns nil for a Post without a tag, an abandoned
// Call, or a session that has just ended.
func (c *Conn) takeReply(id uint64) *pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.pending[id]
	delete(c.pending, id)
	return p
}

func (c *Conn) routeEvent(e envelope) {
	method := methodName(e.method)
	c.mu.Lock()
	s := c.sessions[SessionID(e.session)]
	if s == nil {
		s = c.unclaimedLocked(SessionID(e.session))
	}
	if method == TargetAttachedToTarget {
		if child := sessionIn(e.params); child != "" {
			kid := c.sessionLocked(child)
			kid.unclaimed = false
			adopt(s, kid)
		}
	}
	c.mu.Unlock()
	var ended []*session
	if method == TargetDetachedFromTarget {
		ended = c.end(sessionIn(e.params))
	}
	s.deliver(Event{Session: s.id, Method: method, Params: e.params})
	tellEnded(ended)
	c.failPending(ended)
}

// end ends a session and those attached through it before any inbox learns of the end. Their replies stay pending
// until [Conn.failPending], so that the message that revealed the end comes first.
func (c *Conn) end(id SessionID) (ended []*session) {
	c.mu.Lock()
	s := c.sessions[id]
	if s == nil || s == c.browser {
		c.mu.Unlock()
		return nil
	}
	if s.parent != nil {
		delete(s.parent.kids, s)
	}
	for todo := []*session{s}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for kid := range s.kids {
			todo = append(todo, kid)
		}
		s.kids, s.parent, s.gone, s.awaitsReplies = nil, nil, true, true
		delete(c.sessions, s.id)
		c.rememberGoneLocked(s)
		ended = append(ended, s)
	}
	for id, p := range c.pending {
		if p.s.awaitsReplies {
			delete(c.pending, id)
			p.s.replies = append(p.s.replies, p)
		}
	}
	c.mu.Unlock()

	for _, s := range ended {
		s.forgetEvents()
	}
	return ended
}

func tellEnded(ended []*session) {
	for _, s := range ended {
		s.deliver(SessionEnded{Session: s.id})
	}
}

// failPending fails the pending replies of sessions that [Conn.end] has ended.
func (c *Conn) failPending(ended []*session) {
	var replies []*pending
	c.mu.Lock()
	for _, s := range ended {
		replies = append(replies, s.replies...)
		s.replies, s.awaitsReplies = nil, false
	}
	c.mu.Unlock()
	sortPending(replies)
	for _, p := range replies {
		p.answer(Reply{Err: ErrSessionGone})
	}
}

func adopt(parent, kid *session) {
	if kid.parent != nil || kid == parent || kid.gone {
		return
	}
	kid.parent = parent
	if parent.kids == nil {
		parent.kids = map[*session]struct{}{}
	}
	parent.kids[kid] = struct{}{}
}

// sessionLocked returns a session, even one that has ended, or makes it.
func (c *Conn) sessionLocked(id SessionID) *session {
	if s := c.sessions[id]; s != nil {
		return s
	}
	if s := c.gone[id]; s != nil {
		return s
	}
	s := &session{id: id}
	c.sessions[id] = s
	return s
}

// unclaimedLocked makes a session for an unexpected event. If the event comes after the session's end, the new session
// only drops it.
func (c *Conn) unclaimedLocked(id SessionID) *session {
	s := c.sessionLocked(id)
	if s.gone {
		return &session{id: id} // thrown away with the event
	}
	s.unclaimed = true
	c.unclaimed = append(c.unclaimed, s)
	for older := len(c.unclaimed) - 1; older > 0 && len(c.unclaimed) > maxUnclaimed; older-- {
		old := c.unclaimed[0]
		c.unclaimed = c.unclaimed[1:]
		switch {
		case !old.unclaimed || old.gone:
		case c.awaitsRepliesLocked(old):
			c.unclaimed = append(c.unclaimed, old)
		default:
			delete(c.sessions, old.id)
		}
	}
	return s
}

// awaitsRepliesLocked reports whether any reply of a session is pending.
func (c *Conn) awaitsRepliesLocked(s *session) bool {
	for _, p := range c.pending {
		if p.s == s {
			return true
		}
	}
	return false
}

// rememberGoneLocked keeps an ended session for a while, so that an owner who attaches late still gets its replies.
func (c *Conn) rememberGoneLocked(s *session) {
	c.gone[s.id] = s
	c.goneOrder = append(c.goneOrder, s.id)
	if len(c.goneOrder) > maxGone {
		delete(c.gone, c.goneOrder[0])
		c.goneOrder = c.goneOrder[1:]
	}
}

func sortPending(p []*pending) {
	slices.SortFunc(p, func(a, b *pending) int { return cmp.Compare(a.id, b.id) })
}

func sessionIn(params json.RawMessage) SessionID {
	var v struct {
		SessionID SessionID `json:"sessionId"`
	}
	if json.Unmarshal(params, &v) != nil {
		return ""
	}
	return v.SessionID
}
