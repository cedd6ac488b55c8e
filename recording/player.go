package recording

import (
	"bytes"
	"encoding/json"
	"slices"

	"webmcphub/internal/jsonrpc"
)

// Player plays a session to one client. It is pure, and belongs to one goroutine.
type Player struct {
	*script
	repeat bool

	at     int                        // the position in the recording: earlier lines have been played
	tools  json.RawMessage            // the tools at that position
	tasks  []task                     // what remains to be done
	open   map[string]bool            // ids of the hub's requests that the client has not answered
	tokens map[string]json.RawMessage // the client's progressTokens, by the recorded ones
	out    [][]byte

	unknown int
}

// task is a part of the recording to play, with the answer at its end.
type task struct {
	to     int
	answer []byte // nil for none
}

// ReplayOptions say how a session is played.
type ReplayOptions struct {
	// Repeat answers calls that come more often than they were recorded like the last recorded one.
	Repeat bool
}

// NewPlayer returns a Player at the beginning of a session.
func NewPlayer(s *Session, o ReplayOptions) *Player {
	p := &Player{script: read(s), repeat: o.Repeat, open: map[string]bool{}, tokens: map[string]json.RawMessage{}}
	for _, l := range s.Lines {
		if l.Tools != nil {
			p.tools = l.Tools // until the recording has an earlier list
			break
		}
	}
	return p
}

// Unknown returns how many requests the recording didn't have.
func (p *Player) Unknown() int { return p.unknown }

// Receive takes a message of the client, and returns the hub's messages that follow.
func (p *Player) Receive(message []byte) (out [][]byte) {
	m, err := jsonrpc.Parse(message)
	switch {
	case err != nil:
		p.tasks = append(p.tasks, task{answer: jsonrpc.Failure(m.ID, err).Bytes()})
	case m.Response:
		delete(p.open, string(m.ID))
	case m.ID == nil:
		p.notified(m.Method)
	default:
		p.request(&m)
	}
	p.play()
	out, p.out = p.out, nil
	return out
}

// notified goes on after the client has said that it is ready, or that it no longer waits for an answer. In the
// second case the client need not answer what it was asked meanwhile.
func (p *Player) notified(method string) {
	if method == cancelled {
		clear(p.open)
	}
	if method != initialized {
		return
	}
	for i := p.at; i < len(p.lines); i++ {
		if l := p.lines[i]; l.Client != nil && jsonrpc.Peek(l.Client).Method == initialized {
			p.tasks = append(p.tasks, task{to: i}, task{to: p.pause(i + 1)})
			return
		}
	}
}

// request plans the answer to a request.
func (p *Player) request(m *jsonrpc.Message) {
	now := askingOf(m.Method, m.Params, "")
	now.hash = jsonrpc.HashArguments(now.args)
	e := p.find(m.Method, now)
	if e == nil {
		p.tasks = append(p.tasks, task{answer: p.unplanned(m, now)})
		return
	}
	e.used = true
	if token := tokenOf(m.Params); e.token != nil {
		p.tokens[string(e.token)] = token
	}
	if e.answerLine < 0 {
		if m.Method == callTool {
			p.tasks = append(p.tasks, task{to: e.requestLine},
				task{answer: failed(m.ID, "The recording ends before "+quoted(now.tool)+
					" has answered, or its client didn't wait for the answer."), to: p.pause(e.requestLine + 1)})
			return
		}
		p.tasks = append(p.tasks, task{to: e.requestLine}, task{to: p.pause(e.requestLine + 1)})
		return
	}
	p.tasks = append(p.tasks, task{to: e.answerLine, answer: answerAs(m.ID, &e.answer)},
		task{to: p.pause(e.answerLine + 1)})
}

