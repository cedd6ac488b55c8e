package cdpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// memWire is a wire whose other end is the test.
type memWire struct {
	in, out chan []byte
	closed  chan struct{}
	once    sync.Once
}

func newMemWire() *memWire {
	return &memWire{in: make(chan []byte), out: make(chan []byte, 1000), closed: make(chan struct{})}
}

func (w *memWire) Read() ([]byte, error) {
	select {
	case b := <-w.in:
		return b, nil
	case <-w.closed:
		return nil, io.EOF
	}
}

func (w *memWire) Write(b []byte) error {
	select {
	case <-w.closed:
		return io.ErrClosedPipe
	case w.out <- append([]byte(nil), b...):
		return nil
	}
}

func (w *memWire) Close() error { w.once.Do(func() { close(w.closed) }); return nil }

func (w *memWire) say(format string, args ...any) { w.in <- fmt.Appendf(nil, format, args...) }

// command reads one command that the connection sent.
func (w *memWire) command(t *testing.T) (c struct {
	ID        int
	Method    string
	SessionID SessionID
	Params    json.RawMessage
}) {
	t.Helper()
	if err := json.Unmarshal(<-w.out, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// log is an inbox that remembers.
type log struct {
	mu   sync.Mutex
	all  []string
	more chan struct{}
}

func newLog() *log { return &log{more: make(chan struct{}, 10000)} }

func (l *log) in(m Message) {
	var s string
	switch m := m.(type) {
	case Event:
		s = fmt.Sprintf("%s %s", m.Method, m.Params)
	case Reply:
		s = fmt.Sprintf("reply %v %s", m.Tag, m.Result)
		if m.Err != nil {
			s = fmt.Sprintf("reply %v: %v", m.Tag, m.Err)
		}
	case SessionEnded:
		s = "ended " + string(m.Session)
	case Closed:
		s = fmt.Sprintf("closed: %v", m.Err)
	}
	l.mu.Lock()
	l.all = append(l.all, s)
	l.mu.Unlock()
	l.more <- struct{}{}
}

// expect waits for exactly these messages.
func (l *log) expect(t *testing.T, want ...string) {
	t.Helper()
	for range want {
		<-l.more
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !reflect.DeepEqual(l.all, want) {
		t.Fatalf("got\n%s\nwant\n%s", strings.Join(l.all, "\n"), strings.Join(want, "\n"))
	}
	l.all = nil
}

func start(t *testing.T) (*Conn, *memWire, *log) {
	w, browser := newMemWire(), newLog()
	c := NewConn(w, browser.in)
	t.Cleanup(func() { c.Close(); <-c.Done() })
	return c, w, browser
}

func TestRouting(t *testing.T) {
	c, w, browser := start(t)
	a := newLog()
	c.Attach("A", a.in)
	c.Post("A", "X.one", map[string]int{"n": 1}, "t1")
	c.Post("A", "X.silent", nil, nil)
	c.Post("", "X.two", json.RawMessage(`{"k":"v"}`), 2)
	one, silent, two := w.command(t), w.command(t), w.command(t)
	if one.SessionID != "A" || string(one.Params) != `{"n":1}` || one.ID == two.ID || two.SessionID != "" || string(two.Params) != `{"k":"v"}` || silent.Params != nil {
		t.Fatalf("%+v %+v %+v", one, silent, two)
	}
	w.say(`{"method":"E.1","params":{"x":1},"sessionId":"A"}`)
	w.say(`{"id":%d,"result":{"ok":1},"sessionId":"A"}`, one.ID)
	w.say(`{"id":%d,"result":{},"sessionId":"A"}`, silent.ID)
	w.say(`not json`)
	w.say(`{"id":999,"result":{}}`)
	w.say(`{"method":"E.2","sessionId":"A"}`)
	w.say(`{"id":%d,"error":{"code":-32000,"message":"no","data":{"a":1}}}`, two.ID)
	a.expect(t, `E.1 {"x":1}`, `reply t1 {"ok":1}`, `E.2 `)
	browser.expect(t, `reply 2: chrome: no (-32000, {"a":1})`)
}

// TestEncodedParams: they are sent as they are, and none is none.
func TestEncodedParams(t *testing.T) {
	c, w, _ := start(t)
	c.Post("A", "X.one", Encoded(`{"k":"v"}`), nil)
	c.Post("A", "X.two", Encoded(nil), nil)
	if one, two := w.command(t), w.command(t); string(one.Params) != `{"k":"v"}` || two.Params != nil {
		t.Errorf("%+v %+v", one, two)
	}
}

func TestEarlyEventsAndReplies(t *testing.T) {
	c, w, browser := start(t)
	c.Post("A", "X.one", nil, 1)
	id := w.command(t).ID
	w.say(`{"method":"E.1","sessionId":"A"}`)
	w.say(`{"id":%d,"result":{}}`, id)
	w.say(`{"method":"E.2","sessionId":"A"}`)
	w.say(`{"method":"B.sync"}`)
	browser.expect(t, "B.sync ")
	a := newLog()
	c.Attach("A", a.in)
	a.expect(t, "E.1 ", "reply 1 {}", "E.2 ")
	b := newLog()
	c.Attach("A", b.in)
	w.say(`{"method":"E.3","sessionId":"A"}`)
	b.expect(t, "E.3 ")
}

// An owner that attaches while events pour in must see all of them in order.
func TestAttachRace(t *testing.T) {
	c, w, _ := start(t)
	const n = 500
	go func() {
		for i := range n {
			w.say(`{"method":"E","params":%d,"sessionId":"A"}`, i)
		}
	}()
	a := newLog()
	c.Attach("A", a.in)
	var want []string
	for i := range n {
		want = append(want, fmt.Sprintf("E %d", i))
	}
	a.expect(t, want...)
}

func TestDetach(t *testing.T) {
	c, w, browser := start(t)
	page, frame := newLog(), newLog()
	w.say(`{"method":"Target.attachedToTarget","params":{"sessionId":"P"}}`)
	w.say(`{"method":"Target.attachedToTarget","params":{"sessionId":"F"},"sessionId":"P"}`)
	c.Attach("P", page.in)
	c.Attach("F", frame.in)
	page.expect(t, `Target.attachedToTarget {"sessionId":"F"}`)
	browser.expect(t, `Target.attachedToTarget {"sessionId":"P"}`)
	c.Post("P", "X.1", nil, 1)
	c.Post("F", "X.2", nil, 2)
	c.Post("P", "X.3", nil, 3)
	called := make(chan error)
	go func() { called <- c.Call(t.Context(), "P", "X.4", nil, nil) }()
	for range 4 {
		w.command(t)
	}
	w.say(`{"method":"Target.detachedFromTarget","params":{"sessionId":"P"}}`)
	browser.expect(t, `Target.detachedFromTarget {"sessionId":"P"}`)
	page.expect(t, "ended P", "reply 1: the page is gone", "reply 3: the page is gone")
	frame.expect(t, "ended F", "reply 2: the page is gone")
	if err := <-called; !errors.Is(err, ErrSessionGone) {
		t.Errorf("call: %v", err)
	}
	// Its owner may not know yet.
	c.Post("P", "X.5", nil, 5)
	page.expect(t, "reply 5: the page is gone")
	w.say(`{"method":"E.late","sessionId":"P"}`)
	w.say(`{"method":"B.sync"}`)
	browser.expect(t, "B.sync ")
	page.expect(t)
	if len(c.sessions) != 1 || len(c.pending) != 0 {
		t.Errorf("left: %d sessions, %d pending", len(c.sessions), len(c.pending))
	}
}

// A slow owner attaches to a session that has ended meanwhile.
func TestAttachAfterDetach(t *testing.T) {
	c, w, browser := start(t)
	w.say(`{"method":"Target.attachedToTarget","params":{"sessionId":"P"}}`)
	w.say(`{"method":"E.1","sessionId":"P"}`)
	w.say(`{"method":"Target.detachedFromTarget","params":{"sessionId":"P"}}`)
	browser.expect(t, `Target.attachedToTarget {"sessionId":"P"}`, `Target.detachedFromTarget {"sessionId":"P"}`)
	p := newLog()
	c.Attach("P", p.in)
	c.Post("P", "X.1", nil, 1)
	p.expect(t, "ended P", "reply 1: the page is gone")
}

// Who hears that a session has ended finds it ended: nothing of before comes any
// more, and a command isn't sent.
func TestDetachedIsHeardOfAnEndedSession(t *testing.T) {
	w := newMemWire()
	p, seen := newLog(), newLog()
	var c *Conn
	c = NewConn(w, func(m Message) { // for the first time after a say
		if e, ok := m.(Event); ok && e.Method == TargetDetachedFromTarget {
			c.Attach("P", p.in)
			c.Post("P", "X.late", nil, 1)
		}
		seen.in(m)
	})
	t.Cleanup(func() { c.Close(); <-c.Done() })
	w.say(`{"method":"Target.attachedToTarget","params":{"sessionId":"P"}}`)
	w.say(`{"method":"E.1","sessionId":"P"}`)
	w.say(`{"method":"Target.detachedFromTarget","params":{"sessionId":"P"}}`)
	seen.expect(t, `Target.attachedToTarget {"sessionId":"P"}`, `Target.detachedFromTarget {"sessionId":"P"}`)
	p.expect(t, "ended P", "reply 1: the page is gone")
	c.Post("", "X.next", nil, nil)
	if got := w.command(t).Method; got != "X.next" {
		t.Errorf("%s was sent to an ended session", got)
	}
}

// The same holds for one whose end only a refusal tells. The replies owed come
// after what told of the end, in the order of their commands.
func TestRefusalIsHeardOfAnEndedSession(t *testing.T) {
	c, w, _ := start(t)
	p := newLog()
	c.Attach("P", func(m Message) {
		if r, ok := m.(Reply); ok && r.Tag == 1 {
			c.Post("P", "X.late", nil, 4)
		}
		p.in(m)
	})
	for tag := range 3 {
		c.Post("P", "X", nil, tag+1)
	}
	id := w.command(t).ID
	w.command(t)
	w.command(t)
	w.say(`{"id":%d,"error":{"code":-32001,"message":"Session with given id not found."}}`, id)
	p.expect(t, "ended P", "reply 1: chrome: Session with given id not found. (-32001)",
		"reply 2: the page is gone", "reply 3: the page is gone", "reply 4: the page is gone")
	c.Post("", "X.next", nil, nil)
	if got := w.command(t).Method; got != "X.next" {
		t.Errorf("%s was sent to an ended session", got)
	}
}

// A session that ended before our time: Chrome's refusal has no sessionId.
func TestUnknownSession(t *testing.T) {
	c, w, _ := start(t)
	p := newLog()
	c.Attach("P", p.in)
	c.Post("P", "X.1", nil, 1)
	c.Post("P", "X.2", nil, 2)
	id := w.command(t).ID
	w.command(t)
	w.say(`{"id":%d,"error":{"code":-32001,"message":"Session with given id not found."}}`, id)
	p.expect(t, "ended P", "reply 1: chrome: Session with given id not found. (-32001)", "reply 2: the page is gone")
	if !errors.Is(&Error{Code: -32001}, ErrSessionGone) || errors.Is(&Error{Code: -32000}, ErrSessionGone) {
		t.Error("errors.Is")
	}
}

func TestClose(t *testing.T) {
	c, w, browser := start(t)
	a := newLog()
	c.Attach("A", a.in)
	c.Post("A", "X.1", nil, 1)
	c.Post("", "X.2", nil, 2)
	w.command(t)
	w.command(t)
	if c.Err() != nil {
		t.Error(c.Err())
	}
	w.Close()
	<-c.Done()
	a.expect(t, "reply 1: the connection to Chrome is closed: Chrome hung up")
	browser.expect(t, "reply 2: the connection to Chrome is closed: Chrome hung up",
		"closed: the connection to Chrome is closed: Chrome hung up")
	if !errors.Is(c.Err(), ErrConnClosed) {
		t.Error(c.Err())
	}
	c.Post("A", "X.3", nil, 3)
	a.expect(t, "reply 3: the connection to Chrome is closed: Chrome hung up")
	if err := c.Call(t.Context(), "A", "X.4", nil, nil); !errors.Is(err, ErrConnClosed) {
		t.Error(err)
	}
}

func TestCall(t *testing.T) {
	c, w, _ := start(t)
	hanging := make(chan struct{})
	go func() {
		defer close(hanging)
		id := w.command(t).ID
		w.say(`{"id":%d,"result":{"product":"x"}}`, id)
		w.command(t)
	}()
	var v BrowserVersion
	if err := c.Call(t.Context(), "", BrowserGetVersion, nil, &v); err != nil || v.Product != "x" {
		t.Error(v, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() { result <- c.Call(ctx, "A", "X.hang", nil, nil) }()
	<-hanging
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if len(c.pending) != 0 {
		t.Error("the abandoned call is still kept")
	}
	if err := c.Call(ctx, "", "X.late", nil, nil); !errors.Is(err, ErrNotSent) || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := c.Call(t.Context(), "", "X.bad", json.RawMessage(`{`), nil); err == nil || !strings.Contains(err.Error(), "not valid JSON") {
		t.Error(err)
	}
	if err := c.Call(t.Context(), "", "X.bad", 3, nil); err == nil || !strings.Contains(err.Error(), "not a JSON object") {
		t.Error(err)
	}
}

// An inbox may use the connection, even though the reader runs it.
func TestInboxPosts(t *testing.T) {
	w := newMemWire()
	seen := newLog()
	var c *Conn
	c = NewConn(w, func(m Message) { // for the first time after a say
		if e, ok := m.(Event); ok && e.Method == TargetAttachedToTarget {
			c.Attach("P", seen.in)
			c.Post("P", "X.bad", json.RawMessage(`{`), "bad")
			c.Post("P", "X.1", nil, "ok")
		}
	})
	w.say(`{"method":"Target.attachedToTarget","params":{"sessionId":"P"}}`)
	w.say(`{"id":%d,"result":{}}`, w.command(t).ID)
	seen.expect(t, "reply bad: X.bad: the parameters are not valid JSON", "reply ok {}")
	c.Close()
	<-c.Done()
}
