package smoke

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// A variant is a value at a limit.
type variant struct {
	name  string
	value any
}

const (
	maxNesting = 8
	longText   = 2000 // characters, where a schema sets no limit
)

// resolve follows references within the schema, and takes the first branch where there
// are several.
func (m *maker) resolve(schema any) map[string]any {
	is, _ := schema.(map[string]any)
	for range maxNesting {
		ref, _ := is["$ref"].(string)
		path, local := strings.CutPrefix(ref, "#/")
		if !local {
			break
		}
		var at any = m.root
		for _, part := range strings.Split(path, "/") {
			object, _ := at.(map[string]any)
			at = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
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

// ordinary is a value that a schema permits, and a user might give.
func ordinary(s map[string]any, m *maker) any { return ordinaryAt(s, m, 0) }

func ordinaryAt(s map[string]any, m *maker, depth int) any {
	for _, key := range []string{"const", "default"} {
		if v, ok := s[key]; ok {
			return v
		}
	}
	for _, key := range []string{"enum", "examples"} {
		if list, ok := s[key].([]any); ok && len(list) > 0 {
			return list[0]
		}
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
			for name, field := range fields {
				object[name] = ordinaryAt(m.resolve(field), m, depth+1)
			}
		}
		return object
	}
	return text(s)
}

// kind is the type of values that are made; a schema that doesn't say has text.
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
	for i := range min(n, 50) {
		switch {
		case depth >= maxNesting:
		case i < len(enum):
			all = append(all, enum[i])
		default:
			all = append(all, ordinaryAt(items, m, depth+1))
		}
	}
	return all
}

func limit(s map[string]any, key string, otherwise float64) float64 {
	if v, ok := s[key].(float64); ok {
		return v
	}
	return otherwise
}

// number is one between the limits.
func number(s map[string]any) float64 {
	low, high := bounds(s)
	v := min(max(1, low), high)
	if step := limit(s, "multipleOf", 0); step > 0 {
		v = math.Ceil(v/step) * step
	}
	return v
}

// bounds are the least and the greatest number.
func bounds(s map[string]any) (low, high float64) {
	const endless = 1e9
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

// formats have a value for each.
var formats = map[string]string{
	"date": "2026-01-31", "time": "12:30:00Z", "date-time": "2026-01-31T12:30:00Z", "duration": "P1D",
	"email": "user@example.com", "uri": "https://example.com/", "uri-reference": "/", "hostname": "example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uuid": "123e4567-e89b-42d3-a456-426614174000",
}

// attempts are texts that patterns are tried on.
var attempts = []string{"a", "abc", "A", "ABC", "1", "12", "123", "1234", "12345", "A1", "AB123", "2026-01-31", "12:30", "2026-01", "2026-W05", "#aabbcc", "user@example.com", "https://example.com/", "+41 44 000 00 00", "SFO", "word", "two words", ""}

// text is one that fits format, pattern and limits, as far as one is known.
func text(s map[string]any) string {
	if f, _ := s["format"].(string); formats[f] != "" {
		return formats[f]
	}
	least, most := int(limit(s, "minLength", 0)), int(limit(s, "maxLength", longText))
	if pattern, ok := s["pattern"].(string); ok {
		if re, err := regexp.Compile(pattern); err == nil {
			if i := slices.IndexFunc(attempts, func(a string) bool { return re.MatchString(a) && len(a) >= least && len(a) <= most }); i >= 0 {
				return attempts[i]
			}
		}
	}
	return sized("text", least, most)
}

// sized is a text of at least and at most so many characters.
func sized(start string, least, most int) string {
	least, most = min(least, longText), min(most, longText)
	if len(start) < least {
		start += strings.Repeat("x", least-len(start))
	}
	return start[:min(len(start), max(0, most))]
}

// limits are values at the limits of what a schema permits.
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
	case "boolean":
		all = append(all, variant{"false", false})
	case "array":
		all = append(all, variant{"as few as may be", array(s, m, 0, int(limit(s, "minItems", 0)))})
		if most := limit(s, "maxItems", 3); most > 1 {
			all = append(all, variant{"many", array(s, m, 0, int(most))})
		}
	case "string":
		if s["format"] == nil && s["pattern"] == nil {
			all = append(all,
				variant{"as short as may be", sized("", int(limit(s, "minLength", 0)), longText)},
				variant{"as long as may be", sized("", int(limit(s, "maxLength", longText)), longText)},
				variant{"other letters", "ä漢🙂<b>'\"&"})
		}
	}
	return all
}
