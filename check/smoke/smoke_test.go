package smoke

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"webmcphub/check/lint"
)

var ordinarySchemas = []string{
	``,
	`{"type":"object","properties":{}}`,
	`{"type":"object","properties":{"words":{"type":"string","maxLength":20},"n":{"type":"integer","minimum":2,"maximum":5}},"required":["words"],"additionalProperties":false}`,
	`{"type":"object","properties":{"day":{"type":"string","format":"date"},"mail":{"type":"string","format":"email"},"code":{"type":"string","pattern":"^[A-Z]{2}[0-9]{3}$"}},"required":["day","mail","code"]}`,
	`{"type":"object","properties":{"size":{"type":"string","anyOf":[{"const":"s"},{"const":"l"}],"enum":["s","l"]},"many":{"type":"array","minItems":2,"maxItems":3,"items":{"enum":["a","b","c"]},"uniqueItems":true}},"required":["size","many"]}`,
	`{"type":"object","properties":{"who":{"$ref":"#/$defs/who"}},"required":["who"],"$defs":{"who":{"type":"object","properties":{"name":{"type":"string","minLength":3}},"required":["name"]}}}`,
	`{"type":"object","properties":{"n":{"type":"number","exclusiveMinimum":0,"maximum":1,"multipleOf":0.25},"deep":{"type":"object","properties":{"deeper":{"type":"array","items":{"type":"boolean"}}}}},"required":["n"]}`,
	`{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`,
}

// made are the inputs of a schema.
func made(t *testing.T, schema string) []Input {
	t.Helper()
	all, err := Inputs(t.Context(), json.RawMessage(schema))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return all
}

// Every input is what it is said to be: the schema permits it, or refuses it; and the same
// schema gives the same inputs.
func TestInputs(t *testing.T) {
	for _, s := range ordinarySchemas {
		all := made(t, s)
		again := made(t, s)
		valid := 0
		for i, in := range all {
			if !bytes.Equal(in.Args, again[i].Args) {
				t.Errorf("%s: %s isn't the same the next time: %s, %s", s, in.Name, in.Args, again[i].Args)
			}
			if in.Valid {
				valid++
			}
			if s == "" {
				continue
			}
			doc, _ := jsonschema.UnmarshalJSON(strings.NewReader(s))
			c := jsonschema.NewCompiler()
			_ = c.AddResource("s.json", doc)
			compiled, err := c.Compile("s.json")
			if err != nil {
				t.Fatal(err)
			}
			v, _ := jsonschema.UnmarshalJSON(bytes.NewReader(in.Args))
			c.AssertFormat()
			if err := compiled.Validate(v); in.Valid && err != nil {
				t.Errorf("%s: %s (%s) is no valid input: %v", s, in.Name, in.Args, err)
			}
		}
		if valid == 0 {
			t.Errorf("%s: no valid input among %+v", s, all)
		}
		if len(all) > maxInputs {
			t.Errorf("%s: %d inputs", s, len(all))
		}
	}
}

// Limits and wrong types are among the inputs.
func TestInputsAtTheLimits(t *testing.T) {
	var names []string
	for _, in := range made(t, ordinarySchemas[2]) {
		names = append(names, in.Name+" "+string(in.Args))
	}
	for _, want := range []string{
		`what is required {"words":"text"}`, `n: the greatest {"n":5,"words":"text"}`,
		`words: as short as may be {"n":2,"words":""}`, `nothing {}`, `n: a text instead {"n":"text","words":"text"}`,
		`words: a number instead {"n":2,"words":7.5}`, `a parameter that isn't there {"n":2,"no_such_parameter":true,"words":"text"}`,
	} {
		if !slices.Contains(names, want) {
			t.Errorf("no input %s among\n%s", want, strings.Join(names, "\n"))
		}
	}
}

