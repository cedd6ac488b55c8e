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
	Name     string
	Phase    byte
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
	Bytes    int64 // the length of the JSON
	Oversize int   // how many events were skipped because of their length
	Cut      bool  // the trace ends early
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
		if r.Events == 0 && r.Bytes == 0 {
			return r.Stats, errors.New("read the trace: it is empty")
		}
		r.Cut, err = true, nil
	}
	if err != nil {
		err = fmt.Errorf("read the trace: %w", err)
	}
	return r.Stats, err
}

// reader splits JSON as far as necessary.
type reader struct {
	in     *bufio.Reader
	handle func(*Event)
	buf    []byte
	event  Event
	Stats
}

func (r *reader) next() (byte, error) {
	b, err := r.in.ReadByte()
	if err == nil {
		r.Bytes++
	}
	return b, err
}

// token returns the next byte that isn't a space.
func (r *reader) token() (byte, error) {
	for {
		b, err := r.next()
		if err != nil || b > ' ' {
			return b, err
		}
	}
}

func (r *reader) file() error {
	b, err := r.token()
	switch {
	case err != nil:
		return err
	case b == '[':
		return r.events()
	case b != '{':
		return errors.New("it is neither an array nor an object of JSON")
	}
	for {
		b, err := r.token()
		if err != nil {
			return err
		}
		switch b {
		case '}':
			return nil
		case ',':
			continue
		case '"':
		default:
			return fmt.Errorf("%q at byte %d is no JSON", b, r.Bytes)
		}
		if err := r.member(); err != nil {
			return err
		}
	}
}

// member reads one member of the file's object, after its first quote.
func (r *reader) member() error {
	r.buf = append(r.buf[:0], '"')
	if err := r.text(); err != nil {
		return err
	}
	key := string(r.buf)
	if b, err := r.token(); err != nil || b != ':' {
		return orBad(err, b, r.Bytes)
	}
	b, err := r.token()
	if err != nil {
		return err
	}
	if key == `"traceEvents"` && b == '[' {
		return r.events()
	}
	return r.value(b, nil)
}

func orBad(err error, b byte, at int64) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("%q at byte %d is no JSON", b, at)
}

// events reads an array of events, after its bracket.
func (r *reader) events() error {
	for {
		b, err := r.token()
		switch {
		case err != nil:
			return err
		case b == ']':
			return nil
		case b == ',':
			continue
		case b != '{':
			return orBad(nil, b, r.Bytes)
		}
		var f fields
		if err := r.value(b, &f); err != nil {
			return err
		}
		r.Events++
		if len(r.buf) > maxEvent {
			r.Oversize++
			continue
		}
		if r.fill(&f) {
			r.handle(&r.event)
		}
	}
}

// text reads the rest of a string into buf, with its closing quote.
func (r *reader) text() error {
	for {
		part, err := r.in.ReadSlice('"')
		r.Bytes += int64(len(part))
		r.keep(part)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return err
		}
		slashes := 0 // backslashes before the quote
		for i := len(part) - 2; i >= 0 && part[i] == '\\'; i-- {
			slashes++
		}
		if slashes%2 == 0 {
			return nil
		}
	}
}

// keep appends to buf, unless the event is too long already.
func (r *reader) keep(part []byte) {
	if len(r.buf) <= maxEvent {
		r.buf = append(r.buf, part...)
	}
}

// span is the position of a value in buf.
type span struct{ from, to int }

// fields has the positions of the members that are used before an event is decoded.
type fields struct{ name, ph, pid, tid, ts, dur span }

// of returns the field for a key, which is in quotes, or nil if the key isn't used.
func (f *fields) of(key []byte) *span {
	switch string(key) { // this conversion allocates nothing
	case `"name"`:
		return &f.name
	case `"ph"`:
		return &f.ph
	case `"pid"`:
		return &f.pid
	case `"tid"`:
		return &f.tid
	case `"ts"`:
		return &f.ts
	case `"dur"`:
		return &f.dur
	}
	return nil
}

// value reads a value that begins with the byte first into buf. It records the positions of an object's members for
// f.
func (r *reader) value(first byte, f *fields) error {
	r.buf = append(r.buf[:0], first)
	switch first {
	case '"':
		return r.text()
	case '{', '[':
	default:
		return r.scalar()
	}
	v := nesting{depth: 1, isKey: first == '{' && f != nil, fields: f, from: -1}
	for v.depth > 0 {
		part, err := r.in.Peek(max(1, r.in.Buffered()))
		if err != nil {
			return err
		}
		n, quoted := v.scan(part, r.buf)
		r.keep(part[:n])
		r.Bytes += int64(n)
		_, _ = r.in.Discard(n)
		if !quoted {
			continue
		}
		start := len(r.buf) - 1
		if err := r.text(); err != nil {
			return err
		}
		if v.depth == 1 && v.isKey {
			v.member, v.isKey = f.of(r.buf[min(start, len(r.buf)):]), false
		}
	}
	return nil
}

// nesting is the state of a reader inside a value.
type nesting struct {
	depth  int
	fields *fields
	isKey  bool  // the next string at depth 1 is a key
	member *span // the member at depth 1, if it is used
	from   int   // where the member's value begins in buf; -1 if it hasn't begun
}

// scan skips bytes that aren't in a string, up to and including a quote or the value's end, and returns how many it
// has skipped. buf is what came before.
func (v *nesting) scan(part, buf []byte) (n int, quoted bool) {
	for i, b := range part {
		switch b {
		case '"':
			return i + 1, true
		case ':':
			if v.depth == 1 && v.from < 0 {
				v.from = len(buf) + i + 1
			}
		case '{', '[':
			v.depth++
		case '}', ']':
			if v.depth--; v.depth == 0 {
				v.endMember(len(buf) + i)
				return i + 1, false
			}
		case ',':
			if v.depth == 1 {
				v.endMember(len(buf) + i)
			}
		}
	}
	return len(part), false
}

func (v *nesting) endMember(at int) {
	if v.member != nil && v.from >= 0 {
		*v.member = span{v.from, at}
	}
	v.member, v.from, v.isKey = nil, -1, v.fields != nil
}

// scalar reads a number, true, false or null.
func (r *reader) scalar() error {
	for {
		next, err := r.in.Peek(1)
		if err != nil {
			return err
		}
		switch next[0] {
		case ',', '}', ']', ' ', '\n', '\r', '\t':
			return nil
		}
		_, _ = r.next()
	}
}

// fill makes an event from the fields. It returns false if there is no name.
func (r *reader) fill(f *fields) bool {
	name := r.part(f.name)
	if len(name) < 2 || name[0] != '"' {
		return false
	}
	r.event = Event{Name: known(name[1 : len(name)-1]), PID: int(r.number(f.pid)), TID: int(r.number(f.tid)),
		TS: r.number(f.ts), Dur: r.number(f.dur), raw: r.buf}
	if ph := r.part(f.ph); len(ph) == 3 {
		r.event.Phase = ph[1]
	}
	return true
}

func (r *reader) part(s span) []byte {
	if s.to > len(r.buf) {
		return nil
	}
	return bytes.TrimSpace(r.buf[s.from:s.to])
}

func (r *reader) number(s span) int64 {
	b := r.part(s)
	if len(b) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		x, _ := strconv.ParseFloat(string(b), 64)
		n = int64(x)
	}
	return n
}

// known returns the name of an event that has a handler, and "" for all others. So no string is allocated for each of
// a million events.
func known(name []byte) string {
	for _, n := range namesOf[len(name)%len(namesOf)] {
		if string(name) == n {
			return n
		}
	}
	return ""
}
