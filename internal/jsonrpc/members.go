package jsonrpc

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Members yields the members of an object, which must be valid JSON. Values are slices of it. Members avoids the cost
// of encoding/json's reflection. It yields repeated members repeatedly, and nothing for a value that is no object.
func Members(object []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		s := scan(object)
		for name, ok := s.name(); ok; name, ok = s.name() {
			if !yield(name, s.value()) {
				return
			}
		}
	}
}

// Member returns the value of an object's member as it is written; nil if the object has none of that name.
func Member(object []byte, name string) (value json.RawMessage) {
	for is, v := range Members(object) {
		if is == name {
			value = v
		}
	}
	return value
}

// Same reports whether two texts are the same JSON, except for white space. No text is the same as another.
func Same(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	var ca, cb bytes.Buffer
	return json.Compact(&ca, a) == nil && json.Compact(&cb, b) == nil && bytes.Equal(ca.Bytes(), cb.Bytes())
}

// Elements yields the items of an array in the same way, and nothing for a value that is no array.
func Elements(array []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		s := scanner{array, blanks(array, 0)}
		if s.i >= len(array) || array[s.i] != '[' {
			return
		}
		s.i++ // skip the bracket
		for {
			if s.i = blanks(array, s.i); s.i < len(array) && array[s.i] == ',' {
				s.i = blanks(array, s.i+1)
			}
			begin := s.i
			if item := s.value(); s.i == begin || !yield(item) {
				return
			}
		}
	}
}

// scanner reads an object's members one after the other. Its results for invalid JSON are undefined.
type scanner struct {
	b []byte
	i int
}

func scan(object []byte) scanner {
	s := scanner{object, blanks(object, 0)}
	if s.i < len(object) && object[s.i] != '{' {
		s.i = len(object)
	}
	s.i++ // skip the brace
	return s
}

// name returns the next member's name. value must be called before the next call of name.
func (s *scanner) name() (name string, ok bool) {
	if s.i = blanks(s.b, s.i); s.i < len(s.b) && s.b[s.i] == ',' {
		s.i = blanks(s.b, s.i+1)
	}
	if s.i >= len(s.b) || s.b[s.i] != '"' {
		return "", false
	}
	begin := s.i
	s.i = skipString(s.b, begin)
	name = nameOf(s.b[begin:s.i])
	s.i = blanks(s.b, blanks(s.b, s.i)+1) // skip the colon
	return name, true
}

// nameOf is unquote for names. It doesn't allocate for names that occur in nearly every message; those were most of
// the allocations where messages are only peeked at.
func nameOf(quoted []byte) string {
	switch string(quoted) { // this conversion doesn't allocate
	case `"jsonrpc"`:
		return "jsonrpc"
	case `"id"`:
		return "id"
	case `"method"`:
		return "method"
	case `"params"`:
		return "params"
	case `"result"`:
		return "result"
	case `"name"`:
		return "name"
	case `"arguments"`:
		return "arguments"
	case `"content"`:
		return "content"
	case `"type"`:
		return "type"
	case `"text"`:
		return "text"
	case `"_meta"`:
		return "_meta"
	}
	return unquote(quoted)
}

// value returns the value of the member whose name was read last.
func (s *scanner) value() json.RawMessage {
	begin := min(s.i, len(s.b))
	s.i = skipValue(s.b, begin)
	return s.b[begin:s.i:s.i]
}

func blanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the end of the string that begins at i.
func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// skipValue returns the end of the value that begins at i.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // the end of the object that contains the number or literal
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// unquote returns the text of a JSON string.
func unquote(quoted []byte) string {
	if last := len(quoted) - 1; last > 0 && bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1:last])
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // quoted is valid JSON
	return s
}

// Text returns the text of value if it is a JSON string.
func Text(value json.RawMessage) (s string, ok bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	return unquote(value), true
}

// Plain returns a value for people to read: the text of a string without its quotes, unless it could then pass for
// another value, and any other value as it is written.
func Plain(value json.RawMessage) string {
	if text, is := Text(value); is && text != "" && !json.Valid([]byte(text)) {
		return text
	}
	return string(value)
}

// IsObject reports whether a value, which must be valid JSON, is an object.
func IsObject(value json.RawMessage) bool { return len(value) > 0 && value[0] == '{' }

// OnlyMember returns the value of an object's only member, if that has this name, or nil.
func OnlyMember(object []byte, name string) (value json.RawMessage) {
	n := 0
	for is, v := range Members(object) {
		if n++; is == name {
			value = v
		}
	}
	if n != 1 {
		return nil
	}
	return value
}
