package sanitize

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// AppendJSON appends s as a JSON string, as Encode writes it.
func AppendJSON(to []byte, s string) []byte {
	if !plainText(s) {
		return append(to, Encode(s)...)
	}
	to = append(to, '"')
	to = append(to, s...)
	return append(to, '"')
}

// plainText reports whether every character of s stands for itself in JSON text.
func plainText(s string) bool {
	ascii := true
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			return false
		} else if c >= utf8.RuneSelf {
			ascii = false
		}
	}
	return ascii || utf8.ValidString(s) && !strings.Contains(s, "\u2028") && !strings.Contains(s, "\u2029")
}

// Encode encodes values that are made in the hub and can't fail; a failure is a bug, and panics.
func Encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("registry: encoding %T: %v", v, err))
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
