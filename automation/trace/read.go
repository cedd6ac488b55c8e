package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Event is one event of a trace.
type Event struct {
	Name     string
	Phase    string
	PID, TID int
	TS, Dur  int64 // microseconds
	raw      []byte
}

// decode decodes the event's id and arguments.
func (e *Event) decode(into any) error { return json.Unmarshal(e.raw, into) }

// maxEvent bounds the events that are kept, in bytes. Longer ones, such as sources of scripts and screenshots, are
// skipped.
const maxEvent = 1 << 20

// Stats says what was read.
type Stats struct {
	Events   int
	Oversize int  // how many events were skipped because of their length
	Cut      bool // the trace ends early
}

// Read reads a trace, which is an array of events or an object with traceEvents. It calls handle for each event; the
// event is valid until handle returns. If the JSON ends early, for example because the browser was killed, that is no
// error: Stats says so.
func Read(from io.Reader, handle func(*Event)) (Stats, error) {
	in := bufio.NewReaderSize(from, 256<<10)
	if head, _ := in.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return Stats{}, fmt.Errorf("read the trace: %w", err)
		}
		in = bufio.NewReaderSize(unzipped, 256<<10)
	}
	r := &reader{in: in, handle: handle}
	err := r.file()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		r.Cut, err = true, nil
	}
	if err != nil {
		err = fmt.Errorf("read the trace: %w", err)
	}
	return r.Stats, err
}

// reader splits JSON into the events of a trace. A decoder of encoding/json would hold the longest event, whatever its
// length.
type reader struct {
	in     *bufio.Reader
	handle func(*Event)
	buf    []byte // the last value, see value
	Stats
}

// token returns the next byte that isn't a space.
func (r *reader) token() (byte, error) {
	for {
		b, err := r.in.ReadByte()
		if err != nil || b > ' ' {
			return b, err
		}
	}
}

func (r *reader) file() error {
	switch b, err := r.token(); {
	case err != nil:
		return err
	case b == '[':
		return r.events()
	case b != '{':
		return errors.New("it is neither an array nor an object of JSON")
	}
	for {
		switch b, err := r.token(); {
		case err != nil || b == '}':
			return err
		case b == ',' || b == ':':
		case b == '[' && string(r.buf) == `"traceEvents"`: // the last value was the member's name
			if err := r.events(); err != nil {
				return err
			}
		default:
			if err := r.value(b); err != nil {
				return err
			}
		}
	}
}

// events reads an array of events, after its bracket.
func (r *reader) events() error {
	for {
		b, err := r.token()
		switch {
		case err != nil || b == ']':
			return err
		case b == ',':
			continue
		case b != '{':
			return fmt.Errorf("%q stands where an event should begin", b)
		}
		if err := r.value(b); err != nil {
			return err
		}
		r.Events++
		if len(r.buf) > maxEvent {
			r.Oversize++
			continue
		}
		var head struct {
			Name, Ph          string
			PID, TID, TS, Dur float64
		}
		if json.Unmarshal(r.buf, &head) == nil && head.Name != "" {
			r.handle(&Event{head.Name, head.Ph, int(head.PID), int(head.TID), int64(head.TS), int64(head.Dur), r.buf})
		}
	}
}

// value reads the value that begins with the byte b into buf, at most maxEvent bytes of it and one more.
func (r *reader) value(b byte) (err error) {
	r.buf = r.buf[:0]
	for depth, quoted, escaped := 0, false, false; ; {
		if len(r.buf) <= maxEvent {
			r.buf = append(r.buf, b)
		}
		switch {
		case escaped:
			escaped = false
		case b == '"':
			quoted = !quoted
		case quoted:
			escaped = b == '\\'
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			depth--
		}
		if depth <= 0 && !quoted {
			if strings.IndexByte(`"}]`, b) >= 0 {
				return nil
			}
			next, err := r.in.Peek(1) // a number, true, false or null goes on until something else begins
			if err != nil || strings.IndexByte(",}] \n\r\t", next[0]) >= 0 {
				return err
			}
		}
		if b, err = r.in.ReadByte(); err != nil {
			return err
		}
	}
}
