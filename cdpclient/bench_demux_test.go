package cdpclient

import (
	"fmt"
	"io"
	"sync"
	"testing"
)

// replayWire gives the same messages again and again, n in all, and then ends.
type replayWire struct {
	messages [][]byte
	next, n  int
	closed   chan struct{}
	once     sync.Once
}

func (w *replayWire) Read() ([]byte, error) {
	if w.next == w.n {
		<-w.closed
		return nil, io.EOF
	}
	w.next++
	return w.messages[w.next%len(w.messages)], nil
}

func (w *replayWire) Write([]byte) error { return nil }

func (w *replayWire) Close() error { w.once.Do(func() { close(w.closed) }); return nil }

// toolsAddedMessage is an event as Chrome sends it.
func toolsAddedMessage(session int) []byte {
	return fmt.Appendf(nil, `{"method":"WebMCP.toolsAdded","params":{"tools":[{"name":"tool_%d","description":"Does one of the many things that this page can do.","inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"What to look for"}},"required":["query"]},"frameId":"F%d"}]},"sessionId":"S%d"}`, session, session, session)
}

// BenchmarkDemux measures one event's way from the wire to the inbox of one of
// 100 sessions: envelope, session, delivery. Every event must arrive, in order.
func BenchmarkDemux(b *testing.B) {
	const sessions, lot = 100, 10000
	var messages [][]byte
	for s := range sessions {
		messages = append(messages, toolsAddedMessage(s))
	}
	b.SetBytes(int64(len(messages[0])))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		w := &replayWire{messages: messages, n: lot, closed: make(chan struct{})}
		got, wrong := 0, 0
		all := make(chan struct{})
		begin := make(chan struct{})
		c := &gatedWire{w, begin}
		conn := NewConn(c, func(Message) {})
		for s := range sessions {
			id := SessionID(fmt.Sprint("S", s))
			conn.Attach(id, func(m Message) {
				if e, ok := m.(Event); !ok || e.Session != id || e.Method != WebMCPToolsAdded {
					wrong++
				}
				if got++; got == lot {
					close(all)
				}
			})
		}
		close(begin)
		<-all
		_ = conn.Close()
		<-conn.Done()
		if wrong > 0 || got != lot {
			b.Fatalf("%d of %d events came, %d of them to the wrong session", got, lot, wrong)
		}
		n += lot
	}
	b.ReportMetric(float64(b.Elapsed())/float64(n), "ns/op")
}

// gatedWire waits with the first message until the sessions are attached.
type gatedWire struct {
	*replayWire
	begin chan struct{}
}

func (w *gatedWire) Read() ([]byte, error) { <-w.begin; return w.replayWire.Read() }

// BenchmarkDecodeToolsAdded measures decoding the params of one such event, as
// a tab's actor does.
func BenchmarkDecodeToolsAdded(b *testing.B) {
	e, err := parseEnvelope(toolsAddedMessage(7))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		var a ToolsAdded
		if err := a.Decode(e.params); err != nil || len(a.Tools) != 1 || a.Tools[0].Name != "tool_7" {
			b.Fatalf("%+v %v", a, err)
		}
	}
}
