package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Error codes: JSON-RPC's own, and the first of those that it reserves for servers.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeServer         = -32000
)

// Error is the error member of a response.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Errorf makes an Error whose Message is formatted as by [fmt.Sprintf].
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Frame is a message to send, in the pieces in which it is sent: Head, Body and a closing brace. The zero Frame is no
// message.
type Frame struct{ Head, Body []byte }

// Size returns the length of the message in bytes, with a line break.
func (f Frame) Size() int { return len(f.Head) + len(f.Body) + len("}\n") }

// Bytes returns the message in one piece.
func (f Frame) Bytes() []byte {
	all := make([]byte, 0, f.Size())
	return append(append(append(all, f.Head...), f.Body...), '}')
}

// Request frames a request. Its id is JSON, and its params are an object or nil.
func Request(id json.RawMessage, method string, params json.RawMessage) Frame {
	head := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	return call(append(head, `,"method":"`...), method, params)
}

// Notification frames a notification; params are an object or nil.
func Notification(method string, params json.RawMessage) Frame {
	return call([]byte(`{"jsonrpc":"2.0","method":"`), method, params)
}

func call(head []byte, method string, params json.RawMessage) Frame {
	head = append(head, method...)
	if len(params) == 0 {
		return Frame{head, []byte(`"`)}
	}
	return Frame{append(head, `","params":`...), OneLine(params)}
}

// Result frames the answer to the request with that id.
func Result(id, result json.RawMessage) Frame {
	return Frame{append(response(id), `,"result":`...), OneLine(result)}
}

// Failure frames an error answer. A nil id is for a message whose id is unknown.
func Failure(id json.RawMessage, err *Error) Frame {
	text, encoding := Encode(err)
	if encoding != nil { // err.Data is not JSON
		text = []byte(`{"code":-32603,"message":"internal error"}`)
	}
	return Frame{append(response(id), `,"error":`...), text}
}

func response(id json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	head := append(make([]byte, 0, 64+len(id)), `{"jsonrpc":"2.0","id":`...)
	return append(head, id...)
}

// Encode encodes v as JSON without HTML escapes, so that texts stay readable in an error or a client's log.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// EncodeFile returns a value as it stands in a file for people: indented, and with a line's end.
func EncodeFile(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

// MustEncode is [Encode] for values that are made of valid JSON.
func MustEncode(v any) json.RawMessage {
	raw, err := Encode(v)
	if err != nil {
		panic(fmt.Sprintf("jsonrpc: encoding %T: %v", v, err))
	}
	return raw
}

// OneLine makes sure that JSON text has no line break, which would end the message early. Invalid JSON becomes null.
func OneLine(raw json.RawMessage) json.RawMessage {
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	var b bytes.Buffer
	b.Grow(len(raw))
	if err := json.Compact(&b, raw); err != nil {
		// This is a bug elsewhere, which must not break the stream.
		b.Reset()
		b.WriteString("null")
	}
	return b.Bytes()
}
