package find

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed synonyms.txt
var synonymsText string

// synonyms maps the stem of a word, or the stems of a phrase joined by spaces, to words with nearly the same meaning.
var synonyms = sync.OnceValue(func() map[string][]string { return readSynonyms(synonymsText) })

// unspacedSynonyms has the words with synonyms in scripts without spaces, sorted.
var unspacedSynonyms = sync.OnceValue(func() (all []string) {
	for text := range synonyms() {
		if k := kindOf(firstRune(text)); k == pairs || k == triples {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return all
})

// phraseVerbs maps the first word of a two-word phrase to the words that may follow later, as in "turn the lights
// off".
var phraseVerbs = sync.OnceValue(func() map[string][]string {
	verbs := map[string][]string{}
	for phrase := range synonyms() {
		if verb, particle, two := strings.Cut(phrase, " "); two && particles[particle] {
			verbs[verb] = append(verbs[verb], particle)
		}
	}
	return verbs
})

var particles = map[string]bool{"off": true, "on": true, "up": true, "down": true, "out": true, "back": true,
	"away": true, "in": true}

func readSynonyms(text string) map[string][]string {
	all := map[string][]string{}
	add := func(of, is string) {
		if of != is && !slices.Contains(all[of], is) {
			all[of] = append(all[of], is)
		}
	}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		one, others, oneWay := strings.Cut(line, ">")
		if oneWay {
			for a := range strings.FieldsSeq(one) {
				for b := range strings.FieldsSeq(others) {
					add(phraseOf(a), phraseOf(b))
				}
			}
			continue
		}
		group := strings.Fields(line)
		for _, a := range group {
			for _, b := range group {
				add(phraseOf(a), phraseOf(b))
			}
		}
	}
	return all
}

// phraseOf returns the stems of a word, or of a phrase of words joined by _.
func phraseOf(words string) string {
	var parts []string
	for p := range strings.SplitSeq(words, "_") {
		var folded strings.Builder
		for _, r := range p {
			folded.WriteString(fold(r))
		}
		parts = append(parts, stem(folded.String()))
	}
	return strings.Join(parts, " ")
}

// idle has words of questions that say nothing about what is looked for.
var idle = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`a an the this that these those there here it its i me my mine we us our you your he she his her they them their
		is am are was were be been being do does did doing have has had having will would can could should shall may might must
		and or but if so then than as of to in on at by for from with without about into onto over under up down out off
		any some all every each no not only just also too very really please thanks thank hi hello hey ok okay
		want wanna need needs like let lets would s t re ve ll d m im id ive
		how what which who whom whose when where why one ones thing things something anything someone
		go going gonna get got make us via per using use now still yet again much many lot
		der die das den dem des ein eine einen einem ich mir mich mein meine meinen du wir und oder ist sind war zu zum zur im am auf fur mit von vom nicht bitte wie was wo wann kann mochte will
		le la les l un une des du de au aux je tu il nous vous mon ma mes et ou est sont pour avec dans sur que qui quel quelle comment
		el los las uno una unos mi mis yo y o es son para con en por que como cual quiero quisiera
		и в во на с со к ко у о об от до за из по для не как что где когда мне я мой моя мои хочу можно ли это
		και ο η το οι τα του της των στο στη στην σε με για απο που πως τι μου θελω να
		في من على الى عن ما هل كيف اريد ان
		में का की के को से है हैं और पर मेरा मेरी मेरे मुझे क्या कैसे`) {
		wordsOf(w, func(w word) bool {
			all[w.text] = true
			return true
		})
	}
	return all
})
