package jsonrpc

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"
)

func TestHashesAreOfTheCanonicalForm(t *testing.T) {
	for args, canonical := range map[string]string{" \n": `{}`, `{ "x" : "<&>\u00e9" }`: `{"x":"<&>é"}`, `{"b":1.50,"a":[]}`: `{"a":[],"b":1.5}`, `{x`: `{x`,
		// RFC 8785 escapes control characters only, sorts by UTF-16 code units, and
		// writes numbers as JavaScript does.
		`{"x":"\u2028\u2029\u007f\u000f\u0008"}`:             "{\"x\":\"\u2028\u2029\u007f\\u000f\\b\"}",
		"{\"x\":\"\u2028\"}":                                 "{\"x\":\"\u2028\"}",
		`{"\ufb33":1,"\ud83d\ude00":2}`:                      "{\"\U0001f600\":2,\"\ufb33\":1}",
		`{"n":[-0,-0.0,1E400,1e21,1e-7,333333333.33333329]}`: `{"n":[-0,-0.0,1E400,1e21,1e-7,333333333.33333329]}`, // too large for a number
		`{"n":[-0,-0.0,1E30,1e21,1e-7,333333333.33333329]}`:  `{"n":[0,0,1e+30,1e+21,1e-7,333333333.3333333]}`,
		`{"a":1,"a":2}`:                                      `{"a":1,"a":2}`,
		`{"a":"\ud800"}`:                                     `{"a":"\ud800"}`} {
		sum := sha256.Sum256([]byte(canonical))
		if got := HashArguments(json.RawMessage(args)); got != "sha256:"+hex.EncodeToString(sum[:]) {
			t.Errorf("%q is not hashed as %s", args, canonical)
		}
	}
}
