package jsonrpc

import (
	"encoding/json"
	"testing"
)

// TestPlain: a text is shown without its quotes unless it could then pass for another value.
func TestPlain(t *testing.T) {
	for value, want := range map[string]string{`"tea"`: "tea", `"a \"b\""`: `a "b"`, `"4711"`: `"4711"`, `"null"`: `"null"`, `""`: `""`, `4711`: "4711", `{"a":"b"}`: `{"a":"b"}`} {
		if got := Plain(json.RawMessage(value)); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}
