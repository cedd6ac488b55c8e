package wire

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"webmcphub/internal/jsonrpc"
)

// A session's request goes on when the connection breaks on which it is to be answered: in MCP, clients cancel with
// notifications/cancelled. (Protocol 2026-07-28 has no sessions, and there a closed stream cancels the request.) The
// events of the request's stream have ids. A client that comes back with the id of the last event that it received,
// in Last-Event-ID, gets the events that came after it.

// Bounds of what is kept for clients that come back.
const (
	// KeptFor is how long an answer is kept.
	KeptFor = 5 * time.Minute
	// KeptStreams is how many streams of a session are kept, and KeptBytes how large they may be together; the newest
	// stream is kept anyway. KeptBytes also bounds each stream; its last event is kept anyway.
	KeptStreams = 32
	KeptBytes   = 8 << 20
	// keptEvents is how many events of a stream are kept. Of its progress events only the newest is kept.
	keptEvents = 64

	callEvent = "call-" // prefix of the ids of these streams' events
)

// Event is a message to write on an event stream.
type Event struct {
	ID      string // the id with which a client can resume after this event; "" for none
	Message jsonrpc.Frame
	Prime   bool // it has no message, and only gives the client an ID before there is a message to send
}

// event describes an entry on an event stream.
type event struct {
	list        uint64 // not 0: it announces this version of the client's list of tools
	stream, seq int    // not 0: its place in a request's own stream
}

// id returns the event's id. Events that neither announce a list of tools nor belong to a request's own stream need no
// id, because the hub sends their content anew.
func (e event) id() string {
	switch {
	case e.seq != 0:
		return fmt.Sprint(callEvent, e.stream, "-", e.seq)
	case e.list != 0:
		return "list-" + strconv.FormatUint(e.list, 10)
	}
	return ""
}

func events(entries []*entry) []Event {
	all := make([]Event, len(entries))
	for i, e := range entries {
		all[i] = Event{ID: e.event.id(), Message: e.Frame}
	}
	return all
}

// IsCallEvent reports whether an event's id belongs to a request's own stream.
func IsCallEvent(id string) bool { return strings.HasPrefix(id, callEvent) }

// number returns the next place in r's stream. mu must be held.
func (c *Conn) number(r *Request) event {
	d := r.direct
	if d.stream == 0 {
		c.streams.last++
		d.stream = c.streams.last
		c.keep(r)
	}
	d.seq++
	return event{stream: d.stream, seq: d.seq}
}

// keepWritten notes that all events were written, and keeps as many of them as there is room for.
func (d *direct) keepWritten() {
	d.written = len(d.events)
	bytes := 0
	for i, e := range slices.Backward(d.events) {
		bytes += e.Size()
		if !d.resumable || i < d.written-1 && bytes > KeptBytes || d.written-i > keptEvents {
			d.events = slices.Delete(d.events, 0, i+1)
			d.written = len(d.events)
			return
		}
	}
}

// Prime returns an event without a message, which gives the client an id.
func (c *Conn) Prime(r *Request) Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Event{ID: c.number(r).id(), Prime: true}
}

// keep keeps a request's stream. mu must be held.
func (c *Conn) keep(r *Request) {
	c.streams.kept = append(c.streams.kept, r)
	if r.direct.over {
		c.expire(r)
	}
	c.streams.keepLess()
}

// keepLess drops the older streams that are answered if there are too many.
func (s *streams) keepLess() {
	bytes, streams := 0, 0
	for _, r := range slices.Backward(slices.Clone(s.kept)) {
		d := r.direct
		bytes += d.size()
		streams++
		if d.over && !d.reading && streams > 1 && (streams > KeptStreams || bytes > KeptBytes) {
			s.drop(r)
		}
	}
}

// bytes returns the size of all kept streams.
func (s *streams) bytes() (n int) {
	for _, r := range s.kept {
		n += r.direct.size()
	}
	return n
}

// size returns the size of a stream in bytes.
func (d *direct) size() (n int) {
	for _, e := range d.events {
		n += e.Size()
	}
	if d.answer != nil {
		n += d.answer.Size()
	}
	return n
}

// drop deletes a kept stream.
func (s *streams) drop(r *Request) {
	s.kept = slices.DeleteFunc(s.kept, func(is *Request) bool { return is == r })
	if r.direct.expiry != nil {
		r.direct.expiry.Stop()
	}
}

// expire drops an answered stream after [KeptFor], or at once if nobody may resume it. mu must be held.
func (c *Conn) expire(r *Request) {
	switch {
	case r.muted || c.stopping:
		c.streams.drop(r)
	case r.direct.stream != 0:
		r.direct.expiry = time.AfterFunc(KeptFor, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.streams.drop(r)
		})
		c.streams.keepLess()
	}
}

// Resume continues a broken stream on a new response, after the event with this id. It returns nil if the stream is
// not kept.
func (c *Conn) Resume(lastID string) (*Request, Wakeup) {
	stream, seq, ok := parseCallEvent(lastID)
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.streams.kept, func(r *Request) bool { return r.direct.stream == stream })
	if !ok || i < 0 {
		return nil, nil
	}
	r := c.streams.kept[i]
	d := r.direct
	close(d.ready) // the response that waits on it has a broken connection
	d.ready, d.reading = make(chan struct{}, 1), true
	for d.written > 0 && d.events[d.written-1].event.seq > seq {
		d.written--
	}
	if d.over {
		c.handing[r] = true
	}
	if d.unread != nil {
		c.read(*d.unread)
		d.unread = nil
	}
	signal(d.ready)
	return r, d.ready
}

func parseCallEvent(id string) (stream, seq int, ok bool) {
	rest, is := strings.CutPrefix(id, callEvent)
	first, second, found := strings.Cut(rest, "-")
	stream, err := strconv.Atoi(first)
	seq, err2 := strconv.Atoi(second)
	return stream, seq, is && found && err == nil && err2 == nil && stream > 0
}
