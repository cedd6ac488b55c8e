package pins

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is compared.
const (
	maxTokens     = 400     // tokens of a text that is compared word by word
	maxCells      = 160_000 // cells of the table of one comparison
	maxSlotWords  = 6       // words in one place that varies
	maxPlainWords = 4       // lower-case words in such a place
	maxNames      = 12      // words of names that may have changed in one text
	maxWord       = 20      // letters of a word
	minValues     = 3       // different values that make a place one that varies
)

// hunk is a part in which two texts differ: was[a0:a1] has become is[b0:b1].
type hunk struct{ a0, a1, b0, b1 int }

// diff returns the parts in which two texts differ. ok is false if the texts are too long to be compared.
func diff(was, is []token) (all []hunk, ok bool) {
	same, end := 0, 0
	for same < min(len(was), len(is)) && alike(was[same], is[same]) {
		same++
	}
	for end < min(len(was), len(is))-same && alike(was[len(was)-1-end], is[len(is)-1-end]) {
		end++
	}
	a, b := was[same:len(was)-end], is[same:len(is)-end]
	if len(a) == 0 && len(b) == 0 {
		return nil, true
	}
	wide := len(b) + 1
	if max(len(was), len(is)) > maxTokens || (len(a)+1)*wide > maxCells {
		return nil, false
	}
	longest := make([]uint16, (len(a)+1)*wide) // the longest common part of a[i:] and b[j:]
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if alike(a[i], b[j]) {
				longest[i*wide+j] = longest[(i+1)*wide+j+1] + 1
			} else {
				longest[i*wide+j] = max(longest[(i+1)*wide+j], longest[i*wide+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		h := hunk{same + i, same + i, same + j, same + j}
		for i < len(a) || j < len(b) {
			if i < len(a) && j < len(b) && alike(a[i], b[j]) {
				break
			}
			if j == len(b) || i < len(a) && longest[(i+1)*wide+j] >= longest[i*wide+j+1] {
				i++
			} else {
				j++
			}
		}
		if h.a1, h.b1 = same+i, same+j; h.a0 < h.a1 || h.b0 < h.b1 {
			all = append(all, h)
		}
		for i < len(a) && j < len(b) && alike(a[i], b[j]) {
			i, j = i+1, j+1
		}
	}
	return all, true
}

// whole extends each part to the whole name that contains it, and merges parts that then touch.
func whole(was, is []token, hunks []hunk) (all []hunk) {
	name := func(t token) bool { return isName(t) && t.kind == word && (t.quoted || !lexicon().small[t.norm]) }
	for _, h := range hunks {
		first, last := 0, len(was)
		if n := len(all); n > 0 {
			first = all[n-1].a1
		}
		for h.a0 > first && h.b0 > 0 && name(was[h.a0-1]) && name(is[h.b0-1]) {
			h.a0, h.b0 = h.a0-1, h.b0-1
		}
		for h.a1 < last && h.b1 < len(is) && name(was[h.a1]) && name(is[h.b1]) && alike(was[h.a1], is[h.b1]) {
			h.a1, h.b1 = h.a1+1, h.b1+1
		}
		if n := len(all); n > 0 && h.a0 <= all[n-1].a1 {
			all[n-1].a1, all[n-1].b1 = max(h.a1, all[n-1].a1), max(h.b1, all[n-1].b1)
			continue
		}
		all = append(all, h)
	}
	return all
}

// alike reports whether two tokens are the same word, perhaps with two letters swapped by mistake.
func alike(a, b token) bool {
	x, y := a.norm, b.norm
	if x == y {
		return a.kind == b.kind
	}
	if len(x) != len(y) || len(x) < 5 || a.kind != word || b.kind != word {
		return false
	}
	i := 0
	for x[i] == y[i] {
		i++
	}
	return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && x[i+2:] == y[i+2:]
}

// slot is a place in a text that varies: the tokens from a0 to before a1.
type slot struct {
	a0, a1 int
	values map[string]bool
}

// slots returns the places in which a text differs from other accepted texts of the same tool.
func slots(of []token, others [][]token) (all []slot) {
	for _, o := range others {
		hunks, ok := diff(of, o)
		if !ok {
			continue
		}
		for _, h := range hunks {
			if max(h.a1-h.a0, h.b1-h.b0) > maxSlotWords {
				continue
			}
			all = append(all, slot{h.a0, h.a1, map[string]bool{joined(o[h.b0:h.b1]): true}})
		}
	}
	slices.SortFunc(all, func(x, y slot) int { return x.a0 - y.a0 })
	merged := all[:0]
	for _, s := range all {
		if n := len(merged); n > 0 && s.a0 <= merged[n-1].a1 {
			last := &merged[n-1]
			last.a1 = max(last.a1, s.a1)
			for v := range s.values {
				last.values[v] = true
			}
			continue
		}
		merged = append(merged, s)
	}
	for i := range merged {
		merged[i].values[joined(of[merged[i].a0:merged[i].a1])] = true
	}
	return merged
}

func joined(all []token) string {
	var text []string
	for _, t := range all {
		text = append(text, t.norm)
	}
	return strings.Join(text, " ")
}

// varies reports whether a part lies in a place that is known to vary.
func varies(all []slot, h hunk) bool {
	return slices.ContainsFunc(all, func(s slot) bool { return s.contains(h) })
}

// filling extends each part to the whole varying place that contains it, and merges parts in the same place.
func filling(all []slot, hunks []hunk) (filled []hunk) {
	for i, h := range hunks {
		at := slices.IndexFunc(all, func(s slot) bool { return s.contains(h) })
		if at < 0 {
			filled = append(filled, h)
			continue
		}
		from, to := all[at].a0, all[at].a1
		n := len(filled)
		if n > 0 {
			from = max(from, filled[n-1].a1)
		}
		if i+1 < len(hunks) {
			to = min(to, hunks[i+1].a0)
		}
		h = hunk{from, to, h.b0 - (h.a0 - from), h.b1 + (to - h.a1)}
		if n > 0 && filled[n-1].a1 == from && all[at].contains(filled[n-1]) {
			filled[n-1].a1, filled[n-1].b1 = h.a1, h.b1
			continue
		}
		filled = append(filled, h)
	}
	return filled
}

// contains reports whether a part lies in a place that is known to vary.
func (s slot) contains(h hunk) bool {
	return s.a0 <= h.a0 && h.a1 <= s.a1 && len(s.values) >= minValues
}

// texts compares texts of one tool.
type texts struct {
	name     string // the tool's
	accepted []*Definition
	isTool   func(name string) bool // reports whether there is a tool of a name; may be nil

	// learn fills in both fields from accepted.
	own     map[string]bool // all words, by norm
	scripts map[*unicode.RangeTable]bool
}

// learn learns the words of the accepted definitions.
func (x *texts) learn() {
	if x.own != nil {
		return
	}
	x.own, x.scripts = map[string]bool{}, map[*unicode.RangeTable]bool{unicode.Latin: true}
	one := func(s string) {
		for _, r := range s {
			if script := scriptOf(r); r > unicode.MaxASCII && script != nil {
				x.scripts[script] = true
			}
		}
		for _, t := range tokens(strings.ReplaceAll(s, "_", " ")) {
			for _, p := range pieces(t.text) {
				x.own[newToken(p).norm] = true
			}
			x.own[t.norm] = true
		}
	}
	for _, d := range x.accepted {
		one(d.Name)
		one(d.Title)
		one(d.Description)
		eachString(decode(d.InputSchema), one)
	}
}

// owns reports whether the accepted definitions contain a word.
func (x *texts) owns(norm string) bool {
	x.learn()
	return x.own[norm]
}

// knows reports whether the accepted definitions contain letters of an alphabet.
func (x *texts) knows(script *unicode.RangeTable) bool {
	x.learn()
	return x.scripts[script]
}

// textKind is the kind of a text. It decides which words the text may gain.
type textKind int

const (
	description textKind = iota
	parameter            // a parameter's name or description, or a value for it
	heading              // a title
)

// changed says why a person has to accept a text, or returns "" if it is only another form of the accepted ones. It
// compares the text with the first of accepted; the others show which places vary.
func (x *texts) changed(accepted []string, is string, what textKind) string {
	if why := x.strange(accepted[0], is); why != "" {
		return why
	}
	was, now := tokens(accepted[0]), tokens(is)
	hunks, ok := diff(was, now)
	if !ok {
		return "is too long to be compared"
	}
	if len(hunks) == 0 {
		return ""
	}
	var others [][]token
	for _, o := range accepted[1:] {
		others = append(others, tokens(o))
	}
	known := slots(was, others)
	names := 0
	for _, h := range filling(known, whole(was, now, hunks)) {
		n, why := x.part(was, now, h, varies(known, h), what)
		if why != "" {
			return why
		}
		names += n
	}
	if names > maxNames {
		return fmt.Sprintf("has %d words of names that are new", names)
	}
	return ""
}

// title says why a person has to accept a new title, or returns "".
func (x *texts) title(was, is string) string {
	if why := x.strange(was, is); why != "" {
		return why
	}
	old, new := tokens(was), tokens(is)
	gained := func(from, to []token) (all []token) {
		for _, t := range to {
			if !slices.ContainsFunc(from, func(o token) bool { return alike(o, t) }) {
				all = append(all, t)
			}
		}
		return all
	}
	now := gained(old, new)
	if why := x.steers(now, heading); why != "" {
		return why
	}
	for _, t := range now {
		if t.kind != number && !x.plain(t, heading) {
			return "says " + Quote(clip(t.text))
		}
	}
	for _, t := range gained(new, old) {
		if lexicon().steer[stem(t.text)] {
			return "no longer says " + Quote(clip(t.text))
		}
	}
	return ""
}

// fresh says why a person has to accept a parameter's new name or first description, or returns "".
func (x *texts) fresh(is string) string {
	if why := x.strange("", is); why != "" {
		return why
	}
	var now []token
	for _, t := range tokens(strings.ReplaceAll(is, "_", " ")) {
		for _, p := range pieces(t.text) {
			piece := newToken(p)
			if t.kind != word {
				piece = t
			}
			if piece.norm != "" {
				now = append(now, piece)
			}
			if t.kind != word {
				break
			}
		}
	}
	if why := x.steers(now, parameter); why != "" {
		return why
	}
	for _, t := range now {
		if t.kind != number && !x.plain(t, parameter) && utf8.RuneCountInString(t.text) > 2 {
			return "says " + Quote(clip(t.text))
		}
	}
	return ""
}

// value says why a person has to accept a text as a new value of a parameter, or returns "".
func (x *texts) value(is string) string {
	if why := x.strange("", is); why != "" {
		return why
	}
	words := strings.FieldsFunc(is, func(r rune) bool { return strings.ContainsRune(" _-/,()&+", r) })
	if len(words) == 1 && lexicon().values[fold(words[0])] {
		return ""
	}
	if len(words) > maxPlainWords || len(is) > 60 {
		return "is long"
	}
	for i, w := range words {
		words[i] = strings.Trim(w, ".'’")
	}
	now := tokens(strings.Join(words, " "))
	if why := x.steers(now, parameter); why != "" {
		return why
	}
	for _, t := range now {
		if shouts(t.text) && len(words) > 1 || utf8.RuneCountInString(t.text) > maxWord {
			return "says " + Quote(clip(t.text))
		}
	}
	return ""
}

// part says why a person has to accept one changed part of a text, or returns "". names counts its words of names.
func (x *texts) part(was, now []token, h hunk, varies bool, what textKind) (names int, why string) {
	old, new := was[h.a0:h.a1], now[h.b0:h.b1]
	if why := x.steers(new, what); why != "" {
		return 0, why
	}
	count := func(t token) bool { return t.kind == number }
	switch {
	case every(old, count) && every(new, count) && len(old) > 0 && len(new) > 0: // a count, a price or a date
		return 0, ""
	case !varies && !namesIn(was, h):
		if why := counted(old, new); why != "" {
			return 0, why
		}
		for _, t := range old {
			moved := lexicon().plain[t.norm] && slices.ContainsFunc(now, func(n token) bool { return n.norm == t.norm })
			if !count(t) && !lexicon().fluff[t.norm] && !moved {
				return 0, "no longer says " + Quote(clip(t.text))
			}
		}
		for i, t := range new {
			example := i > 0 && new[i-1].norm == lexicon().same("eg") && isName(t)
			if !count(t) && !x.plain(t, what) && !example {
				return 0, "says " + Quote(clip(t.text))
			}
		}
		return 0, ""
	case len(new) > maxSlotWords:
		return 0, fmt.Sprintf("says %d words where it said %s", len(new), Quote(clip(text(old))))
	case len(new) == 0 && !varies:
		return 0, "no longer says " + Quote(clip(text(old)))
	}
	small := 0
	for _, t := range new {
		if t.kind == word && strings.ToLower(t.text) == t.text && !lexicon().small[t.norm] {
			small++
		}
		switch {
		case small > maxPlainWords:
			return 0, fmt.Sprintf("says more than %d words", maxPlainWords)
		case count(t) || lexicon().small[t.norm]:
		case !varies && !isName(t), shouts(t.text), utf8.RuneCountInString(t.text) > maxWord:
			return 0, "says " + Quote(clip(t.text))
		default:
			names++
		}
	}
	return names, ""
}

// counted says which number a part has if it had none before, or had if it has none now. Examples, and words such as
// YYYY-MM-DD, don't count as numbers.
func counted(old, new []token) string {
	first := func(of []token) string {
		for i, t := range of {
			if t.kind == number && !isForm(t.text) && (i == 0 || of[i-1].norm != lexicon().same("eg")) {
				return t.text
			}
		}
		return ""
	}
	switch was, is := first(old), first(new); {
	case was == "" && is != "":
		return "says " + Quote(is)
	case was != "" && is == "":
		return "no longer says " + Quote(was)
	}
	return ""
}

// namesIn reports whether a part of a text looks like a name: it is quoted, or its words begin with capital letters,
// while others of the text don't.
func namesIn(of []token, h hunk) bool {
	if h.a0 == h.a1 {
		return false
	}
	quoted := every(of[h.a0:h.a1], func(t token) bool { return t.quoted })
	some, lower := false, false
	for i, t := range of {
		switch {
		case i >= h.a0 && i < h.a1:
			if !isName(t) {
				return false
			}
			some = some || t.kind == word && !lexicon().small[t.norm]
		case german[strings.ToLower(t.text)] && !quoted:
			return false
		case t.kind == word && !lexicon().small[t.norm] && strings.ToLower(t.text) == t.text:
			lower = true
		}
	}
	return some && (lower || quoted)
}

// german contains words of German, in which every noun begins with a capital letter.
var german = set("der die das den dem des ein eine einen einem einer und im am zum zur")

// steers says which new word tells a reader of the text what to do, or names another tool; or it returns "".
func (x *texts) steers(new []token, what textKind) string {
	single := 0
	for i, t := range new {
		if t.kind == odd {
			return "contains " + Quote(clip(t.text))
		}
		if single++; utf8.RuneCountInString(t.text) > 1 || t.kind == number || lexicon().small[t.norm] {
			single = 0
		}
		if single > 2 {
			return "spells a word"
		}
		if t.kind == word && x.instructs(t, i > 0 && isName(t) && isName(new[0]), what) || x.names(t.text) {
			return "says " + Quote(clip(t.text))
		}
		for n := 2; n <= 4 && i+n <= len(new); n++ {
			if name := text(new[i : i+n]); x.another(name) {
				return "says " + Quote(clip(name))
			}
		}
	}
	return ""
}

// names reports whether a word is a tool's name.
func (x *texts) names(w string) bool {
	_, first := utf8.DecodeRuneInString(w)
	compound := strings.ContainsAny(w, "-_") || strings.ToLower(w[first:]) != w[first:]
	return compound && x.another(w)
}

// another reports whether a text is the name of another tool.
func (x *texts) another(text string) bool {
	return x.isTool != nil && x.isTool(text) && skeleton(text) != skeleton(x.name)
}

// instructs reports whether a word, or a part of a compound, is one of those that tell a reader what to do. within is
// true for a name's second word and those after it.
func (x *texts) instructs(t token, within bool, what textKind) bool {
	for _, piece := range pieces(t.text) {
		s, folded := stem(piece), fold(piece)
		plain := what == parameter && lexicon().plain[lexicon().same(s)]
		switch {
		case lexicon().small[folded]:
		case !plain && (lexicon().steer[s] || lexicon().foreign[folded]):
			return true
		case !plain && (lexicon().acts[s] || lexicon().verbs[s] && !within) && !strings.HasSuffix(folded, "ing") &&
			!(what == parameter && strings.HasSuffix(folded, "ed")) && !(what == heading && x.owns(lexicon().same(s))):
			return true
		}
	}
	return lexicon().within(fold(t.text))
}

// plain reports whether a text may gain a word without a new meaning.
func (x *texts) plain(t token, what textKind) bool {
	if what != description && x.owns(t.norm) {
		return true
	}
	for part := range strings.SplitSeq(t.norm, "/") {
		if !lexicon().plain[part] && !(!lexicon().acts[part] && x.owns(part)) {
			return false
		}
	}
	return true
}

// strange says what is unusual about a character of a text, compared with the accepted texts, or returns "".
func (x *texts) strange(was, is string) string {
	for _, r := range is {
		switch {
		case r <= unicode.MaxASCII && r >= ' ' || strings.ContainsRune(was, r):
		case r == '\n' || r == '\t':
		case unicode.Is(unicode.Latin, r) && r < 0x250, picture(r):
		case unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) && r < 0xFE00:
			if s := scriptOf(r); s == nil || !x.knows(s) {
				return "has letters of another alphabet"
			}
		case unicode.IsPunct(r), unicode.IsDigit(r), unicode.In(r, unicode.Sc, unicode.Sm), r == '\u00a0':
		default:
			return "contains characters that don't show"
		}
	}
	return ""
}

// picture reports whether a character is an emoji. Letters in circles and squares are none.
func picture(r rune) bool {
	return unicode.Is(unicode.So, r) && (r < 0x2460 || r > 0x24FF) && (r < 0x1F100 || r > 0x1F1FF) || r == 0xFE0F
}

func scriptOf(r rune) *unicode.RangeTable {
	for _, s := range scripts {
		if unicode.Is(s, r) {
			return s
		}
	}
	return nil
}

var scripts = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Han, unicode.Hiragana,
	unicode.Katakana, unicode.Hangul, unicode.Arabic, unicode.Hebrew, unicode.Devanagari, unicode.Thai, unicode.Bengali,
	unicode.Tamil, unicode.Georgian, unicode.Armenian}

