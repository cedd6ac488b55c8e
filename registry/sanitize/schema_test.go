package sanitize

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestInputSchema(t *testing.T) {
	const any, rebuilt = `{"type":"object","properties":{}}`, `{"properties":{},"type":"object"}`
	for _, c := range []struct{ why, schema, want string }{
		{"a good one passes byte for byte, without its spaces", `{ "type": "object", "properties": {"b":{},"a":{}}, "required": ["a"] }`, `{"type":"object","properties":{"b":{},"a":{}},"required":["a"]}`},
		{"numbers keep their digits", `{"type":"object","properties":{"n":{"maximum":12345678901234567890,"multipleOf":0.10}}}`, `{"type":"object","properties":{"n":{"maximum":12345678901234567890,"multipleOf":0.10}}}`},
		{"none", ``, any},
		{"null", `null`, any},
		{"true accepts everything", `true`, any},
		{"false accepts nothing, and only the page can say so", `false`, any},
		{"a string", `"object"`, any},
		{"a list", `[{"type":"object"}]`, any},
		{"empty", `{}`, rebuilt},
		{"type missing", `{"properties":{"a":{}}}`, `{"properties":{"a":{}},"type":"object"}`},
		{"properties missing", `{"type":"object"}`, rebuilt},
		{"properties not an object", `{"type":"object","properties":[]}`, rebuilt},
		{"another type can't describe arguments", `{"type":"array","items":{}}`, any},
		{"type null", `{"type":null,"properties":{"a":{}}}`, any},
		{"a list of types with object in it", `{"type":["object","null"],"properties":{"a":{}}}`, `{"properties":{"a":{}},"type":"object"}`},
		{"a list of types without", `{"type":["string","null"]}`, any},
		{"required of the wrong form", `{"type":"object","properties":{},"required":true}`, rebuilt},
		{"required null", `{"type":"object","properties":{},"required":null}`, rebuilt},
		{"required with a number in it", `{"type":"object","properties":{},"required":["a",1]}`, rebuilt},
		{"required with null in it", `{"type":"object","properties":{},"required":["a",null]}`, rebuilt},
		{"required of nothing", `{"type":"object","properties":{},"required":[]}`, `{"type":"object","properties":{},"required":[]}`},
		{"a branch with a broken required", `{"allOf":[{"properties":{"a":{}},"required":[null,1]}]}`,
			`{"description":"Arguments must also satisfy allOf: [{\"properties\":{\"a\":{}}}].","properties":{"a":{}},"type":"object"}`},
		{"anyOf: properties of all branches, required of none", `{"type":"object","anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{}}}]}`,
			`{"description":"Arguments must also satisfy anyOf: [{\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]},{\"properties\":{\"b\":{}}}].","properties":{"a":{"type":"string"},"b":{}},"type":"object"}`},
		{"allOf: required of all", `{"description":"D.","allOf":[{"properties":{"b":{}},"required":["b"]},{"required":["a","b"]}],"required":["a"],"properties":{"a":{}}}`,
			`{"description":"D. Arguments must also satisfy allOf: [{\"properties\":{\"b\":{}},\"required\":[\"b\"]},{\"required\":[\"a\",\"b\"]}].","properties":{"a":{},"b":{}},"required":["a","b"],"type":"object"}`},
		{"the root's own property wins", `{"type":"object","properties":{"a":{"type":"string"}},"oneOf":[{"properties":{"a":{"type":"number"}}}]}`,
			`{"description":"Arguments must also satisfy oneOf: [{\"properties\":{\"a\":{\"type\":\"number\"}}}].","properties":{"a":{"type":"string"}},"type":"object"}`},
		{"$ref into $defs", `{"$ref":"#/$defs/x","$defs":{"x":{"type":"object","properties":{"a":{}},"required":["a"]}}}`,
			`{"$defs":{"x":{"type":"object","properties":{"a":{}},"required":["a"]}},"description":"Arguments must also satisfy $ref: \"#/$defs/x\".","properties":{"a":{}},"required":["a"],"type":"object"}`},
		{"$ref into definitions", `{"$ref":"#/definitions/x","definitions":{"x":{"properties":{"a":{}}}}}`,
			`{"definitions":{"x":{"properties":{"a":{}}}},"description":"Arguments must also satisfy $ref: \"#/definitions/x\".","properties":{"a":{}},"type":"object"}`},
		{"$ref to nowhere", `{"$ref":"https://evil.example/schema"}`, rebuilt},
		{"combinators of nonsense", `{"anyOf":5,"not":null,"if":"x","enum":[1]}`,
			`{"description":"Arguments must also satisfy enum: [1].","properties":{},"type":"object"}`},
		{"conditions stay", `{"type":"object","properties":{"a":{}},"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]},"not":{"required":["d"]}}`,
			`{"description":"Arguments must also satisfy not: {\"required\":[\"d\"]}.","else":{"required":["c"]},"if":{"required":["a"]},"properties":{"a":{}},"then":{"required":["b"]},"type":"object"}`},
		{"combinators further down stay", `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`},
		{"headers are taken out", `{"type":"object","properties":{"t":{"type":"string","x-mcp-header":"Authorization"}}}`, `{"properties":{"t":{"type":"string"}},"type":"object"}`},
		{"also behind an escape", `{"type":"object","properties":{"t":{"\u0078-mcp-header":"Authorization"}}}`, `{"properties":{"t":{}},"type":"object"}`},
		{"half a surrogate pair", `{"type":"object","properties":{"t":{"description":"\ud800"}}}`, `{"properties":{"t":{"description":"�"}},"type":"object"}`},
		{"a whole pair", `{"type":"object","properties":{"t":{"description":"\ud83d\uded2"}}}`, `{"properties":{"t":{"description":"🛒"}},"type":"object"}`},
		{"invalid UTF-8", "{\"type\":\"object\",\"properties\":{\"t\":{\"title\":\"\xff\"}}}", `{"properties":{"t":{"title":"�"}},"type":"object"}`},
		{"hidden text in a description", `{"type":"object","properties":{"t":{"description":"a\u200b\udb40\udc41b"}}}`, `{"properties":{"t":{"description":"ab"}},"type":"object"}`},
		{"hidden text that isn't escaped", "{\"type\":\"object\",\"properties\":{\"t\":{\"description\":\"a\u202eb\"}}}", `{"properties":{"t":{"description":"ab"}},"type":"object"}`},
		{"hidden text in values and names is shown", `{"type":"object","properties":{"t":{"enum":["a\u200bb"],"properties":{"x\u202e":{}}}},"required":["t"]}`, `{"properties":{"t":{"enum":["a⟨U+200B⟩b"],"properties":{"x⟨U+202E⟩":{}}}},"required":["t"],"type":"object"}`},
		{"a description in data is data", `{"type":"object","properties":{"t":{"default":{"description":"a\u200bb"}}}}`, `{"properties":{"t":{"default":{"description":"a⟨U+200B⟩b"}}},"type":"object"}`},
		{"a pattern can't have marks", `{"type":"object","properties":{"t":{"pattern":"^a\u200bb$"}}}`, `{"properties":{"t":{}},"type":"object"}`},
		{"numbers that clients can't parse", `{"type":"object","properties":{"t":{"maximum":1e999,"minimum":-1e99999999999,"default":1e999,"enum":[1e999,1],"examples":[1E400],"multipleOf":0.5}}}`, `{"properties":{"t":{"enum":[1],"multipleOf":0.5}},"type":"object"}`},
		{"a property called description", `{"type":"object","properties":{"description":{"type":"string","description":"\u0061"}}}`, `{"properties":{"description":{"description":"a","type":"string"}},"type":"object"}`},
		{"the last of two keys counts", `{"type":"string","type":"object","properties":{}}`, `{"type":"string","type":"object","properties":{}}`},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, err := InputSchema([]byte(c.schema))
			if err != nil || string(got) != c.want {
				t.Errorf("%s\n got %s (%v)\nwant %s", c.schema, got, err, c.want)
			}
		})
	}
}

