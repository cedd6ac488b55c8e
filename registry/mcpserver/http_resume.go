package mcpserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A session's request goes on when the connection on which it is to be answered
// breaks: MCP has clients cancel by notifications/cancelled. (Protocol 2026-07-28
// has neither sessions nor this: there a closed stream cancels.) The events of its
// stream have ids, and a client that comes back with the last one that it got, by
// Last-Event-ID, gets what came after it.

// Bounds of what is kept for clients that come back.
const (
	// keptFor is how long an answer is kept.
	keptFor = 5 * time.Minute
	// keptStreams is how many streams of a session are, and keptBytes how large
	// they may be together, but for the newest. It bounds each of them, too, but for
	// its last event.
	keptStreams = 32
	keptBytes   = 8 << 20
	// keptEvents is how many events of a stream are. Of progress it is the newest.
	keptEvents = 64
	// primeAfter is how long an answer may take before its stream is begun, with
	// an id by which the client can come back.
	primeAfter = time.Second

	callEvent = "call-" // begins the ids of these streams' events
)

// number gives an event its id and keeps it. mu must be held.
func (o *outbox) number(r *request, e *entry) {
	d := r.direct
	if d.stream == 0 {
		o.lastStream++
		d.stream = o.lastStream
		o.keep(r)
	}
	d.seq++
	e.seq, e.id = d.seq, fmt.Sprint(callEvent, d.stream, "-", d.seq)
	if e.progressOf != nil {
		d.sent = slices.DeleteFunc(d.sent, func(old *entry) bool { return old.progressOf != nil })
	}
	d.sent = append(d.sent, e)
	bytes := 0
	for i, old := range slices.Backward(d.sent) {
		if bytes += old.Size(); i < len(d.sent)-1 && bytes > keptBytes || len(d.sent)-i > keptEvents {
			d.sent = slices.Delete(d.sent, 0, i+1)
			break
		}
	}
}

// prime gives an event without a message, which tells the client an id before
// there is anything else to say.
func (o *outbox) prime(r *request) *entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	e := &entry{prime: true}
	o.number(r, e)
	return e
}

// keep keeps a request's stream. mu must be held.
func (o *outbox) keep(r *request) {
	o.kept = append(o.kept, r)
	if r.direct.over {
		o.expire(r)
	}
	o.keepLess()
}

// keepLess lets go of the older streams that are answered, where there are too
// many. mu must be held.
func (o *outbox) keepLess() {
	bytes, streams := 0, 0
	for _, r := range slices.Backward(slices.Clone(o.kept)) {
		d := r.direct
		for _, e := range d.sent {
			bytes += e.Size()
		}
		if d.answer != nil {
			bytes += d.answer.Size()
		}
		streams++
		if d.over && !d.reading && streams > 1 && (streams > keptStreams || bytes > keptBytes) {
			o.drop(r)
		}
	}
}

// drop lets go of a stream. mu must be held.
func (o *outbox) drop(r *request) {
	o.kept = slices.DeleteFunc(o.kept, func(is *request) bool { return is == r })
	if r.direct.expiry != nil {
		r.direct.expiry.Stop()
	}
}

// expire lets go of an answered stream after a while, at once if nobody may ask
// for it. mu must be held.
func (o *outbox) expire(r *request) {
	switch {
	case r.muted || o.stopping:
		o.drop(r)
	case r.direct.stream != 0:
		r.direct.expiry = time.AfterFunc(keptFor, func() {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.drop(r)
		})
		o.keepLess()
	}
}

// resume has a new response go on where the last one of its stream broke: after
// the event of that id. It gives nil if nothing is known of that.
func (o *outbox) resume(lastID string) (*request, chan struct{}) {
	stream, seq, ok := parseCallEvent(lastID)
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.kept, func(r *request) bool { return r.direct.stream == stream })
	if !ok || i < 0 {
		return nil, nil
	}
	r := o.kept[i]
	d := r.direct
	close(d.ready) // whoever reads it has a connection that broke
	d.ready, d.reading = make(chan struct{}, 1), true
	d.again = slices.DeleteFunc(slices.Clone(d.sent), func(e *entry) bool { return e.seq <= seq })
	if d.over {
		o.handing[r] = true
	}
	if d.unread != nil {
		o.views.saw(d.unread.seen)
		o.offers.saw(d.unread.offers)
		d.unread = nil
	}
	d.wake()
	return r, d.ready
}

func parseCallEvent(id string) (stream, seq int, ok bool) {
	rest, is := strings.CutPrefix(id, callEvent)
	first, second, found := strings.Cut(rest, "-")
	stream, err := strconv.Atoi(first)
	seq, err2 := strconv.Atoi(second)
	return stream, seq, is && found && err == nil && err2 == nil && stream > 0
}

// left says that a response reads no more: it is written, or its connection broke.
// One that another has taken the place of has nothing to say.
func (o *outbox) left(r *request, ready chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r.direct.ready != ready {
		return
	}
	r.direct.reading = false
	delete(o.handing, r)
	o.notice.answered(r)
	o.wakeWriter()
}
