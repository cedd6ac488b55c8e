package contract

import (
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/check/lint"
)

func tools(t *testing.T, text string) (all []lint.Tool) {
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
		`{"version":2,"pages":{}}`:  "newer webmcp-hub: it is of version 2",
		`{"version":9,"sites":[1]}`: "newer webmcp-hub",
		`{"version":0,"pages":{}}`:  "version 0",
		`{"tools":[]}`:              "no lock file",
		`{"version":1,"pages":{}}x`: "no lock file",
		`{"version":1,"pages":{"/":[{"description":"x"}]}}`: "has no name",
	} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error that says %q", text, err, want)
		}
	}
}

// A page is known by its path, unless two that are checked share it, or the lock file has
// its whole address.
func TestKey(t *testing.T) {
	all := []string{"http://localhost:1/", "http://localhost:1/cart?a=1#x", "http://a.example/same", "http://me:word@b.example/same", "http://localhost:1/", "file:///home/me/site/index.html"}
	lock := &Lock{}
	for address, want := range map[string]string{all[0]: "/", all[1]: "/cart?a=1#x", all[2]: all[2], all[3]: "http://b.example/same", all[5]: "/index.html"} {
		if got := lock.Key(address, all); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
	if got := lock.Key("http://localhost:9", nil); got != "/" {
		t.Errorf("the first page of a site is called %s", got)
	}
	lock.Set(lock.Key(all[2], all), nil)
	if got := lock.Key(all[2], []string{all[2]}); got != all[2] {
		t.Errorf("a page that was accepted beside another isn't found when it is checked alone: %s", got)
	}
}

// What forms, generators of schemas and this program's own advice change is told for what it
// is.
func TestKinds(t *testing.T) {
	two := `[{"name":"t","description":"a"},{"name":"t","description":"b"}]`
	const form1 = `{"type":"object","properties":{"class":{"type":"string","anyOf":[{"type":"string","const":"eco","title":"Economy"}],"enum":["eco"]}},"required":[]}`
	const form2 = `{"type":"object","properties":{"class":{"type":"string","anyOf":[{"type":"string","const":"eco","title":"Economy"},{"type":"string","const":"biz","title":"Business"}],"enum":["eco","biz"]}},"required":[]}`
	const form3 = `{"type":"object","properties":{"class":{"type":"string","anyOf":[{"type":"string","const":"eco","title":"Economy class"}],"enum":["eco"]}},"required":[]}`
	for _, c := range []struct {
		why, was, is string
		worst        Kind // "" is no difference
	}{
		{"two frames with a tool of one name, nothing changed", two, two, ""},
		{"a form's select gets an option (as Chrome writes it)", schema(form1), schema(form2), Widening},
		{"a form's option gets another label", schema(form1), schema(form3), Text},
		{"zod: .nullable() added", schema(`{"properties":{"a":{"type":"string"}}}`), schema(`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`), Widening},
		{"anyOf gets a branch", schema(`{"properties":{"a":{"anyOf":[{"type":"string"}]}}}`), schema(`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"number"}]}}}`), Widening},
		{"literal to enum", schema(`{"properties":{"a":{"const":"x"}}}`), schema(`{"properties":{"a":{"enum":["x","y"]}}}`), Widening},
		{"words in $defs", schema(`{"$defs":{"p":{"description":"x"}}}`), schema(`{"$defs":{"p":{"description":"y"}}}`), Text},
		{"others were refused, now of one type", schema(`{"additionalProperties":false}`), schema(`{"additionalProperties":{"type":"string"}}`), Widening},
		{"additionalProperties: true says nothing new", schema(`{"type":"object"}`), schema(`{"type":"object","additionalProperties":true}`), ""},
		{"minLength 0 says nothing", schema(`{"properties":{"a":{"type":"string"}}}`), schema(`{"properties":{"a":{"type":"string","minLength":0}}}`), ""},
		{"the advice of schema-missing is followed", `[{"name":"t","description":"d"}]`, schema(`{"type":"object","properties":{}}`), Text},
		{"the advice of hint-untrusted-missing is followed", `[{"name":"t","description":"d"}]`, `[{"name":"t","description":"d","annotations":{"untrustedContentHint":true}}]`, Widening},
		{"zod: .nullable() removed", schema(`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`), schema(`{"properties":{"a":{"type":"string"}}}`), Breaking},
		{"a branch less", schema(`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"number"}]}}}`), schema(`{"properties":{"a":{"anyOf":[{"type":"number"}]}}}`), Breaking},
		{"an option less", schema(form2), schema(form1), Breaking},
		{"a limit within a branch", schema(`{"properties":{"a":{"oneOf":[{"type":"string"},{"type":"number"}]}}}`), schema(`{"properties":{"a":{"oneOf":[{"type":"string"},{"type":"number","minimum":1}]}}}`), Breaking},
		{"a condition more", schema(`{"properties":{"a":{"allOf":[{"minimum":1}]}}}`), schema(`{"properties":{"a":{"allOf":[{"minimum":1},{"maximum":5}]}}}`), Breaking},
		{"a narrower definition", schema(`{"$defs":{"p":{"type":"number"}}}`), schema(`{"$defs":{"p":{"type":"integer"}}}`), Breaking},
		{"others were of one type, now refused", schema(`{"additionalProperties":{"type":"string"}}`), schema(`{"additionalProperties":false}`), Breaking},
		{"a property named title is gone", schema(`{"properties":{"a":{"properties":{"title":{}}}}}`), schema(`{"properties":{"a":{"properties":{}}}}`), Breaking},
		{"a property named title within a branch is another", schema(`{"properties":{"a":{"oneOf":[{"properties":{"title":{"type":"string"}}},{"type":"string"}]}}}`), schema(`{"properties":{"a":{"oneOf":[{"properties":{"title":{"type":"integer"}}},{"type":"string"}]}}}`), Breaking},
		{"others' words are no longer marked", `[{"name":"t","description":"d","annotations":{"untrustedContentHint":true}}]`, `[{"name":"t","description":"d"}]`, Breaking},
		{"one of two tools of one name is gone", two, `[{"name":"t","description":"b"}]`, Breaking},
		{"a value named integer is gone", schema(`{"properties":{"a":{"enum":["number","integer"]}}}`), schema(`{"properties":{"a":{"enum":["number"]}}}`), Breaking},
	} {
		var worst Kind
		rank := map[Kind]int{"": 0, Text: 1, Widening: 2, Breaking: 3}
		got := Diff(tools(t, c.was), tools(t, c.is))
		for _, d := range got {
			if rank[d.Kind] > rank[worst] {
				worst = d.Kind
			}
		}
		if worst != c.worst {
			t.Errorf("%s: got %q, want %q: %+v", c.why, worst, c.worst, got)
		}
	}
}
