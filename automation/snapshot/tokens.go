package snapshot

import "unicode"

// Tokens estimates how many tokens a model counts in a text. It is simple on purpose, because each model counts
// differently. A word has one token for each six letters or part of six, a number one for each three figures. Other
// signs have one each, but a run of the same sign has one for four. A letter that isn't Latin has one. Space counts
// only at the beginning of a line.
func Tokens(s string) int {
	n := 0
	var kind, last rune
	run := 0
	for _, r := range s {
		k := kindOf(r)
		if k != kind || k == 's' && r != last {
			run = 0
		}
		switch k {
		case 'a':
			if run%6 == 0 {
				n++
			}
		case '0':
			if run%3 == 0 {
				n++
			}
		case 's':
			if run%4 == 0 {
				n++
			}
		case 'w':
			n++
		case '\n':
			if run == 0 {
				n++
			}
		}
		kind, last = k, r
		run++
	}
	return n
}

// kindOf returns a for letters, 0 for figures, w for letters that are a token of their own, s for other signs, or the
// space or newline itself.
func kindOf(r rune) rune {
	switch {
	case r == '\n':
		return '\n'
	case r == ' ':
		return ' '
	case r >= '0' && r <= '9':
		return '0'
	case r < 0x250 && unicode.IsLetter(r):
		return 'a'
	case unicode.IsLetter(r) || r > 0xFFFF:
		return 'w'
	}
	return 's'
}
