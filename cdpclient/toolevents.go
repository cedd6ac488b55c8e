package cdpclient

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Pages can send very many of these two events, so they are decoded by hand, in a message whose envelope has been
// scanned already. The result equals that of encoding/json, which decodes unusual input.

// Decode decodes the event's params. The result does not point into them.
func (e *ToolsAdded) Decode(params json.RawMessage) error {
	return decodeTools(params, &e.Tools, (*Tool).scan, e)
}

// Decode decodes the event's params. The result does not point into them.
func (e *ToolsRemoved) Decode(params json.RawMessage) error {
	return decodeTools(params, &e.Tools, (*RemovedTool).scan, e)
}

// decodeTools decodes an event whose only member is tools.
func decodeTools[T any](params json.RawMessage, tools *[]T, scan func(t *T, b []byte, i int) int, event any) error {
	*tools = nil
	if scanTools(params, func(i int) int {
		*tools = append(*tools, *new(T))
		return scan(&(*tools)[len(*tools)-1], params, i)
	}) {
		return nil
	}
	*tools = nil
	return json.Unmarshal(params, event)
}

// scanTools visits the elements of {"tools":[…]}.
func scanTools(params []byte, tool func(i int) int) bool {
	n := 0
	end := scanObject(params, skipSpace(params, 0), func(key []byte, i int) int {
		if n++; n > 1 || string(key) != "tools" {
			return -1
		}
		return scanArray(params, i, tool)
	})
	return n == 1 && end >= 0 && skipSpace(params, end) == len(params)
}

// scan reads the tool that starts at i. It returns the index after the tool, or -1 if encoding/json must decode it.
// The other scan methods do the same.
func (t *Tool) scan(b []byte, i int) int {
	var seen members
	return scanValues(b, i, func(key, val []byte) bool {
		switch string(key) {
		case "name":
			return seen.first(0) && scanText(&t.Name, val)
		case "description":
			return seen.first(1) && scanText(&t.Description, val)
		case "inputSchema":
			t.InputSchema = bytes.Clone(val)
			return seen.first(2) && val[0] == '{'
		case "annotations":
			t.Annotations = &ToolAnnotations{}
			return seen.first(3) && t.Annotations.scan(val, 0) == len(val)
		case "frameId":
			return seen.first(4) && scanText(&t.FrameID, val)
		case "backendNodeId":
			n, ok := plainUint(val)
			t.BackendNodeID = int(n)
			return seen.first(5) && ok
		case "stackTrace":
			t.Script = scriptOf(val)
			return seen.first(6)
		}
		return false // a member of a newer Chrome, or the name has escapes
	})
}

func (a *ToolAnnotations) scan(b []byte, i int) int {
	var seen members
	return scanValues(b, i, func(key, val []byte) bool {
		yes := string(val) == "true"
		if !yes && string(val) != "false" {
			return false
		}
		switch string(key) {
		case "readOnly":
			a.ReadOnly = &yes
			return seen.first(0)
		case "untrustedContent":
			a.UntrustedContent = &yes
			return seen.first(1)
		case "consequential":
			a.Consequential = &yes
			return seen.first(2)
		case "debugging":
			a.Debugging = &yes
			return seen.first(3)
		case "autosubmit":
			a.Autosubmit = &yes
			return seen.first(4)
		}
		return false
	})
}

func (t *RemovedTool) scan(b []byte, i int) int {
	var seen members
	return scanValues(b, i, func(key, val []byte) bool {
		switch string(key) {
		case "name":
			return seen.first(0) && scanText(&t.Name, val)
		case "frameId":
			return seen.first(1) && scanText(&t.FrameID, val)
		}
		return false
	})
}

// members records which members of an object have occurred.
type members uint8

// first notes member number i, and reports whether it occurs for the first time.
func (m *members) first(i int) bool {
	was := *m
	*m |= 1 << i
	return *m != was
}

// scanText decodes a JSON string.
func scanText(to *string, val []byte) bool {
	if len(val) < 2 || val[0] != '"' {
		return false
	}
	inside := val[1 : len(val)-1]
	plain := true
	for _, c := range inside {
		if c < ' ' || c == '\\' || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain || bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) &&
		!bytes.ContainsFunc(inside, func(r rune) bool { return r < ' ' }) {
		*to = string(inside)
		return true
	}
	return json.Unmarshal(val, to) == nil
}
