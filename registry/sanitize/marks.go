package sanitize

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// [Text] removes characters that could deceive a reader, because the texts in the hub's lists only describe
// something. In results, and in values and names of schemas, each character counts. There showMarks replaces such a
// character by a visible mark, which can be undone.

// showMarks replaces the characters of s that could deceive a reader by marks like ⟨U+202E⟩. It keeps the characters
// that writing needs: a soft hyphen between letters, a joiner or a zero-width space in scripts and emoji that use
// them, direction marks in right-to-left text, and line ends.
func showMarks(s string) string {
	if !strings.ContainsFunc(s, deceptive) {
		return s
	}
	var b strings.Builder
	rtl := strings.ContainsFunc(s, rightToLeft)
	runes := []rune(s)
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return 0
		}
		return runes[i]
	}
	for i, r := range runes {
		if deceptive(r) && !typographic(at(i-1), r, at(i+1), rtl) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// typographic reports whether writing needs r, a character that can deceive, between these two characters.
func typographic(before, r, after rune, rtl bool) bool {
	if selects(before, r) {
		return true
	}
	switch r {
	case '\r':
		return after == '\n'
	case 0xAD: // soft hyphen
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	case 0x200B, 0x200C, 0x200D: // zero-width space, non-joiner, joiner
		return (joins(before) || before == 0xFE0F) && joins(after) // 0xFE0F ends an emoji
	case 0x200E, 0x200F, 0x61C: // marks of direction
		return rtl && !deceptive(before) && !deceptive(after)
	}
	return false
}

func joins(r rune) bool {
	return r > 0x7F && !deceptive(r) && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsSymbol(r)) &&
		!unicode.Is(unicode.Latin, r)
}

func rightToLeft(r rune) bool {
	return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
}

// wildNumber reports whether some client can't parse a number, because it, or its exponent, exceeds the range of
// 64-bit floating point.
func wildNumber(number string) bool {
	at := strings.IndexAny(number, "eE")
	if at >= 0 {
		if exponent, err := strconv.Atoi(strings.TrimPrefix(number[at+1:], "+")); err != nil || exponent > 400 ||
			exponent < -400 {
			return true
		}
	} else if len(number) < 300 {
		return false
	}
	_, err := strconv.ParseFloat(number, 64)
	return err != nil
}

// plainNumber is a quick check: most numbers are short and have no exponent.
func plainNumber(number []byte) bool {
	return len(number) < 300 && bytes.IndexByte(number, 'e') < 0 && bytes.IndexByte(number, 'E') < 0
}

// WildNumber reports whether valid JSON contains a number that some programs can't parse, or that takes very long to
// compute with.
func WildNumber(raw json.RawMessage) (wild bool) {
	tokens(raw, func(from, to int) {
		wild = wild || raw[from] != '"' && !plainNumber(raw[from:to]) && wildNumber(string(raw[from:to]))
	})
	return wild
}

// tokens calls do with the position of every string and number of valid JSON.
func tokens(raw []byte, do func(from, to int)) {
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			end := i + 1
			for end < len(raw) && raw[end] != '"' {
				if raw[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(raw))
			do(i, end)
			i = end
		case c == '-' || c >= '0' && c <= '9':
			end := i + 1
			for end < len(raw) && bytes.IndexByte([]byte("0123456789+-.eE"), raw[end]) >= 0 {
				end++
			}
			do(i, end)
			i = end
		default:
			i++
		}
	}
}

// rewriteStrings returns valid JSON with change applied to its strings, including member names. Everything else stays
// as it is written.
func rewriteStrings(raw json.RawMessage, change func(string) string) json.RawMessage {
	var out []byte
	last := 0
	replace := func(from, to int, by []byte) {
		out = append(append(out, raw[last:from]...), by...)
		last = to
	}
	tokens(raw, func(from, to int) {
		token := raw[from:to]
		switch {
		case token[0] != '"':
			if !plainNumber(token) && wildNumber(string(token)) {
				replace(from, to, AppendJSON(nil, string(token)))
			}
		case bytes.IndexByte(token, '\\') >= 0 || bytes.ContainsFunc(token, func(r rune) bool { return r >= 0x7F }):
			var was string
			if json.Unmarshal(token, &was) == nil {
				if is := change(was); is != was {
					replace(from, to, Encode(is))
				}
			}
		}
	})
	if out == nil {
		return raw
	}
	return append(out, raw[last:]...)
}

