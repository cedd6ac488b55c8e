package sanitize

import (
	"bytes"
	"encoding/json"
)

// Result is the answer to one tool call: a whole MCP CallToolResult object.
type Result struct {
	JSON json.RawMessage
	// IsError repeats the object's isError.
	IsError bool
	// Ending says in a word how the call ended without an answer of its tool, such as "closed" or "timeout"; empty if
	// the tool answered.
	Ending string
	// FrameURL is the address that the document had when it answered; empty if that isn't known. The tool itself only
	// has the address at its registration.
	FrameURL string
	// Opened is the page of the tab that shows the tool's result; empty if there is none or the page isn't known.
	Opened string
	// Connects replaces JSON for clients that see connect_webmcp, where that tool helps; nil if those clients get
	// JSON, too.
	Connects json.RawMessage
}

// These are the endings ([Result].Ending) after which a call may be tried elsewhere.
const (
	EndingGone   = "gone"   // see registry.NotThere: the call has not begun
	EndingClosed = "closed" // see registry.EndedByClose
	EndingLost   = "lost"   // see registry.EndedByLoss and registry.EndedByExtension
)

// TabGone reports whether the call ended because its tab, or the connection to it, ended. The tool may have begun,
// and no answer will come.
func (r Result) TabGone() bool { return r.Ending == EndingClosed || r.Ending == EndingLost }

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type callToolResult struct {
	Content           []any `json:"content"`
	StructuredContent any   `json:"structuredContent,omitempty"`
	IsError           bool  `json:"isError,omitempty"`
}

func (r callToolResult) encode() Result {
	return Result{JSON: Encode(r), IsError: r.IsError}
}

// TextResult returns a successful result with one text.
func TextResult(text string) Result {
	return callToolResult{Content: []any{textContent{"text", text}}}.encode()
}

// ErrorResult returns the result of a failed call; text tells the agent what happened and what to do next.
func ErrorResult(text string) Result {
	return callToolResult{Content: []any{textContent{"text", text}}, IsError: true}.encode()
}

// StructuredResult returns a successful result with a JSON object. The object is in structuredContent and, for
// clients that don't read that, in a text.
func StructuredResult(v any) Result {
	raw := Encode(v)
	return callToolResult{Content: []any{textContent{"text", string(raw)}}, StructuredContent: raw}.encode()
}

// StructuredError returns the same as StructuredResult, for a call that failed.
func StructuredError(v any) Result {
	raw := Encode(v)
	return callToolResult{Content: []any{textContent{"text", string(raw)}}, StructuredContent: raw,
		IsError: true}.encode()
}

// MaxResultDepth is the deepest nesting of a result that is passed on as a structure; a deeper result becomes text.
// Clients' decoders stop at 128.
const MaxResultDepth = 100

// NativeResult turns what a native tool returned into a CallToolResult. output is the output of WebMCP.toolResponded,
// or nil if there was none. A value that is a CallToolResult stays one; a string becomes text; anything else becomes
// JSON text with structuredContent.
func NativeResult(output json.RawMessage) Result {
	output = bytes.TrimSpace(output)
	switch {
	case len(output) == 0 || !json.Valid(output):
		return TextResult(string(output))
	case NestedDeeper(output, MaxResultDepth):
		if r, ok := pageResult(output, true); ok {
			return r // as text, but an error stays an error
		}
		return TextResult(string(output))
	}
	switch output[0] {
	case '"':
		var s string
		if json.Unmarshal(output, &s) == nil {
			return TextResult(s)
		}
	case '{':
		// A tool may return an article, say, whose member content is something else.
		if r, ok := pageResult(output, true); ok {
			return r
		}
		return callToolResult{Content: []any{textContent{"text", string(output)}},
			StructuredContent: portable(output)}.encode()
	}
	wrapped := Encode(map[string]json.RawMessage{"result": portable(output)})
	return callToolResult{Content: []any{textContent{"text", string(output)}}, StructuredContent: wrapped}.encode()
}

// PageResult reads a page's CallToolResult. Content blocks of known type with their required fields are passed on
// unchanged; any other block becomes a text with its JSON, so that no client fails on it. ok is false if raw is not
// an object with a content array.
func PageResult(raw json.RawMessage) (r Result, ok bool) { return pageResult(raw, false) }

// pageResult does the same as [PageResult]. With typed, it accepts only a content array of objects with a type.
func pageResult(raw json.RawMessage, typed bool) (r Result, ok bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return Result{}, false
	}
	var blocks []json.RawMessage
	if content, has := fields["content"]; !has || json.Unmarshal(content, &blocks) != nil || blocks == nil {
		return Result{}, false
	}
	isError := string(fields["isError"]) == "true"
	if NestedDeeper(raw, MaxResultDepth) {
		return callToolResult{Content: []any{textContent{"text", string(raw)}}, IsError: isError}.encode(), true
	}
	structured, hasStructured := fields["structuredContent"]
	sound := !hasStructured || isObject(structured)
	for i, b := range blocks {
		if !soundContent(b) {
			if typed && !hasType(b) {
				return Result{}, false
			}
			blocks[i] = Encode(textContent{"text", string(b)})
			sound = false
		}
	}
	if e, has := fields["isError"]; has && !isError && string(e) != "false" {
		sound = false
	}
	if m, has := fields["_meta"]; has && !isObject(m) {
		sound = false
	}
	if sound && onlyKnown(fields) {
		return Result{JSON: portable(raw), IsError: isError}, true
	}
	out := map[string]any{"content": blocks}
	if isError {
		out["isError"] = true
	}
	if hasStructured && string(structured) != "null" {
		if !isObject(structured) {
			structured = Encode(map[string]json.RawMessage{"result": structured})
		}
		out["structuredContent"] = structured
	}
	if m, has := fields["_meta"]; has && isObject(m) {
		out["_meta"] = m
	}
	return Result{JSON: portable(Encode(out)), IsError: isError}, true
}

func onlyKnown(fields map[string]json.RawMessage) bool {
	for k := range fields {
		switch k {
		case "content", "isError", "structuredContent", "_meta":
		default:
			return false
		}
	}
	return true
}

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}
