package approvals

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestDetails: the parts of a question say what its text says, and nothing in them is invisible or passes for another
// value.
func TestDetails(t *testing.T) {
	q := Question{Tool: "pay\u202e", HubName: "webmcp_pay", Kind: "a tool of the web page", Origin: "https://shop.example", Tab: 3,
		Args: json.RawMessage(`{"to":"x\u202ey","amount":4711,"as":"4711","nothing":"","list":[1,{"a":true}],"note":"` + strings.Repeat("é", 4000) + `"}`),
		Why:  []string{"the rule ask * asks first"}, Description: "Pays.\u200b", Choices: []Choice{Once}}
	var params struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	var d Details
	if err := json.Unmarshal(q.Params(), &params); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(params.Meta[DetailsKey], &d); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range d.Args {
		got = append(got, fmt.Sprintf("%s=%.30q+%d", m.Name, m.Value, m.More))
	}
	want := []string{`to="x\\u202Ey"+0`, `amount="4711"+0`, `as="\"4711\""+0`, `nothing="\"\""+0`,
		`list="[\n  1,\n  {\n    \"a\": true\n  }\n]"+0`, `note="` + strings.Repeat("é", 30) + `"+2500`}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if d.Tool != `pay\u202E` || d.Description.Value != `Pays.\u200B` || d.Origin != q.Origin || d.Tab != 3 || len(d.Why) != 1 {
		t.Errorf("%+v", d)
	}
	for args, want := range map[string]string{``: "[]", `[1]`: "[{ [\n  1\n] 0}]", `{"a":`: `[{ {"a": 0}]`, `7`: "[{ 7 0}]"} {
		if got := fmt.Sprint(members(json.RawMessage(args))); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	many := "{" + strings.TrimSuffix(strings.Repeat(`"a":1,`, 1000), ",") + "}"
	if all := members(json.RawMessage(many)); len(all) != maxMembers+1 || all[maxMembers].More == 0 {
		t.Errorf("%d members", len(all))
	}
}

// TestDetailsLackNothing: whatever the question's text shows is in its parts, too.
func TestDetailsLackNothing(t *testing.T) {
	q := Question{Tab: 4711, Choices: []Choice{Once}}
	fields, tokens := reflect.ValueOf(&q).Elem(), []string{"4711"}
	for i := range fields.NumField() {
		token := fmt.Sprintf("field%dfield", i)
		switch f := fields.Field(i).Addr().Interface().(type) {
		case *string:
			*f = token
		case *json.RawMessage:
			*f = json.RawMessage(`{"a":"` + token + `"}`)
		case *[]string:
			*f = []string{token}
		}
		tokens = append(tokens, token)
	}
	raw, err := json.Marshal(q.details())
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	for _, token := range tokens {
		if strings.Contains(q.Text(), token) {
			if said++; !strings.Contains(string(raw), token) {
				t.Errorf("%s is in the text alone", token)
			}
		}
	}
	if said < 13 {
		t.Errorf("the text shows only %d of the fields", said)
	}
	q.On, q.Description = strings.Repeat("a1: button x\n", 1000)+"a2: button y", strings.Repeat("x", 2*maxDescription)
	if d := q.details(); !strings.HasSuffix(d.OnMore, ", a2") || d.Description.More != maxDescription {
		t.Errorf("what is left out isn't counted: %q, %d", d.OnMore, d.Description.More)
	}
}
