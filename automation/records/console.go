package records

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// kind is the kind of event from which a console message is made.
type kind uint8

const (
	kindConsole kind = iota
	kindException
	kindLog
	kindIssue
)

// message is an entry of a ring: the event as it came, which is decoded only when somebody asks for it.
type message struct {
	kind    kind
	session string
	raw     json.RawMessage // nil once it is decoded
	repeats int             // how many equal messages followed
	decoded *Message
}

// raw returns a handler that keeps events of a kind without decoding them.
func raw(k kind) func(*Tab, json.RawMessage, string) {
	return func(t *Tab, params json.RawMessage, session string) { t.console(k, params, session) }
}

func (t *Tab) console(k kind, params json.RawMessage, session string) {
	if s := t.messages.newest(); s != nil && s.document == t.current().Seq && slices.Equal(s.of, t.SessionOrigins) &&
		s.value.repeatedBy(k, params, session) {
		s.value.repeats++
		return
	}
	m := &message{kind: k, session: session, raw: params}
	size := len(params)
	if size > maxEvent {
		m.decoded = t.decode(m)
		m.raw = nil
		size = m.decoded.size()
	}
	t.messages.add(t.current().Seq, size+entryCost, m, t.lostMessage).of = t.SessionOrigins
}

// entryCost is about how many bytes an entry takes in addition to its texts.
const entryCost = 160

// repeatedBy says whether an event says the same as m. Objects have other ids each time, so only messages of plain
// values are recognized here. Lists group the others.
func (m *message) repeatedBy(k kind, params json.RawMessage, session string) bool {
	return m.kind == k && m.session == session && m.raw != nil && k == kindConsole &&
		len(m.raw) < 4096 && sameBut(m.raw, params, []byte(`,"timestamp":`))
}

// sameBut compares two objects as Chromium writes them, ignoring one number. In a text, the quotes of the key would
// be escaped, so a match of key is always a key.
func sameBut(a, b, key []byte) bool {
	i := bytes.Index(a, key)
	if i < 0 || i+len(key) > len(b) || !bytes.Equal(a[:i+len(key)], b[:i+len(key)]) {
		return false
	}
	return bytes.Equal(afterNumber(a[i+len(key):]), afterNumber(b[i+len(key):]))
}

func afterNumber(b []byte) []byte {
	return bytes.TrimLeft(b, "0123456789.eE+-")
}

// Message is a console message, an uncaught error, a log entry of the browser, or an issue.
type Message struct {
	ID       int
	Type     string // one of [MessageTypes]
	Text     string
	Count    int      // how many equal messages came one after the other
	Source   string   // "exception", or the source in Chrome's log: "network", "security" …
	Args     []string // all arguments, unless Text has them all
	Time     float64  // when the first one came, in milliseconds since 1970
	Document int
	Place    // where the message was written
	Stack    []Call
	Omitted  int    // how many calls are left out of Stack
	Request  int    // the reqid of the request that it is about
	Worker   Worker // the worker that wrote it, if one did
	Cause    string // the beginning of the error that caused an uncaught error
	Nodes    []Node // the elements that an issue is about

	request string // the request's id in CDP
}

// Place is a place in a script or page.
type Place struct {
	URL    string
	Line   int // from 1; 0 is unknown
	Column int // from 1; 0 is unknown
}

// Worker is a worker: its kind ("worker" or "service worker") and the address of its script.
type Worker struct {
	Kind string
	URL  string
}

// Node is an element, as CDP names it.
type Node struct {
	Session string
	Backend int
}

// MessageTypes are the types by which messages can be filtered, as in chrome-devtools-mcp.
var MessageTypes = strings.Fields(`log debug info error warn dir dirxml table trace clear startGroup
	startGroupCollapsed endGroup assert profile profileEnd count timeEnd verbose issue`)

func (m *Message) size() int {
	n := len(m.Text) + len(m.URL) + len(m.Worker.URL) + len(m.Cause)
	for _, a := range m.Args {
		n += len(a) + 16
	}
	for _, c := range m.Stack {
		n += len(c.Function) + len(c.URL) + 48
	}
	return n
}

// read decodes an entry that somebody asks for, and drops the event. The caller then trims the ring.
func (t *Tab) read(s *slot[*message]) *Message {
	m := s.value
	if m.decoded == nil {
		m.decoded = t.decode(m)
		m.raw = nil
		t.messages.bytes -= s.size
		s.size = m.decoded.size() + entryCost
		t.messages.bytes += s.size
	}
	return m.decoded
}

