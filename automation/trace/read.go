package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Event is one event of a trace.
type Event struct {
	Name  []byte // as the JSON has it, without its quotes
	Phase []byte // likewise
	moment
	raw []byte
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

// reader splits JSON into the events of a trace, and their members. A decoder of encoding/json would hold the longest
// event, whatever its length, and decoding each event takes five times as long.
type reader struct {
	in     *bufio.Reader
	handle func(*Event)
	buf    []byte // the last value, see value
	marks  []int  // where its bracket, and the colons and commas of its members, are in buf, and its end
	event  Event
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
		case b == '[' && string(r.buf) == `"traceEvents"`: // the last value was the member's name
			if err := r.events(); err != nil {
				return err
			}
		case b == '"' || b == '{' || b == '[': // anything else is passed over
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
		} else if r.fill(); len(r.event.Name) > 0 {
			r.handle(&r.event)
		}
	}
}

// value reads the string, object or array that begins with the byte b into buf, if it isn't too long.
func (r *reader) value(b byte) error {
	r.buf, r.marks = append(r.buf[:0], b), append(r.marks[:0], 0)
	if b == '"' {
		return r.text()
	}
	for depth := 1; depth > 0; {
		part, err := r.in.Peek(max(1, r.in.Buffered()))
		if err != nil {
			return err
		}
		n := 0
		for b = 0; n < len(part) && b != '"' && depth > 0; n++ {
			b = part[n]
			switch b {
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			if (depth == 1 && (b == ':' || b == ',') || depth == 0) && len(r.buf) <= maxEvent {
				r.marks = append(r.marks, len(r.buf)+n)
			}
		}
		r.keep(part[:n])
		_, _ = r.in.Discard(n)
		if b == '"' {
			if err := r.text(); err != nil {
				return err
			}
		}
	}
	return nil
}

// text reads the rest of a string, with its closing quote.
func (r *reader) text() error {
	for slashes := 0; ; { // backslashes before what comes next
		part, err := r.in.ReadSlice('"')
		r.keep(part)
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		before := bytes.TrimSuffix(part, []byte{'"'})
		if rest := len(bytes.TrimRight(before, `\`)); rest > 0 {
			slashes = len(before) - rest
		} else {
			slashes += len(before)
		}
		if err == nil {
			if slashes%2 == 0 {
				return nil
			}
			slashes = 0
		}
	}
}

// keep appends to buf, unless the value is too long already.
func (r *reader) keep(part []byte) {
	if len(r.buf) <= maxEvent {
		r.buf = append(r.buf, part...)
	}
}

// fill makes an event of the members of the object in buf. A member that isn't as expected counts as missing.
func (r *reader) fill() {
	e := Event{raw: r.buf}
	for m := r.marks; len(m) > 2; m = m[2:] {
		name, value := bytes.TrimSpace(r.buf[m[0]+1:m[1]]), bytes.TrimSpace(r.buf[m[1]+1:m[2]])
		switch string(name) { // this conversion allocates nothing
		case `"name"`:
			e.Name = quoted(value)
		case `"ph"`:
			e.Phase = quoted(value)
		case `"pid"`:
			e.PID = int(number(value))
		case `"tid"`:
			e.TID = int(number(value))
		case `"ts"`:
			e.TS = number(value)
		case `"dur"`:
			e.Dur = number(value)
		}
	}
	r.event = e
}

func quoted(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	return value[1 : len(value)-1]
}

func number(value []byte) int64 {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		x, _ := strconv.ParseFloat(string(value), 64)
		n = int64(x)
	}
	return n
}
