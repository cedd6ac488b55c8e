package pins

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind int

const (
	word   kind = iota
	number      // a number, a date's part, a code such as A1234
	odd         // what tools' texts seldom contain: brackets, addresses, characters that don't show
)

// token is a word of a text, or something else between spaces. Articles and punctuation are no tokens.
type token struct {
	text   string
	norm   string // equal for all forms of a word and its synonyms
	kind   kind
	first  bool // it begins a sentence
	quoted bool
}

// light contains the words that mean so little that comparisons ignore them.
var light = set("a an the this that these those which is are was were be been it its please")

// months and the like are parts of dates; number words are counts.
var counts = set("january february march april may june july august september october november december jan feb mar " +
	"apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri " +
	"sat sun am pm utc gmt zero one two three four five six seven eight nine ten eleven twelve usd eur gbp chf jpy st nd " +
	"rd th ii iii iv vi vii viii ix kg g mg l ml cm mm m km gb mb")

// ignored contains the characters that mean little between words.
const ignored = " \t\u00a0,'’‘()-–—…/%&+#*·•€$£¥™®°×¿¡、。・「」『』（）：，！？"

// tokens splits a text.
func tokens(text string) (all []token) {
	first, quoted := true, false
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		switch {
		case wordRune(r):
			end := at + n
			for end < len(text) {
				r, n := utf8.DecodeRuneInString(text[end:])
				next, _ := utf8.DecodeRuneInString(text[end+n:])
				if !wordRune(r) && !(joins(r) && wordRune(next)) {
					break
				}
				end += n
			}
			t := newToken(text[at:end])
			t.first, t.quoted = first, quoted
			if first = false; t.norm != "" {
				all = append(all, t)
			}
			at = end
			continue
		case strings.ContainsRune(`"“”„«»`, r):
			quoted = !quoted
		case strings.ContainsRune(".:;!?\n", r):
			first = true
		case strings.ContainsRune(ignored, r):
		case picture(r):
		default:
			all = append(all, token{text: string(r), norm: string(r), kind: odd})
		}
		at += n
	}
	return all
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) && r < 0xFE00 || r == '_'
}

// joins reports whether a character between two letters or digits makes them one token.
func joins(r rune) bool { return strings.ContainsRune("'’.@:/\\-,", r) }

func newToken(text string) token {
	t := token{text: text}
	lower := strings.ToLower(text)
	digits := strings.IndexFunc(text, unicode.IsDigit) >= 0
	switch {
	case digits && len(text) <= maxWord && numeric(lower), counts[lower], isForm(text):
		t.kind, t.norm = number, lower
	case dotted(lower):
		t.norm = lexicon().same(stem(strings.ReplaceAll(lower, ".", "")))
	case strings.ContainsAny(text, ".@:/\\_,"):
		if parts := strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == ',' }); len(parts) == 2 &&
			!strings.ContainsAny(text, ".@:\\_") && len(parts[0])+len(parts[1]) <= maxWord { // and/or
			t.norm = stem(parts[0]) + "/" + stem(parts[1])
			break
		}
		t.kind, t.norm = odd, text
	default:
		if t.norm = lexicon().same(stem(lower)); light[lower] {
			t.norm = ""
		}
	}
	return t
}

// isForm reports whether a word describes how a date or a time is written, such as YYYY-MM-DD.
func isForm(text string) bool { return strings.Trim(text, "YMDHS:/-") == "" }

// dotted reports whether a word is an abbreviation such as e.g or a.m.
func dotted(lower string) bool {
	parts := strings.Split(lower, ".")
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool { return utf8.RuneCountInString(p) != 1 })
}

// numeric reports whether a word is a number, a date, a time, a version, a measure or a code with few letters.
func numeric(lower string) bool {
	digits, letters := 0, 0
	for _, r := range lower {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'z':
			letters++
		case !strings.ContainsRune(".,:/-", r):
			return false
		}
	}
	return digits <= 12 && letters <= 3
}

// stem returns the common stem of an English word's forms. It need not be a word.
func stem(w string) string {
	w = fold(w)
	if base, is := irregular[w]; is {
		return base
	}
	for _, end := range [...]string{"'s", "’s", "'", "’"} {
		w = strings.TrimSuffix(w, end)
	}
	w = unjoined.Replace(w)
	switch {
	case len(w) < 4:
	case strings.HasSuffix(w, "ies"):
		w = w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ied"):
		w = w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"):
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"),
		strings.HasSuffix(w, "xes"):
		w = w[:len(w)-2]
	case strings.HasSuffix(w, "s"):
		w = w[:len(w)-1]
	case strings.HasSuffix(w, "ing") && len(w) > 5:
		w = w[:len(w)-3]
	case strings.HasSuffix(w, "ed") && len(w) > 4:
		w = w[:len(w)-2]
	}
	if len(w) >= 6 { // British and American
		w = strings.Replace(w, "our", "or", 1)
		w = strings.Replace(w, "is", "iz", 1)
		w = strings.TrimSuffix(w, "ue")
	}
	if strings.HasSuffix(w, "tre") {
		w = w[:len(w)-2] + "er"
	}
	to := make([]byte, 0, len(w))
	for i := range len(w) { // double letters
		if i == 0 || w[i] != w[i-1] || w[i] >= utf8.RuneSelf {
			to = append(to, w[i])
		}
	}
	if w = string(to); len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

var unjoined = strings.NewReplacer("'", "", "’", "", "-", "")

var irregular = map[string]string{"sent": "send", "bought": "buy", "found": "find", "chosen": "chos", "paid": "pay",
	"took": "tak", "taken": "tak", "made": "mak", "gave": "giv", "given": "giv", "wrote": "writ", "written": "writ",
	"went": "go", "goes": "go", "told": "tel", "sold": "sel", "got": "get", "kept": "kep", "shown": "show",
	"said": "say", "put": "put", "children": "child", "people": "person", "us": "us", "has": "has",
	"cookies": "cooki", "cookie": "cooki"}

// fold returns a word in lower case and without accents.
func fold(w string) string {
	if plain := strings.ToLower(w); !strings.ContainsFunc(plain, func(r rune) bool { return r > unicode.MaxASCII }) {
		return plain
	}
	return strings.Map(func(r rune) rune {
		r = unicode.ToLower(r)
		if r >= 0xFF01 && r <= 0xFF5E { // full width
			return unicode.ToLower(r - 0xFEE0)
		}
		if r > unicode.MaxASCII && unicode.Is(unicode.Latin, r) {
			if c, is := lookalike[r]; is {
				return rune(c)
			}
		}
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, w)
}
