package find

import (
	"strings"
	"sync"
	"unicode"
)

// fold returns one text for all runes that people take for the same letter: it ignores case, diacritics, and variant
// forms in some scripts. It returns "" for a mark that adds nothing.
func fold(r rune) string {
	switch {
	case r < 0x80:
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return string(r)
	case r >= 0x300 && r <= 0x36F, // combining diacritics
		r >= 0x64B && r <= 0x65F, r == 0x670, r == 0x640, // Arabic vowel signs, tatweel
		r >= 0x591 && r <= 0x5C7, // Hebrew points
		r >= 0xE47 && r <= 0xE4E, // Thai tone marks
		r == 0x93C, r == 0x3099, r == 0x309A:
		return ""
	case r >= 0xFF01 && r <= 0xFF5E: // full width
		return fold(r - 0xFF01 + '!')
	}
	r = unicode.ToLower(r)
	if base, has := bases()[r]; has {
		return base
	}
	return string(r)
}

// bases maps letters with diacritics to the letters that people write instead.
var bases = sync.OnceValue(func() map[rune]string {
	all := map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'þ': "th", 'ð': "d"}
	for base, letters := range map[string]string{
		"a": "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ", "b": "ḃḅḇ", "c": "çćĉċčḉ", "d": "ďđḋḍḏḑḓ",
		"e": "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ", "f": "ḟ", "g": "ĝğġģǧǵḡ", "h": "ĥħȟḣḥḧḩḫẖ",
		"i": "ìíîïĩīĭįıǐȉȋḭḯỉị", "j": "ĵǰ", "k": "ķǩḱḳḵ", "l": "ĺļľŀłḷḹḻḽ", "m": "ḿṁṃ", "n": "ñńņňŉǹṅṇṉṋ",
		"o": "òóôõöøōŏőơǒǫǭǿȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ", "p": "ṕṗ", "r": "ŕŗřȑȓṙṛṝṟ", "s": "śŝşšșṡṣṥṧṩ",
		"t": "ţťŧțṫṭṯṱẗ", "u": "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự", "v": "ṽṿ", "w": "ŵẁẃẅẇẉẘ", "x": "ẋẍ",
		"y": "ýÿŷȳẏẙỳỵỷỹ", "z": "źżžẑẓẕ",
		"α": "άἀἁἂἃἄἅἆἇὰάᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ", "ε": "έἐἑἒἓἔἕὲέ", "η": "ήἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ",
		"ι": "ίϊΐἰἱἲἳἴἵἶἷὶίῐῑῒΐῖῗ", "ο": "όὀὁὂὃὄὅὸό", "υ": "ύϋΰὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ", "ω": "ώὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ",
		"σ": "ς",
		"е": "ёѐ", "и": "йѝ", "і": "ї", "г": "ґ", "у": "ў",
		"ا": "أإآٱ", "ي": "ىئ", "ه": "ة", "و": "ؤ", "ك": "ک",
	} {
		for _, r := range letters {
			all[r] = base
		}
	}
	return all
})

// kind says how the words of a script are separated.
type kind int

const (
	none      kind = iota // not a letter
	spaced                // spaces separate words
	pairs                 // no spaces: pairs of characters
	triples               // no spaces, and several characters per syllable: triples
	mark                  // belongs to the letter before it
	separator = none
)

func kindOf(r rune) kind {
	switch {
	case r < 0x80:
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return spaced
		}
		return separator
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー' || r == '々':
		return pairs
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return triples
	case unicode.IsMark(r):
		return mark
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return spaced
	}
	return separator
}

// maxWord is the length, in bytes, at which a word is cut.
const maxWord = 48

// A word is one folded word of a text.
type word struct {
	text string
	// weight says how much the word tells, from 0 to 1. In a script without spaces, parts that are mostly grammar
	// tell less.
	weight float32
	// whole says that the word is a whole name, whose parts are the words before it.
	whole bool
}

// wordsOf calls yield with the words of a text in order, until yield returns false. It splits names at case changes,
// underscores and other separators. A script without spaces gives pairs or triples of characters.
func wordsOf(text string, yield func(word) bool) {
	s := splitter{yield: yield}
	for _, r := range text {
		if !s.take(r) {
			return
		}
	}
	s.flush()
}

// splitter splits a text, rune by rune.
type splitter struct {
	yield   func(word) bool
	is      kind
	word    strings.Builder // of spaced words: since the last boundary
	all     strings.Builder // since the last separator
	parts   int             // number of parts in all
	lower   bool            // the last rune was not a capital
	capital string          // the last rune, folded, if it was the second or a later capital in a row
	run     []rune          // of scripts without spaces
	over    bool
}

func (s *splitter) take(r rune) bool {
	k := kindOf(r)
	if k == mark {
		if s.is != pairs && s.is != triples && s.is != separator {
			s.word.WriteString(fold(r))
			s.all.WriteString(fold(r))
		}
		return !s.over
	}
	if k != s.is {
		s.flush()
		s.is = k
	}
	switch k {
	case pairs, triples:
		s.run = append(s.run, []rune(fold(r))...)
		if len(s.run) >= 256 {
			s.flush()
		}
	case spaced:
		s.letter(r)
	}
	return !s.over
}

// letter takes a letter or digit of a spaced word. A new part of a name may begin before it.
func (s *splitter) letter(r rune) {
	upper := unicode.IsUpper(r)
	f := fold(r)
	switch {
	case upper && s.lower && s.word.Len() > 0: // addTo
		s.part()
	case !upper && s.capital != "" && unicode.IsLetter(r): // HTMLPage
		text := strings.TrimSuffix(s.word.String(), s.capital)
		s.word.Reset()
		s.word.WriteString(text)
		s.part()
		s.word.WriteString(s.capital)
	}
	s.capital = ""
	if upper && !s.lower && s.word.Len() > 0 {
		s.capital = f
	}
	s.lower = !upper
	s.word.WriteString(f)
	s.all.WriteString(f)
}

// part ends a part of a name.
func (s *splitter) part() {
	if s.word.Len() > 0 {
		s.give(word{text: s.word.String(), weight: 1})
		s.parts++
	}
	s.word.Reset()
}

// flush ends a word.
func (s *splitter) flush() {
	switch s.is {
	case spaced:
		s.part()
		if s.parts > 1 {
			s.give(word{text: s.all.String(), weight: 1, whole: true})
		}
	case pairs:
		s.grams(2)
	case triples:
		s.grams(3)
	}
	s.all.Reset()
	s.parts, s.run, s.lower, s.capital, s.is = 0, s.run[:0], false, "", separator
}

// grams yields each n consecutive characters of the run.
func (s *splitter) grams(n int) {
	if len(s.run) == 0 {
		return
	}
	for i := 0; i+n <= max(n, len(s.run)); i++ {
		gram := s.run[i:min(i+n, len(s.run))]
		w := word{text: string(gram), weight: 1}
		if n == 2 {
			kana := 0
			for _, r := range gram {
				if unicode.Is(unicode.Hiragana, r) {
					kana++
				}
			}
			switch {
			case kana == len(gram):
				w.weight = 0.25
			case kana > 0:
				w.weight = 0.6
			}
		}
		s.give(w)
	}
}

func (s *splitter) give(w word) {
	if s.over || w.text == "" {
		return
	}
	if len(w.text) > maxWord {
		w.text = strings.ToValidUTF8(w.text[:maxWord], "")
	}
	s.over = !s.yield(w)
}
