package mask_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"webmcphub/internal/mask"
	"webmcphub/internal/mask/masktest"
)

func copied(t testing.TB, from io.Reader) string {
	t.Helper()
	var m mask.Masker
	var out strings.Builder
	if err := m.Copy(&out, from); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestCopy: secrets are masked in strings, by name, by header, in addresses and in JSON within a string, and all else
// stays byte for byte.
func TestCopy(t *testing.T) {
	for in, want := range map[string]string{
		`{"traceEvents": [ {"ts":4111111111111111, "ph":"X","dur":1.5e3}]}`:                           ``,
		`{"name":"URL","args":{"url":"https://a.test/x?page=2&q=tea"}}`:                               ``,
		`{"url":"https:\/\/a.test\/x?page=2"}`:                                                        ``,
		`["a\"b","\\",{"k\\":"v"},"Gr\u00fc\u00dfe <b>","\u003C/style>"]`:                             ``,
		`{"url":"https://a.test/x?access_token=hunter22&page=2"}`:                                     `{"url":"https://a.test/x?access_token=[masked]&page=2"}`,
		`{"url":"https:\/\/a.test\/x?sid=hunter22"}`:                                                  `{"url":"https://a.test/x?sid=[masked]"}`,
		`{"headers":[{"name":"Set-Cookie","value":"a=b; Path=/"},{"name":"age","value":"3"}]}`:        `{"headers":[{"name":"Set-Cookie","value":"[masked]"},{"name":"age","value":"3"}]}`,
		`{"headers":{"authorization" : "Basic bWU6cHc="}}`:                                            `{"headers":{"authorization" : "[masked]"}}`,
		`{"message":["card 4111 1111 1111 1111","tea"]}`:                                              `{"message":["card [masked]","tea"]}`,
		`{"detail":"{\"card\":4111111111111111,\"n\":0.4111111111111111,\"password\":\"hunter22\"}"}`: `{"detail":"{\"card\":\"[masked]\",\"n\":0.4111111111111111,\"password\":\"[masked]\"}"}`,
		`{"postData":"user=me&password=hunter22"}`:                                                    `{"postData":"user=me&password=[masked]"}`,
		`{"names":{"4111 1111 1111 1111":1,"tea":2}}`:                                                 `{"names":{"[masked]":1,"tea":2}}`,
		`{"detail":"{\"4111111111111111\":\"tea\"}"}`:                                                 `{"detail":"{\"[masked]\":\"tea\"}"}`,
		`{"a":"\x hunter22","\x":1}`:                                                                  `{"a":"[masked]","[masked]":1}`,
		`{"` + strings.Repeat("x", 9<<20) + `":1}`:                                                    `{"[masked]":1}`,
		`{"url":"wss://a.test/x?session=hunter22"}`:                                                   `{"url":"wss://a.test/x?session=[masked]"}`,
		`{"url":"/cb?a=1&sid=hunter22"}`:                                                              `{"url":"/cb?a=1&sid=[masked]"}`,
		`{"name":"Cookie","at":{"line":{}},"value":"me"}`:                                             `{"name":"Cookie","at":{"line":{}},"value":"[masked]"}`,
		`{"password":["hunter22",{"a":1},"hunter33"]}`:                                                `{"password":["[masked]",{"a":1},"[masked]"]}`,
		strings.Repeat(`{"name":"Cookie","a":`, 30) + "1" + strings.Repeat(`,"value":"me"}`, 30): strings.Repeat(`{"name":"Cookie","a":`, 30) + "1" +
			`,"value":"[masked]"}` + strings.Repeat(`,"value":"me"}`, 14) + strings.Repeat(`,"value":"[masked]"}`, 15),
		`[{"password":"hunter22"},"hunter22"]`:                 `[{"password":"[masked]"},"hunter22"]`,
		`{"a":"` + strings.Repeat("x", 9<<20) + `"}`:           `{"a":"[masked]"}`,
		`{"cut":["https://a.test/?token=hunter22","and the re`: `{"cut":["https://a.test/?token=[masked]",`,
	} {
		if want == "" {
			want = in
		}
		for how, from := range map[string]io.Reader{"at once": strings.NewReader(in), "by bytes": iotest.OneByteReader(strings.NewReader(in))} {
			if got := copied(t, from); got != want {
				t.Errorf("%s, %.200s is\n%.300s, not\n%.300s", how, in, got, want)
			}
		}
	}
}

// TestCopyKeepsNoSecret: whatever string of a JSON text a secret stands in, it is masked, and the copy is JSON.
func TestCopyKeepsNoSecret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := masktest.Secret(t)
		text := masktest.Around(t, secret)
		for range rapid.IntRange(0, 2).Draw(t, "levels") {
			inner, _ := json.Marshal(map[string]any{"text": text, "n": 1})
			text = string(inner)
		}
		in, _ := json.Marshal(map[string]any{"traceEvents": []any{map[string]any{"args": map[string]string{"message": text}}, 1}})
		var m mask.Masker
		var out bytes.Buffer
		if err := m.Copy(&out, bytes.NewReader(in)); err != nil || !json.Valid(out.Bytes()) {
			t.Fatalf("%s is %s, %v", in, out.Bytes(), err)
		}
		plain, _ := json.Marshal(secret)
		if strings.Contains(out.String(), string(plain[1:len(plain)-1])) {
			t.Fatalf("%s is %s", in, out.Bytes())
		}
	})
}

// BenchmarkCopy measures a trace of 8 MB. The time per byte may not depend on the length.
func BenchmarkCopy(b *testing.B) {
	event := `{"args":{"data":{"columnNumber":8,"frame":"8B3BE03A17DC0E1E8F0A5D6E1A9E1B2C","functionName":"","url":"https://shop.test/assets/app.js?v=12","headers":[{"name":"cache-control","value":"max-age=3600, immutable"}]}},"cat":"devtools.timeline","dur":123,"name":"FunctionCall","ph":"X","pid":4242,"tid":1,"ts":123456789012},`
	for name, n := range map[string]int{"1M": 1 << 20, "8M": 8 << 20} {
		text := `{"traceEvents":[` + strings.Repeat(event, n/len(event)) + `{}]}`
		b.Run(name, func(b *testing.B) {
			var m mask.Masker
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				_ = m.Copy(io.Discard, strings.NewReader(text))
			}
		})
	}
}
