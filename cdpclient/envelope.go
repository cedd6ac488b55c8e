package cdpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

// envelope is the top level of one incoming message. Its slices point into the message. Absent members are nil.
type envelope struct {
	id      uint64
	hasID   bool
	method  []byte
	session []byte
	params  json.RawMessage
	result  json.RawMessage
	fail    json.RawMessage // "error"
}

// parseEnvelope finds the top-level members in one pass, without decoding params or result. It leaves everything
// unusual to encoding/json.
func parseEnvelope(msg []byte) (envelope, error) {
	var e envelope
	if scanEnvelope(msg, &e) {
		return e, nil
	}
	return slowEnvelope(msg)
}

// scanEnvelope reports whether it has understood the whole message. It assumes that nested values are well-formed:
// Chrome's are, and their decoder detects others.
func scanEnvelope(b []byte, e *envelope) bool {
	end := scanValues(b, skipSpace(b, 0), e.set)
	return end >= 0 && skipSpace(b, end) == len(b)
}

// scanObject visits the members of the object that starts at i. Keys are as written, without their quotes. member
// gets the index of the value and returns the index after it, or -1 to stop. scanObject returns the index after the
// object, or -1.
func scanObject(b []byte, i int, member func(key []byte, i int) int) int {
	if i >= len(b) || b[i] != '{' {
		return -1
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return -1
		}
		end := skipString(b, i)
		if end < 0 {
			return -1
		}
		key := b[i+1 : end-1]
		i = skipSpace(b, end)
		if i >= len(b) || b[i] != ':' {
			return -1
		}
		if i = member(key, skipSpace(b, i+1)); i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		if i >= len(b) {
			return -1
		}
		switch b[i] {
		case ',':
			i = skipSpace(b, i+1)
		case '}':
			return i + 1
		default:
			return -1
		}
	}
}

// scanValues is scanObject for members whose values are read as a whole. member returns false to stop.
func scanValues(b []byte, i int, member func(key, val []byte) bool) int {
	return scanObject(b, i, func(key []byte, i int) int {
		end := skipValue(b, i)
		if end < 0 || !member(key, b[i:end]) {
			return -1
		}
		return end
	})
}

// scanArray is scanObject for the elements of a non-empty array.
func scanArray(b []byte, i int, element func(i int) int) int {
	if i >= len(b) || b[i] != '[' {
		return -1
	}
	for {
		if i = element(skipSpace(b, i+1)); i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		if i >= len(b) {
			return -1
		}
		switch b[i] {
		case ',':
		case ']':
			return i + 1
		default:
			return -1
		}
	}
}

// set stores one member. It returns false if encoding/json must decode the message.
func (e *envelope) set(key, val []byte) bool {
	switch string(key) {
	case "id":
		n, ok := plainUint(val)
		if !ok || e.hasID {
			return false
		}
		e.id, e.hasID = n, true
	case "method":
		return setString(&e.method, val)
	case "sessionId":
		return setString(&e.session, val)
	case "params":
		return setRaw(&e.params, val)
	case "result":
		return setRaw(&e.result, val)
	case "error":
		return setRaw(&e.fail, val)
	default:
		return plainString(key)
	}
	return true
}

func setString(dst *[]byte, val []byte) bool {
	if *dst != nil || len(val) < 2 || val[0] != '"' || !plainString(val[1:len(val)-1]) {
		return false
	}
	*dst = val[1 : len(val)-1]
	return true
}

// plainString reports whether the inside of a JSON string contains no escapes and only printable ASCII.
func plainString(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c >= 0x7f || c == '\\' || c == '"' {
			return false
		}
	}
	return true
}

func setRaw(dst *json.RawMessage, val []byte) bool {
	if *dst != nil {
		return false
	}
	*dst = val[:len(val):len(val)]
	return true
}

func plainUint(val []byte) (uint64, bool) {
	if len(val) == 0 || len(val) > 18 || val[0] == '0' && len(val) > 1 {
		return 0, false
	}
	var n uint64
	for _, c := range val {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, true
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipString returns the index after the string that starts at i, or -1.
func skipString(b []byte, i int) int {
	for i++; i < len(b); {
		q := bytes.IndexByte(b[i:], '"')
		if q < 0 {
			return -1
		}
		q += i
		// The quote ends the string if an even number of backslashes precedes it.
		s := q
		for s > i && b[s-1] == '\\' {
			s--
		}
		i = q + 1
		if (q-s)%2 == 0 {
			return i
		}
	}
	return -1
}

// skipValue returns the index after the value that starts at i, or -1.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return skipString(b, i)
	case c == '{' || c == '[':
		return skipNested(b, i)
	case c == '-' || c >= '0' && c <= '9' || c == 't' || c == 'f' || c == 'n':
		for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
			i++
		}
		return i
	}
	return -1
}

func skipNested(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

var errNotEnvelope = errors.New("not a CDP message")

// slowEnvelope decodes any JSON. The last of repeated members wins.
func slowEnvelope(msg []byte) (envelope, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(msg, &m); err != nil {
		return envelope{}, err
	}
	if m == nil {
		return envelope{}, errNotEnvelope
	}
	e := envelope{params: m["params"], result: m["result"], fail: m["error"]}
	if raw, ok := m["id"]; ok {
		n, err := strconv.ParseUint(string(raw), 10, 64)
		if err != nil {
			return envelope{}, errNotEnvelope
		}
		e.id, e.hasID = n, true
	}
	for name, dst := range map[string]*[]byte{"method": &e.method, "sessionId": &e.session} {
		raw, ok := m[name]
		if !ok {
			continue
		}
		var s *string
		if err := json.Unmarshal(raw, &s); err != nil || s == nil {
			return envelope{}, errNotEnvelope
		}
		*dst = []byte(*s)
	}
	return e, nil
}
