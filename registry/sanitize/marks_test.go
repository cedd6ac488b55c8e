package sanitize

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShowMarks(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext – naïve 名前 🛒": "plain\n\ttext – naïve 名前 🛒",
		"pay\u202elive":              "pay⟨U+202E⟩live",
		"a\u200bb\u2066c\u2069":      "a⟨U+200B⟩b⟨U+2066⟩c⟨U+2069⟩",
		"\U000E0041\U000E0042":       "⟨U+E0041⟩⟨U+E0042⟩",
		"\x1b[2J\x07":                "⟨U+001B⟩[2J⟨U+0007⟩",
		"a\r\nb":                     "a\r\nb",
		"hidden\rshown":              "hidden⟨U+000D⟩shown",
		"👨\u200d👩\u200d👧 ❤\uFE0F\u200d🔥": "👨\u200d👩\u200d👧 ❤\uFE0F\u200d🔥",
		"می\u200cخواهم":                  "می\u200cخواهم",
		"می\u200c\u200cخ":                "می⟨U+200C⟩⟨U+200C⟩خ",
		"pass\u200cword":                 "pass⟨U+200C⟩word",
		"Donau\u00addampf":               "Donau\u00addampf",
		"a\u00ad\u00ad1":                 "a⟨U+00AD⟩⟨U+00AD⟩1",
		"שלום\u200f!":                    "שלום\u200f!",
		"abc\u200f!":                     "abc⟨U+200F⟩!",
		"\uFEFFabc":                      "⟨U+FEFF⟩abc",
	} {
		if got := showMarks(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
		if got := showMarks(want); got != want {
			t.Errorf("%q becomes %q", want, got)
		}
	}
}

// What a page answers is shown as it is, byte for byte but for what deceives.
func TestResultsAreVisible(t *testing.T) {
	var keys MetaKeys
	for in, want := range map[string]string{
		`{"content":[{"type":"text","text":"a\u202eb"}]}`:                                                                              `{"content":[{"type":"text","text":"a⟨U+202E⟩b"}]}`,
		"{\"content\":[{\"type\":\"text\",\"text\":\"a\u200b\"}]}":                                                                     `{"content":[{"type":"text","text":"a⟨U+200B⟩"}]}`,
		`{"content":[],"structuredContent":{"z":1,"k\u200b":[1e999,-1E+99999999999,1e-401,1e-400,1.50e2],"a":"\u00e9\ud83d\uded2\n"}}`: `{"content":[],"structuredContent":{"z":1,"k⟨U+200B⟩":["1e999","-1E+99999999999","1e-401",1e-400,1.50e2],"a":"\u00e9\ud83d\uded2\n"}}`,
		`{"content":[],"structuredContent":{"n":` + strings.Repeat("9", 400) + `}}`:                                                    `{"content":[],"structuredContent":{"n":"` + strings.Repeat("9", 400) + `"}}`,
		`{"content":[],"structuredContent":{"n":12345678901234567890}}`:                                                                `{"content":[],"structuredContent":{"n":12345678901234567890}}`,
	} {
		if got := keys.Result(Result{JSON: json.RawMessage(in)}); string(got.JSON) != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", in, got.JSON, want)
		}
	}
}

// What a client sees by another name reaches the page as the page means it.
func TestMarkedArguments(t *testing.T) {
	const schema = `{"type":"object","properties":{"how\u200b":{"enum":["now\u202e","later"]},"more":{"type":"object","properties":{"in\u2066":{}}}}}`
	l := newTool(Raw{Input: json.RawMessage(schema)}, MetaKeys{})
	for _, c := range []struct{ given, want string }{
		{`{"how_U_200B_":"now⟨U+202E⟩"}`, `{"how` + "\u200b" + `":"now` + "\u202e" + `"}`},
		{`{"more":{"in⟨U+2066⟩":["later", 1.0]}}`, `{"more":{"in` + "\u2066" + `":["later", 1.0]}}`},
		{`{"more":{"text":"say now⟨U+202E⟩ twice"}}`, `{"more":{"text":"say now⟨U+202E⟩ twice"}}`},
	} {
		got := l.PageArguments(json.RawMessage(c.given))
		if !sameJSON(got, []byte(c.want)) {
			t.Errorf("%s reaches the page as %s (by %s)", c.given, got, l.Input)
		}
	}
	if l := newTool(Raw{Input: json.RawMessage(`{"properties":{"a":{"minimum":1e999999999}}}`)}, MetaKeys{}); l.Arguments != nil || l.Refused != "" {
		t.Errorf("arguments are compared with a number of a billion digits: %s %s", l.Arguments, l.Refused)
	}
}

// FuzzVisibleJSON: whatever valid JSON it is, it stays valid, shows all and
// shows it once.
func FuzzVisibleJSON(f *testing.F) {
	for _, s := range []string{`{"a\u202e":["\\\"",1e999,-0.5E-401,{}]}`, "\"\u200b\\ud83d\\uded2\"", `1e5`, `"\u001b"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) || !utf8.Valid(raw) || holdsHalfPair(raw) {
			return
		}
		got := visibleJSON(raw)
		if !json.Valid(got) || WildNumber(got) || string(visibleJSON(got)) != string(got) {
			t.Errorf("%s becomes %s", raw, got)
		}
	})
}

// Of names that look the same once marked, each keeps a name of its own, the same
// at every look.
func TestMarkedNamesThatClash(t *testing.T) {
	const schema = `{"type":"object","properties":{"more":{"type":"object","properties":{"a\u200b":{"type":"string"},"a⟨U+200B⟩":{"type":"number"}}}}}`
	var first string
	for range 50 {
		tool := newTool(Raw{Input: json.RawMessage(schema)}, MetaKeys{})
		if first == "" {
			first = string(tool.Input)
		}
		if string(tool.Input) != first || !strings.Contains(first, `"a⟨U+200B⟩":{"type":"number"}`) || strings.Count(first, `"type":"string"`) != 1 {
			t.Fatalf("%s\nand %s", first, tool.Input)
		}
		for _, given := range []string{`{"more":{"a⟨U+200B⟩⟨2⟩":"x"}}`} {
			if got := string(tool.PageArguments(json.RawMessage(given))); got != "{\"more\":{\"a\u200b\":\"x\"}}" {
				t.Errorf("%s reaches the page as %q", given, got)
			}
		}
	}
}
