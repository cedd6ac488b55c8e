package sanitize

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// fields is a decoded object. Unlike a struct, it does not match a field whose name differs in case; no client would,
// either.
type fields map[string]json.RawMessage

// strings reports whether all these fields exist and are strings.
func (f fields) strings(names ...string) bool {
	for _, n := range names {
		if !isString(f[n]) {
			return false
		}
	}
	return true
}

// soundContent reports whether a content block is one of MCP's, with the fields that clients require.
func soundContent(block json.RawMessage) bool {
	var c fields
	if !isObject(block) || json.Unmarshal(block, &c) != nil {
		return false
	}
	for _, k := range []string{"annotations", "_meta"} {
		if v, has := c[k]; has && !isObject(v) {
			return false
		}
	}
	for _, k := range []string{"mimeType", "title", "description"} {
		if v, has := c[k]; has && !isString(v) {
			return false
		}
	}
	switch string(c["type"]) {
	case `"text"`:
		return c.strings("text")
	case `"image"`, `"audio"`:
		return isBase64(c["data"]) && c.strings("mimeType")
	case `"resource"`:
		return soundResource(c["resource"])
	case `"resource_link"`:
		return c.strings("uri", "name")
	}
	return false
}

func hasType(block json.RawMessage) bool {
	var c fields
	return isObject(block) && json.Unmarshal(block, &c) == nil && c.strings("type")
}

func soundResource(raw json.RawMessage) bool {
	var r fields
	if !isObject(raw) || json.Unmarshal(raw, &r) != nil || !r.strings("uri") {
		return false
	}
	if m, has := r["mimeType"]; has && !isString(m) {
		return false
	}
	if blob, has := r["blob"]; has {
		return isBase64(blob)
	}
	return r.strings("text")
}

func isString(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '"' }

// isBase64 reports whether a JSON string holds what base64 decoders accept. Some clients refuse the whole result
// otherwise.
func isBase64(raw json.RawMessage) bool {
	if !isString(raw) {
		return false
	}
	text := raw[1 : len(raw)-1]
	if bytes.IndexByte(text, '\\') >= 0 { // "\/" is an escaped slash
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return false
		}
		text = []byte(s)
	}
	body := bytes.TrimRight(text, "=")
	if pad := len(text) - len(body); pad > 2 || pad > 0 && len(text)%4 != 0 || len(body)%4 == 1 {
		return false
	}
	for _, c := range body {
		if !(c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/') {
			return false
		}
	}
	return true
}

// portable rewrites valid JSON so that strict clients can read it: on one line, in valid UTF-8, without unpaired
// surrogates.
func portable(raw json.RawMessage) json.RawMessage {
	if !utf8.Valid(raw) || holdsHalfPair(raw) {
		if v, err := decodeAny(raw); err == nil {
			return Encode(v)
		}
	}
	if bytes.IndexByte(raw, '\n') >= 0 || bytes.IndexByte(raw, '\r') >= 0 {
		return compact(raw)
	}
	return raw
}

// holdsHalfPair reports whether there is an escaped surrogate without its other half.
func holdsHalfPair(raw []byte) bool {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 >= len(raw) {
			return false
		}
		raw = raw[i:]
		switch surrogate(raw) {
		case 'L':
			return true
		case 'H':
			if surrogate(raw[6:]) != 'L' {
				return true
			}
			raw = raw[12:]
		default:
			raw = raw[2:]
		}
	}
}

// surrogate returns 'H' if raw begins with the escape of a high surrogate, 'L' for a low one, and 0 otherwise.
func surrogate(raw []byte) byte {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' || raw[2]|0x20 != 'd' {
		return 0
	}
	switch c := raw[3] | 0x20; {
	case c == '8', c == '9', c == 'a', c == 'b':
		return 'H'
	case c >= 'c' && c <= 'f':
		return 'L'
	}
	return 0
}

// decodeAny decodes JSON and keeps its numbers as they are written.
func decodeAny(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