func (t *Tab) decode(m *message) *Message {
	out := &Message{}
	var err error
	switch m.kind {
	case kindConsole:
		err = decodeConsole(m.raw, out)
	case kindException:
		err = decodeException(m.raw, out)
	case kindLog:
		err = decodeLog(m.raw, out)
	case kindIssue:
		err = decodeIssue(m.raw, out, m.session)
	}
	if err != nil {
		*out = Message{Type: "verbose", Text: "(a message that the hub can't read)"}
	}
	if t.Redact != nil {
		out.redactURLs(t.Redact, m.kind != kindConsole)
	}
	return out
}

// redactURLs replaces each address in the message by what redact returns. In text that the page itself wrote,
// addresses stay as they are.
func (m *Message) redactURLs(redact func(url string) string, browsers bool) {
	m.URL, m.Worker.URL = redact(m.URL), redact(m.Worker.URL)
	for i := range m.Stack {
		m.Stack[i].URL = redact(m.Stack[i].URL)
	}
	if !browsers {
		return
	}
	for _, text := range []*string{&m.Text, &m.Cause} {
		*text = address.ReplaceAllStringFunc(*text, redact)
	}
	for i, a := range m.Args {
		m.Args[i] = address.ReplaceAllStringFunc(a, redact)
	}
}

// address matches an address in a text.
var address = regexp.MustCompile(`\b(?:blob:|filesystem:|view-source:)?(?:https?|wss?|file)://[^\s"'<>]+`)

func decodeConsole(raw json.RawMessage, out *Message) error {
	var p struct {
		Type       string
		Args       []remoteObject
		Timestamp  float64
		StackTrace *stackTrace
		Worker     Worker
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	out.Type, out.Time = p.Type, p.Timestamp
	out.Worker = p.Worker.clipped()
	if out.Type == "warning" {
		out.Type = "warn"
	}
	out.Text = format(p.Args)
	if len(p.Args) > 1 || len(p.Args) == 1 && p.Args[0].Type == "object" {
		out.Args = renderAll(p.Args)
	}
	out.stackFrom(p.StackTrace)
	return nil
}

func (w Worker) clipped() Worker { return Worker{w.Kind, clip(w.URL, maxURL)} }

// renderAll renders a message's arguments, as many as there is room for.
func renderAll(args []remoteObject) (texts []string) {
	room := maxArgs
	for i, a := range args {
		if room <= 0 {
			return append(texts, fmt.Sprintf("… and %d more", len(args)-i))
		}
		text := a.render(maxArg, false)
		texts = append(texts, text)
		room -= len(text) + 16 // also counts the overhead of an argument
	}
	return texts
}

func decodeException(raw json.RawMessage, out *Message) error {
	var p struct {
		Timestamp        float64
		Worker           Worker
		ExceptionDetails struct {
			Text                     string
			LineNumber, ColumnNumber int
			URL                      string
			StackTrace               *stackTrace
			Exception                *remoteObject
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	d := p.ExceptionDetails
	out.Worker = p.Worker.clipped()
	out.Type, out.Source, out.Time = "error", "exception", p.Timestamp
	out.Text = d.Text
	if d.Exception != nil {
		out.Text += " " + firstLines(d.Exception.render(maxText, true))
		out.Cause = d.Exception.cause()
	}
	out.Text = clip(out.Text, maxText)
	out.URL, out.Line, out.Column = clip(d.URL, maxURL), d.LineNumber+1, d.ColumnNumber+1
	out.stackFrom(d.StackTrace)
	if len(out.Stack) == 0 && d.Exception != nil {
		out.stackFromText(d.Exception.Description)
	}
	return nil
}

// entryAdded records an entry of Chrome's log. Entries with the source "worker" repeat what workers log, which comes
// from the workers' own sessions, too.
func (t *Tab) entryAdded(params json.RawMessage, session string) {
	if !bytes.Contains(params, []byte(`"source":"worker"`)) { // in a text, its quotes would be escaped
		raw(kindLog)(t, params, session)
	}
}

func decodeLog(raw json.RawMessage, out *Message) error {
	var p struct {
		Entry struct {
			Source, Level, Text, URL, NetworkRequestID string
			Timestamp                                  float64
			LineNumber                                 *int
			StackTrace                                 *stackTrace
			Args                                       []remoteObject
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	e := p.Entry
	out.Type, out.Source, out.Time = e.Level, e.Source, e.Timestamp
	if out.Type == "warning" {
		out.Type = "warn"
	}
	out.Text, out.URL, out.request = clip(e.Text, maxText), clip(e.URL, maxURL), e.NetworkRequestID
	if e.LineNumber != nil {
		out.Line = *e.LineNumber + 1
	}
	out.Args = renderAll(e.Args)
	out.stackFrom(e.StackTrace)
	return nil
}
