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

// texts returns all texts of a tool: title, description, and all names and strings in its schemas, except patterns.
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

// hidden returns the first invisible character of a text that the text's writing system doesn't need.
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

// joining are scripts in which characters without width join letters, or keep them apart.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
	unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
	unicode.Tibetan,
}

// needed reports whether the writing system needs the invisible character r at a place of a text. leftward reports
// whether the text has words that run from right to left. A character is only needed between visible ones, so a row
// of invisible characters never is.
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
	case 0x200E, 0x200F, 0x61C: // marks that set the direction of writing
		atEnd := at == 0 || after == utf8.RuneError
		return (atEnd || unicode.IsGraphic(before) && unicode.IsGraphic(after)) && leftward()
	}
	return false
}
