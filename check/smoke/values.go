package smoke

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"webmcphub/check/lint"
)

// A variant is a value at a limit.
type variant struct {
	name  string
	value any
}

const (
	maxNesting = 8
	longText   = 2000 // characters, if a schema sets no limit
)

// resolve follows references within the schema, and takes the first branch if there are several.
func (m *maker) resolve(schema any) map[string]any {
	is, _ := schema.(map[string]any)
	for range maxNesting {
		ref, _ := is["$ref"].(string)
		at, ok := lint.FindReference(m.root, ref)
		if ref == "" || !ok {
			break
		}
		is, _ = at.(map[string]any)
	}
	merged := maps.Clone(is)
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := is[key].([]any)
		for i, branch := range list {
			if more, ok := branch.(map[string]any); ok && (i == 0 || key == "allOf") {
				for k, v := range more {
					if _, there := merged[k]; !there {
						merged[k] = v
					}
				}
			}
		}
	}
	return merged
}

// ordinary returns a value that a schema permits, and that a user might enter.
func ordinary(s map[string]any, m *maker) any { return ordinaryAt(s, m, 0) }

func ordinaryAt(s map[string]any, m *maker, depth int) any {
	if v, ok := given(s); ok {
		raw, _ := json.Marshal(v) // it was read from JSON
		m.spend(len(raw))
		return v
	}
	if !m.spend(0) {
		return nil
	}
	switch kind(s) {
	case "integer", "number":
		return number(s)
	case "boolean":
		return true
	case "null":
		return nil
	case "array":
		return array(s, m, depth, int(limit(s, "minItems", 1)))
	case "object":
		object := map[string]any{}
		fields, _ := s["properties"].(map[string]any)
		if depth < maxNesting {
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				if m.spend(len(name)) {
					object[name] = ordinaryAt(m.resolve(fields[name]), m, depth+1)
				}
			}
		}
		return object
	}
	t := text(s, m)
	m.spend(len(t))
	return t
}

// given returns a value that the schema itself contains.
func given(s map[string]any) (any, bool) {
	for _, key := range []string{"const", "default"} {
		if v, ok := s[key]; ok {
			return v, true
		}
	}
	for _, key := range []string{"enum", "examples"} {
		if list, ok := s[key].([]any); ok && len(list) > 0 {
			return list[0], true
		}
	}
	return nil, false
}

// kind returns the type of the values to make: string if the schema has no type.
func kind(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if name, ok := one.(string); ok && name != "null" {
				return name
			}
		}
	}
	switch {
	case s["properties"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	}
	return "string"
}

func array(s map[string]any, m *maker, depth, n int) []any {
	all := []any{}
	items := m.resolve(s["items"])
	enum, _ := items["enum"].([]any)
	unique := s["uniqueItems"] == true
	for i := range min(n, 50) {
		switch {
		case depth >= maxNesting || m.left < 0:
		case i < len(enum):
			all = append(all, enum[i])
		default:
			one := ordinaryAt(items, m, depth+1)
			if unique {
				one = another(one, i)
			}
			all = append(all, one)
		}
	}
	return all
}

// another returns a value that differs for each i.
func another(v any, i int) any {
	switch v := v.(type) {
	case string:
		if i > 0 {
			return v + strconv.Itoa(i)
		}
	case float64:
		return v + float64(i)
	case bool:
		return v != (i > 0)
	}
	return v
}

func limit(s map[string]any, key string, otherwise float64) float64 {
	if v, ok := s[key].(float64); ok {
		return v
	}
	return otherwise
}

// number returns a number within the limits.
func number(s map[string]any) float64 {
	low, high := bounds(s)
	v := min(max(1, low), high)
	if step := limit(s, "multipleOf", 0); step > 0 {
		v = math.Ceil(v/step) * step
	}
	return v
}

// endless is the largest number to try if a schema sets no limit.
const endless = 1e9

