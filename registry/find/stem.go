package find

import (
	"strings"
	"unicode/utf8"
)

// stem returns about the same text for all forms of an English word. The forms must agree; the stem need not be a
// word. For other languages see [beginnings].
func stem(word string) string {
	if base, odd := irregular[word]; odd {
		return base
	}
	switch {
	case 'ء' <= firstRune(word) && firstRune(word) <= 'ي':
		return arabic(word)
	case len(word) < 4 || !ascii(word):
		return word
	}
	word = singular(word)
	if base, odd := irregular[word]; odd {
		return base
	}
	for _, ending := range []string{"ing", "ed"} {
		if base, has := strings.CutSuffix(word, ending); has && len(base) >= 3 && strings.ContainsAny(base, "aeiouy") {
			return unending(undoubled(base))
		}
	}
	if base, has := strings.CutSuffix(word, "ion"); has && len(base) >= 5 && strings.HasSuffix(base, "t") {
		return base
	}
	if base, has := strings.CutSuffix(word, "ly"); has && len(base) >= 4 {
		return unending(base)
	}
	return unending(word)
}

// arabic removes prefixes and suffixes that Arabic writes in one word, such as the article.
func arabic(word string) string {
	rest := func(s string) bool { return utf8.RuneCountInString(s) >= 3 }
	for _, start := range []string{"وال", "بال", "كال", "فال", "ال", "لل"} {
		if base, has := strings.CutPrefix(word, start); has && rest(base) {
			word = base
			break
		}
	}
	for _, ending := range []string{"ات", "ون", "ين", "ها", "ان", "يه", "ه", "ي"} {
		if base, has := strings.CutSuffix(word, ending); has && rest(base) {
			return base
		}
	}
	return word
}

// singular removes a plural ending.
func singular(word string) string {
	for _, no := range []string{"ss", "us", "is", "ews"} {
		if strings.HasSuffix(word, no) {
			return word
		}
	}
	for _, ending := range []struct{ plural, one string }{
		{"ies", "y"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"}, {"s", ""},
	} {
		if base, has := strings.CutSuffix(word, ending.plural); has && len(base) >= 2 {
			return base + ending.one
		}
	}
	return word
}

// undoubled removes one of the consonants that English doubles before an ending.
func undoubled(base string) string {
	n := len(base)
	if base[n-1] != base[n-2] || strings.ContainsRune("aeiouszf", rune(base[n-1])) {
		return base
	}
	if base[n-1] == 'l' && n < 6 { // sell, but cancel
		return base
	}
	return base[:n-1]
}

// unending removes a final e, which other forms don't have.
func unending(word string) string {
	if len(word) >= 4 {
		return strings.TrimSuffix(word, "e")
	}
	return word
}

func ascii(word string) bool {
	for i := range len(word) {
		if word[i] >= 0x80 {
			return false
		}
	}
	return true
}

// irregular has forms that no rule reduces to the same stem.
var irregular = map[string]string{
	"bought": "buy", "sold": "sell", "paid": "pay", "sent": "send", "made": "make", "wrote": "write",
	"written": "write",
	"went":    "go", "gone": "go", "goes": "go", "does": "do", "done": "done", "got": "get", "gotten": "get",
	"gave": "give", "given": "give",
	"took": "take", "taken": "take", "kept": "keep", "saw": "see", "seen": "see", "said": "say", "told": "tell",
	"spent": "spend", "lost": "lose", "broke": "break", "heard": "hear", "drew": "draw", "drawn": "draw",
	"chose": "choose", "chosen": "choose", "began": "begin", "begun": "begin", "ran": "run", "left": "leave",
	"came": "come", "met": "meet", "held": "hold", "spoke": "speak", "drove": "drive", "flew": "fly", "flown": "fly",
	"people": "person", "children": "child", "men": "man", "women": "woman", "feet": "foot", "leaves": "leave",
	"payment": "pay", "payments": "pay", "shipment": "ship", "shipments": "ship", "enrollment": "enroll",
	"enrolment": "enroll", "enrol": "enroll",
	"investment": "invest", "replacement": "replac", "assignment": "assignment", "deployment": "deploy",
	"cheaper": "cheap", "cheapest": "cheapest", "colour": "color", "favourite": "favorit", "favorite": "favorit",
	"programme": "program", "cancellation": "cancel",
	"reservation": "reserv", "subscription": "subscrib", "registration": "regist", "register": "regist",
	"translation": "translat",
	"delivery":    "deliver", "analysis": "analys", "analyse": "analys", "analyze": "analys", "organise": "organiz",
	"movies": "movi", "movie": "movi",
	"cookies": "cooki", "ties": "tie", "series": "series", "species": "species", "news": "news", "bus": "bus",
	"buses":     "bus",
	"addresses": "address", "address": "address", "statuses": "status", "boxes": "box", "during": "during",
	"being": "be", "thing": "thing", "things": "thing",
	"string": "string", "strings": "string", "king": "king", "ring": "ring", "spring": "spring", "evening": "evening",
	"morning": "morning",
	"feed":    "feed", "feeds": "feed", "need": "need", "needs": "need", "seed": "seed", "seeds": "seed",
	"speed": "speed", "bed": "bed", "wedding": "wed",
	"media": "media", "data": "data", "criteria": "criterion", "indices": "index", "indexes": "index",
	"matrices": "matrix",
}
