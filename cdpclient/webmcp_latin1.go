package cdpclient

import (
	"bytes"
	"encoding/json"
)

// This file works around a fault of Chromium 156 in the WebMCP domain (measured): it parses a page's JSON as UTF-8,
// although V8 keeps text as Latin-1 if that suffices.

// Decode decodes the event's params. Chrome fails to parse an Output with characters from U+0080 to U+00FF and none
// beyond, and sends it as a string; Decode returns the value in the string.
//
// A page's own string that contains JSON looks the same. Decode need not distinguish the two: Chrome parses a page's
// string that is JSON wherever it can, so with other letters it would send the parsed value for both.
//
// Decode is no UnmarshalJSON because encoding/json scans everything once more before it calls UnmarshalJSON, and
// results are long.
func (e *ToolResponded) Decode(params json.RawMessage) error {
	if err := json.Unmarshal(params, e); err != nil {
		return err
	}
	e.Output = unparsed(e.Output)
	return nil
}

// unparsed returns the JSON in a JSON string that Chrome should have parsed, or the output unchanged.
func unparsed(output json.RawMessage) json.RawMessage {
	// JSON with such characters is an object, an array or a string.
	start := bytes.TrimLeft(output, "\" \t\r\n")
	if len(output) == 0 || output[0] != '"' || len(start) == 0 || start[0] != '{' && start[0] != '[' &&
		start[0] != '\\' {
		return output
	}
	var text string
	if json.Unmarshal(output, &text) != nil {
		return output
	}
	high := false
	for _, r := range text {
		if r > 0xFF {
			return output
		}
		high = high || r >= 0x80
	}
	if !high || !json.Valid([]byte(text)) {
		return output
	}
	return json.RawMessage(text)
}

// Invocable reports whether WebMCP.invokeTool accepts input, which is JSON. It refuses arguments in which a member,
// at any depth, has a name outside ASCII; those must go to the page's own executeTool.
func Invocable(input json.RawMessage) bool {
	plain := !bytes.Contains(input, []byte(`\u`)) && !bytes.ContainsFunc(input, func(r rune) bool { return r >= 0x80 })
	if plain {
		return true
	}
	var v any
	return json.Unmarshal(input, &v) != nil || asciiNames(v)
}

func asciiNames(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			for i := range len(name) {
				if name[i] >= 0x80 {
					return false
				}
			}
			if !asciiNames(member) {
				return false
			}
		}
	case []any:
		for _, element := range v {
			if !asciiNames(element) {
				return false
			}
		}
	}
	return true
}