func TestInputSchemaRefuses(t *testing.T) {
	for _, c := range []struct{ why, schema, want string }{
		{"not JSON", `{"type":`, "not valid JSON"},
		{"something after it", `{}{}`, "not valid JSON"},
		{"a literal that isn't one", `{"type":object}`, "not valid JSON"},
		{"too long", `{"description":"` + strings.Repeat("x", MaxSchema) + `"}`, "more than the 262144 allowed"},
		{"too deep", `{"a":` + strings.Repeat("[", MaxSchemaDepth) + strings.Repeat("]", MaxSchemaDepth) + `}`, "nested too deeply"},
		{"too deep by far", strings.Repeat(`{"a":`, 20000), "nested too deeply"},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, err := InputSchema([]byte(c.schema))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %.200s (%v), want an error that says %q", got, err, c.want)
			}
		})
	}
	t.Run("just deep enough passes", func(t *testing.T) {
		deep := `{"type":"object","properties":{},"a":` + strings.Repeat("[", MaxSchemaDepth-1) + strings.Repeat("]", MaxSchemaDepth-1) + `}`
		if _, err := InputSchema([]byte(deep)); err != nil {
			t.Error(err)
		}
	})
	t.Run("brackets in strings don't count", func(t *testing.T) {
		if _, err := InputSchema([]byte(`{"title":"\"` + strings.Repeat("[{", 500) + `"}`)); err != nil {
			t.Error(err)
		}
	})
}

