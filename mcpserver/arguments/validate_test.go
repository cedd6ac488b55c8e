package arguments

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestArgumentCheck(t *testing.T) {
	c := New(slog.New(slog.DiscardHandler))
	tests := []struct{ name, schema, args, want string }{
		{"no schema", ``, `{"a":1}`, ""},
		{"good", `{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":1.0}`, ""},
		{"not JSON", `{"type":`, `{}`, ""},
		{"not a schema", `{"type":12}`, `{}`, ""},
		{"a number", `12`, `{}`, ""},
		{"false", `false`, `{}`, "the arguments object: is not allowed here"},
		{"file reference", `{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, `{"a":1}`, ""},
		{"remote reference", `{"$ref":"https://example.com/schema"}`, `{"a":1}`, ""},
		{"unknown dialect", `{"$schema":"https://example.com/dialect","type":"array"}`, `{}`, ""},
		{"local reference", `{"$defs":{"n":{"type":"number"}},"properties":{"a":{"$ref":"#/$defs/n"}}}`, `{"a":"x"}`, "/a: expected number, got string"},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"minimum":3}},"properties":{"a":{"$ref":"#/definitions/n"}}}`, `{"a":1}`, "/a: expected at least 3, got 1"},
		{"look-ahead can't be checked, the rest is", `{"properties":{"a":{"pattern":"^(?=x)"},"b":{"type":"string"}}}`, `{"a":"y","b":1}`, "/b: expected string, got number"},
		{"pattern", `{"properties":{"a":{"pattern":"^x$"}}}`, `{"a":"y"}`, `/a: "y" does not match the pattern "^x$"`},
		{"signs that HTML escapes", `{"properties":{"a":{"enum":["<b>","R&D"]}}}`, `{"a":"A&E"}`, `/a: expected one of "<b>", "R&D", got "A&E"`},
		{"several faults", `{"properties":{"a":{"type":"string"},"b":{"const":1}},"required":["c","d"]}`, `{"a":1,"b":2}`, "/c: is required but missing"},
		{"types of alternatives", `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"a":1}`, "/a: expected null or string, got number"},
		{"nearest alternative", `{"properties":{"a":{"oneOf":[{"type":"string"},{"type":"object","required":["x"],"properties":{"x":{}}}]}}}`, `{"a":{}}`, "/a"},
		{"two alternatives", `{"properties":{"a":{"oneOf":[{"type":"integer"},{"type":"number"}]}}}`, `{"a":1}`, "/a: matches more than one alternative"},
		{"not", `{"properties":{"a":{"not":{"const":1}}}}`, `{"a":1}`, "/a: has a value that is not allowed"},
		{"length", `{"properties":{"a":{"minLength":3},"b":{"maxItems":1}}}`, `{"a":"é","b":[]}`, "/a: expected at least 3 characters, got 1"},
		{"unique", `{"properties":{"a":{"uniqueItems":true}}}`, `{"a":[1,2,1]}`, "/a: items 0 and 2 are equal"},
		{"dependent", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `with "a", "b" must be given too`},
		{"names", `{"propertyNames":{"maxLength":1}}`, `{"abc":1}`, "abc"},
		{"contains", `{"properties":{"a":{"contains":{"const":1}}}}`, `{"a":[2]}`, "/a"},
		{"unevaluated", `{"unevaluatedProperties":false,"properties":{"a":{}}}`, `{"b":1}`, "/b: is not allowed here"},
		{"reference cycle", `{"$ref":"#"}`, `{}`, ""},
		{"recursive", `{"properties":{"next":{"$ref":"#"},"v":{"type":"integer"}}}`, `{"next":{"next":{"v":"x"}}}`, "/next/next/v: expected integer, got string"},
		{"hostile text in the schema", "{\"properties\":{\"a\":{\"const\":\"\u202Egnp\"}}}", `{"a":1}`, `/a: expected "gnp", got 1`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := c.Check([]byte(test.schema), []byte(test.args))
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// What pages commonly get wrong in their schemas doesn't keep a call from them.
func TestDoubtfulFaults(t *testing.T) {
	c := New(slog.New(slog.DiscardHandler))
	tests := []struct{ name, schema, args, wrong, doubts string }{
		{"a range taken for numbers", `{"properties":{"at":{"pattern":"^[1-12]:[0-59]$"}}}`, `{"at":"9:30"}`, "", ` /at: "9:30" does not match the pattern "^[1-12]:[0-59]$".`},
		{"format, where the dialect checks it", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"format":"email"}}}`, `{"a":"x"}`, "", "/a: \"x\" is no valid email"},
		{"good", `{"properties":{"a":{"pattern":"^x$"}}}`, `{"a":"x"}`, "", ""},
		{"required too", `{"properties":{"a":{"pattern":"^x$"}},"required":["b"]}`, `{"a":"y"}`, "/b: is required but missing", ""},
		{"a type too", `{"properties":{"a":{"pattern":"^x$"},"b":{"type":"number"}}}`, `{"a":"y","b":"1"}`, "/b: expected number", ""},
		{"an enum", `{"properties":{"a":{"enum":["x"],"pattern":"^x$"}}}`, `{"a":"y"}`, "/a: expected one of", ""},
		{"one of the alternatives", `{"properties":{"a":{"anyOf":[{"type":"number"},{"type":"string","pattern":"^x$"}]}}}`, `{"a":"y"}`, "", "/a: "},
		{"none of the alternatives", `{"properties":{"a":{"anyOf":[{"type":"number"},{"type":"string","pattern":"^x$"}]}}}`, `{"a":[]}`, "/a: expected", ""},
		{"not JSON", `{"type":"object"}`, `{`, "not valid JSON", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wrong, doubts := c.CheckForPage([]byte(test.schema), []byte(test.args))
			if (wrong == "") != (test.wrong == "") || !strings.Contains(wrong, test.wrong) {
				t.Errorf("wrong is %q, want %q", wrong, test.wrong)
			}
			if (doubts == "") != (test.doubts == "") || !strings.Contains(doubts, test.doubts) {
				t.Errorf("doubts are %q, want %q", doubts, test.doubts)
			}
		})
	}
}

// Schemas made to take forever are not evaluated.
func TestCostlySchemas(t *testing.T) {
	var doubling strings.Builder
	doubling.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
	for i := range 60 {
		fmt.Fprintf(&doubling, `"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	doubling.WriteString(`"a60":{"type":"string"}}}`)
	inside := `{"allOf":[{"properties":{"x":{"$ref":"#"}}},{"properties":{"x":{"$ref":"#"}}}],"properties":{"bad":{"type":"string"}}}`
	nested := strings.Repeat(`{"x":`, 60) + `1` + strings.Repeat(`}`, 60)

	c := New(slog.New(slog.DiscardHandler))
	start := time.Now()
	for name, test := range map[string]struct{ schema, args string }{
		"doubling in place":    {doubling.String(), `{}`},
		"doubling with depth":  {inside, nested},
		"doubling with a list": {strings.ReplaceAll(inside, `"properties":{"x"`, `"additionalProperties":{"$ref":"#"},"properties":{"x"`), nested},
	} {
		if got := c.Check([]byte(test.schema), []byte(test.args)); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := c.Check([]byte(inside), []byte(`{"x":{"x":{"bad":1}}}`)); !strings.Contains(got, "/x/x/bad: expected string") {
		t.Errorf("shallow arguments are not checked: %q", got)
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}

// What can't be checked, or not as a whole, is accepted, but not certain.
func TestWhatIsCertain(t *testing.T) {
	c := New(slog.New(slog.DiscardHandler))
	for schema, want := range map[string]bool{
		`{"properties":{"a":{"type":"string"}}}`:     true,
		`{"properties":{"a":{"type":"number"}}}`:     false,
		``:                                           true,
		`{"properties":{"a":{"pattern":"^x"}}}`:      true,
		`{"properties":{"a":{"pattern":"^(?=x)x"}}}`: false, // JavaScript's
		`{"$ref":"urn:elsewhere"}`:                   false,
		`{"type":"nothing"}`:                         false,
	} {
		if got := c.Satisfies([]byte(schema), []byte(`{"a":"x"}`)); got != want {
			t.Errorf("%s: %v", schema, got)
		}
	}
}

func TestWideSchemaIsChecked(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"properties":{`)
	for i := range 5000 {
		fmt.Fprintf(&b, `"p%d":{"type":"string"},`, i)
	}
	b.WriteString(`"last":{"type":"object","properties":{"deep":{"type":"integer"}}}}}`)
	c := New(slog.New(slog.DiscardHandler))
	if got := c.Check([]byte(b.String()), []byte(`{"last":{"deep":"x"}}`)); !strings.Contains(got, "/last/deep") {
		t.Errorf("%q", got)
	}
}

func TestComplaintsAreBounded(t *testing.T) {
	var schema, args strings.Builder
	for i := range 100 {
		fmt.Fprintf(&args, `,"%s%d":1`, strings.Repeat("x", 1000), i)
	}
	schema.WriteString(`{"additionalProperties":false}`)
	c := New(slog.New(slog.DiscardHandler))
	got := c.Check([]byte(schema.String()), []byte("{"+args.String()[1:]+"}"))
	if len(got) > 4096 || !strings.Contains(got, "and 92 more") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

func TestSchemaCacheIsBounded(t *testing.T) {
	c := New(slog.New(slog.DiscardHandler))
	kept := []byte(`{"title":"kept"}`)
	first := c.get(kept)
	for i := range 5 * cachedSchemas {
		c.get(fmt.Appendf(nil, `{"title":"%d"}`, i))
		if c.get(kept) != first {
			t.Fatal("a schema in use was compiled again")
		}
		if n := len(c.young) + len(c.old); n > 2*cachedSchemas {
			t.Fatalf("%d schemas are kept", n)
		}
	}
	big := strings.Repeat("x", cachedSchemaBytes/3)
	for i := range 10 {
		c.get(fmt.Appendf(nil, `{"title":"%s%d"}`, big, i))
	}
	if n := len(c.young) + len(c.old); n > 8 {
		t.Errorf("%d large schemas are kept", n)
	}
}

// BenchmarkArgumentCheck measures holding a call's arguments against a schema
// that is compiled already.
func BenchmarkArgumentCheck(b *testing.B) {
	c := New(slog.New(slog.DiscardHandler))
	schema := []byte(`{"type":"object","properties":{"a":{"type":"string","description":"the first"},"b":{"type":"integer"}},"required":["a"]}`)
	args := []byte(`{"a":"x","b":7}`)
	b.ReportAllocs()
	for b.Loop() {
		if wrong := c.Check(schema, args); wrong != "" {
			b.Fatal(wrong)
		}
	}
}
