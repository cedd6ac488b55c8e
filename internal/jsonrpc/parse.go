package jsonrpc

import (
	"encoding/json"
	"unicode/utf8"
)

// Version is the "jsonrpc" member of each message.
const Version = "2.0"

// Message is one message, parsed as far as needed to route it. Its parts are slices of Raw.
type Message struct {
	Raw []byte
	Head
	Params json.RawMessage // an object, or nil
	// For a response, one of these is its "result" or "error", as written.
	Outcome, Failure json.RawMessage
}

// Head says what kind of message it is: a request has an ID and a Method, a notification has only a Method, and a
// response has no Method.
type Head struct {
	ID       json.RawMessage // as its sender wrote it; nil if there is none
	Method   string
	Response bool // it has a result or an error, and no method
}

// Request reports whether the message needs an answer.
func (h Head) Request() bool { return h.ID != nil && h.Method != "" }

// Parse parses one message and does not modify it. If it fails, it still returns the id to answer to, if there is
// one, and the error to answer with.
func Parse(raw []byte) (m Message, err *Error) {
	m.Raw = raw
	switch {
	case !utf8.Valid(raw):
		return m, Errorf(CodeParse, "the message is not valid UTF-8")
	case !json.Valid(raw):
		return m, Errorf(CodeParse, "the message is not valid JSON: %v", json.Unmarshal(raw, new(any)))
	}
	switch first := raw[blanks(raw, 0)]; {
	case first == '[':
		return m, Errorf(CodeInvalidRequest, "JSON-RPC batches are not part of MCP any more: send each message on a "+
			"line of its own")
	case first != '{':
		return m, Errorf(CodeInvalidRequest, "this is not a JSON-RPC 2.0 message: it must be an object")
	}
	version := ""
	for name, value := range Members(raw) {
		switch name {
		case "jsonrpc":
			version, _ = Text(value)
		case "params":
			m.Params = value
		case "result":
			m.Response, m.Outcome = true, value
		case "error":
			m.Response, m.Failure = true, value
		default:
			m.read(name, value)
		}
	}
	if m.ID != nil && !ValidID(m.ID) {
		m.ID = nil
		return m, Errorf(CodeInvalidRequest, "the id must be a string or a number")
	}
	if string(m.Params) == "null" {
		m.Params = nil
	}
	switch {
	case version != Version:
		return m, Errorf(CodeInvalidRequest, `this is no JSON-RPC 2.0 message: "jsonrpc" must be "2.0"`)
	case m.Method != "":
		m.Response = false
	case !m.Response:
		return m, Errorf(CodeInvalidRequest, `the message has no "method"`)
	}
	if m.Params != nil && !IsObject(m.Params) {
		return m, Errorf(CodeInvalidParams, `"params" must be an object`)
	}
	return m, nil
}

func (h *Head) read(name string, value json.RawMessage) {
	switch name {
	case "id":
		h.ID = value
	case "method":
		h.Method, _ = Text(value)
	}
}

// Peek reads what kind of message it is without checking it, for code that only passes it on; the receiver detects
// errors. If a response has its id first, Peek does not read the result. An id that MCP doesn't allow counts as none.
func Peek(raw []byte) (h Head) {
	s := scan(raw)
	for name, ok := s.name(); ok; name, ok = s.name() {
		if name == "result" || name == "error" {
			if h.Response = true; h.ID != nil {
				break
			}
		}
		h.read(name, s.value())
	}
	if !ValidID(h.ID) {
		h.ID = nil
	}
	h.Response = h.Response && h.Method == ""
	return h
}

// ValidID reports whether MCP allows an id or a token: a string or a number.
func ValidID(id json.RawMessage) bool {
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

// Answer returns a response's result, or its error without Data. An unreadable response is an error of its own.
func (m *Message) Answer() (result json.RawMessage, err *Error) {
	if m.Failure == nil {
		return m.Outcome, nil
	}
	err = &Error{Code: CodeInternal}
	if json.Unmarshal(m.Failure, err) != nil {
		return nil, Errorf(CodeInternal, "an error that can't be read")
	}
	return nil, err
}