// bounds returns the smallest and the largest number.
func bounds(s map[string]any) (low, high float64) {
	step := limit(s, "multipleOf", 1)
	low, high = limit(s, "minimum", -endless), limit(s, "maximum", endless)
	if v, ok := s["exclusiveMinimum"].(float64); ok {
		low = max(low, v+step)
	}
	if v, ok := s["exclusiveMaximum"].(float64); ok {
		high = min(high, v-step)
	}
	return low, high
}

// formats has a value for each format.
var formats = map[string]string{
	"date": "2026-01-31", "time": "12:30:00Z", "date-time": "2026-01-31T12:30:00Z", "duration": "P1D",
	"email": "user@example.com", "uri": "https://example.com/", "uri-reference": "/", "hostname": "example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uuid": "123e4567-e89b-42d3-a456-426614174000",
}

// attempts are texts to try patterns on.
var attempts = []string{"a", "abc", "A", "ABC", "1", "12", "123", "1234", "12345", "A1", "AB123", "2026-01-31", "12:30",
	"2026-01", "2026-W05", "#aabbcc", "user@example.com", "https://example.com/", "+41 44 000 00 00", "SFO", "word",
	"two words", "漢字", "abcd1234", "Abcd1234!", "abcDEF123456!?", ""}

// text returns a text that fits format, pattern and limits, if one is found.
func text(s map[string]any, m *maker) string {
	if f, _ := s["format"].(string); formats[f] != "" {
		return formats[f]
	}
	least, most := int(limit(s, "minLength", 0)), int(limit(s, "maxLength", longText))
	if pattern, ok := s["pattern"].(string); ok {
		if re, err := lint.CompilePattern(pattern); err == nil {
			try := append(attempts[:len(attempts):len(attempts)], written(pattern)...)
			if i := slices.IndexFunc(try, func(a string) bool {
				n := utf8.RuneCountInString(a)
				return n >= least && n <= most && m.ctx.Err() == nil && re.MatchString(a)
			}); i >= 0 {
				return try[i]
			}
		}
	}
	return sized("text", least, most)
}

// longestText limits the characters of a text, whatever a schema permits.
const longestText = 10_000

// sized returns a text with at least least and at most most characters.
func sized(start string, least, most int) string {
	least, most = min(least, longestText), min(most, longestText)
	if len(start) < least {
		start += strings.Repeat("x", least-len(start))
	}
	return start[:min(len(start), max(0, most))]
}

// longTextOf returns a text of the greatest permitted length, but of at most longText characters.
func longTextOf(s map[string]any) string {
	n := int(limit(s, "maxLength", longText))
	if n > longestText {
		n = longText
	}
	return sized("", max(n, int(limit(s, "minLength", 0))), longestText)
}

// limits returns values at the limits of what a schema permits.
func limits(s map[string]any, m *maker) (all []variant) {
	if _, fixed := s["const"]; fixed {
		return nil
	}
	if enum, ok := s["enum"].([]any); ok {
		if len(enum) > 1 {
			all = append(all, variant{"the last value", enum[len(enum)-1]})
		}
		return all
	}
	switch kind(s) {
	case "integer", "number":
		low, high := bounds(s)
		all = append(all, variant{"the least", low}, variant{"the greatest", high})
		if low <= -endless {
			all[0].name = "a number far below 0"
		}
		if high >= endless {
			all[1].name = "a large number"
		}
	case "boolean":
		all = append(all, variant{"false", false})
	case "array":
		all = append(all, variant{"as few as may be", array(s, m, 0, int(limit(s, "minItems", 0)))})
		if most := limit(s, "maxItems", 3); most > 1 {
			all = append(all, variant{"many", array(s, m, 0, int(most))})
		}
	case "string":
		if s["format"] == nil && s["pattern"] == nil {
			long := "as long as may be"
			if most := limit(s, "maxLength", endless); most > longestText {
				long = fmt.Sprintf("%d characters", longText)
			}
			all = append(all,
				variant{"as short as may be", sized("", int(limit(s, "minLength", 0)), longestText)},
				variant{long, longTextOf(s)},
				variant{"other letters", "ä漢🙂<b>'\"&"})
		}
	}
	return all
}
