package registry

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence makes a sentence of an error's text, with a full stop. It capitalizes the first letter, unless the text
// begins with the name of a tool or with a word that ends in a colon.
func Sentence(s string) string {
	if first, _, _ := strings.Cut(s, " "); !strings.ContainsAny(first, "_:") {
		letter, size := utf8.DecodeRuneInString(s)
		if letter != utf8.RuneError {
			s = string(unicode.ToUpper(letter)) + s[size:]
		}
	}
	return strings.TrimRight(s, ".") + "."
}
