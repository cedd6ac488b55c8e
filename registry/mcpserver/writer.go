package mcpserver

import (
	"bufio"
	"fmt"
	"io"
)

// One goroutine at a time writes to the client: the session's writer, or one
// that has just answered a request, which spares the answer a wake-up. Those
// that must not wait for a client, such as the registry actor, only queue and
// wake the writer.

// start gives the outbox its stream. It is called once, before anything is written.
func (o *outbox) start(out io.Writer) { o.out = bufio.NewWriterSize(out, 64<<10) }

// write is the session's writer. It returns when the outbox is closed and
// empty, or at the first error.
func (o *outbox) write() error {
	for {
		o.flush()
		if over, err := o.finished(); over {
			return err
		}
		<-o.wake
	}
}

// awaken makes the writer look.
func (o *outbox) awaken() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wakeWriter()
}

// flush writes what is queued, unless another goroutine is at it: that one
// sees to the rest. It waits for a client that doesn't read.
func (o *outbox) flush() {
	for {
		batch := o.beginWriting()
		if batch == nil {
			return
		}
		for _, e := range batch {
			// Errors stick to the writer and come out of Flush.
			o.out.Write(e.Head)
			o.out.Write(e.Body)
			o.out.WriteString("}\n")
		}
		err := o.out.Flush()
		if err != nil {
			err = fmt.Errorf("writing to the client: %w", err)
		}
		o.endWriting(batch, err)
	}
}

// beginWriting takes what is to be written now, or nil if there is nothing or
// another goroutine is writing.
func (o *outbox) beginWriting() []*entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.writing || o.failure != nil {
		return nil
	}
	batch := o.take()
	if len(batch) == 0 {
		return nil
	}
	o.writing = true
	return batch
}

func (o *outbox) endWriting(batch []*entry, err error) {
	clear(batch)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writing = false
	if cap(batch) <= 4096 {
		o.spare = batch[:0]
	}
	if err != nil {
		o.failure = err
	}
	if o.closed || err != nil {
		o.wakeWriter()
	}
}

// finished says whether the writer may end.
func (o *outbox) finished() (over bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.writing {
		return false, nil // endWriting wakes us
	}
	return o.failure != nil || o.closed && len(o.queue) == 0, o.failure
}