// Every rule has an outcome that breaks it and no other rule, and one that breaks none.
func TestJudge(t *testing.T) {
	text := func(s string) json.RawMessage {
		raw, _ := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}})
		return raw
	}
	yes := true
	reads := &lint.Tool{Name: "t", Hints: lint.Hints{ReadOnly: &yes}}
	typed := &lint.Tool{Name: "t", OutputSchema: json.RawMessage(`{"type":"object","required":["sum"]}`)}
	valid, wrong := Input{"all parameters", json.RawMessage(`{}`), true}, Input{"nothing", json.RawMessage(`{}`), false}
	broken := map[string]bool{}
	for _, c := range []struct {
		tool *lint.Tool
		in   Input
		out  Outcome
		want string
	}{
		{reads, valid, Outcome{Result: text("3 products")}, ""},
		{reads, wrong, Outcome{Result: text("Error: words is missing"), IsError: true}, ""},
		{reads, valid, Outcome{Ending: "timeout", Took: 10 * time.Second, IsError: true}, "smoke-hang"},
		{reads, valid, Outcome{Ending: "crashed", IsError: true}, "smoke-crash"},
		{reads, valid, Outcome{Ending: "navigated", IsError: true}, "smoke-navigates"},
		{typed, valid, Outcome{Ending: "navigated"}, ""},
		{reads, valid, Outcome{Ending: "closed", IsError: true}, ""},
		{reads, wrong, Outcome{Result: text("TypeError: x is undefined"), IsError: true}, "smoke-throws"},
		{reads, valid, Outcome{Result: text("fine"), Thrown: []string{"Error: late"}}, "smoke-uncaught"},
		{reads, valid, Outcome{Result: text("Error: no such thing"), IsError: true}, "smoke-refuses"},
		{reads, wrong, Outcome{Result: text("fine")}, "smoke-lenient"},
		{typed, valid, Outcome{Ending: "timeout", Dialogs: []string{`alert("x")`}}, "smoke-dialog,smoke-hang"},
		{reads, valid, Outcome{Result: text("Found: [object Object]")}, "smoke-object-text"},
		{reads, valid, Outcome{Result: text("fine"), Wrote: []string{"localStorage cart"}}, "smoke-writes"},
		{reads, valid, Outcome{Result: text("fine"), Changed: []string{"ul#cart"}}, "smoke-changes-page"},
		{&lint.Tool{Name: "t"}, valid, Outcome{Result: text("fine"), Wrote: []string{"localStorage cart"}, Changed: []string{"ul#cart"}}, ""},
		{reads, valid, Outcome{Result: text("undefined")}, "smoke-nothing"},
		{reads, valid, Outcome{Result: text(strings.Repeat("x", maxRead+1))}, "smoke-long"},
		{reads, valid, Outcome{Result: text(strings.Repeat("x", maxResult+1))}, "smoke-huge"},
		{typed, valid, Outcome{Result: json.RawMessage(`{"content":[{"type":"text","text":"x"}],"structuredContent":{"sum":1}}`)}, ""},
		{typed, valid, Outcome{Result: json.RawMessage(`{"content":[{"type":"text","text":"x"}],"structuredContent":{"total":1}}`)}, "smoke-output"},
		{typed, valid, Outcome{Result: text("x")}, "smoke-output"},
		{typed, valid, Outcome{Result: text("Output validation error: Invalid structured content for tool t"), IsError: true}, "smoke-output"},
		{reads, valid, Outcome{Result: text("Output validation error: of its own"), IsError: true}, "smoke-refuses"},
	} {
		var got []string
		for _, f := range Judge(t.Context(), "http://shop.example/", c.tool, c.in, c.out) {
			got = append(got, f.Rule)
			broken[f.Rule] = true
			if f.Severity == "" || f.Page == "" || f.Tool == "" || !strings.Contains(f.Message, "called with") {
				t.Errorf("a finding doesn't say all: %+v", f)
			}
		}
		if strings.Join(got, ",") != c.want {
			t.Errorf("%+v: got %v, want %q", c.out.Ending+string(c.out.Result[:min(80, len(c.out.Result))]), got, c.want)
		}
	}
	for _, r := range Rules() {
		if !broken[r.ID] {
			t.Errorf("no outcome breaks %s", r.ID)
		}
	}
}
