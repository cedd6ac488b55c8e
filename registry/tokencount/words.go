package tokencount

import (
	"unicode"
	"unicode/utf8"
)

// word takes a run of Latin letters that begins at from: capitals, then small letters. It includes the sign or blank
// before it at i, if there is one. Letters with accents count as small.
func word[T ~string | ~[]byte](text T, i, from int) (n int, cost hundredths) {
	end := from
	for end < len(text) && kinds[text[end]] == upper {
		end++
	}
	capitals, vowels, accents := end-from, 0, 0
	var extra hundredths
	for end < len(text) && (kinds[text[end]] == lower || kinds[text[end]] == accented) {
		switch text[end] {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			vowels++
		}
		if kinds[text[end]] == accented {
			accents++
			extra += accentCost(text[end])
			end += min(2, len(text)-end)
			continue
		}
		end++
	}
	letters := end - from - accents
	return end - i, wordCost(letters, capitals, vowels+accents) + extra
}

// accentCost returns the additional cost of a non-ASCII Latin letter by its first byte. More words of the vocabulary
// have the letters of Western European languages than others.
func accentCost(first byte) hundredths {
	if first == 0xC3 {
		return 20
	}
	return 65
}

// wordCost returns the cost of a word with this number of letters and capitals, and this number of vowels among the
// small letters. A word with few vowels belongs to no language.
func wordCost(letters, capitals, vowels int) hundredths {
	small := letters - capitals
	switch {
	case small == 0: // an acronym, or a shouted word
		return capitalCosts[min(letters, len(capitalCosts)-1)] + 40*hundredths(max(0, letters-len(capitalCosts)+1))
	case small > 4 && vowels*7 < small:
		return 100 + 45*hundredths(letters-3)
	case small == letters && letters > 2 && vowels == 0:
		return 100 + 30*hundredths(letters-2)
	}
	cost := wordCosts[min(letters, len(wordCosts)-1)] + 25*hundredths(max(0, letters-len(wordCosts)+1))
	if capitals > 1 {
		cost += 30 * hundredths(capitals-1)
	}
	return cost
}

// These are the costs by length, measured on tool definitions and prose.
var (
	wordCosts    = [...]hundredths{0, 100, 100, 101, 102, 104, 107, 109, 113, 125, 132, 132, 145, 155, 175}
	capitalCosts = [...]hundredths{0, 100, 105, 115, 140, 170, 200}
	signCosts    = [...]hundredths{0, 100, 100, 100, 120, 190, 240} // as between JSON values
)

// signCost returns the cost of a run of length signs, turns of which differ from the sign before.
func signCost(length, turns int) hundredths {
	switch {
	case length < len(signCosts):
		return signCosts[length]
	case turns*4 < length: // for example, a rule of dashes
		return 100 + 10*hundredths(length/8)
	}
	return signCosts[len(signCosts)-1] + 45*hundredths(length-len(signCosts)+1)
}

// A script says what each letter costs, and each run of letters in addition.
type script struct {
	of        *unicode.RangeTable
	each, run hundredths
}

var scripts = []script{
	{unicode.Han, 68, 10},
	{unicode.Cyrillic, 10, 65},
	{unicode.Hiragana, 62, 10},
	{unicode.Katakana, 62, 10},
	{unicode.Hangul, 55, 20},
	{unicode.Arabic, 23, 40},
	{unicode.Greek, 27, 50},
	{unicode.Hebrew, 32, 40},
	{unicode.Thai, 33, 20},
	{unicode.Devanagari, 23, 30},
	{unicode.Bengali, 31, 40},
	{unicode.Tamil, 32, 40},
	{unicode.Telugu, 46, 40},
	{unicode.Sinhala, 59, 30},
	{unicode.Georgian, 30, 30},
	{unicode.Armenian, 31, 30},
	{unicode.Khmer, 61, 20},
	{unicode.Myanmar, 54, 20},
	// The vocabulary has few words in these scripts: a letter is about two tokens.
	{unicode.Lao, 190, 10},
	{unicode.Ethiopic, 220, 0},
}

// otherScript is any other script, or none.
var otherScript = &script{each: 100}

// wideWord takes a run of characters that are neither ASCII nor Latin letters.
func wideWord[T ~string | ~[]byte](text T, i int) (n int, cost hundredths) {
	of := otherScript
	for i+n < len(text) && kinds[text[i+n]] == wide {
		r, size := utf8.DecodeRuneInString(string(text[i+n : min(len(text), i+n+utf8.UTFMax)]))
		if r != utf8.RuneError && unicode.IsSymbol(r) || r >= 0x1F000 { // pictures
			if n == 0 {
				return size, 160
			}
			break
		}
		if of = of.or(r); n == 0 {
			cost = of.run
		}
		n += size
		cost += of.each
	}
	return n, max(100, cost)
}

// or returns the script of a letter. A rune that is no letter, such as a mark, belongs to the letter before it.
func (s *script) or(r rune) *script {
	if s.of != nil && (unicode.Is(s.of, r) || !unicode.IsLetter(r)) {
		return s
	}
	for i := range scripts {
		if unicode.Is(scripts[i].of, r) {
			return &scripts[i]
		}
	}
	return s
}
