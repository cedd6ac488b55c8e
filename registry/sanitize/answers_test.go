package sanitize

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCompletionResult(t *testing.T) {
	many := `"` + strings.Repeat(`x","`, MaxCompletions) + `y"`
	for raw, want := range map[string]string{
		`{"completion":{"values":["a\u200b",7],"total":2,"hasMore":false}}`: `{"completion":{"hasMore":false,"total":2,"values":["a"]}}`,
		`{"completion":{"values":[` + many + `]}}`:                          `{"completion":{"hasMore":true,"values":["` + strings.Repeat(`x","`, MaxCompletions-1) + `x"]}}`,
		`{"completion":{}}`: "",
		`{}`:                "",
	} {
		got, err := CompletionResult(json.RawMessage(raw))
		if (err != nil) != (want == "") || string(got) != want {
			t.Errorf("%.80s gave %s (%v)", raw, got, err)
		}
	}
}
