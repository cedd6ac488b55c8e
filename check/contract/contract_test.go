package contract

import (
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/check/seen"
)

func tools(t *testing.T, text string) (all []seen.Tool) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// schema is a tool with an input schema.
func schema(s string) string {
	return `[{"name":"t","description":"d","inputSchema":` + s + `}]`
}

// Each kind of change, and back: what breaks one way widens the other.
func TestDiff(t *testing.T) {
	const object = `{"type":"object","properties":{"a":{"type":"string"}}}`
	for _, c := range []struct {
		why, was, is string
		there, back  Kind // "" is no difference
	}{
		{"nothing", schema(object), schema(`{"properties":{"a":{"type":"string"}},"type":"object"}`), "", ""},
		{"a tool more", `[]`, schema(object), Widening, Breaking},
		{"an optional property more", schema(object), schema(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`), Widening, Breaking},
		{"required", schema(object), schema(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`), Breaking, Widening},
		{"a type less", schema(`{"type":"object","properties":{"a":{"type":["string","number"]}}}`), schema(object), Breaking, Widening},
		{"a narrower number", schema(`{"properties":{"a":{"type":"number"}}}`), schema(`{"properties":{"a":{"type":"integer"}}}`), Breaking, Widening},
		{"a value less", schema(`{"properties":{"a":{"enum":["x","y"]}}}`), schema(`{"properties":{"a":{"enum":["x"]}}}`), Breaking, Widening},
		{"values at all", schema(`{"properties":{"a":{}}}`), schema(`{"properties":{"a":{"enum":["x"]}}}`), Breaking, Widening},
		{"a limit", schema(`{"properties":{"a":{"maxLength":9}}}`), schema(`{"properties":{"a":{"maxLength":5}}}`), Breaking, Widening},
		{"a lower limit", schema(`{"properties":{"a":{"minimum":1}}}`), schema(`{"properties":{"a":{"minimum":2}}}`), Breaking, Widening},
		{"a limit where none was", schema(`{"properties":{"a":{}}}`), schema(`{"properties":{"a":{"minItems":1}}}`), Breaking, Widening},
		{"no other members", schema(`{"type":"object"}`), schema(`{"type":"object","additionalProperties":false}`), Breaking, Widening},
		{"members that were refused", schema(`{"type":"object","additionalProperties":true}`), schema(`{"type":"object","additionalProperties":false}`), Breaking, Widening},
		{"within items", schema(`{"properties":{"a":{"items":{"type":"number"}}}}`), schema(`{"properties":{"a":{"items":{"type":"integer"}}}}`), Breaking, Widening},
		{"a pattern", schema(`{"properties":{"a":{"pattern":"x"}}}`), schema(`{"properties":{"a":{"pattern":"y"}}}`), Breaking, Breaking},
		{"a schema", `[{"name":"t","description":"d"}]`, schema(object), Breaking, Widening},
		{"a parameter's words", schema(`{"properties":{"a":{"description":"x"}}}`), schema(`{"properties":{"a":{"description":"y"}}}`), Text, Text},
		{"a default", schema(`{"properties":{"a":{}}}`), schema(`{"properties":{"a":{"default":1}}}`), Text, Text},
		{"the description", `[{"name":"t","description":"x"}]`, `[{"name":"t","description":"y"}]`, Text, Text},
		{"the title", `[{"name":"t","description":"x"}]`, `[{"name":"t","description":"x","title":"T"}]`, Text, Text},
		{"no longer read-only", `[{"name":"t","description":"x","annotations":{"readOnlyHint":true}}]`, `[{"name":"t","description":"x"}]`, Breaking, Widening},
		{"consequential", `[{"name":"t","description":"x"}]`, `[{"name":"t","description":"x","annotations":{"consequentialHint":true}}]`, Breaking, Widening},
		{"a hint said that held", `[{"name":"t","description":"x"}]`, `[{"name":"t","description":"x","annotations":{"consequentialHint":false}}]`, Text, Text},
		{"results promise less", `[{"name":"t","description":"x","outputSchema":{"type":"object","required":["a"]}}]`, `[{"name":"t","description":"x","outputSchema":{"type":"object"}}]`, Breaking, Widening},
		{"results lose a member", `[{"name":"t","description":"x","outputSchema":{"properties":{"a":{}}}}]`, `[{"name":"t","description":"x","outputSchema":{"properties":{}}}]`, Breaking, Widening},
	} {
		for _, way := range []struct {
			was, is string
			want    Kind
		}{{c.was, c.is, c.there}, {c.is, c.was, c.back}} {
			got := Diff(tools(t, way.was), tools(t, way.is))
			switch {
			case way.want == "" && len(got) > 0, way.want != "" && len(got) != 1, len(got) == 1 && got[0].Kind != way.want:
				t.Errorf("%s: from %s to %s: got %+v, want %q", c.why, way.was, way.is, got, way.want)
			}
		}
	}
}

// What is written is read again, and is the same text whatever order the tools have.
func TestLock(t *testing.T) {
	a := tools(t, `[{"name":"b","description":"x<y"},{"name":"a","description":"y","inputSchema":{"type":"object","a":1},"annotations":{"readOnlyHint":true}}]`)
	b := tools(t, `[{"name":"a","description":"y","inputSchema":{"a":1,"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"b","description":"x<y"}]`)
	var one, two Lock
	one.Set("/", a)
	two.Set("/", b)
	text, err := one.Write()
	if err != nil {
		t.Fatal(err)
	}
	if other, _ := two.Write(); string(other) != string(text) {
		t.Errorf("the text depends on the order:\n%s\n%s", text, other)
	}
	again, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	if d := Diff(again.Pages["/"], a); len(d) > 0 {
		t.Errorf("what was written differs: %+v", d)
	}
	if !strings.Contains(string(text), `"x<y"`) {
		t.Errorf("it isn't written as people read it: %s", text)
	}
}

func TestBrokenLocks(t *testing.T) {
	for text, want := range map[string]string{
		``:                          "no lock file",
		`{`:                         "no lock file",
		`[]`:                        "no lock file",
		`{"version":2,"pages":{}}`:  "version 2",
		`{"tools":[]}`:              "no lock file",
		`{"version":1,"pages":{}}x`: "no lock file",
		`{"version":1,"pages":{"/":[{"description":"x"}]}}`: "has no name",
	} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error that says %q", text, err, want)
		}
	}
}

// A page is known by its path, unless two that are checked share it.
func TestKey(t *testing.T) {
	all := []string{"http://localhost:1/", "http://localhost:1/cart?a=1#x", "http://a.example/same", "http://b.example/same"}
	for address, want := range map[string]string{all[0]: "/", all[1]: "/cart?a=1#x", all[2]: all[2], "http://localhost:9": "/"} {
		if got := Key(address, all); got != want && !(address == "http://localhost:9" && got == "/") {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}
