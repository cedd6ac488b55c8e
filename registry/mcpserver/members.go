package mcpserver

import (
	"bytes"
	"encoding/json"
)

// members visits the members of an object, which must be valid JSON, without
// copying: values are slices of it. It spares the hot path encoding/json's
// reflection; of two members with one name both are visited.
func members(object []byte, visit func(name string, value json.RawMessage)) {
	i := blanks(object, 0) + 1 // past the brace
	for {
		i = blanks(object, i)
		if i >= len(object) || object[i] == '}' {
			return
		}
		end := skipString(object, i)
		name := unquote(object[i:end])
		i = blanks(object, end) + 1 // past the colon
		i = blanks(object, i)
		end = skipValue(object, i)
		visit(name, object[i:end:end])
		if i = blanks(object, end); i < len(object) && object[i] == ',' {
			i++
		}
	}
}

func blanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString gives the end of the string that begins at i.
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

// skipValue gives the end of the value that begins at i.
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
				return i // the end of the object that a number or literal is in
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

// unquote gives the text of a JSON string.
func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // it is valid
	return s
}

// text gives the text of value if it is a JSON string.
func text(value json.RawMessage) (s string, ok bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	return unquote(value), true
}

func isObject(value json.RawMessage) bool { return len(value) > 0 && value[0] == '{' }
