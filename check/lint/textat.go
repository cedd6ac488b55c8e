package lint

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"webmcphub/registry/sanitize"
)

// A textAt is a text of a tool that models read.
type textAt struct{ where, content string }

// texts are all of them: what the tool says of itself, and all names and words of its
// schemas, but for patterns.
func (t *tool) texts() []textAt {
	all := []textAt{{"title", t.Title}, {"description", t.Description}}
	for _, s := range []struct {
		where string
		raw   json.RawMessage
	}{{"inputSchema", t.InputSchema}, {"outputSchema", t.OutputSchema}} {
		var is any
		if len(s.raw) > 0 && json.Unmarshal(s.raw, &is) == nil {
			all = append(all, textsIn(s.where, is)...)
		}
	}
	return all
}

func textsIn(where string, v any) (all []textAt) {
	switch v := v.(type) {
	case string:
		return []textAt{{where, v}}
	case []any:
		for i, one := range v {
			all = append(all, textsIn(below(where, strconv.Itoa(i)), one)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := below(where, name)
			all = append(all, textAt{at, name})
			if _, text := v[name].(string); name != "pattern" || !text {
				all = append(all, textsIn(at, v[name])...)
			}
		}
	}
	return all
}

// hidden is the first character of a text that people don't see, and that its writing
// doesn't need.
func hidden(text string) (r rune, found bool) {
	leftward := sync.OnceValue(func() bool { return strings.ContainsFunc(text, isLeftward) })
	for at, r := range sanitize.Deceptive(text) {
		if !needed(text, at, r, leftward) {
			return r, true
		}
	}
	return 0, false
}

func isLeftward(r rune) bool {
	return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana)
}

// joining are scripts whose letters are joined, or kept apart, by characters without width.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
	unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
	unicode.Tibetan,
}

// needed says whether writing needs the invisible character r at a place of a text, in
// which leftward says that words run from right to left. Only
// between characters that are seen is it needed, so that a row of them never is.
func needed(text string, at int, r rune, leftward func() bool) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(r):])
	switch r {
	case '\r':
		return true
	case 0x200C:
		return unicode.In(before, joining...) && unicode.In(after, joining...)
	case 0x200D:
		emoji := unicode.In(before, unicode.So, unicode.Sk) || before == 0xFE0F
		return emoji && unicode.Is(unicode.So, after) || unicode.In(before, joining...) && unicode.In(after, joining...)
	case 0x200E, 0x200F, 0x61C: // they set the direction beside words of the other one
		atEnd := at == 0 || after == utf8.RuneError
		return (atEnd || unicode.IsGraphic(before) && unicode.IsGraphic(after)) && leftward()
	}
	return false
}
