package wire

import (
	"bufio"
	"fmt"
	"io"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// maxQueuedBytes is how many bytes may wait for a client that doesn't read before the hub stops reading its input.
const maxQueuedBytes = 64 << 20

// entry is one outgoing message.
type entry struct {
	jsonrpc.Frame
	progressOf *Request // not nil: it is a progress notification of this request
	event      event    // only over HTTP
}

// queue holds the messages that are to be written to the client.
type queue struct {
	waiting []*entry
	bytes   int
	closed  bool     // the writer ends when the queue is empty
	spare   []*entry // the memory of the last batch

	out     *bufio.Writer // for stdio; belongs to the goroutine that writes
	writing bool          // a goroutine is writing
	failure error         // why nothing can be written any more

	wake chan struct{} // wakes the writer; over HTTP it belongs to the event stream
	room chan struct{} // holds a token when the writer has taken the queue
}

func (q *queue) push(e *entry) {
	q.waiting = append(q.waiting, e)
	q.bytes += e.Size()
}

// send queues a message and wakes the writer.
func (q *queue) send(f jsonrpc.Frame) {
	q.push(&entry{Frame: f})
	q.wakeWriter()
}

func (q *queue) wakeWriter() { signal(q.wake) }

// signal puts a token into a channel that has room for one, unless it holds one already.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take returns everything that is to be written now. It reuses the memory of the last batch. Notifications of changes
// come last, so that answers are sent first. mu must be held.
func (c *Conn) take() (batch []*entry) {
	q := &c.queue
	batch, q.waiting, q.bytes = q.waiting, q.spare[:0], 0
	q.spare = nil
	for _, e := range batch {
		if e.progressOf != nil {
			e.progressOf.progress = nil
		}
	}
	batch = append(batch, c.pending.take()...)
	signal(q.room)
	return batch
}

// Send queues a message that doesn't answer a request in flight.
func (c *Conn) Send(f jsonrpc.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue.send(f)
}

// Progress queues a progress notification of r. It replaces one that the writer hasn't taken yet, because only the
// newest matters.
func (c *Conn) Progress(r *Request, f jsonrpc.Frame) {
	r = r.Whole()
	e := &entry{Frame: f, progressOf: r}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case r.over || r.muted:
	case r.direct != nil:
		if r.direct.streams {
			r.direct.add(e)
		}
	case r.progress != nil:
		c.queue.bytes += e.Size() - r.progress.Size()
		*r.progress = *e
	default:
		r.progress = e
		c.queue.push(e)
		c.queue.wakeWriter()
	}
}

// hears reports whether a writer or an event stream takes the queued messages. mu must be held.
func (c *Conn) hears() bool { return c.queue.out != nil || c.streams.events != nil }

// HasRoom reports whether the client may send more requests. If not, [Conn.Room] says when to check again.
func (c *Conn) HasRoom() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue.waiting) < MaxConcurrent && c.queue.bytes < maxQueuedBytes
}

// Room returns a channel that holds a token when the writer has taken the queue.
func (c *Conn) Room() <-chan struct{} { return c.queue.room }

// Close ends the writer once the queue is empty.
func (c *Conn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue.closed = true
	c.queue.wakeWriter()
}

// One goroutine at a time writes to the client: the session's writer, or a goroutine that has just answered a
// request, which saves a wake-up of the writer. Goroutines that must not wait for a client, such as the registry
// actor, only queue messages and wake the writer.

// Start sets the stream to write to. It is called once, before anything is written.
func (c *Conn) Start(out io.Writer) { c.queue.out = bufio.NewWriterSize(out, 64<<10) }

// Write is the session's writer. It returns when the connection is closed and its queue empty, or at the first error.
func (c *Conn) Write() error {
	for {
		c.Flush()
		if over, err := c.finished(); over {
			return err
		}
		<-c.queue.wake
	}
}

// Awaken wakes the writer.
func (c *Conn) Awaken() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue.wakeWriter()
}

// Flush writes what is queued, unless another goroutine is writing: that one writes the rest. Flush blocks while the
// client doesn't read.
func (c *Conn) Flush() {
	for {
		batch := c.beginWriting()
		if batch == nil {
			return
		}
		out := c.queue.out
		for _, e := range batch {
			// Errors stick to the writer and are returned by its Flush.
			out.Write(e.Head)
			out.Write(e.Body)
			out.WriteString("}\n")
		}
		err := out.Flush()
		if err != nil {
			err = fmt.Errorf("writing to the client: %w", err)
		}
		c.endWriting(batch, err)
	}
}

// beginWriting takes what is to be written now. It returns nil if there is nothing, or if another goroutine is
// writing.
func (c *Conn) beginWriting() []*entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queue.writing || c.queue.failure != nil {
		return nil
	}
	batch := c.take()
	if len(batch) == 0 {
		return nil
	}
	c.queue.writing = true
	return batch
}

func (c *Conn) endWriting(batch []*entry, err error) {
	clear(batch)
	c.mu.Lock()
	defer c.mu.Unlock()
	q := &c.queue
	q.writing = false
	if cap(batch) <= 4096 {
		q.spare = batch[:0]
	}
	if err != nil {
		q.failure = err
	}
	if q.closed || err != nil {
		q.wakeWriter()
	}
}

// finished reports whether the writer may end.
func (c *Conn) finished() (over bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := &c.queue
	if q.writing {
		return false, nil // endWriting wakes the writer
	}
	return q.failure != nil || q.closed && len(q.waiting) == 0, q.failure
}

// cut shortens text from a page or a client for use in a message.
func cut(s string, max int) string { return sanitize.Text(s, max) }

// maxLogged is how many messages may wait for a client before further log messages are dropped.
const maxLogged = 256

// Log queues a log message if the client is ready for it and reads its messages.
func (c *Conn) Log(f jsonrpc.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending.ready && c.hears() && len(c.queue.waiting) < maxLogged {
		c.queue.send(f)
	}
}

// WantsLogs notes that the client wants the log messages of documents while they carry out r, from this severity on; 0
// is the least. (In protocol 2026-07-28 each request names a severity of its own.)
func (c *Conn) WantsLogs(r *Request, severity int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.logs = severity + 1
}

// LogDuring sends a document's log message for those requests that the document is carrying out and that want
// messages of this severity. It reports whether there were any.
func (c *Conn) LogDuring(at registry.DocumentRef, severity int, f jsonrpc.Frame) bool {
	var elsewhere []*Rounds
	c.mu.Lock()
	sent := false
	for _, whole := range c.inflight {
		wants := false
		whole.asking(func(r *Request) { wants = wants || r.inquiry.at == at })
		switch {
		case !wants || whole.logs == 0 || severity < whole.logs-1:
			continue
		case whole.rounds != nil:
			elsewhere = append(elsewhere, whole.rounds)
		default:
			c.logTo(whole, f)
			sent = true
		}
	}
	c.mu.Unlock()
	for _, rounds := range elsewhere {
		if conn, r, _ := rounds.now(); conn != nil { // a round is waiting
			conn.mu.Lock()
			conn.logTo(r, f)
			conn.mu.Unlock()
			sent = true
		}
	}
	return sent
}

// logTo sends a log message that belongs to a request. mu must be held.
func (c *Conn) logTo(r *Request, f jsonrpc.Frame) {
	switch d := r.direct; {
	case r.over || r.muted:
	case d != nil && d.streams && d.hasRoom():
		d.add(&entry{Frame: f})
	case d == nil && c.hears() && len(c.queue.waiting) < maxLogged:
		c.queue.send(f)
	}
}
