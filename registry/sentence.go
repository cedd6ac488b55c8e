package registry

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence makes a sentence of an error's text: it begins with a capital letter, unless
// with the name of a tool or with what ends in a colon, and ends with a full stop.
func Sentence(s string) string {
	if first, _, _ := strings.Cut(s, " "); !strings.ContainsAny(first, "_:") {
		letter, size := utf8.DecodeRuneInString(s)
		if letter != utf8.RuneError {
			s = string(unicode.ToUpper(letter)) + s[size:]
		}
	}
	return strings.TrimRight(s, ".") + "."
}
