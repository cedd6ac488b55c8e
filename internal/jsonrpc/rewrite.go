package jsonrpc

import (
	"bytes"
	"encoding/json"
)

// Rewrite replaces the value of each member of an object by the result of value, or removes the member if that is
// nil. If nothing changes, Rewrite returns the same bytes and allocates nothing. It returns a value that is no object
// unchanged.
func Rewrite(object json.RawMessage, value func(name string, is json.RawMessage) json.RawMessage) json.RawMessage {
	if !IsObject(object) {
		return object
	}
	var out []byte // nil while nothing has changed
	same := 0      // number of unchanged members
	for name, is := range Members(object) {
		now := value(name, is)
		if out == nil {
			if now != nil && bytes.Equal(now, is) {
				same++
				continue
			}
			out = members(object, same)
		}
		if now != nil {
			out = member(out, name, now)
		}
	}
	if out == nil {
		return object
	}
	return append(out, '}')
}

// members begins an object with the first n members of another.
func members(of json.RawMessage, n int) []byte {
	out := append(make([]byte, 0, len(of)), '{')
	for name, is := range Members(of) {
		if n == 0 {
			break
		}
		out = member(out, name, is)
		n--
	}
	return out
}

// member adds a member to an object that has begun.
func member(to []byte, name string, is json.RawMessage) []byte {
	if len(to) > 1 {
		to = append(to, ',')
	}
	return append(append(append(to, MustEncode(name)...), ':'), is...)
}

// RewriteEach does the same as [Rewrite] with each item of a list.
func RewriteEach(list json.RawMessage, value func(is json.RawMessage) json.RawMessage) json.RawMessage {
	if len(list) == 0 || list[0] != '[' {
		return list
	}
	var out []byte // nil while nothing has changed
	same := 0      // number of unchanged items
	for is := range Elements(list) {
		now := value(is)
		if out == nil {
			if bytes.Equal(now, is) {
				same++
				continue
			}
			out = items(list, same)
		}
		out = item(out, now)
	}
	if out == nil {
		return list
	}
	return append(out, ']')
}

// items begins a list with the first n items of another.
func items(of json.RawMessage, n int) []byte {
	out := append(make([]byte, 0, len(of)), '[')
	for is := range Elements(of) {
		if n == 0 {
			break
		}
		out = item(out, is)
		n--
	}
	return out
}

// item adds an item to a list that has begun.
func item(to []byte, is json.RawMessage) []byte {
	if len(to) > 1 {
		to = append(to, ',')
	}
	return append(to, is...)
}
