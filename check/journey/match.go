package journey

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"webmcphub/check/lint"
)

// Match returns how a value differs from the expected one, or nil if it matches. Objects may have more members than
// expected; lists must have the same length.
func Match(expected, actual any) error { return match("the result", expected, actual) }

func match(where string, expected, actual any) error {
	switch e := expected.(type) {
	case map[string]any:
		if matcher(e) {
			return constrained(where, e, actual)
		}
		a, ok := actual.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %s, and should be an object", where, lint.Short(actual, 200))
		}
		for _, name := range slices.Sorted(maps.Keys(e)) {
			value, there := a[name]
			if !there {
				return fmt.Errorf("%s has no %q", where, name)
			}
			if err := match(where+"."+name, e[name], value); err != nil {
				return err
			}
		}
		return nil
	case []any:
		a, ok := actual.([]any)
		if !ok || len(a) != len(e) {
			return fmt.Errorf("%s is %s, and should be a list of %d", where, lint.Short(actual, 200), len(e))
		}
		for i := range e {
			if err := match(fmt.Sprintf("%s[%d]", where, i), e[i], a[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if !reflect.DeepEqual(expected, actual) {
		return fmt.Errorf("%s is %s, and should be %s", where, lint.Short(actual, 200), lint.Short(expected, 200))
	}
	return nil
}

// matcher reports whether an object consists of matchers.
func matcher(o map[string]any) bool {
	for name := range o {
		if !strings.HasPrefix(name, "$") {
			return false
		}
	}
	return len(o) > 0
}

func constrained(where string, matchers map[string]any, actual any) error {
	for _, name := range slices.Sorted(maps.Keys(matchers)) {
		if want := matchers[name]; !holds(name, want, actual) {
			return fmt.Errorf("%s is %s, and should have %s: %s", where, lint.Short(actual, 200), name, lint.Short(want, 200))
		}
	}
	return nil
}

func holds(name string, want, actual any) bool {
	n, isNumber := actual.(float64)
	limit, _ := want.(float64)
	text, isText := actual.(string)
	switch name {
	case "$any":
		return true
	case "$pattern":
		pattern, _ := want.(string)
		re, err := regexp.Compile(pattern)
		return err == nil && isText && re.MatchString(text)
	case "$contains":
		part, _ := want.(string)
		list, _ := actual.([]any)
		return isText && strings.Contains(text, part) ||
			slices.ContainsFunc(list, func(v any) bool { return reflect.DeepEqual(v, want) })
	case "$gt":
		return isNumber && n > limit
	case "$gte":
		return isNumber && n >= limit
	case "$lt":
		return isNumber && n < limit
	case "$lte":
		return isNumber && n <= limit
	case "$type":
		return kind(actual) == want
	}
	return false // unknown matcher
}

func kind(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "null"
}

// Sample returns a value that matches an expected one, for use as an argument.
func Sample(expected any) any {
	switch e := expected.(type) {
	case map[string]any:
		if matcher(e) {
			return sample(e)
		}
		all := map[string]any{}
		for name, v := range e {
			all[name] = Sample(v)
		}
		return all
	case []any:
		all := []any{}
		for _, v := range e {
			all = append(all, Sample(v))
		}
		return all
	}
	return expected
}

func sample(matchers map[string]any) any {
	number := func(key string) (float64, bool) { n, ok := matchers[key].(float64); return n, ok }
	if pattern, ok := matchers["$pattern"].(string); ok {
		return matching(pattern)
	}
	if part, ok := matchers["$contains"]; ok {
		return part
	}
	for _, key := range []string{"$gte", "$lte"} {
		if n, ok := number(key); ok {
			return n
		}
	}
	if n, ok := number("$gt"); ok {
		return n + 1
	}
	if n, ok := number("$lt"); ok {
		return n - 1
	}
	switch matchers["$type"] {
	case "number":
		return 1.0
	case "boolean":
		return true
	case "array":
		return []any{}
	case "object":
		return map[string]any{}
	}
	return "text"
}

// matching returns a text that matches a pattern, or "" if the pattern can't be parsed.
func matching(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	write(&b, re)
	return b.String()
}

func write(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		if len(re.Rune) > 0 {
			b.WriteRune(re.Rune[0])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune('a')
	case syntax.OpStar: // as in "Bob.*Smith": a space reads best
		if sub := re.Sub[0].Op; sub == syntax.OpAnyChar || sub == syntax.OpAnyCharNotNL {
			b.WriteRune(' ')
		}
	case syntax.OpPlus, syntax.OpCapture:
		write(b, re.Sub[0])
	case syntax.OpRepeat:
		for range re.Min {
			write(b, re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, sub)
		}
	case syntax.OpAlternate:
		write(b, re.Sub[0])
	}
}

// Answers returns the values that a tool's result may stand for: its structured content, the only member of that if
// there is just one, its text, and the text parsed as JSON.
func Answers(result json.RawMessage) (all []any) {
	var r struct {
		Content           []struct{ Type, Text string } `json:"content"`
		StructuredContent any                           `json:"structuredContent"`
	}
	_ = json.Unmarshal(result, &r) // it is the hub's own
	if r.StructuredContent != nil {
		all = append(all, r.StructuredContent)
		if o, ok := r.StructuredContent.(map[string]any); ok && len(o) == 1 && o["result"] != nil {
			all = append(all, o["result"])
		}
	}
	var texts []string
	for _, c := range r.Content {
		texts = append(texts, c.Text)
	}
	text := strings.Join(texts, "\n")
	var v any
	if json.Unmarshal([]byte(text), &v) == nil {
		all = append(all, v)
	}
	return append(all, text)
}
