package wire

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"webmcphub/internal/jsonrpc"
)

// Over HTTP the answer to a request goes out on the response to its own POST,
// and what belongs to no request on the session's event stream. The Conn keeps
// the order between them: list_changed is handed to the event stream only once
// the answers that go before it are written.

// direct is what is to go out on a request's own response. Its fields belong to
// the Conn.
type direct struct {
	ready     chan struct{} // there is something to write, one token; closed when another response has taken over
	reading   bool          // a response waits on it
	streams   bool          // it may be an event stream; set before the request begins
	resumable bool          // the client may come back for it; set before the request begins
	more      []*entry      // requests of ours that are not written yet
	progress  *entry        // the newest notification that is not written yet
	answer    *entry        // nil if the client wants none, or it is among those sent
	code      int           // of the error that is the answer, or 0
	over      bool          // answer stands
	kept      kept          // for a client that comes back
}

// NewDirectRequest makes a request that is answered on a response of its own.
// streams says that the response may be an event stream, and resumable that the
// client may come back for it.
func NewDirectRequest(ctx context.Context, id json.RawMessage, streams, resumable bool) *Request {
	r := NewRequest(ctx, id)
	r.direct = &direct{ready: make(chan struct{}, 1), reading: true, streams: streams, resumable: resumable}
	return r
}

// Streams says whether the response may be an event stream.
func (r *Request) Streams() bool { return r.direct.streams }

// Resumable says whether the client may come back for what it missed.
func (r *Request) Resumable() bool { return r.direct.resumable }

// Reader is by what a response waits for what there is to write: a token says
// that there is something, and it is closed when another response has taken over.
type Reader chan struct{}

// FirstReader is the first response's; it must be called before the request
// begins.
func (r *Request) FirstReader() Reader { return r.direct.ready }

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
	if !d.reading { // it waits for a client that comes back, and nothing waits for it
		d.kept.unread = &answer
		c.owed.answered(r)
	} else {
		c.requests.handing[r] = true
	}
	c.expire(r)
	signal(d.ready)
}

// Written is what is to be written to a request's own response now.
type Written struct {
	Events []Event
	Answer *jsonrpc.Frame // to be written as a response of its own, if no event was
	Code   int            // of the error that is the answer, or 0
	Over   bool           // it is the last
}

// Collect gives what is to be written now to the response to r that reads by
// that reader; begun says that it is an event stream already. It is nothing where
// another response has taken over since that one was woken.
func (c *Conn) Collect(r *Request, reader Reader, begun bool) (w Written) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := r.direct
	if d.ready != reader {
		return w
	}
	w.Code, w.Over = d.code, d.over
	again := d.kept.again
	d.kept.again = nil
	fresh := d.more
	d.more = nil
	if d.progress != nil {
		fresh, d.progress = append(fresh, d.progress), nil
		again = slices.DeleteFunc(again, func(e *entry) bool { return e.progressOf != nil })
	}
	if !d.streams {
		fresh = nil
	}
	begun = begun || len(again)+len(fresh) > 0
	if d.answer != nil && begun {
		fresh, d.answer = append(fresh, d.answer), nil
	}
	for _, e := range fresh {
		if d.resumable {
			c.number(r, e)
		}
	}
	w.Events = events(append(again, fresh...))
	if d.answer != nil {
		w.Answer = &d.answer.Frame
	}
	return w
}

// Left says that a response reads no more: it is written, or its connection
// broke. One that another has taken the place of has nothing to say.
func (c *Conn) Left(r *Request, reader Reader) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.direct.ready != reader {
		return
	}
	r.direct.reading = false
	delete(c.requests.handing, r)
	c.owed.answered(r)
	c.queue.wakeWriter()
}

// EventStream is one response on which a session's notifications go out.
type EventStream struct {
	Wake     chan struct{} // there may be something to write
	Replaced chan struct{} // closed when the client has opened another one
}

// Attach makes a new stream the one on which everything goes out that is no
// direct answer. lastID is the last event that the client has, or empty: an
// announcement that it may have missed is made again.
func (c *Conn) Attach(lastID string) *EventStream {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams.events != nil {
		close(c.streams.events.Replaced)
	}
	s := &EventStream{Wake: make(chan struct{}, 1), Replaced: make(chan struct{})}
	c.streams.events, c.queue.wake = s, s.Wake
	c.owed.again(lastID)
	c.queue.wakeWriter()
	return s
}

// Detach says that nothing more is written to a stream.
func (c *Conn) Detach(s *EventStream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams.events == s {
		c.streams.events = nil
	}
}

// Attached says whether the client reads an event stream.
func (c *Conn) Attached() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.streams.events != nil
}

// Next gives what is to be written to a stream now.
func (c *Conn) Next(s *EventStream) []Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams.events != s {
		return nil
	}
	return events(c.take())
}

// streams are what a client reads over HTTP. It has no lock; the Conn's guards
// it.
type streams struct {
	events *EventStream // on which everything but direct answers goes; nil if there is none
	kept   []*Request   // whose streams a client may come back for, the newest last
	last   int          // the number of the newest of them
}

// kept is what there is of a request's stream for a client that comes back.
type kept struct {
	stream int         // the stream's number, 0 before it has an event with an id
	seq    int         // of the event that was sent last
	sent   []*entry    // what was sent, the newest last
	again  []*entry    // of those, what is to be sent again
	unread *Reply      // an answer that nobody read; nil if somebody did
	expiry *time.Timer // lets go of it
}
