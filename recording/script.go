package recording

import (
	"bytes"
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
	complete    = "completion/complete"
	elicit      = "elicitation/create"
	listen      = "subscriptions/listen"

	toolsChanged = "notifications/tools/list_changed"
	cancelled    = "notifications/cancelled"
)

// exchange is a recorded request of the client.
type exchange struct {
	requestLine int // the line of the request
	answerLine  int // the line of the answer; -1 if there is none
	method      string
	what        *asking
	token       json.RawMessage // its progressToken
	answer      jsonrpc.Message
	used        bool
}

// asking is what a request asks for, in a form that can be compared.
type asking struct {
	tool string          // of tools/call
	args json.RawMessage // canonical; for other methods, the params without _meta
	hash string          // of args; of a recorded request only if they were left out of the recording

	value          any // args decoded, see [asking.arguments]
	read, readable bool
}

// arguments returns args decoded, and decodes them only once.
func (a *asking) arguments() (v any, ok bool) {
	if !a.read {
		a.read, a.readable = true, json.Unmarshal(a.args, &a.value) == nil
	}
	return a.value, a.readable
}

// askingOf reads a request.
func askingOf(method string, params json.RawMessage, hash string) *asking {
	if method != callTool {
		return &asking{args: jsonrpc.CanonicalArguments(withoutMeta(params)), hash: hash}
	}
	tool, _ := jsonrpc.Text(jsonrpc.Member(params, "name"))
	return &asking{tool: tool, args: jsonrpc.CanonicalArguments(jsonrpc.Member(params, "arguments")), hash: hash}
}

// same reports whether a request with the same method asks what was recorded. For initialize the client's version
// doesn't count.
func (e *exchange) same(now *asking) bool {
	switch recorded := e.what; {
	case e.method == initialize:
		return true
	case recorded.tool != now.tool:
		return false
	case recorded.hash != "":
		return recorded.hash == now.hash
	case bytes.Equal(recorded.args, now.args):
		return true
	case !bytes.Contains(recorded.args, []byte(Masked)):
		return false
	}
	r, ok := e.what.arguments()
	n, both := now.arguments()
	return ok && both && len(differences("", r, n)) == 0
}

// script is a parsed session.
type script struct {
	lines     []Line
	exchanges []*exchange
	// anchors are the lines at which the client did something that the hub waited for: a request, or nil for
	// notifications/initialized.
	anchors map[int]*exchange
}

func read(s *Session) *script {
	is := &script{lines: s.Lines, anchors: map[int]*exchange{}}
	open := map[string]*exchange{}
	for i, l := range s.Lines {
		switch {
		case l.Client != nil:
			m, err := jsonrpc.Parse(l.Client)
			switch {
			case err != nil:
			case m.Request():
				e := &exchange{requestLine: i, answerLine: -1, method: m.Method,
					what:  askingOf(m.Method, m.Params, l.Hash),
					token: tokenOf(m.Params)}
				open[string(m.ID)] = e
				is.exchanges = append(is.exchanges, e)
				is.anchors[i] = e
			case m.Method == initialized:
				is.anchors[i] = nil
			}
		case l.Hub != nil:
			m, err := jsonrpc.Parse(l.Hub)
			if e := open[string(m.ID)]; err == nil && m.Response && e != nil {
				delete(open, string(m.ID))
				if e.method != listen { // the answer to listen is the end of the session
					e.answerLine, e.answer = i, m
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
