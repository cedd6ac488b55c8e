// Package terminal has what commands show on a terminal: text that fits its width ([Wrap]), colors, and a line that shows
// what is being done ([Line]), which may be used from any goroutine. Without a terminal nothing is wrapped or shown.
//
// The package imports registry/sanitize only, because texts may come from pages.
package terminal

import (
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// narrow is the least width that text is wrapped at.
const narrow = 40

// Width returns how many columns a terminal has; 0 if out is no terminal.
func Width(out *os.File) int {
	columns, _, err := term.GetSize(int(out.Fd()))
	if err != nil || columns <= 0 {
		return 0
	}
	return max(columns, narrow)
}

// Wrap returns a text, indented, in lines that are at most width columns wide; a longer word has a line of its own.
// The first line gets the indent first, the others the indent rest. A width of 0 doesn't wrap.
func Wrap(text string, width int, first, rest string) string {
	if width <= 0 {
		return first + text
	}
	var b strings.Builder
	b.WriteString(first)
	column, empty := visible(first), true
	for word := range strings.FieldsSeq(text) {
		n := visible(word)
		switch {
		case empty:
		case column+1+n > width:
			b.WriteString("\n" + rest)
			column = visible(rest)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column, empty = column+n, false
	}
	return b.String()
}

// visible returns how many columns a text takes, without the codes of colors.
func visible(s string) (n int) {
	for {
		start := strings.Index(s, "\x1b[")
		if start < 0 {
			return n + utf8.RuneCountInString(s)
		}
		n += utf8.RuneCountInString(s[:start])
		end := strings.IndexByte(s[start:], 'm')
		if end < 0 {
			return n
		}
		s = s[start+end+1:]
	}
}
