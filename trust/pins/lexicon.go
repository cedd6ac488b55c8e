package pins

import (
	"embed"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed lexicon/*.txt
var files embed.FS

// lists are the lists of words in the folder lexicon. Each file says what its words have in common.
type lists struct {
	steer, acts map[string]bool // by stem
	verbs       map[string]bool // likewise; more than acts
	foreign     map[string]bool // by folded word
	unspaced    []string
	plain       map[string]bool // by norm
	small       map[string]bool // those of plain without a meaning of their own; by norm and as written
	fluff       map[string]bool // those of plain without which a text says the same; by norm
	first       map[string]string
	long        []string // parts that are looked for in long words
	values      map[string]bool
}

// lexicon reads the lists, once.
var lexicon = sync.OnceValue(func() *lists {
	l := &lists{steer: map[string]bool{}, acts: map[string]bool{}, verbs: map[string]bool{}, foreign: map[string]bool{},
		plain: map[string]bool{}, small: map[string]bool{}, fluff: map[string]bool{}, first: map[string]string{},
		values: set("other none all any first last next both different")}
	for _, line := range linesOf("same") {
		words := strings.Fields(line)
		for _, w := range words {
			if _, is := l.first[stem(w)]; !is {
				l.first[stem(w)] = stem(words[0])
			}
		}
	}
	section := 0
	for _, line := range linesOf("plain") {
		if line == "" {
			section++
		}
		for w := range strings.FieldsSeq(line) {
			norm := l.same(stem(w))
			l.plain[norm] = true
			if section == 1 {
				l.small[norm], l.small[w] = true, true
			}
			if section <= 2 {
				l.fluff[norm] = true
			}
		}
	}
	for name, to := range map[string]map[string]bool{"steer": l.steer, "acts": l.acts, "verbs": l.verbs} {
		for _, line := range linesOf(name) {
			for w := range strings.FieldsSeq(line) {
				if to[stem(w)] = true; len(w) > 3 {
					l.long = append(l.long, w)
				}
			}
		}
	}
	for _, line := range linesOf("foreign") {
		for w := range strings.FieldsSeq(line) {
			if w = fold(w); !l.plain[l.same(stem(w))] {
				l.foreign[w] = true
			}
		}
	}
	for _, line := range linesOf("unspaced") {
		l.unspaced = append(l.unspaced, strings.Fields(line)...)
	}
	return l
})

// linesOf returns the lines of a list without its comments.
func linesOf(name string) (all []string) {
	text, err := files.ReadFile("lexicon/" + name + ".txt")
	if err != nil { // it is part of the program
		panic(err)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// same returns the stem of the first one of a word's synonyms.
func (l *lists) same(stem string) string {
	if first, is := l.first[stem]; is {
		return first
	}
	return stem
}

// within reports whether a long word, or a word of a language without spaces, contains words that tell a reader what
// to do.
func (l *lists) within(folded string) bool {
	if utf8.RuneCountInString(folded) != len(folded) {
		for _, w := range l.unspaced {
			if strings.Contains(folded, w) {
				return true
			}
		}
	}
	if len(folded) < 14 {
		return false
	}
	n := 0
	for _, w := range l.long {
		if strings.Contains(folded, w) {
			n++
		}
	}
	return n > 1
}

func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}
