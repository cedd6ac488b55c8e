package sanitize

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var metaSchema = jsonschema.NewCompiler().MustCompile("https://json-schema.org/draft/2020-12/schema")

// wantJSONSchema fails the test unless schema is a JSON Schema of draft 2020-12, by its own schema.
func wantJSONSchema(t *testing.T, schema []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	if err := metaSchema.Validate(v); err != nil {
		t.Errorf("%s\nis no JSON Schema: %v", schema, err)
	}
}

func TestWhatIsNoJSONSchemaIsTakenOut(t *testing.T) {
	for _, c := range []struct{ why, property, want string }{
		{"a type that doesn't exist", `{"type":"strng","title":"T"}`, `{"title":"T"}`},
		{"one of several", `{"type":["string","nil"]}`, `{}`},
		{"the same type twice", `{"type":["string","string"]}`, `{}`},
		{"a good list of types", `{"type":["string","null"]}`, `{"type":["string","null"]}`},
		{"a number as text", `{"minimum":"1","maximum":2}`, `{"maximum":2}`},
		{"exclusiveMinimum as draft-04 had it", `{"minimum":1,"exclusiveMinimum":true}`, `{"minimum":1}`},
		{"a length below zero", `{"minLength":-1,"maxLength":1.5,"minItems":2.0}`, `{"minItems":2.0}`},
		{"a multiple of nothing", `{"multipleOf":0}`, `{}`},
		{"required at the property, as draft-03 had it", `{"type":"string","required":true}`, `{"type":"string"}`},
		{"required twice", `{"required":["a","b","a"]}`, `{"required":["a","b"]}`},
		{"an enum that is no list", `{"enum":"a"}`, `{}`},
		{"an empty enum", `{"enum":[]}`, `{}`},
		{"a property that is no schema", `{"properties":{"x":"string","y":{"type":"null"}}}`, `{"properties":{"x":{},"y":{"type":"null"}}}`},
		{"a branch that is no schema", `{"anyOf":[{"type":"string"},"number"]}`, `{}`},
		{"no branch at all", `{"oneOf":[]}`, `{}`},
		{"true and false are schemas", `{"additionalProperties":false,"items":true}`, `{"additionalProperties":false,"items":true}`},
		{"a tuple as draft-07 had it", `{"items":[{"type":"string"},{"type":"number"}],"additionalItems":false}`, `{"items":false,"prefixItems":[{"type":"string"},{"type":"number"}]}`},
		{"deep down", `{"items":{"not":{"contains":{"type":1}}}}`, `{"items":{"not":{"contains":{}}}}`},
		{"data is left alone", `{"const":{"type":"strng"},"default":{"required":true},"enum":[{"items":5}]}`, `{"const":{"type":"strng"},"default":{"required":true},"enum":[{"items":5}]}`},
		{"keywords of others stay", `{"x-order":"first","nullable":1}`, `{"x-order":"first","nullable":1}`},
		{"a version that nobody knows", `{"$schema":"http://json-schema.org/draft-04/schema#"}`, `{}`},
		{"a version that everybody knows", `{"$schema":"http://json-schema.org/draft-07/schema#"}`, `{"$schema":"http://json-schema.org/draft-07/schema#"}`},
		{"its own address", `{"$id":"https://shop.example/a"}`, `{}`},
		{"a reference elsewhere", `{"$ref":"https://shop.example/schema.json","title":"T"}`, `{"title":"T"}`},
		{"a reference to nowhere", `{"$ref":"#/$defs/none"}`, `{}`},
		{"a reference that is no text", `{"$ref":5}`, `{}`},
		{"a reference to itself", `{"$ref":"#/properties/p"}`, `{"$ref":"#/properties/p"}`},
		{"a reference to the root", `{"items":{"$ref":"#"}}`, `{"items":{"$ref":"#"}}`},
		{"a reference by anchor", `{"items":{"$anchor":"it"},"not":{"$ref":"#it"}}`, `{"items":{"$anchor":"it"},"not":{"$ref":"#it"}}`},
		{"a reference with escapes", `{"properties":{"a/b":{"title":"T"}},"not":{"$ref":"#/properties/p/properties/a~1b"}}`, `{"properties":{"a/b":{"title":"T"}},"not":{"$ref":"#/properties/p/properties/a~1b"}}`},
		{"a reference into a list", `{"anyOf":[{"title":"T"},{"$ref":"#/properties/p/anyOf/0"}]}`, `{"anyOf":[{"title":"T"},{"$ref":"#/properties/p/anyOf/0"}]}`},
		{"a reference behind a list's end", `{"anyOf":[{"title":"T"},{"$ref":"#/properties/p/anyOf/2"}]}`, `{"anyOf":[{"title":"T"},{}]}`},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, err := InputSchema([]byte(`{"properties":{"p":` + c.property + `},"type":"object"}`))
			want := `{"properties":{"p":` + c.want + `},"type":"object"}`
			if err != nil || string(got) != want {
				t.Errorf("%s\n got %s (%v)\nwant %s", c.property, got, err, want)
			}
			wantJSONSchema(t, got)
		})
	}
}

