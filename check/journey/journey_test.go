package journey

import (
	"encoding/json"
	"strings"
	"testing"
)

// evals is a file as webmcp-evals has it, with all that is read of one.
const evals = `[
	{"name": "Book", "messages": [{"role": "user", "type": "message", "content": "Book <a> table."}], "extra": 1.5,
	 "expectedCall": [
		{"functionName": "find", "arguments": {"when": {"$pattern": "^202[0-9]-[01][0-9]-[0-3][0-9]$"}}, "mockOutput": {"id": 7}},
		{"unordered": [{"ordered": [{"functionName": "a", "arguments": {}}, {"functionName": "b", "arguments": {"n": {"$lte": 120}}}]}, {"functionName": "c", "arguments": {}}]},
		{"functionName": "no", "arguments": {}, "optional": true},
		{"functionName": "book", "arguments": {"name": {"$pattern": "Bob.*Smith"}}, "result": [{"@type": "Message", "text": {"$pattern": "Hello\n.*"}}]}
	 ]},
	{"messages": [], "expectedCall": null}
]`

// evals.json is read, and written as it was but for spaces.
func TestEvals(t *testing.T) {
	all, err := Read([]byte(evals))
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	for _, s := range all[0].Steps {
		args, _ := json.Marshal(Sample(map[string]any(s.Arguments)))
		calls = append(calls, s.Call+string(args))
	}
	if got, want := strings.Join(calls, " "), `find{"when":"2020-00-00"} a{} b{"n":120} c{} book{"name":"Bob Smith"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(all) != 2 || all[1].Name != "journey 2" || len(all[1].Steps) != 0 {
		t.Errorf("a case without name and calls: %+v", all)
	}
	text, err := Evals(all)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := canonical(t, text), canonical(t, []byte(evals)); got != want {
		t.Errorf("what is written is\n%s, and what was read\n%s", got, want)
	}
}

func canonical(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(v)
	return string(raw)
}

// Journeys are read from YAML, and their calls written as a case of evals.json.
func TestJourneys(t *testing.T) {
	all, err := Read([]byte(`
- name: Buy
  steps:
    - {open: /shop, tab: shop}
    - {call: add, tab: shop, arguments: {count: 2, name: tea}, result: {total: {$gt: 1}}}
    - tools: {has: [checkout], gone: [add]}
    - close: true
`))
	if err != nil {
		t.Fatal(err)
	}
	if s := all[0].Steps; len(s) != 4 || s[0].Open != "/shop" || s[1].Arguments["count"] != 2.0 || s[2].Tools.Gone[0] != "add" || !s[3].Close {
		t.Errorf("got %+v", s)
	}
	text, _ := Evals(all)
	if want := `[{"expectedCall":[{"arguments":{"count":2,"name":"tea"},"functionName":"add","result":{"total":{"$gt":1}}}],"messages":[{"content":"Buy","role":"user","type":"message"}],"name":"Buy"}]`; canonical(t, text) != want {
		t.Errorf("got %s", text)
	}
	if again, err := Read(text); err != nil || len(again[0].Steps) != 1 {
		t.Errorf("what was written can't be read: %v", err)
	}
}

func TestBrokenFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "must be a list",
		"{}":                      "must be a list",
		"[]":                      "must be a list",
		"\t- [":                   "neither JSON nor YAML",
		`[{"expectedCall":[{}]}]`: "no functionName",
		`[{"name":"A","steps":[{"call":"a","argument":{}}]}]`: `A: json: unknown field "argument"`,
		`[{"steps":[{"call":"a","open":"/"}]}]`:               "step 1: it must have one of",
		`[{"steps":[{"open":"/"},{"tab":"a"}]}]`:              "step 2: it must have one of",
		`[{"steps":[{"open":"/","fails":true}]}]`:             "go with call",
		"- 1: 2\n  ? [a]\n  : b":                              "",
	} {
		if _, err := Read([]byte(text)); err == nil && want != "" || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestMatch(t *testing.T) {
	value := func(text string) (v any) {
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		expected, actual string
		says             string // "" matches
	}{
		{`"a"`, `"a"`, ""}, {`1`, `1`, ""}, {`null`, `null`, ""}, {`true`, `false`, "should be true"},
		{`{"a":1}`, `{"a":1,"b":2}`, ""}, {`{"a":1}`, `{"b":1}`, `has no "a"`}, {`{"a":1}`, `[]`, "should be an object"},
		{`[1,{"$any":true}]`, `[1,"x"]`, ""}, {`[1]`, `[1,2]`, "a list of 1"}, {`{"a":[{"b":{"$type":"array"}}]}`, `{"a":[{"b":1}]}`, "the result.a[0].b is 1"},
		{`{"$pattern":"^a+$"}`, `"aa"`, ""}, {`{"$pattern":"^a+$"}`, `"b"`, "$pattern"}, {`{"$pattern":"("}`, `"b"`, "$pattern"}, {`{"$pattern":"1"}`, `1`, "$pattern"},
		{`{"$contains":"ell"}`, `"hello"`, ""}, {`{"$contains":2}`, `[1,2]`, ""}, {`{"$contains":3}`, `[1,2]`, "$contains"},
		{`{"$gt":1,"$lt":3}`, `2`, ""}, {`{"$gt":1,"$lt":3}`, `3`, "$lt"}, {`{"$gte":2}`, `2`, ""}, {`{"$lte":1}`, `2`, "$lte"}, {`{"$gt":1}`, `"2"`, "$gt"},
		{`{"$type":"string"}`, `"x"`, ""}, {`{"$type":"null"}`, `null`, ""}, {`{"$nosuch":1}`, `1`, "$nosuch"},
	} {
		err := Match(value(c.expected), value(c.actual))
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s against %s: got %v, want %q", c.expected, c.actual, err, c.says)
		}
		if c.says == "" {
			if err := Match(value(c.expected), Sample(value(c.expected))); err != nil && !strings.Contains(c.expected, "array") && !strings.Contains(c.expected, "null") && !strings.Contains(c.expected, `$contains":2`) {
				t.Errorf("the sample of %s doesn't match: %v", c.expected, err)
			}
		}
	}
}

