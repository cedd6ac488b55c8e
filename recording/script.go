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

// exchange is a recorded request of the client's.
type exchange struct {
	asked    int // its line
	answered int // that of its answer; -1 if there is none
	method   string
	what     asking
	token    json.RawMessage // its progressToken
	answer   jsonrpc.Message
	used     bool

	value          any // the arguments, see [exchange.arguments]
	read, readable bool
}

// asking is what one asks for, in a form that can be compared.
type asking struct {
	tool string          // of tools/call
	args json.RawMessage // canonical; of others their params without _meta
	hash string          // of args, where they were left out of the recording
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

// same says whether a client now asks what was recorded. args are what it asks with.
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

// script is a session, taken apart.
type script struct {
	lines     []Line
	exchanges []*exchange
	index     index
	anchors   map[int]bool // the lines at which the client did something that the hub waited for
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
				if e.method != listen { // its answer is the end of the session
					e.answered, e.answer = i, m
				}
			}
		}
	}
	return is
}

// tokenOf is the progressToken of a request, or nil.
func tokenOf(params json.RawMessage) json.RawMessage {
	return replayMember(replayMember(params, "_meta"), "progressToken")
}

func replayMember(object json.RawMessage, name string) json.RawMessage {
	for is, value := range jsonrpc.Members(object) {
		if is == name {
			return value
		}
	}
	return nil
}