// find returns the recorded request whose answer is used now, or nil.
func (p *Player) find(method string, now *asking) *exchange {
	if method == listTools {
		// The answer has the current tools, whenever the recorded client asked for them.
		e := p.anchors[p.next()]
		if e == nil || e.used || e.method != listTools || string(e.what.args) != string(now.args) {
			return nil
		}
		return e
	}
	for _, e := range p.exchanges {
		if !e.used && e.method == method && e.same(now) {
			return e
		}
	}
	if method == callTool && !p.repeat {
		return nil
	}
	for _, e := range slices.Backward(p.exchanges) {
		if e.used && e.method == method && e.same(now) {
			return e
		}
	}
	return nil
}

// next returns the next thing that the client did in the recording.
func (p *Player) next() int {
	at := p.at
	for _, t := range p.tasks {
		at = max(at, t.to)
	}
	return p.pause(at)
}

// pause returns where the recording stops after a line, to wait for the client's next request.
func (p *Player) pause(after int) int {
	for i := after; i < len(p.lines); i++ {
		if e, anchor := p.anchors[i]; anchor && (e == nil || !e.used) {
			return i
		}
	}
	return len(p.lines)
}

// waits reports whether a line of the client is an answer that the client has not given yet. It doesn't wait for
// answers that the recording lacks, too.
func (p *Player) waits(line json.RawMessage) bool {
	if line == nil || len(p.open) == 0 {
		return false
	}
	h := jsonrpc.Peek(line)
	return h.Response && p.open[string(h.ID)]
}

// play does the tasks, until the client has to answer something first.
func (p *Player) play() {
	for len(p.tasks) > 0 {
		t := p.tasks[0]
		for ; p.at < t.to; p.at++ {
			if p.waits(p.lines[p.at].Client) {
				return
			}
			p.line(p.lines[p.at])
		}
		p.tasks = p.tasks[1:]
		if t.answer != nil {
			p.out = append(p.out, t.answer)
		}
	}
}

// line plays a message of the hub that is no answer.
func (p *Player) line(l Line) {
	if l.Tools != nil {
		p.tools = l.Tools
	}
	if l.Hub == nil {
		return
	}
	m, err := jsonrpc.Parse(l.Hub)
	switch {
	case err != nil || m.Response:
	case m.Request():
		p.open[string(m.ID)] = true
		p.out = append(p.out, l.Hub)
	case m.Method == cancelled:
		delete(p.open, string(jsonrpc.Member(m.Params, "requestId")))
		p.out = append(p.out, l.Hub)
	case m.Method == toolsChanged:
		p.tools = p.after(p.at)
		p.out = append(p.out, l.Hub)
	case m.Method == "notifications/progress":
		if line := p.progress(&m); line != nil {
			p.out = append(p.out, line)
		}
	default:
		p.out = append(p.out, l.Hub)
	}
}

// after returns the tools after a change: those of the next list that anybody read.
func (p *Player) after(change int) json.RawMessage {
	for _, l := range p.lines[change:] {
		if l.Tools != nil {
			return l.Tools
		}
	}
	return p.tools
}

// progress returns a progress notification with the client's own token; nil if the client gave none.
func (p *Player) progress(m *jsonrpc.Message) []byte {
	recorded := jsonrpc.Member(m.Params, "progressToken")
	now, known := p.tokens[string(recorded)]
	switch {
	case !known || bytes.Equal(now, recorded):
		return m.Raw
	case now == nil:
		return nil
	}
	params := jsonrpc.Rewrite(m.Params, func(name string, is json.RawMessage) json.RawMessage {
		if name == "progressToken" {
			return now
		}
		return is
	})
	return jsonrpc.Notification(m.Method, params).Bytes()
}

// answerAs returns a recorded answer with this id.
func answerAs(id json.RawMessage, recorded *jsonrpc.Message) []byte {
	if recorded.Failure != nil {
		out := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
		return append(append(append(out, `,"error":`...), recorded.Failure...), '}')
	}
	return jsonrpc.Result(id, recorded.Outcome).Bytes()
}
