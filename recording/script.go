package recording

import (
	"encoding/json"

	"webmcphub/internal/jsonrpc"
)

// Methods and members of MCP.
const (
	initialize  = "initialize"
	initialized = "notifications/initialized"
	ping        = "ping"
	listTools   = "tools/list"
	callTool    = "tools/call"
	listen      = "subscriptions/listen"

	toolsChanged = "notifications/tools/list_changed"
	cancelled    = "notifications/cancelled"
)

// exchange is a recorded request of the client.
type exchange struct {
	asked    int // the line of the request
	answered int // the line of the answer; -1 if there is none
	method   string
	what     asking
	token    json.RawMessage // its progressToken
	answer   jsonrpc.Message
	used     bool

	value          any // the arguments, see [exchange.arguments]
	read, readable bool
}

// asking is what a request asks for, in a form that can be compared.
type asking struct {
	tool string          // of tools/call
	args json.RawMessage // canonical; for other methods, the params without _meta
	hash string          // of args, if they were left out of the recording
}

// askingOf reads a request.
func askingOf(method string, params json.RawMessage, hash string) (a asking) {
	a.hash = hash
	if method != callTool {
		kept := []byte{'{'}
		for name, value := range jsonrpc.Members(params) {
			if name == "_meta" {
				continue
			}
			if len(kept) > 1 {
				kept = append(kept, ',')
			}
			kept = append(append(append(kept, jsonrpc.MustEncode(name)...), ':'), value...)
		}
		a.args = jsonrpc.CanonicalArguments(append(kept, '}'))
		return a
	}
	for name, value := range jsonrpc.Members(params) {
		switch name {
		case "name":
			a.tool, _ = jsonrpc.Text(value)
		case "arguments":
			a.args = value
		}
	}
	a.args = jsonrpc.CanonicalArguments(a.args)
	return a
}

// same reports whether a request asks what was recorded. args are its arguments.
func (e *exchange) same(now asking, args any) bool {
	switch recorded := e.what; {
	case recorded.tool != now.tool:
		return false
	case recorded.hash != "":
		return recorded.hash == jsonrpc.HashArguments(now.args)
	case string(recorded.args) == string(now.args):
		return true
	}
	r, ok := e.arguments()
	return ok && len(differences("", r, args)) == 0
}

// script is a parsed session.
type script struct {
	lines     []Line
	exchanges []*exchange
	index     index
	anchors   map[int]bool // lines at which the client did something that the hub waited for
}

func read(s *Session) *script {
	is := &script{lines: s.Lines, anchors: map[int]bool{}, index: newIndex()}
	open := map[string]*exchange{}
	for i, l := range s.Lines {
		switch {
		case l.Client != nil:
			m, err := jsonrpc.Parse(l.Client)
			switch {
			case err != nil:
			case m.Request():
				e := &exchange{asked: i, answered: -1, method: m.Method, what: askingOf(m.Method, m.Params, l.Hash),
					token: tokenOf(m.Params)}
				open[string(m.ID)] = e
				is.exchanges = append(is.exchanges, e)
				is.index.add(e)
				is.anchors[i] = true
			case m.Method == initialized:
				is.anchors[i] = true
			}
		case l.Hub != nil:
			m, err := jsonrpc.Parse(l.Hub)
			if e := open[string(m.ID)]; err == nil && m.Response && e != nil {
				delete(open, string(m.ID))
				if e.method != listen { // the answer to listen is the end of the session
					e.answered, e.answer = i, m
				}
			}
		}
	}
	return is
}

// tokenOf returns the progressToken of a request, or nil.
func tokenOf(params json.RawMessage) json.RawMessage {
	return jsonrpc.Member(jsonrpc.Member(params, "_meta"), "progressToken")
}
