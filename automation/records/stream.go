package records

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// Stream has the messages of a WebSocket or EventSource.
type Stream struct {
	Sent          int // how many messages the page sent
	Received      int
	SentBytes     int64 // the bytes of their texts or data
	ReceivedBytes int64
	Closed        bool
	Last          []Frame // the latest messages, oldest first
}

// Frame is one message of a [Stream].
type Frame struct {
	Out    bool    // the page sent the message
	Time   float64 // milliseconds since the request's start
	Kind   string  // "text", "binary", "close", "ping", "pong", "error", or an event's name
	Length int     // bytes
	Data   string  // cut off at 1 KiB; binary data is in base64
	ID     string  // an event's id
}

func (s *Stream) size() int {
	n := 64
	for _, f := range s.Last {
		n += len(f.Data) + len(f.Kind) + len(f.ID) + 80
	}
	return n
}

// add adds a message and keeps the last most messages.
func (s *Stream) add(f Frame, most int) {
	if f.Out {
		s.Sent++
		s.SentBytes += int64(f.Length)
	} else {
		s.Received++
		s.ReceivedBytes += int64(f.Length)
	}
	s.keep(f, most)
}

func (s *Stream) keep(f Frame, most int) {
	if len(s.Last) >= most {
		s.Last = append(s.Last[:0], s.Last[1:]...)
	}
	f.Data, f.Kind, f.ID = clip(f.Data, maxFrame), clip(f.Kind, 100), clip(f.ID, 100)
	s.Last = append(s.Last, f)
}

func (t *Tab) socketCreated(p *struct {
	RequestID, URL string
	Initiator      initiator
}, session string) {
	r := &request{}
	r.cdp, r.session = p.RequestID, session
	r.Method, r.URL, r.Type, r.State = "GET", clip(p.URL, maxURL), "websocket", Pending
	r.Sent.Initiator = p.Initiator.text(t.redacted)
	r.Stream = &Stream{}
	t.addRequest(r)
}

func (t *Tab) socketRequest(p *struct {
	RequestID           string
	Timestamp, WallTime float64
	Request             struct{ Headers json.RawMessage }
}, _ string) {
	if s := t.step(p.RequestID); s != nil {
		s.value.started, s.value.Started = p.Timestamp, p.WallTime*1000
		s.value.sentHeaders.set(p.Request.Headers, true)
		t.resized(s)
	}
}

func (t *Tab) socketResponse(p *struct {
	RequestID string
	Response  httpResponse
}, _ string) {
	if s := t.step(p.RequestID); s != nil {
		s.value.answered(&p.Response)
		t.resized(s)
	}
}

type socketFrame struct {
	RequestID string
	Timestamp float64
	Response  struct {
		Opcode      int
		PayloadData string
	}
}

func (t *Tab) socketSent(p *socketFrame, _ string)     { t.socketFrame(p, true) }
func (t *Tab) socketReceived(p *socketFrame, _ string) { t.socketFrame(p, false) }

var opcodes = map[int]string{0: "continuation", 1: "text", 2: "binary", 8: "close", 9: "ping", 10: "pong"}

func (t *Tab) socketFrame(p *socketFrame, out bool) {
	data := p.Response.PayloadData
	kind, length := opcodes[p.Response.Opcode], len(data)
	if kind == "" {
		kind = fmt.Sprint("opcode ", p.Response.Opcode)
	}
	if p.Response.Opcode != 1 {
		length = base64.StdEncoding.DecodedLen(len(data)) - padding(data)
	}
	t.frame(p.RequestID, Frame{Out: out, Time: p.Timestamp, Kind: kind, Length: length, Data: data}, true)
}

func padding(base64 string) (n int) {
	for n < 2 && n < len(base64) && base64[len(base64)-1-n] == '=' {
		n++
	}
	return n
}

// frame adds a message to its request's stream. The message's time is still by Chrome's clock.
func (t *Tab) frame(cdp string, f Frame, counts bool) {
	s := t.step(cdp)
	if s == nil {
		return
	}
	r := s.value
	if r.Stream == nil {
		r.Stream = &Stream{}
	}
	f.Time = millis(max(0, f.Time-r.started))
	if counts {
		r.Stream.add(f, t.bounds.Frames)
	} else {
		r.Stream.keep(f, t.bounds.Frames)
	}
	t.resized(s)
}

func (t *Tab) socketError(p *struct {
	RequestID, ErrorMessage string
	Timestamp               float64
}, _ string) {
	t.frame(p.RequestID, Frame{Time: p.Timestamp, Kind: "error", Data: p.ErrorMessage}, false)
	if s := t.step(p.RequestID); s != nil {
		s.value.State, s.value.Failure = Failed, clip(p.ErrorMessage, 500)
	}
}

func (t *Tab) socketClosed(p *struct {
	RequestID string
	Timestamp float64
}, _ string) {
	if s := t.step(p.RequestID); s != nil {
		if s.value.State == Pending {
			s.value.State = Finished
		}
		s.value.ended = p.Timestamp
		if s.value.Stream != nil {
			s.value.Stream.Closed = true
		}
	}
}

func (t *Tab) eventSourceMessage(p *struct {
	RequestID, EventName, EventID, Data string
	Timestamp                           float64
}, _ string) {
	t.frame(p.RequestID, Frame{Time: p.Timestamp, Kind: p.EventName, Length: len(p.Data), Data: p.Data, ID: p.EventID},
		true)
}