func TestRefsThatGrowAreRefused(t *testing.T) {
	// Each of n definitions refers to the next one width times.
	chain := func(n, width int) string {
		var defs []string
		for i := range n {
			ref := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
			defs = append(defs, fmt.Sprintf(`"d%d":{"anyOf":[%s]}`, i, strings.TrimSuffix(strings.Repeat(ref+",", width), ",")))
		}
		return fmt.Sprintf(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{%s,"d%d":{}}}`, strings.Join(defs, ","), n)
	}
	for _, c := range []struct {
		why, schema, want string
	}{
		{"a short chain", chain(10, 1), ""},
		{"a long chain", chain(100, 1), "nested too deeply: "},
		{"ten to the tenth power", chain(10, 10), "more than the 10000 subschemas"},
		{"two to the eighth power", chain(8, 2), ""},
		{"a tree", `{"type":"object","properties":{"node":{"$ref":"#/$defs/n"}},"$defs":{"n":{"properties":{"left":{"$ref":"#/$defs/n"},"right":{"$ref":"#/$defs/n"}}}}}`, ""},
	} {
		_, err := InputSchema([]byte(c.schema))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got error %v, want %q", c.why, err, c.want)
		}
	}
}

func TestArgumentsWithNamesThatModelAPIsRefuse(t *testing.T) {
	long := strings.Repeat("x", 70)
	tool := Raw{Input: []byte(`{"type":"object","properties":{
		"plain.name-1":{}, "first name":{"type":"string","description":"Yours."}, "first_name":{}, "名前":true, "` + long + `":{}},
		"required":["first name","plain.name-1"]}`)}
	l := newTool(tool, MetaKeys{})
	want := `{"properties":{"arg":{"description":"[名前]"},"first_name":{},"first_name_2":{"description":"[first name] Yours.","type":"string"},` +
		`"plain.name-1":{},"` + long[:60] + `":{"description":"[` + long + `]"}},"required":["first_name_2","plain.name-1"],"type":"object"}`
	if string(l.Input) != want {
		t.Errorf(" got %s\nwant %s", l.Input, want)
	}
	wantJSONSchema(t, l.Input)

	if got, err := InputSchema([]byte(`{"properties":{"a b":{},"c":{"$ref":"#/properties/a b"}}}`)); err != nil || string(got) != `{"properties":{"a_b":{"description":"[a b]"},"c":{}},"type":"object"}` {
		t.Errorf("a reference to a renamed argument: %s (%v)", got, err)
	}

	for _, c := range []struct{ given, want string }{
		{`{"arg":1,"first_name":2,"first_name_2":3,"plain.name-1":4}`, `{"first name":3,"first_name":2,"plain.name-1":4,"名前":1}`},
		{`{"名前":1}`, `{"名前":1}`}, // by the page's own name, as list_webmcp_tools may have shown it
		{`{}`, `{}`},
	} {
		if got := l.PageArguments([]byte(c.given)); string(got) != c.want {
			t.Errorf("%s became %s, want %s", c.given, got, c.want)
		}
	}
	t.Run("no renaming costs nothing", func(t *testing.T) {
		given := []byte(`{ "a" : 1 }`)
		if got := new(Tool).PageArguments(given); &got[0] != &given[0] {
			t.Errorf("%s is another", got)
		}
	})
}
