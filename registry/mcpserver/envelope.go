package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// JSON-RPC error codes.
const (
	codeParse          = mcp.PARSE_ERROR
	codeInvalidRequest = mcp.INVALID_REQUEST
	codeInvalidParams  = mcp.INVALID_PARAMS
	codeInternal       = mcp.INTERNAL_ERROR
	codeBusy           = -32000
)

// rpcError is the error member of a JSON-RPC response.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *rpcError) Error() string { return e.Message }

func rpcErrorf(code int, format string, args ...any) *rpcError {
	return &rpcError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// message is one JSON-RPC message from the client, parsed as far as needed to
// route it.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // nil for a notification
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`

	line []byte // the whole message
}

// isResponse says whether the client answers a request of ours. We send none.
func (m *message) isResponse() bool { return m.Method == "" && (m.Result != nil || m.Error != nil) }

// parseMessage reads one line. Where it fails it still gives the id to answer
// to, if there is one.
func parseMessage(line []byte) (m *message, err *rpcError) {
	m = &message{line: line}
	if e := json.Unmarshal(line, m); e != nil {
		return badMessage(line, e)
	}
	if !validID(m.ID) {
		m.ID = nil
		return m, rpcErrorf(codeInvalidRequest, "the id must be a string or a number")
	}
	switch {
	case m.Version != mcp.JSONRPC_VERSION:
		return m, rpcErrorf(codeInvalidRequest, `this is no JSON-RPC 2.0 message: "jsonrpc" must be "2.0"`)
	case m.Method == "" && !m.isResponse():
		return m, rpcErrorf(codeInvalidRequest, `the message has no "method"`)
	case len(m.Params) > 0 && m.Params[0] != '{' && string(m.Params) != "null":
		return m, rpcErrorf(codeInvalidParams, `"params" must be an object`)
	}
	return m, nil
}

// badMessage says what is wrong with a line that is no message object.
func badMessage(line []byte, cause error) (*message, *rpcError) {
	m := &message{}
	if !json.Valid(line) {
		return m, rpcErrorf(codeParse, "the message is not valid JSON: %v", cause)
	}
	switch bytes.TrimSpace(line)[0] {
	case '[':
		return m, rpcErrorf(codeInvalidRequest, "JSON-RPC batches are not part of MCP any more: send each message on a line of its own")
	case '{':
		var id struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(line, &id) == nil && validID(id.ID) {
			m.ID = id.ID
		}
		return m, rpcErrorf(codeInvalidRequest, "this is no JSON-RPC 2.0 message: %v", cause)
	}
	return m, rpcErrorf(codeInvalidRequest, "this is no JSON-RPC 2.0 message: it must be an object")
}

// validID accepts what MCP allows (a string or a number), and no id at all.
func validID(id json.RawMessage) bool {
	return id == nil || id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9'
}

// requestMeta is what we read of params._meta.
type requestMeta struct {
	ProgressToken json.RawMessage `json:"progressToken"`
	Version       string          `json:"io.modelcontextprotocol/protocolVersion"`
	Capabilities  json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
}

// modern says whether the request is of protocol 2026-07-28 or later, which
// has no initialize and puts its version into each request.
func (m requestMeta) modern() bool { return mcp.IsModernProtocol(m.Version) }

// sound says whether a modern request is one that we can answer ourselves.
// mcp-go knows how to refuse the others.
func (m requestMeta) sound() bool {
	return mcp.IsValidProtocolVersion(m.Version) && len(m.Capabilities) > 0 && m.Capabilities[0] == '{'
}

// progressToken is the token if it is one, else nil.
func (m requestMeta) progressToken() json.RawMessage {
	if m.ProgressToken == nil || !validID(m.ProgressToken) {
		return nil
	}
	return m.ProgressToken
}

// envelope frames a reply. The result is sent as a piece of its own, so that
// a large one is not copied.
func (r reply) envelope(id json.RawMessage) entry {
	if id == nil {
		id = json.RawMessage("null")
	}
	head := make([]byte, 0, 64+len(id))
	head = append(head, `{"jsonrpc":"2.0","id":`...)
	head = append(head, id...)
	if r.err == nil {
		head = append(head, `,"result":`...)
		return entry{head: head, body: oneLine(r.result)}
	}
	text, err := json.Marshal(r.err)
	if err != nil {
		text = []byte(`{"code":-32603,"message":"internal error"}`)
	}
	head = append(head, `,"error":`...)
	return entry{head: head, body: text}
}

// notification frames a notification; params may be nil.
func notification(method string, params json.RawMessage) entry {
	head := append([]byte(`{"jsonrpc":"2.0","method":"`), method...)
	if params == nil {
		return entry{head: head, body: []byte(`"`)}
	}
	head = append(head, `","params":`...)
	return entry{head: head, body: params}
}
