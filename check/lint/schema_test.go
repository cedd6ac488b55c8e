package lint

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// object is a schema with n parameters, each of which has a schema.
func object(n int, each string) string {
	var fields []string
	for i := range n {
		fields = append(fields, fmt.Sprintf(`"p%d":%s`, i, each))
	}
	return `{"type":"object","properties":{` + strings.Join(fields, ",") + `}}`
}

// doubling has 2^n ways to hold one value against it.
func doubling(n int) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i, i+1, i+1))
	}
	return fmt.Sprintf(`{"type":"object","properties":{"x":{"$ref":"#/$defs/a0"}},"$defs":{%s,"a%d":{"type":"string"}}}`, strings.Join(defs, ","), n)
}

// A schema that would cost its reader all time or memory is refused before it does.
func TestLarge(t *testing.T) {
	for why, c := range map[string]struct {
		schema string
		large  bool
	}{
		"many parts":     {object(MaxParts, `{}`), true},
		"a long name":    {`{"properties":{"` + strings.Repeat("n", 40_000) + `":` + object(1_500, `{}`) + `}}`, true},
		"many bytes":     {`{"description":"` + strings.Repeat("n", MaxBytes) + `"}`, true},
		"many ways":      {doubling(26), true},
		"some ways":      {doubling(8), false},
		"itself":         {`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"$ref":"#/properties/b/items"}}}`, false},
		"many constants": {`{"properties":{"a":{"enum":[` + strings.TrimSuffix(strings.Repeat(`"x",`, 3000), ",") + `]}}}`, false},
		"ordinary":       {object(100, `{"type":"string","description":"What to look for.","maxLength":100}`), false},
	} {
		_, err := CompileSchema(json.RawMessage(c.schema), true)
		if errors.Is(err, ErrSchemaTooLarge) != c.large {
			t.Errorf("%s: got %v", why, err)
		}
	}
}

// Patterns are JavaScript's.
func TestPatterns(t *testing.T) {
	for _, c := range []struct{ pattern, yes, no string }{
		{`^(?=.*[0-9]).{8,}$`, "abcdefg1", "abcdefgh"},
		{`^[\u4e00-\u9fa5]+$`, "漢字", "abc"},
		{`^[A-Z]{3}$`, "ABC", "abc"},
		{`^(a)\1$`, "aa", "ab"},
	} {
		s, err := CompileSchema(json.RawMessage(`{"type":"string","pattern":`+string(quoted(c.pattern))+`}`), true)
		if err != nil {
			t.Errorf("%s is no pattern: %v", c.pattern, err)
			continue
		}
		if err := s.Validate(t.Context(), quoted(c.yes)); err != nil || s.Unread {
			t.Errorf("%s refuses %q: %v", c.pattern, c.yes, err)
		}
		if s.Validate(t.Context(), quoted(c.no)) == nil {
			t.Errorf("%s takes %q", c.pattern, c.no)
		}
	}
	if s, err := CompileSchema(json.RawMessage(`{"pattern":"^\\p{Script_Extensions=Latin}+$"}`), true); err != nil || !s.Unread {
		t.Errorf("a pattern that can't be read: %v", err)
	}
	if _, err := CompileSchema(json.RawMessage(`{"pattern":"^("}`), true); err == nil {
		t.Error("a pattern that nobody can read is taken")
	}
}

func quoted(s string) json.RawMessage {
	raw, _ := json.Marshal(s)
	return raw
}

// The same schema and the same value have the same error each time.
func TestErrorsAreTheSame(t *testing.T) {
	var said []string
	add := func(err error) {
		if s := fmt.Sprint(err); !slices.Contains(said, s) {
			said = append(said, s)
		}
	}
	for range 100 {
		_, err := CompileSchema(json.RawMessage(`{"type":"object","properties":{"a":{"type":"banana"},"b":{"type":"apple"},"c":{"minimum":"x"},"d":{"required":3}}}`), false)
		add(err)
	}
	if len(said) != 1 || !strings.Contains(said[0], `at "/properties/a/type"`) {
		t.Errorf("%d texts for one schema: %q", len(said), said)
	}
	said = nil
	s, err := CompileSchema(json.RawMessage(`{"type":"object","additionalProperties":{"type":"string"}}`), false)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		add(s.Validate(t.Context(), json.RawMessage(`{"d":1,"c":2,"b":[],"a":1}`)))
	}
	if len(said) != 1 || !strings.Contains(said[0], `at "/a"`) {
		t.Errorf("%d texts for one value: %q", len(said), said)
	}
}
