package find

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// termID is a term's position in the vocabulary.
type termID int32

// posting says that a document has a term, and how much the term weighs there.
type posting struct {
	doc    docID
	weight float32
}

// vocabulary has all terms, and the documents that have each. It belongs to one goroutine.
type vocabulary struct {
	ids      map[string]termID
	texts    []string
	postings [][]posting
	// near has the terms that are words, by their first byte and their length in runes, for finding misspelled words.
	near map[spelling][]spelled
}

type spelling struct {
	first byte
	runes int
}

// spelled is a word with a set of its letters, in which several letters share one bit.
type spelled struct {
	text    string
	letters uint64
	id      termID
}

func newVocabulary() vocabulary {
	return vocabulary{ids: map[string]termID{}, near: map[spelling][]spelled{}}
}

// id returns the id of a term, and adds the term if it is new.
func (v *vocabulary) id(text string) termID {
	id, known := v.ids[text]
	if known {
		return id
	}
	text = strings.Clone(text) // so as not to keep the whole text of the page
	id = termID(len(v.postings))
	v.ids[text] = id
	v.texts, v.postings = append(v.texts, text), append(v.postings, nil)
	if n := utf8.RuneCountInString(text); n >= shortestMisspelled-1 && n <= maxWord &&
		!strings.HasPrefix(text, beginningMark) && kindOf(firstRune(text)) == spaced {
		k := spelling{text[0], n}
		v.near[k] = append(v.near[k], spelled{text, letters(text), id})
	}
	return id
}

// has returns the documents that have a term.
func (v *vocabulary) has(text string) []posting {
	if id, known := v.ids[text]; known {
		return v.postings[id]
	}
	return nil
}

// knows reports whether a document has a term.
func (v *vocabulary) knows(text string) bool { return len(v.has(text)) > 0 }

// letters returns a set with a bit for each letter of a word.
func letters(text string) (set uint64) {
	for _, r := range text {
		set |= 1 << (uint32(r) % 64)
	}
	return set
}

// shortestMisspelled is how many letters a word must have to count as misspelled; too many short words are similar.
const shortestMisspelled = 5

// misspelled returns the terms that a word may be a misspelling of: those that differ from it by the fewest letters.
// wrong is that number: one, or at most two in long words.
func (v *vocabulary) misspelled(text string) (meant []string, wrong int) {
	n := utf8.RuneCountInString(text)
	if n < shortestMisspelled || n > 24 {
		return nil, 0
	}
	most := 1
	if n >= 8 {
		most = 2
	}
	set, from := letters(text), []rune(text)
	for runes := n - most; runes <= n+most; runes++ {
		for _, s := range v.near[spelling{text[0], runes}] {
			if bits.OnesCount64(set^s.letters) > 2*most {
				continue
			}
			d := Distance(from, []rune(s.text), most)
			if d > most || len(v.postings[s.id]) == 0 {
				continue
			}
			if d < most {
				most, meant = d, meant[:0]
			}
			meant = append(meant, s.text)
		}
	}
	if len(meant) > maxMeant { // the more frequent a word is, the more likely it is meant
		slices.SortStableFunc(meant, func(a, b string) int { return len(v.has(b)) - len(v.has(a)) })
		meant = meant[:maxMeant]
	}
	return meant, most
}

// undoubling returns the stems of words that text may be a misspelling of because it lacks a doubled consonant
// ("mising", "dres"). It is for short words, too, which misspelled ignores.
func (v *vocabulary) undoubling(text string) (meant []string) {
	if len(text) < shortestMisspelled-1 || len(text) > 24 || !ascii(text) {
		return nil
	}
	for i := 1; i < len(text); i++ {
		c := text[i : i+1]
		if strings.Contains("aeiou0123456789", c) || text[i-1:i] == c {
			continue
		}
		if s := stem(text[:i] + c + text[i:]); v.knows(s) && !slices.Contains(meant, s) {
			meant = append(meant, s)
		}
	}
	return meant[:min(len(meant), maxMeant)]
}

const maxMeant = 4

// Distance returns by how many letters two words differ: wrong, missing, extra, or swapped with the next. It is exact up
// to most, for words of at most 31 letters; above, it is more than most.
func Distance(a, b []rune, most int) int {
	if len(a) > len(b)+most || len(b) > len(a)+most {
		return most + 1
	}
	var rows [3][32]int
	if len(b)+1 > len(rows[0]) {
		return most + 1
	}
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := &rows[(i+1)%3], &rows[(i-1)%3], &rows[i%3]
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if least > most {
			return most + 1
		}
	}
	return rows[len(a)%3][len(b)]
}