// isName reports whether a token looks like part of a name: it is quoted, or begins with a capital letter within a
// sentence.
func isName(t token) bool {
	r, _ := utf8.DecodeRuneInString(t.text)
	return t.kind == number || t.quoted || t.kind == word && (!t.first && unicode.IsUpper(r) || lexicon().small[t.norm])
}

// shouts reports whether a word is in capital letters and too long for an abbreviation.
func shouts(w string) bool {
	return len(w) > 5 && strings.ToUpper(w) == w && !strings.ContainsFunc(w, unicode.IsDigit)
}

func every(of []token, is func(token) bool) bool {
	return !slices.ContainsFunc(of, func(t token) bool { return !is(t) })
}

func text(of []token) string {
	var all []string
	for _, t := range of {
		all = append(all, t.text)
	}
	return strings.Join(all, " ")
}

func clip(s string) string {
	if len(s) <= 60 {
		return s
	}
	return strings.ToValidUTF8(s[:60], "") + "…"
}

// pieces splits a compound: read_inbox, readInbox, read-inbox, read2inbox.
func pieces(w string) (all []string) {
	from, last := 0, rune(0)
	cut := func(to int) {
		if from < to {
			all = append(all, w[from:to])
		}
	}
	for i, r := range w {
		switch {
		case r == '_' || r == '-' || r == '/' || r == '.' || unicode.IsDigit(r):
			cut(i)
			from = i + utf8.RuneLen(r)
		case unicode.IsUpper(r) && unicode.IsLower(last):
			cut(i)
			from = i
		}
		last = r
	}
	cut(len(w))
	return all
}
