package mcpserver

import (
	"slices"

	"webmcphub/registry"
)

// Over HTTP the answer to a request goes out on the response to its own POST,
// and what belongs to no request on the session's event stream. The outbox
// keeps the order between them: list_changed is handed to the event stream
// only once the answers that go before it are written.

// direct is what is to go out on a request's own response. Its fields belong to
// the outbox.
type direct struct {
	ready    chan struct{} // there is something to write; one token
	streams  bool          // it may be an event stream; set before the request begins
	more     []*entry      // requests of ours that are not written yet
	progress *entry        // the newest notification that is not written yet
	answer   *entry        // nil if the client wants none
	code     int           // of the error that is the answer, or 0
	over     bool          // answer stands
}

func newDirect() *direct { return &direct{ready: make(chan struct{}, 1)} }

func (d *direct) wake() {
	select {
	case d.ready <- struct{}{}:
	default:
	}
}

// hand gives the answer to r's own response. mu must be held.
func (o *outbox) hand(r *request, e *entry, answer reply) {
	if o.handing == nil {
		o.handing = map[*request]bool{}
	}
	o.handing[r] = true
	d := r.direct
	d.over = true
	if !r.muted {
		d.answer = e
		if answer.err != nil {
			d.code = answer.err.Code
		}
	}
	d.wake()
}

// collect gives what is to be written to r's own response now; over says that
// it is the last.
func (o *outbox) collect(r *request) (before []*entry, answer *entry, code int, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d := r.direct
	before, d.more = d.more, nil
	if d.progress != nil {
		before, d.progress = append(before, d.progress), nil
	}
	return before, d.answer, d.code, d.over
}

// handed says that r's own response is written, or can't be.
func (o *outbox) handed(r *request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.handing, r)
	o.notice.answered(r)
	o.wakeWriter()
}

// abandoned says that nobody waits for the answer to r any more.
func (o *outbox) abandoned(r *request) {
	o.mu.Lock()
	r.muted = true
	o.mu.Unlock()
	r.cancel(ErrCancelled)
}

// eventStream is one response on which a session's notifications go out.
type eventStream struct {
	wake     chan struct{} // there may be something to write
	replaced chan struct{} // closed when the client has opened another one
}

// attach makes a new stream the one on which everything goes out that is no
// direct answer. lastID is the last event that the client has, or empty: an
// announcement that it may have missed is made again.
func (o *outbox) attach(lastID string) *eventStream {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stream != nil {
		close(o.stream.replaced)
	}
	o.stream = &eventStream{wake: make(chan struct{}, 1), replaced: make(chan struct{})}
	o.wake = o.stream.wake
	n := &o.notice
	if n.announced > o.views.listed && lastID != eventID(n.announced) {
		n.due, n.version = true, max(n.version, n.announced)
	}
	o.offers.again()
	o.wakeWriter()
	return o.stream
}

// detach says that nothing more is written to a stream.
func (o *outbox) detach(s *eventStream) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stream == s {
		o.stream = nil
	}
}

// next gives what is to be written to a stream now.
func (o *outbox) next(s *eventStream) []*entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stream != s {
		return nil
	}
	return o.take()
}

// asked is concerned, for those who don't hold mu.
func (o *outbox) asked(pages []registry.PageID) []*request {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.concerned(pages)
}

// answeredElsewhere takes a request of another session off those that are
// waited for.
func (o *outbox) answeredElsewhere(r *request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.notice.held[r] {
		o.notice.answered(r)
		o.wakeWriter()
	}
}

// sessionlessAsking are the requests of sessionless clients that concern pages:
// any of them may be of the client that listens for list_changed. mu must be held.
func (s *Server) sessionlessAsking(pages []registry.PageID) (all []*request) {
	for sess := range s.sessions {
		if sess.out.sessionless {
			all = append(all, sess.out.asked(pages)...)
		}
	}
	return slices.Clip(all)
}

// sessionlessAnswered tells those who listen that a sessionless client's
// request is answered.
func (s *Server) sessionlessAnswered(r *request) {
	s.eachSession(func(sess *session) {
		if sess.out.sessionless {
			sess.out.answeredElsewhere(r)
		}
	})
}
