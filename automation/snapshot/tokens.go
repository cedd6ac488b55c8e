package snapshot

import "unicode"

// Tokens estimates how many tokens a model counts in a text. It is simple on purpose,
// as each model counts otherwise: a word is a token for each six letters begun,
// figures are one for each three, each other sign is one (a run of the same, one for four),
// a letter beyond Latin is one, and space only counts at the beginning of a line.
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

// kindOf is a for letters, 0 for figures, w for letters that make a token of their own,
// s for signs, space and newline.
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
