package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

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
// route it. Its parts are slices of line.
type message struct {
	line   []byte
	id     json.RawMessage // nil for a notification
	method string
	params json.RawMessage // an object, or nil
	// response says that the client answers a request of ours, by result or failure.
	response        bool
	result, failure json.RawMessage
}

// parseMessage reads one line. Where it fails it still gives the id to answer
// to, if there is one.
func parseMessage(line []byte) (m message, err *rpcError) {
	m.line = line
	switch {
	case !utf8.Valid(line):
		return m, rpcErrorf(codeParse, "the message is not valid UTF-8")
	case !json.Valid(line):
		return m, rpcErrorf(codeParse, "the message is not valid JSON: %v", json.Unmarshal(line, new(any)))
	case line[0] == '[':
		return m, rpcErrorf(codeInvalidRequest, "JSON-RPC batches are not part of MCP any more: send each message on a line of its own")
	case line[0] != '{':
		return m, rpcErrorf(codeInvalidRequest, "this is no JSON-RPC 2.0 message: it must be an object")
	}
	version := ""
	members(line, func(name string, value json.RawMessage) {
		switch name {
		case "jsonrpc":
			version, _ = text(value)
		case "id":
			m.id = value
		case "method":
			m.method, _ = text(value)
		case "params":
			m.params = value
		case "result":
			m.response, m.result = true, value
		case "error":
			m.response, m.failure = true, value
		}
	})
	if !validID(m.id) {
		m.id = nil
		return m, rpcErrorf(codeInvalidRequest, "the id must be a string or a number")
	}
	if string(m.params) == "null" {
		m.params = nil
	}
	switch {
	case version != mcp.JSONRPC_VERSION:
		return m, rpcErrorf(codeInvalidRequest, `this is no JSON-RPC 2.0 message: "jsonrpc" must be "2.0"`)
	case m.method != "":
		m.response = false
	case !m.response:
		return m, rpcErrorf(codeInvalidRequest, `the message has no "method"`)
	}
	if m.params != nil && !isObject(m.params) {
		return m, rpcErrorf(codeInvalidParams, `"params" must be an object`)
	}
	return m, nil
}

// validID accepts what MCP allows (a string or a number), and no id at all.
func validID(id json.RawMessage) bool {
	return id == nil || id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9'
}

// toolParams are the params of tools/list and tools/call.
type toolParams struct {
	name      string
	arguments json.RawMessage
	cursor    string
	// For pages that take them: see [registry.HubTool.MetaForPage].
	meta, extensions json.RawMessage // objects, or nil

	// From _meta:
	token        json.RawMessage // progressToken, or nil
	version      string          // of the protocol, in modern requests
	capabilities json.RawMessage
}

func (m *message) toolParams() (p toolParams, err *rpcError) {
	if m.params == nil {
		return p, nil
	}
	members(m.params, func(name string, value json.RawMessage) {
		ok := true
		switch name {
		case "name":
			p.name, ok = text(value)
		case "arguments":
			p.arguments = value
		case "cursor":
			p.cursor, ok = text(value)
			ok = ok || string(value) == "null"
		case "_meta":
			p.readMeta(value)
		case "extensions":
			if isObject(value) {
				p.extensions = value
			}
		}
		if !ok {
			err = rpcErrorf(codeInvalidParams, "%q must be a string in the params of %s", name, m.method)
		}
	})
	return p, err
}

// readMeta reads _meta. Members of the wrong type count as not given.
func (p *toolParams) readMeta(meta json.RawMessage) {
	if !isObject(meta) {
		return
	}
	p.meta = meta
	members(meta, func(name string, value json.RawMessage) {
		switch name {
		case "progressToken":
			if validID(value) {
				p.token = value
			}
		case mcp.MetaKeyProtocolVersion:
			p.version, _ = text(value)
		case mcp.MetaKeyClientCapabilities:
			p.capabilities = value
		}
	})
}

// modern says whether the request is of protocol 2026-07-28 or later, which
// has no initialize and puts its version into each request.
func (p *toolParams) modern() bool { return mcp.IsModernProtocol(p.version) }

// sound says whether we can answer the request ourselves: it is of the older
// protocols, or a good one of the modern one. mcp-go knows how to refuse others.
func (p *toolParams) sound() bool {
	return !p.modern() || mcp.IsValidProtocolVersion(p.version) && isObject(p.capabilities)
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
	text, err := plain(r.err)
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

// plain encodes v as JSON without HTML's escapes: what it says may be read as it
// stands, in an error's text or in a client's log.
func plain(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
