package wire

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"webmcphub/internal/jsonrpc"
)

// Over HTTP the answer to a request is written on the response to its own POST. Whatever belongs to no request is
// written on the session's event stream. The Conn keeps the order between them: it hands list_changed to the event
// stream only when the answers that must come first have been written.

// direct holds what is written on a request's own response. The Conn owns its fields.
type direct struct {
	ready     chan struct{} // holds a token while there is something to write; closed when another response takes over
	reading   bool          // a response is waiting on ready
	streams   bool          // the response may be an event stream; set before the request begins
	resumable bool          // the client may resume the response; set before the request begins
	events    []*entry      // what was written, as far as it is kept for a client that resumes, and what is to be written
	written   int           // how many of events were written
	answer    *entry        // nil if there is none, the client wants none, or it is among events
	code      int           // the code of the error that is the answer, or 0
	over      bool          // the answer is known

	// For a client that resumes:
	stream int         // the stream's number; 0 before it has an event with an id
	seq    int         // number of the last event written
	unread *Reply      // the answer if no client has read it; otherwise nil
	expiry *time.Timer // deletes what is kept
}

// add makes an event the last one to write. Of progress only the newest is kept.
func (d *direct) add(e *entry) {
	progress := func(e *entry) bool { return e.progressOf != nil }
	if i := slices.IndexFunc(d.events, progress); i >= 0 && progress(e) {
		d.events = slices.Delete(d.events, i, i+1)
		if i < d.written {
			d.written--
		}
	}
	d.events = append(d.events, e)
	signal(d.ready)
}

// hasRoom reports whether more events may wait to be written.
func (d *direct) hasRoom() bool { return len(d.events)-d.written < maxUnread }

// NewDirectRequest returns a request that is answered on a response of its own, and the response's Wakeup. streams
// reports that the response may be an event stream, and resumable that the client may resume it.
func NewDirectRequest(ctx context.Context, id json.RawMessage, streams, resumable bool) (*Request, Wakeup) {
	r := NewRequest(ctx, id)
	r.direct = &direct{ready: make(chan struct{}, 1), reading: true, streams: streams, resumable: resumable}
	return r, r.direct.ready
}

// Streams reports whether the response may be an event stream.
func (r *Request) Streams() bool { return r.direct.streams }

// Resumable reports whether the client may resume the response to get what it missed.
func (r *Request) Resumable() bool { return r.direct.resumable }

// Wakeup is the channel on which a response waits. It holds a token when there is something to write, and is closed
// when another response has taken over.
type Wakeup chan struct{}

// hand gives the answer to r's own response. mu must be held.
func (c *Conn) hand(r *Request, e *entry, answer Reply) {
	d := r.direct
	d.over = true
	if !r.muted {
		d.answer = e
		if answer.Err != nil {
			d.code = answer.Err.Code
		}
	}
	if !d.reading { // the answer is kept for a client that resumes, and no list_changed waits for it
		d.unread = &answer
		c.pending.answered(r)
	} else {
		c.handing[r] = true
	}
	c.expire(r)
	signal(d.ready)
}

// Written holds the messages to write to a request's own response now.
type Written struct {
	Events []Event
	Answer *jsonrpc.Frame // to be written as a plain response if no event was written before
	Code   int            // the code of the error that is the answer, or 0
	Over   bool           // nothing more follows
}

// Collect returns what is to be written now to the response to r that waits on wakeup. begun reports that the
// response is an event stream already. Collect returns nothing if another response has taken over since wakeup was
// woken.
func (c *Conn) Collect(r *Request, wakeup Wakeup, begun bool) (w Written) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := r.direct
	if d.ready != wakeup {
		return w
	}
	w.Code, w.Over = d.code, d.over
	if d.answer != nil && (begun || d.written < len(d.events)) {
		d.events, d.answer = append(d.events, d.answer), nil
	}
	for _, e := range d.events[d.written:] {
		if d.resumable && e.event.seq == 0 {
			e.event = c.number(r)
		}
	}
	w.Events = events(d.events[d.written:])
	d.keepWritten()
	if d.answer != nil {
		w.Answer = &d.answer.Frame
	}
	return w
}

// ResponseGone reports that a response writes nothing more, because it is complete or its connection broke. It does
// nothing if another response has taken over.
func (c *Conn) ResponseGone(r *Request, wakeup Wakeup) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.direct.ready != wakeup {
		return
	}
	r.direct.reading = false
	delete(c.handing, r)
	c.pending.answered(r)
	c.queue.wakeWriter()
}

// EventStream is one response on which a session's notifications are written.
type EventStream struct {
	Wake     chan struct{} // holds a token when there may be something to write
	Replaced chan struct{} // closed when the client has opened another stream
}

// Attach makes a new stream the one on which everything is written that is not part of a request's own response.
// lastID is the id of the last event that the client received, or empty. An announcement that the client may have
// missed is made again.
func (c *Conn) Attach(lastID string) *EventStream {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams.events != nil {
		close(c.streams.events.Replaced)
	}
	s := &EventStream{Wake: make(chan struct{}, 1), Replaced: make(chan struct{})}
	c.streams.events, c.queue.wake = s, s.Wake
	c.pending.again(lastID)
	c.queue.wakeWriter()
	return s
}

// Detach reports that nothing more is written to a stream.
func (c *Conn) Detach(s *EventStream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams.events == s {
		c.streams.events = nil
	}
}

// Attached reports whether the client reads an event stream.
func (c *Conn) Attached() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.streams.events != nil
}

// Next returns what is to be written to a stream now.
func (c *Conn) Next(s *EventStream) []Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams.events != s {
		return nil
	}
	return events(c.take())
}

// streams are the event streams that a client reads over HTTP. They have no lock; the Conn's lock guards them.
type streams struct {
	events *EventStream // carries everything but requests' own responses; nil if there is none
	kept   []*Request   // requests whose streams a client may resume, the newest last
	last   int          // the number of the newest of these streams
}
