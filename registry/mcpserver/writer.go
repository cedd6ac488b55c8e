package mcpserver

import (
	"bufio"
	"fmt"
	"io"
)

// write is the session's only writer. It returns when the outbox is closed
// and empty, or at the first error.
func (o *outbox) write(out io.Writer) error {
	w := bufio.NewWriterSize(out, 64<<10)
	var spare []*entry
	for {
		batch, closed := o.take(spare)
		spare = batch // the outbox has the other one now
		if len(batch) == 0 {
			if closed {
				return nil
			}
			<-o.wake
			continue
		}
		for _, e := range batch {
			// Errors stick to the writer and come out of Flush.
			w.Write(e.head)
			w.Write(e.body)
			w.WriteString("}\n")
		}
		if err := w.Flush(); err != nil {
			return fmt.Errorf("writing to the client: %w", err)
		}
		clear(batch)
		if cap(batch) > 4096 {
			spare = nil
		}
	}
}
