package smoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"webmcphub/check/lint"
)

// A schema can't make its reader make endless inputs, or take endless time for one.
func TestEndlessSchemas(t *testing.T) {
	var doubling []string
	for i := range 26 {
		doubling = append(doubling, fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i, i+1, i+1))
	}
	var itself []string
	for i := range 10 {
		itself = append(itself, fmt.Sprintf(`"p%d":{"$ref":"#"}`, i))
	}
	for why, schema := range map[string]string{
		"lists of lists":          `{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"array","minItems":50,"items":{"$ref":"#/$defs/a"}}}}`,
		"objects of objects":      `{"type":"object","properties":{` + strings.Join(itself, ",") + `}}`,
		"a long value many times": `{"type":"object","properties":{"x":{"type":"array","minItems":50,"items":{"type":"array","minItems":50,"items":{"const":"` + strings.Repeat("x", 50_000) + `"}}}}}`,
		"2^26 ways":               `{"type":"object","properties":{"x":{"$ref":"#/$defs/a0"}},"$defs":{` + strings.Join(doubling, ",") + `,"a26":{"type":"string"}}}`,
		"many parts":              `{"type":"object","properties":{` + strings.TrimSuffix(strings.Repeat(`"x":[{}],`, 1), ",") + `},"$comment":[` + strings.TrimSuffix(strings.Repeat(`{},`, lint.MaxParts), ",") + `]}`,
	} {
		all, err := Inputs(t.Context(), json.RawMessage(schema))
		size := 0
		for _, in := range all {
			size += len(in.Args)
		}
		if err == nil || size > 4<<20 {
			t.Errorf("%s: %d inputs of %d bytes, and nobody is told (%v)", why, len(all), size, err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("that is enough"))
	if _, err := Inputs(ctx, json.RawMessage(anyText)); err == nil || !strings.Contains(err.Error(), "that is enough") {
		t.Errorf("making inputs isn't given up: %v", err)
	}
}

const anyText = `{"type":"object","properties":{"a":{"type":"string"}}}`

// Valid inputs are made for schemas that ask for something special, or it is said that none is.
func TestSpecialSchemas(t *testing.T) {
	for _, c := range []struct{ schema, want string }{ // want is in the first input
		{`{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true,"minItems":2}},"required":["tags"]}`, `["text","text1"]`},
		{`{"type":"object","properties":{"n":{"type":"array","items":{"type":"integer"},"uniqueItems":true,"minItems":2}},"required":["n"]}`, `[1,2]`},
		{`{"type":"object","properties":{"sku":{"type":"string","pattern":"^[A-Z]{3}-[0-9]{6}$"}},"required":["sku"]}`, `"AAA-111111"`},
		{`{"type":"object","properties":{"at":{"type":"string","format":"^([01][0-9]|2[0-3]):[0-5][0-9]$"}},"required":["at"]}`, `"12:30"`},
		{`{"type":"object","properties":{"pw":{"type":"string","pattern":"^(?=.*[0-9])[a-z0-9]{8,}$"}},"required":["pw"]}`, `"abcd1234"`},
		{`{"type":"object","properties":{"w":{"type":"string","pattern":"^[\\u4e00-\\u9fa5]+$"}},"required":["w"]}`, `"漢字"`},
	} {
		all, err := Inputs(t.Context(), json.RawMessage(c.schema))
		if err != nil || len(all) == 0 || !all[0].Valid || !strings.Contains(string(all[0].Args), c.want) {
			t.Errorf("%s: got %+v (%v), want %s", c.schema, all, err, c.want)
		}
	}
	for _, schema := range []string{
		`{"type":"object","properties":{"w":{"type":"string","pattern":"^(?=.*q)(?=.*z)(?=.*9)w+$"}},"required":["w"]}`,
		`{"type":"object","properties":{"w":{"type":"string","pattern":"^\\p{Script_Extensions=Latin}$"}},"required":["w"]}`,
		`{"type":"object","properties":{"w":{"type":"banana"}}}`,
	} {
		all, err := Inputs(t.Context(), json.RawMessage(schema))
		if err == nil || len(all) > 0 && all[0].Valid {
			t.Errorf("%s: %+v, and nobody is told that none is valid", schema, all)
		}
	}
}

// The name of an input says what it is.
func TestNamesOfInputs(t *testing.T) {
	names := map[string]string{}
	for _, in := range made(t, `{"type":"object","properties":{"a":{"type":"string","maxLength":5000},"b":{"type":"string"},"c":{"type":"integer"}}}`) {
		names[in.Name] = string(in.Args)
	}
	for name, want := range map[string]string{"a: as long as may be": strings.Repeat("x", 5000), "b: 2000 characters": strings.Repeat("x", 2000), "c: a large number": "1000000000", "c: a number far below 0": "-1000000000"} {
		if !strings.Contains(names[name], want) {
			t.Errorf("%s isn't there: %q", name, names)
		}
	}
}

// What is no fault of the tool's isn't said to be one, and the same outcome has the same words.
func TestJudgeIsFair(t *testing.T) {
	said := func(s string) json.RawMessage {
		raw, _ := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}})
		return raw
	}
	valid, invalid := Input{"x", json.RawMessage(`{}`), true}, Input{"x", json.RawMessage(`{}`), false}
	made := Input{"x", json.RawMessage(`{"orderId":"text"}`), true}
	for _, c := range []struct {
		why string
		in  Input
		out Outcome
	}{
		{"4,000 characters of Chinese", valid, Outcome{Result: said(strings.Repeat("漢", 4000))}},
		{"a TypeError that says what is wrong", invalid, Outcome{Result: said(`TypeError: words must be a string, such as "red shoes"`), IsError: true}},
		{"a RangeError that does", invalid, Outcome{Result: said("RangeError: limit must be between 1 and 50"), IsError: true}},
		{"an id that was made up", made, Outcome{Result: said("Error: there is no order text"), IsError: true}},
	} {
		for _, f := range Judge(t.Context(), "p", &lint.Tool{Name: "t"}, c.in, c.out) {
			if f.Severity != lint.Info {
				t.Errorf("%s: %s %s", c.why, f.Severity, f.Message)
			}
		}
	}
	for _, text := range []string{"TypeError: Cannot read properties of undefined (reading 'x')", "TypeError: words.trim is not a function", "ReferenceError: x is not defined", "RangeError: Maximum call stack size exceeded", `SyntaxError: Unexpected token 'a', "abc" is not valid JSON`} {
		all := Judge(t.Context(), "p", &lint.Tool{Name: "t"}, invalid, Outcome{Result: said(text), IsError: true})
		if len(all) != 1 || all[0].Rule != "smoke-throws" {
			t.Errorf("%s: %+v", text, all)
		}
	}
	many := &lint.Tool{Name: "t", OutputSchema: json.RawMessage(`{"type":"object","additionalProperties":{"type":"string"}}`)}
	texts := map[string]bool{}
	for range 50 {
		for _, f := range Judge(t.Context(), "p", many, valid, Outcome{Result: json.RawMessage(`{"content":[{"type":"text","text":"x"}],"structuredContent":{"a":1,"b":1,"c":1,"d":1}}`), Took: time.Second}) {
			texts[f.Message] = true
		}
	}
	if len(texts) != 1 {
		t.Errorf("%d texts for one result: %v", len(texts), texts)
	}
}
