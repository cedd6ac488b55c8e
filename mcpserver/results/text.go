package results

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"webmcphub/registry/tokencount"
)

// bytesPerToken is more bytes than a token of any text has, except of blanks.
const bytesPerToken = 16

// fits reports whether a text has at most max tokens.
func fits(text string, max int) bool {
	return len(text) <= max || len(text) <= max*bytesPerToken*4 && tokencount.Estimate(text) <= max
}

// Text cuts a text to about max tokens at most, and returns how many of its bytes are kept. It cuts at the end of a
// line if one ends in the last quarter, and otherwise between two characters.
func Text(text string, max int) (kept int) {
	if fits(text, max) {
		return len(text)
	}
	// A few steps of bisection find the place in any text. Guesses by the average length of a token may approach it
	// only slowly.
	kept, most := 0, min(len(text), max*bytesPerToken)
	for most-kept > max/16 {
		middle := kept + (most-kept+1)/2
		if tokencount.Estimate(text[:middle]) <= max {
			kept = middle
		} else {
			most = middle - 1
		}
	}
	for kept > 0 && !utf8.RuneStart(text[kept]) {
		kept--
	}
	if line := strings.LastIndexByte(text[:kept], '\n'); line >= kept-kept/4 && line >= 0 {
		kept = line + 1
	}
	return kept
}

// number writes a number as people read it: 12,345.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%s %ss", number(n), what)
}
