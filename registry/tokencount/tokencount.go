package tokencount

import "unicode/utf8"

// Estimate returns about how many tokens of o200k_base a text has. For tool definitions, other JSON and prose of at
// least a hundred tokens the result is within 10 % of the real number; for text in non-Latin scripts it is within 30
// %. A test checks this. The result is never negative, and 0 only for an empty text. Invalid UTF-8 counts as signs.
func Estimate[T ~string | ~[]byte](text T) int {
	var cost hundredths
	for i := 0; i < len(text); {
		n, c := piece(text, i)
		cost += c
		i += n
	}
	if cost == 0 {
		return 0
	}
	return max(1, int((cost+50)/100))
}

// Exceeds reports whether the sum of [Estimate] over the texts is more than limit. It stops as soon as the answer is
// certain.
func Exceeds[T ~string | ~[]byte](limit int, texts func(yield func(T) bool)) bool {
	total := 0
	for text := range texts {
		if total += Estimate(text); total > limit {
			return true
		}
	}
	return false
}

// hundredths is a number of hundredths of a token.
type hundredths int

// kind is how the tokenizer classifies a byte.
type kind uint8

const (
	sign kind = iota
	lower
	upper
	digit
	blank
	line
	accented // the beginning of a Latin letter that isn't ASCII
	wide     // or of another character
)

var kinds = func() (k [256]kind) {
	for c := range k {
		switch {
		case c >= 0xC3 && c <= 0xC9: // U+00C0 to U+024F
			k[c] = accented
		case c >= utf8.RuneSelf:
			k[c] = wide
		case c >= 'a' && c <= 'z':
			k[c] = lower
		case c >= 'A' && c <= 'Z':
			k[c] = upper
		case c >= '0' && c <= '9':
			k[c] = digit
		case c == '\n' || c == '\r':
			k[c] = line
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			k[c] = blank
		}
	}
	return k
}()

// piece returns the length and the cost of the piece that begins at i.
func piece[T ~string | ~[]byte](text T, i int) (n int, cost hundredths) {
	switch kinds[text[i]] {
	case lower, upper, accented:
		return word(text, i, i)
	case digit:
		end := i
		for end < len(text) && end-i < 3 && kinds[text[end]] == digit {
			end++
		}
		return end - i, 100
	case wide:
		return wideWord(text, i)
	case blank, line:
		return space(text, i)
	}
	if i+1 < len(text) { // one sign belongs to the following word
		if k := kinds[text[i+1]]; k == lower || k == upper || k == accented {
			return word(text, i, i+1)
		}
	}
	return signs(text, i, i)
}

// space takes a run of blanks and line ends. A blank before a word or a sign belongs to that.
func space[T ~string | ~[]byte](text T, i int) (n int, cost hundredths) {
	end, last := i, -1
	for end < len(text) && (kinds[text[end]] == blank || kinds[text[end]] == line) {
		if kinds[text[end]] == line {
			last = end
		}
		end++
	}
	switch {
	case last >= 0: // the blanks after the last line end are a piece of their own
		return last + 1 - i, 100
	case end == len(text) || kinds[text[end]] == digit:
		return end - i, 100
	case end-i > 1:
		return end - i - 1, 100
	case kinds[text[end]] == sign && text[i] == ' ':
		return signs(text, i, end)
	case kinds[text[end]] == wide:
		n, cost = wideWord(text, end)
		return n + 1, cost
	case kinds[text[end]] == sign:
		return 1, 100
	}
	return word(text, i, end)
}

// signs takes a run of signs that begins at from, with the blank before it at i, if there is one.
func signs[T ~string | ~[]byte](text T, i, from int) (n int, cost hundredths) {
	end, turns := from, 0
	for end < len(text) && kinds[text[end]] == sign {
		if end > from && text[end] != text[end-1] {
			turns++
		}
		end++
	}
	for end < len(text) && (kinds[text[end]] == line || text[end] == '/') {
		end++
	}
	return end - i, signCost(end-from, turns)
}
