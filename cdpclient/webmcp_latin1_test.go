package cdpclient

import (
	"encoding/json"
	"testing"
)

func TestOutputsThatChromeDidNotParse(t *testing.T) {
	for _, c := range []struct{ why, output, want string }{
		{"an object", `"{\"content\":[{\"type\":\"text\",\"text\":\"Café £5\"}],\"isError\":true}"`, `{"content":[{"type":"text","text":"Café £5"}],"isError":true}`},
		{"an object, escaped on the wire", `"{\"a\":\"\u00e9\"}"`, `{"a":"é"}`},
		{"a name", `"{\"größe\":1}"`, `{"größe":1}`},
		{"an array", `" [\"é\"]"`, ` ["é"]`},
		{"a string of JSON", `"\"é\""`, `"é"`},
		{"once only", `"\"{\\\"a\\\":\\\"é\\\"}\""`, `"{\"a\":\"é\"}"`},
		{"a parsed object", `{"a":"é"}`, `{"a":"é"}`},
		{"text", `"é"`, `"é"`},
		{"text with a brace", `"{ é"`, `"{ é"`},
		{"text that begins with a quote", `"\"é\" is a letter"`, `"\"é\" is a letter"`},
		{"JSON in ASCII, which Chrome has parsed once", `"{\"a\":\"e\"}"`, `"{\"a\":\"e\"}"`},
		{"JSON with more than Latin-1, which Chrome has parsed once", `"{\"a\":\"é€\"}"`, `"{\"a\":\"é€\"}"`},
		{"nothing", ``, ``},
	} {
		t.Run(c.why, func(t *testing.T) {
			params := `{"invocationId":"1","status":"Completed"}`
			if c.output != "" {
				params = `{"invocationId":"1","status":"Completed","output":` + c.output + `}`
			}
			var e ToolResponded
			if err := e.Decode(json.RawMessage(params)); err != nil {
				t.Fatal(err)
			}
			if string(e.Output) != c.want || e.InvocationID != "1" {
				t.Errorf("%s\n got %s\nwant %s", c.output, e.Output, c.want)
			}
		})
	}
}

func TestInvocable(t *testing.T) {
	for input, want := range map[string]bool{
		`{}`: true, `{"a":"größe €"}`: true, `{"":{"a b":["é"]}}`: true, `{"a":"\u00e9"}`: true, `{"\u0061":1}`: true,
		`{"größe":1}`: false, `{"尺寸":1}`: false, `{"gr\u00f6\u00dfe":1}`: false, `{"a":{"ö":1}}`: false, `{"a":[{"b":[{"€":1}]}]}`: false,
	} {
		if got := Invocable(json.RawMessage(input)); got != want {
			t.Errorf("%s: %v", input, got)
		}
	}
}