// FuzzInputSchema: what is published is a schema that every client accepts,
// and sanitizing it again changes nothing.
func FuzzInputSchema(f *testing.F) {
	for _, s := range []string{
		``, `null`, `{}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`,
		`{"anyOf":[{"properties":{"a":{}},"required":["a"]},5,null]}`, `{"$ref":"#/$defs/x","$defs":{"x":{"properties":{"a":{}}}}}`,
		`{"type":["object","null"],"required":[1],"x-mcp-header":"a"}`, `{"allOf":[{"required":["b","a"]}],"description":5}`,
		`{"properties":{"a":{"type":"strng","items":[{},true,5],"$ref":"#/properties/a","minimum":"1"},"é é":{"required":["a","a"]}}}`,
		`{"$defs":{"a":{"$anchor":"x","items":[{}],"additionalItems":{"$ref":"#x"}}},"dependencies":{"a":["b"],"c":{},"d":1}}`,
		`{"properties":{"a":{"description":"\ud800\u200b"}}}`, `{"type":"object","properties":{"a":{"enum":[1e999,-0.0]}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := InputSchema(raw)
		if err != nil {
			if got != nil {
				t.Errorf("both a schema and an error: %s, %v", got, err)
			}
			return
		}
		var root map[string]json.RawMessage
		if err := json.Unmarshal(got, &root); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if string(root["type"]) != `"object"` || !isObject(root["properties"]) {
			t.Errorf("no object with properties: %s", got)
		}
		if r, has := root["required"]; has {
			if _, ok := stringList(r); !ok {
				t.Errorf("required is no list of strings: %s", got)
			}
		}
		for _, k := range combinators {
			if _, has := root[k]; has {
				t.Errorf("%s is still there: %s", k, got)
			}
		}
		wantPortable(t, got)
		wantJSONSchema(t, got)
		if len(got) > MaxSchema { // what the combinators said is longer now
			return
		}
		again, err := InputSchema(got)
		if err != nil || !bytes.Equal(again, got) {
			t.Errorf("sanitized again\n     %s\nis   %s (%v)", got, again, err)
		}
	})
}

func TestOutputSchema(t *testing.T) {
	for _, c := range []struct{ why, schema, want string }{
		{"a good one", `{"type":"object","properties":{"n":{"type":"number"}}}`, `{"type":"object","properties":{"n":{"type":"number"}}}`},
		{"none", ``, ``},
		{"not an object's", `{"type":"array"}`, ``},
		{"no type", `{"properties":{}}`, ``},
		{"not JSON", `{"type":`, ``},
		{"too deep", `{"type":"object","a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, ``},
		{"half a surrogate pair", `{"type":"object","title":"\udc00"}`, `{"title":"�","type":"object"}`},
		{"a type that doesn't exist", `{"type":"object","properties":{"a":{"type":"strng"}}}`, `{"properties":{"a":{}},"type":"object"}`},
		{"a reference to nowhere", `{"type":"object","$ref":"x"}`, `{"type":"object"}`},
	} {
		if got := outputSchema([]byte(c.schema)); string(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.why, got, c.want)
		}
	}
}

// wantPortable checks that JSON can be read by the strictest of clients.
func wantPortable(t testing.TB, raw []byte) {
	t.Helper()
	switch {
	case !json.Valid(raw):
		t.Errorf("not JSON: %q", raw)
	case !utf8.Valid(raw):
		t.Errorf("not UTF-8: %q", raw)
	case holdsHalfPair(raw):
		t.Errorf("half of a surrogate pair: %q", raw)
	case bytes.ContainsAny(raw, "\r\n"):
		t.Errorf("more than one line: %q", raw)
	}
}

func decode[T any](t testing.TB, raw []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func sameJSON(a, b []byte) bool {
	x, errA := decodeAny(a)
	y, errB := decodeAny(b)
	return errA == nil && errB == nil && reflect.DeepEqual(x, y)
}