// visibleJSON makes characters that could deceive a reader of JSON visible, and turns numbers that some clients can't
// parse into texts.
func visibleJSON(raw json.RawMessage) json.RawMessage { return rewriteStrings(raw, showMarks) }

// scrubber cleans a decoded JSON Schema, or a _meta.
type scrubber struct {
	// marked maps the strings that clients see in changed form to what the page means.
	marked map[string]string
}

// kind says what a value in a schema is.
type kind int

const (
	aSubschema kind = iota
	nameMap         // an object whose member names mean something to the page
	plainData       // not a schema
)

// of cleans a value. It changes objects and lists in place.
func (s *scrubber) of(v any, k kind) any {
	switch v := v.(type) {
	case map[string]any:
		return s.object(v, k)
	case []any:
		for i, e := range v {
			v[i] = s.of(e, k)
		}
	case string:
		return s.mark(v)
	case json.Number:
		if wildNumber(v.String()) {
			return v.String()
		}
	}
	return v
}

func (s *scrubber) object(o map[string]any, k kind) any {
	delete(o, headerKey)
	// Unchanged names come first, so they keep their place when another name is marked to look the same.
	all := slices.SortedFunc(maps.Keys(o), func(a, b string) int {
		return cmp.Or(cmp.Compare(marks(a), marks(b)), cmp.Compare(a, b))
	})
	was := maps.Clone(o)
	clear(o)
	for _, name := range all {
		e := was[name]
		text, isText := e.(string)
		switch {
		case k == plainData:
			e = s.of(e, plainData)
		case k == nameMap:
			e = s.of(e, aSubschema)
		case isText && (name == "description" || name == "title" || name == "$comment"):
			e = Text(text, MaxSchema)
		case isText && name == "pattern" && showMarks(text) != text:
			continue // a pattern with marks would mean something else
		case name == "enum" || name == "examples":
			if list, ok := e.([]any); ok {
				had := len(list)
				if list = slices.DeleteFunc(list, wild); len(list) == 0 && had > 0 {
					continue
				}
				e = list
			}
			e = s.of(e, plainData)
		case name == "const" || name == "default":
			if wild(e) {
				continue
			}
			e = s.of(e, plainData)
		case keywords[name] == schemaMap || keywords[name] == dependencies || keywords[name] == nameLists:
			e = s.of(e, nameMap)
		case keywords[name] == aNumber || keywords[name] == aPositive || keywords[name] == aCount:
			if wild(e) {
				continue
			}
		default:
			e = s.of(e, aSubschema)
		}
		o[s.markName(name, o)] = e
	}
	return o
}

// marks returns 1 for a text that showMarks changes, else 0.
func marks(text string) int {
	if showMarks(text) != text {
		return 1
	}
	return 0
}

// markName marks a member's name so that it differs from all names in taken.
func (s *scrubber) markName(name string, taken map[string]any) string {
	seen := s.mark(name)
	if _, clash := taken[seen]; !clash || seen == name {
		return seen
	}
	delete(s.marked, seen)
	other := seen
	for n := 2; ; n++ {
		other = fmt.Sprintf("%s⟨%d⟩", seen, n)
		if _, clash := taken[other]; !clash {
			s.marked[other] = name
			return other
		}
	}
}

// wild reports whether v contains a [wildNumber].
func wild(v any) bool {
	switch v := v.(type) {
	case json.Number:
		return wildNumber(v.String())
	case []any:
		return slices.ContainsFunc(v, wild)
	case map[string]any:
		for _, e := range v {
			if wild(e) {
				return true
			}
		}
	}
	return false
}

func (s *scrubber) mark(text string) string {
	seen := showMarks(text)
	if seen != text {
		if s.marked == nil {
			s.marked = map[string]string{}
		}
		s.marked[seen] = text
	}
	return seen
}
