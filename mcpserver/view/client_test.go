package view

import (
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/registry/sanitize"
)

func TestCapabilities(t *testing.T) {
	for capabilities, want := range map[string]string{
		`{}`:                                       "",
		`{"sampling":{},"roots":{}}`:               "roots/list sampling/createMessage",
		`{"elicitation":{}}`:                       "elicitation/create",
		`{"elicitation":{"form":{},"url":{}}}`:     "elicitation/create",
		`{"elicitation":{"url":{}}}`:               "",
		`{"sampling":true,"elicitation":"\u200b"}`: "",
	} {
		var c map[string]json.RawMessage
		if err := json.Unmarshal([]byte(capabilities), &c); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range []string{sanitize.MethodElicitation, sanitize.MethodRoots, sanitize.MethodSampling} {
			if answers(c)[m] {
				got = append(got, m)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", capabilities, got, want)
		}
	}
}
