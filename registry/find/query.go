package find

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// These limit a query.
const (
	maxQuery  = 1 << 10 // bytes that are read
	maxGroups = 32      // words that are looked for; a document has a bit for each
	// maxMisspelled is how many words, the first ones, may be misspelled.
	maxMisspelled = 16
)

// These say how much a term counts that is not the query's word itself.
const (
	likeSynonym   = 0.6
	likePhrase    = 0.95
	likeJoined    = 0.9
	likeBeginning = 0.6
	likeShorter   = 0.33
	likeMeant     = 0.85
	likePart      = 0.55
)

// choice is one of several terms, any of which a document may have.
type choice struct {
	text string
	like float32 // from 0 to 1: how close it is to the query's word
}

// group has the terms that a search looks for in place of one word of a query.
type group struct {
	choices []choice
	weight  float32 // of the word
}

// Plain switches off what makes a search more than a search for words, so that the effect of each can be measured.
type Plain struct{ Synonyms, Spelling, Forms bool }

// queryWord is a word of a query.
type queryWord struct {
	word
	stem string
	used bool // the word is part of a phrase
}

// groups returns what a query looks for, using words that the index has. unknown is how many of the query's words it
// doesn't have.
func (x *Index) groups(query string, plain Plain) (groups []group, unknown int) {
	words := queryWords(query)
	if !plain.Synonyms {
		groups = append(phrases(words), unspaced(query)...)
	}
	meaning := slices.ContainsFunc(words, func(w queryWord) bool { return !w.used && !silent(w) })
	for i := range words {
		w := &words[i]
		if w.used || w.whole || meaning && silent(*w) || len(groups) > 0 && silent(*w) {
			continue
		}
		groups = append(groups, x.groupOf(words, i, plain, i < maxMisspelled))
	}
	wanted := len(groups)
	known := slices.DeleteFunc(groups, func(g group) bool {
		return !slices.ContainsFunc(g.choices, func(c choice) bool { return x.knows(c.text) })
	})
	return known[:min(len(known), maxGroups)], wanted - len(known)
}

// silent reports whether a word, such as a number, says nothing about what is looked for.
func silent(w queryWord) bool {
	if strings.Trim(w.text, "0123456789") == "" {
		return true
	}
	return idle()[w.text] || utf8.RuneCountInString(w.text) == 1 && ascii(w.text) && w.text[0] > '9'
}

func queryWords(query string) (words []queryWord) {
	wordsOf(beginningOf(query, maxQuery), func(w word) bool {
		words = append(words, queryWord{word: w, stem: stem(w.text)})
		return true
	})
	return words
}

// phrases returns the groups of a query's phrases, and marks their words as used.
func phrases(words []queryWord) (groups []group) {
	use := func(phrase string, at ...int) {
		g := group{weight: 1, choices: []choice{{strings.ReplaceAll(phrase, " ", ""), likeJoined}}}
		for _, same := range synonyms()[phrase] {
			g.choices = append(g.choices, choice{strings.ReplaceAll(same, " ", ""), likePhrase})
		}
		groups = append(groups, g)
		for _, i := range at {
			words[i].used = true
		}
	}
	for i := range words {
		if words[i].used || i+1 == len(words) {
			continue
		}
		if phrase := words[i].stem + " " + words[i+1].stem; synonyms()[phrase] != nil {
			use(phrase, i, i+1)
			continue
		}
		for _, particle := range phraseVerbs()[words[i].stem] {
			for j := i + 2; j < min(i+5, len(words)); j++ {
				if phrase := words[i].stem + " " + particle; words[j].text == particle && !words[i].used &&
					synonyms()[phrase] != nil {
					use(phrase, i, j)
				}
			}
		}
	}
	return groups
}

// unspaced returns the groups of words with synonyms in a query of a script without spaces.
func unspaced(query string) (groups []group) {
	for _, known := range unspacedSynonyms() {
		if !strings.Contains(query, known) {
			continue
		}
		g := group{weight: 1}
		for _, same := range synonyms()[known] {
			wordsOf(same, func(w word) bool {
				g.choices = append(g.choices, choice{w.text, likeSynonym * w.weight})
				return true
			})
		}
		groups = append(groups, g)
	}
	return groups
}

// groupOf returns what is looked for in place of a word of a query.
func (x *Index) groupOf(words []queryWord, at int, plain Plain, spelling bool) group {
	w := words[at]
	g := group{weight: w.weight, choices: []choice{{w.stem, 1}}}
	if kindOf(firstRune(w.text)) != spaced {
		return g
	}
	known := x.knows(w.stem)
	if !plain.Synonyms {
		same := synonyms()[w.stem]
		known = known || same != nil
		for _, s := range same {
			g.choices = append(g.choices, choice{strings.ReplaceAll(s, " ", ""), likeSynonym})
		}
	}
	if !plain.Forms {
		for _, b := range beginnings(w.text) {
			like := float32(likeBeginning)
			if utf8.RuneCountInString(b) < 6 { // including the mark
				like = likeShorter
			}
			g.choices = append(g.choices, choice{b, like})
		}
		if at+1 < len(words) && !words[at+1].used {
			g.choices = append(g.choices, choice{w.text + words[at+1].text, likeJoined})
		}
		if at > 0 && !words[at-1].used {
			g.choices = append(g.choices, choice{words[at-1].text + w.text, likeJoined})
		}
		if !known {
			g.choices = append(g.choices, x.parts(w.text)...)
		}
	}
	if !known && spelling && !plain.Spelling {
		meant, wrong := x.misspelled(w.stem)
		if len(meant) == 0 {
			meant = x.undoubling(w.text)
		}
		for _, m := range meant {
			like := float32(likeMeant)
			if wrong > 1 {
				like -= 0.2
			}
			g.choices = append(g.choices, choice{m, like})
			if !plain.Synonyms {
				for _, s := range synonyms()[m] {
					g.choices = append(g.choices, choice{s, like * likeSynonym})
				}
			}
		}
		if !plain.Synonyms && len(meant) == 0 {
			for _, m := range misspelledEveryday(w.stem) {
				for _, s := range synonyms()[m] {
					g.choices = append(g.choices, choice{s, likeMeant * likeSynonym})
				}
			}
		}
	}
	return g
}

// parts returns pairs of words of the vocabulary that were written as one word.
func (x *Index) parts(text string) []choice {
	for i := 3; i+3 <= len(text); i++ {
		if !utf8.RuneStart(text[i]) {
			continue
		}
		a, b := stem(text[:i]), stem(text[i:])
		if x.knows(a) && x.knows(b) {
			return []choice{{a, likePart}, {b, likePart}}
		}
	}
	return nil
}

// misspelledEveryday returns words that have synonyms and that text may be a misspelling of.
func misspelledEveryday(text string) []string {
	meant, _ := everyday().misspelled(text)
	return meant
}

// everyday is a vocabulary of the words that have synonyms.
var everyday = sync.OnceValue(func() *vocabulary {
	v := newVocabulary()
	for _, text := range slices.Sorted(maps.Keys(synonyms())) {
		if !strings.Contains(text, " ") {
			id := v.id(text)
			v.postings[id] = []posting{{}} // as if a document had it
		}
	}
	return &v
})

// rarity returns the weight of a term. have is how many documents contain it, of all documents.
func rarity(have, all int) float32 {
	return float32(math.Log(1 + (float64(all-have)+0.5)/(float64(have)+0.5)))
}
