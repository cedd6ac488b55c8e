package mcpserver

import (
	"slices"
	"time"

	"webmcphub/registry"
)

// Over HTTP the answer to a request goes out on the response to its own POST,
// and what belongs to no request on the session's event stream. The outbox
// keeps the order between them: list_changed is handed to the event stream
// only once the answers that go before it are written.

// direct is what is to go out on a request's own response. Its fields belong to
// the outbox.
type direct struct {
	ready     chan struct{} // there is something to write, one token; closed when another response has taken over
	reading   bool          // a response waits on it
	streams   bool          // it may be an event stream; set before the request begins
	resumable bool          // the client may come back for it; set before the request begins
	more      []*entry      // requests of ours that are not written yet
	progress  *entry        // the newest notification that is not written yet
	answer    *entry        // nil if the client wants none, or it is among sent
	code      int           // of the error that is the answer, or 0
	over      bool          // answer stands

	// For a client that comes back, see http_resume.go.
	stream int         // the stream's number, 0 before it has an event with an id
	seq    int         // of the event that was sent last
	sent   []*entry    // what was sent, the newest last
	again  []*entry    // of those, what is to be sent again
	unread *reply      // an answer that nobody read; nil if somebody did
	expiry *time.Timer // lets go of it
}

func newDirect() *direct { return &direct{ready: make(chan struct{}, 1), reading: true} }

// wake has the response look. The outbox's mu must be held.
func (d *direct) wake() {
	select {
	case d.ready <- struct{}{}:
	default:
	}
}

// hand gives the answer to r's own response. mu must be held.
func (o *outbox) hand(r *request, e *entry, answer reply) {
	d := r.direct
	d.over = true
	if !r.muted {
		d.answer = e
		if answer.err != nil {
			d.code = answer.err.Code
		}
	}
	if !d.reading { // it waits for a client that comes back, and nothing waits for it
		d.unread = &answer
		o.notice.answered(r)
	} else {
		o.handing[r] = true
	}
	o.expire(r)
	d.wake()
}

// written is what is to be written to a request's own response now.
type written struct {
	events []*entry
	answer *entry // to be written as a response of its own, if no event was
	code   int    // of the error that is the answer, or 0
	over   bool   // it is the last
}

// collect gives what is to be written now to the response to r that reads by
// ready; begun says that it is an event stream already. It is nothing where
// another response has taken over since that one was woken.
func (o *outbox) collect(r *request, ready chan struct{}, begun bool) (w written) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d := r.direct
	if d.ready != ready {
		return w
	}
	w.code, w.over = d.code, d.over
	w.events, d.again = d.again, nil
	fresh := d.more
	d.more = nil
	if d.progress != nil {
		fresh, d.progress = append(fresh, d.progress), nil
		w.events = slices.DeleteFunc(w.events, func(e *entry) bool { return e.progressOf != nil })
	}
	if !d.streams {
		fresh = nil
	}
	begun = begun || len(w.events)+len(fresh) > 0
	if d.answer != nil && begun {
		fresh, d.answer = append(fresh, d.answer), nil
	}
	for _, e := range fresh {
		if d.resumable {
			o.number(r, e)
		}
		w.events = append(w.events, e)
	}
	w.answer = d.answer
	return w
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
