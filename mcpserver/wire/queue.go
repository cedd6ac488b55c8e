package wire

import (
	"bufio"
	"fmt"
	"io"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/sanitize"
)

// maxQueuedBytes is how much may wait for a client that doesn't read before
// its input is no longer read either.
const maxQueuedBytes = 64 << 20

// entry is one outgoing message.
type entry struct {
	jsonrpc.Frame
	progressOf *Request // not nil: a progress notification of that request
	event      event    // over HTTP
}

// queue are the messages that are to be written to the client.
type queue struct {
	waiting []*entry
	bytes   int
	closed  bool     // the writer ends when the queue is empty
	spare   []*entry // the space of the last batch

	out     *bufio.Writer // of stdio; belongs to the goroutine that writes
	writing bool          // a goroutine is writing
	failure error         // why nothing can be written any more

	wake chan struct{} // the writer has something to do; over HTTP the event stream's
	room chan struct{} // the writer took the queue
}

func (q *queue) push(e *entry) {
	q.waiting = append(q.waiting, e)
	q.bytes += e.Size()
}

// replace puts a newer message into a waiting one's place.
func (q *queue) replace(old, e *entry) {
	q.bytes += e.Size() - old.Size()
	*old = *e
}

func (q *queue) wakeWriter() { signal(q.wake) }

// signal puts a token into a channel that has room for one, unless there is one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take gives everything that is to be written now, into the space of the last
// batch. Notifications of changes come last, so that answers go first. mu must
// be held.
func (c *Conn) take() (batch []*entry) {
	q := &c.queue
	batch, q.waiting, q.bytes = q.waiting, q.spare[:0], 0
	q.spare = nil
	for _, e := range batch {
		if e.progressOf != nil {
			e.progressOf.progress = nil
		}
	}
	batch = append(batch, c.owed.take()...)
	signal(q.room)
	return batch
}

// Send queues a message that answers no request in flight.
func (c *Conn) Send(f jsonrpc.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue.push(&entry{Frame: f})
	c.queue.wakeWriter()
}

// Progress queues a progress notification of r. One that the writer hasn't
// taken yet is replaced: only the newest matters.
func (c *Conn) Progress(r *Request, f jsonrpc.Frame) {
	r = r.Whole()
	e := &entry{Frame: f, progressOf: r}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case r.over || r.muted:
	case r.direct != nil:
		r.direct.progress = e
		signal(r.direct.ready)
	case r.progress != nil:
		c.queue.replace(r.progress, e)
	default:
		r.progress = e
		c.queue.push(e)
		c.queue.wakeWriter()
	}
}

// hears says whether something reads what is queued. mu must be held.
func (c *Conn) hears() bool { return c.queue.out != nil || c.streams.events != nil }

// HasRoom says whether the client may ask for more. Where it may not, [Conn.Room]
// says when to ask again.
func (c *Conn) HasRoom() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue.waiting) < MaxConcurrent && c.queue.bytes < maxQueuedBytes
}

// Room has a token when the writer has taken the queue.
func (c *Conn) Room() <-chan struct{} { return c.queue.room }

// Close ends the writer once the queue is empty.
func (c *Conn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue.closed = true
	c.queue.wakeWriter()
}

// One goroutine at a time writes to the client: the session's writer, or one
// that has just answered a request, which spares the answer a wake-up. Those
// that must not wait for a client, such as the registry actor, only queue and
// wake the writer.

// Start gives the connection its stream. It is called once, before anything is
// written.
func (c *Conn) Start(out io.Writer) { c.queue.out = bufio.NewWriterSize(out, 64<<10) }

// Write is the session's writer. It returns when the connection is closed and
// its queue empty, or at the first error.
func (c *Conn) Write() error {
	for {
		c.Flush()
		if over, err := c.finished(); over {
			return err
		}
		<-c.queue.wake
	}
}

// Awaken makes the writer look.
func (c *Conn) Awaken() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue.wakeWriter()
}

// Flush writes what is queued, unless another goroutine is at it: that one
// sees to the rest. It waits for a client that doesn't read.
func (c *Conn) Flush() {
	for {
		batch := c.beginWriting()
		if batch == nil {
			return
		}
		out := c.queue.out
		for _, e := range batch {
			// Errors stick to the writer and come out of Flush.
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

// beginWriting takes what is to be written now, or nil if there is nothing or
// another goroutine is writing.
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

// finished says whether the writer may end.
func (c *Conn) finished() (over bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := &c.queue
	if q.writing {
		return false, nil // endWriting wakes us
	}
	return q.failure != nil || q.closed && len(q.waiting) == 0, q.failure
}

// cut shortens foreign text for use in a message.
func cut(s string, max int) string { return sanitize.Text(s, max) }