// A result is taken for whichever of its forms is expected.
func TestAnswers(t *testing.T) {
	for result, want := range map[string]string{
		`{"content":[{"type":"text","text":"{\"a\":1}"}]}`:                                   `{"a":1}`,
		`{"content":[{"type":"text","text":"plain"}]}`:                                       `"plain"`,
		`{"content":[{"type":"text","text":"x"}],"structuredContent":{"result":[1]}}`:        `[1]`,
		`{"content":[{"type":"text","text":"x"}],"structuredContent":{"total":1,"other":2}}`: `{"total":1}`,
	} {
		var expected any
		_ = json.Unmarshal([]byte(want), &expected)
		matches := false
		for _, a := range Answers(json.RawMessage(result)) {
			matches = matches || Match(expected, a) == nil
		}
		if !matches {
			t.Errorf("%s isn't %s", result, want)
		}
	}
}

// Arguments that a schema doesn't name are told, unless it has rules for other names.
func TestUnlisted(t *testing.T) {
	for _, c := range []struct{ schema, args, want string }{
		{`{"properties":{"a":{}}}`, `{"a":1}`, ""}, {`{"properties":{"a":{}}}`, `{"a":1,"c":1,"b":1}`, `its schema has no "b", "c"`},
		{`{"properties":{"a":{}},"additionalProperties":true}`, `{"b":1}`, ""}, {`{}`, `{"b":1}`, ""}, {``, `{"b":1}`, ""},
		{`{"properties":{"a":{}},"allOf":[{"properties":{"b":{}}}]}`, `{"b":1}`, ""},
	} {
		if got := Unlisted([]byte(c.schema), []byte(c.args)); got != c.want {
			t.Errorf("%s, %s: got %q, want %q", c.schema, c.args, got, c.want)
		}
	}
}
