package cdpclient

import "sync"

// These limit what is kept for sessions without an inbox. A correct owner attaches within milliseconds and before it
// enables anything. So these limits only keep a faulty owner from using up memory.
const (
	maxKeptEvents = 1024    // per session
	maxKeptBytes  = 4 << 20 // per session
	maxUnclaimed  = 256     // sessions known only by an event, besides those that owe replies
	maxGone       = 512     // ended sessions remembered for late owners
)

// session receives the messages of one SessionID.
type session struct {
	id SessionID

	// Conn.mu guards the fields up to mu.
	kids          map[*session]struct{} // attached through this session
	parent        *session
	gone          bool
	awaitsReplies bool       // gone, and its replies are still pending
	replies       []*pending // these replies
	unclaimed     bool       // Chrome has not announced it, and no owner has attached to it

	mu    sync.Mutex
	in    Inbox
	queue []Message // what in has not received yet
	kept  int       // bytes of the events in queue while in is nil
	count int       // and their number
	busy  bool      // a goroutine is calling in
}

// deliver passes m to the inbox. If a goroutine is calling the inbox, or there is no inbox yet, deliver queues m. No
// lock is held during the call, so an inbox may use the connection.
func (s *session) deliver(m Message) {
	s.mu.Lock()
	if s.in == nil || s.busy {
		s.enqueue(m)
		s.mu.Unlock()
		return
	}
	s.busy = true
	in := s.in
	s.mu.Unlock()
	in(m)
	s.mu.Lock()
	s.drain()
}

// attach sets the inbox and gives it the earlier messages.
func (s *session) attach(in Inbox) {
	s.mu.Lock()
	s.in = in
	if s.busy {
		s.mu.Unlock()
		return
	}
	s.busy = true
	s.drain()
}

// drain delivers the queue to the inbox. The caller holds mu and has set busy; drain releases both.
func (s *session) drain() {
	for len(s.queue) > 0 && s.in != nil {
		q, in := s.queue, s.in
		s.queue, s.kept, s.count = nil, 0, 0
		s.mu.Unlock()
		for _, m := range q {
			in(m)
		}
		s.mu.Lock()
	}
	s.busy = false
	s.mu.Unlock()
}

// enqueue appends m; the caller holds mu. Without an inbox, events beyond the limits are dropped. Replies are never
// dropped, because callers wait for them.
func (s *session) enqueue(m Message) {
	if e, ok := m.(Event); ok && s.in == nil {
		if s.count >= maxKeptEvents || s.kept+len(e.Params) > maxKeptBytes {
			return
		}
		s.count++
		s.kept += len(e.Params)
	}
	s.queue = append(s.queue, m)
}

// forgetEvents drops the kept events, but not the replies, of a session that ended before it had an inbox.
func (s *session) forgetEvents() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.in != nil {
		return
	}
	var replies []Message
	for _, m := range s.queue {
		if _, ok := m.(Reply); ok {
			replies = append(replies, m)
		}
	}
	s.queue, s.kept, s.count = replies, 0, 0
}

// pending is one expected reply: to an inbox by tag, or to a Call.
type pending struct {
	s    *session
	id   uint64
	tag  any
	call chan Reply // capacity 1; nil for Post
}

func (p *pending) answer(r Reply) {
	r.Session, r.Tag = p.s.id, p.tag
	if p.call != nil {
		p.call <- r
		return
	}
	p.s.deliver(r)
}
