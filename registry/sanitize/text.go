package sanitize

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxDescription is the longest description, in bytes, that is passed on.
const MaxDescription = 4096

// Description returns a page's description as it is passed on: "No description" if it is empty.
func Description(description string) string {
	text := Text(description, MaxDescription)
	if strings.TrimSpace(text) == "" {
		return "No description"
	}
	return text
}

// Text removes what could deceive a reader of s: control characters other than tab and newline, bidirectional
// controls, zero-width and other invisible characters. It cuts s to at most max bytes and marks the cut.
func Text(s string, max int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	clean := s
	if strings.ContainsFunc(s, deceptive) {
		var b strings.Builder
		from := 0
		for at, r := range Deceptive(s) {
			b.WriteString(s[from:at])
			from = at + utf8.RuneLen(r)
		}
		b.WriteString(s[from:])
		clean = b.String()
	}
	const cut = "… [cut]"
	if len(clean) <= max {
		return clean
	}
	mark := cut
	if max < len(mark) {
		mark = ""
	}
	end := max - len(mark)
	for end > 0 && !utf8.RuneStart(clean[end]) {
		end--
	}
	return clean[:end] + mark
}

// Deceptive yields the characters of s that [Text] removes, with the index where each begins.
func Deceptive(s string) iter.Seq2[int, rune] {
	return func(yield func(int, rune) bool) {
		var before rune
		for at, r := range s {
			if !deceptive(r) || selects(before, r) {
				before = r
			} else if !yield(at, r) {
				return
			}
		}
	}
}

// List names the first max elements of a list, and indicates if there are more. What name returns must be safe to
// read.
func List[T any](all []T, max int, name func(T) string) string {
	var names []string
	for _, one := range all[:min(len(all), max)] {
		names = append(names, name(one))
	}
	if len(all) > max {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

func deceptive(r rune) bool {
	switch {
	case r == '\t' || r == '\n':
		return false
	case r < 0x20, r >= 0x7F && r < 0xA0: // C0 and C1 controls
		return true
	case r == 0xAD, r == 0x61C, r == 0x180E, r == 0xFEFF: // soft hyphen, Arabic letter mark, Mongolian separator, BOM
		return true
	case r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E: // zero-width, bidi embedding
		return true
	case r >= 0x2060 && r <= 0x206F: // word joiner, bidi isolates, deprecated format characters
		return true
	case r == 0x34F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0: // grapheme joiner, Hangul fillers
		return true
	case r >= 0xFE00 && r <= 0xFE0F: // variation selectors, see selects
		return true
	case r >= 0xFFF9 && r <= 0xFFFB, r >= 0xE0000 && r <= 0xE0FFF: // interlinear, tag characters and variation selectors
		return true
	}
	return false
}

// selects reports whether r is a variation selector where writing needs one: after a symbol, a keycap's character, or
// a Chinese one. A run of selectors is invisible, but can say anything to a model.
func selects(before, r rune) bool {
	switch {
	case r == 0xFE0E, r == 0xFE0F: // text style, emoji style
		return unicode.In(before, unicode.So, unicode.Sm, unicode.Sk) || before >= '0' && before <= '9' ||
			before == '#' || before == '*' || before == 0x203C || before == 0x2049
	case r >= 0xFE00 && r <= 0xFE02:
		return unicode.In(before, unicode.Han, unicode.Sm)
	}
	return false
}
