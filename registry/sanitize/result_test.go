package sanitize

import (
	"encoding/json"
	"strings"
	"testing"
)

func nested(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }

func TestNativeResult(t *testing.T) {
	for _, c := range []struct{ why, output, want string }{
		{"nothing", ``, `{"content":[{"type":"text","text":""}]}`},
		{"a string is text", `"two\nlines <b>"`, `{"content":[{"type":"text","text":"two\nlines <b>"}]}`},
		{"an empty string", `""`, `{"content":[{"type":"text","text":""}]}`},
		{"an object is structured", `{"n":1}`, `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`},
		{"a number is wrapped", `12345678901234567890`, `{"content":[{"type":"text","text":"12345678901234567890"}],"structuredContent":{"result":12345678901234567890}}`},
		{"a list is wrapped", `[1,"a"]`, `{"content":[{"type":"text","text":"[1,\"a\"]"}],"structuredContent":{"result":[1,"a"]}}`},
		{"null is wrapped", `null`, `{"content":[{"type":"text","text":"null"}],"structuredContent":{"result":null}}`},
		{"false is wrapped", ` false `, `{"content":[{"type":"text","text":"false"}],"structuredContent":{"result":false}}`},
		{"a CallToolResult stays what it is", `{"content":[{"type":"text","text":"n=3"}],"structuredContent":{"n":3}}`, `{"content":[{"type":"text","text":"n=3"}],"structuredContent":{"n":3}}`},
		{"an error too", `{"content":[{"type":"text","text":"no"}],"isError":true}`, `{"content":[{"type":"text","text":"no"}],"isError":true}`},
		{"one without content", `{"content":[]}`, `{"content":[]}`},
		{"an article is not a CallToolResult", `{"title":"T","content":["a","b"]}`, `{"content":[{"type":"text","text":"{\"title\":\"T\",\"content\":[\"a\",\"b\"]}"}],"structuredContent":{"title":"T","content":["a","b"]}}`},
		{"nor one of untyped parts", `{"content":[{"p":"a"}]}`, `{"content":[{"type":"text","text":"{\"content\":[{\"p\":\"a\"}]}"}],"structuredContent":{"content":[{"p":"a"}]}}`},
		{"nor one whose content is text", `{"content":"a"}`, `{"content":[{"type":"text","text":"{\"content\":\"a\"}"}],"structuredContent":{"content":"a"}}`},
		{"half a surrogate pair", `"\ud800"`, `{"content":[{"type":"text","text":"�"}]}`},
		{"half a surrogate pair inside", `{"a":"\udc00"}`, `{"content":[{"type":"text","text":"{\"a\":\"\\udc00\"}"}],"structuredContent":{"a":"�"}}`},
		{"what is no JSON is text", `{"a":`, `{"content":[{"type":"text","text":"{\"a\":"}]}`},
	} {
		t.Run(c.why, func(t *testing.T) {
			got := NativeResult([]byte(c.output))
			if string(got.JSON) != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.output, got.JSON, c.want)
			}
			wantPortable(t, got.JSON)
			if got.IsError != strings.Contains(c.want, `"isError":true`) {
				t.Errorf("IsError is %v in %s", got.IsError, got.JSON)
			}
		})
	}
	for _, levels := range []int{MaxResultDepth, MaxResultDepth + 1, 9998, 9999, 10000, 10001, 1 << 20} {
		output := nested(levels)
		got := NativeResult([]byte(output))
		if contentText(t, got) != output {
			t.Errorf("%d levels: not passed on as text", levels)
		}
		if has := strings.Contains(string(got.JSON), "structuredContent"); has != (levels <= MaxResultDepth) {
			t.Errorf("%d levels: structured %v", levels, has)
		}
	}
}

func TestPageResult(t *testing.T) {
	asText := func(block string) string {
		return `{"content":[` + string(Encode(textContent{"text", block})) + `]}`
	}
	block := func(b string) string { return `{"content":[` + b + `]}` }
	for _, c := range []struct{ why, raw, want string }{ // no want: passed on as it is
		{"text", block(`{"type":"text","text":"a"}`), ``},
		{"text with annotations", block(`{"type":"text","text":"a","annotations":{"priority":1},"_meta":{}}`), ``},
		{"image", block(`{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`), ``},
		{"audio", block(`{"type":"audio","data":"AAAA","mimeType":"audio/wav"}`), ``},
		{"image with escaped slashes", block(`{"type":"image","data":"\/\/8=","mimeType":"image\/png"}`), ``},
		{"text resource", block(`{"type":"resource","resource":{"uri":"a:b","text":"t","mimeType":"text/plain"}}`), ``},
		{"blob resource", block(`{"type":"resource","resource":{"uri":"a:b","blob":"AAAA"}}`), ``},
		{"resource link", block(`{"type":"resource_link","uri":"a:b","name":"n","title":"t"}`), ``},
		{"structured, error and _meta", `{"content":[],"structuredContent":{"a":1},"isError":true,"_meta":{"x":1}}`, ``},
		{"isError false", `{"content":[],"isError":false}`, ``},
		{"white space", "{\r\n \"content\": [ ]\n}", `{"content":[]}`},
		{"half a surrogate pair", block(`{"type":"text","text":"\ud83d"}`), block(`{"text":"�","type":"text"}`)},
		{"invalid UTF-8", block("{\"type\":\"text\",\"text\":\"\xff\"}"), block(`{"text":"�","type":"text"}`)},
		{"a whole pair", block(`{"type":"text","text":"\ud83d\uded2"}`), ``},

		{"unknown type", block(`{"type":"chart","x":1}`), asText(`{"type":"chart","x":1}`)},
		{"no type", block(`{"text":"a"}`), asText(`{"text":"a"}`)},
		{"a string for a block", block(`"a"`), asText(`"a"`)},
		{"null for a block", block(`null`), asText(`null`)},
		{"text missing", block(`{"type":"text"}`), asText(`{"type":"text"}`)},
		{"text is a number", block(`{"type":"text","text":1}`), asText(`{"type":"text","text":1}`)},
		{"text is null", block(`{"type":"text","text":null}`), asText(`{"type":"text","text":null}`)},
		{"fields in another case", block(`{"Type":"text","Text":"a"}`), asText(`{"Type":"text","Text":"a"}`)},
		{"image without mimeType", block(`{"type":"image","data":"AAAA"}`), asText(`{"type":"image","data":"AAAA"}`)},
		{"a data URL for image data", block(`{"type":"image","data":"data:image/png;base64,AAAA","mimeType":"image/png"}`), asText(`{"type":"image","data":"data:image/png;base64,AAAA","mimeType":"image/png"}`)},
		{"resource without uri", block(`{"type":"resource","resource":{"text":"a"}}`), asText(`{"type":"resource","resource":{"text":"a"}}`)},
		{"resource without contents", block(`{"type":"resource","resource":{"uri":"a:b"}}`), asText(`{"type":"resource","resource":{"uri":"a:b"}}`)},
		{"resource with a broken blob", block(`{"type":"resource","resource":{"uri":"a:b","blob":"?"}}`), asText(`{"type":"resource","resource":{"uri":"a:b","blob":"?"}}`)},
		{"resource that is none", block(`{"type":"resource","resource":5}`), asText(`{"type":"resource","resource":5}`)},
		{"resource with a number for its type", block(`{"type":"resource","resource":{"uri":"a:b","text":"t","mimeType":1}}`), asText(`{"type":"resource","resource":{"uri":"a:b","text":"t","mimeType":1}}`)},
		{"link without a name", block(`{"type":"resource_link","uri":"a:b"}`), asText(`{"type":"resource_link","uri":"a:b"}`)},
		{"link with a number for its title", block(`{"type":"resource_link","uri":"a:b","name":"n","title":1}`), asText(`{"type":"resource_link","uri":"a:b","name":"n","title":1}`)},
		{"annotations that are none", block(`{"type":"text","text":"a","annotations":[]}`), asText(`{"type":"text","text":"a","annotations":[]}`)},
		{"good blocks stay", block(`{"type":"text","text":"a"},5`), block(`{"type":"text","text":"a"},{"type":"text","text":"5"}`)},

		{"unknown fields go", `{"content":[],"jsonrpc":"2.0","Content":5}`, `{"content":[]}`},
		{"isError of the wrong kind", `{"content":[],"isError":"true"}`, `{"content":[]}`},
		{"isError null", `{"content":[],"isError":null}`, `{"content":[]}`},
		{"a list for structuredContent", `{"content":[],"structuredContent":[1]}`, `{"content":[],"structuredContent":{"result":[1]}}`},
		{"null for structuredContent", `{"content":[],"structuredContent":null}`, `{"content":[]}`},
		{"_meta that is none", `{"content":[],"_meta":5,"isError":true}`, `{"content":[],"isError":true}`},
		{"_meta is kept when others go", `{"content":[],"_meta":{"a":1},"x":1}`, `{"_meta":{"a":1},"content":[]}`},
	} {
		t.Run(c.why, func(t *testing.T) {
			if c.want == "" {
				c.want = c.raw
			}
			got, ok := PageResult([]byte(c.raw))
			if !ok || string(got.JSON) != c.want {
				t.Errorf("%s\n got %s (%v)\nwant %s", c.raw, got.JSON, ok, c.want)
			}
			wantPortable(t, got.JSON)
			if got.IsError != strings.Contains(c.want, `"isError":true`) {
				t.Errorf("IsError is %v in %s", got.IsError, got.JSON)
			}
		})
	}
	for _, raw := range []string{``, `null`, `5`, `[]`, `{}`, `{"content":null}`, `{"content":{}}`, `{"content":"a"}`, `{"Content":[]}`, `{"content":[]`} {
		if got, ok := PageResult([]byte(raw)); ok {
			t.Errorf("%s is taken for a result: %s", raw, got.JSON)
		}
	}
	t.Run("too deep for clients is text", func(t *testing.T) {
		raw := `{"content":[],"isError":true,"structuredContent":{"a":` + nested(MaxResultDepth) + `}}`
		got, ok := PageResult([]byte(raw))
		if !ok || !got.IsError || contentText(t, got) != raw {
			t.Errorf("got %.200s (%v)", got.JSON, ok)
		}
	})
}

// FuzzPageResult: whatever a page answers, what is passed on is a result that
// clients read, and passing it on again changes nothing.
func FuzzPageResult(f *testing.F) {
	for _, s := range []string{
		`{"content":[{"type":"text","text":"a"}],"structuredContent":{"n":3},"isError":false,"_meta":{}}`,
		`{"content":[{"type":"image","data":"AAA=","mimeType":"image/png"},{"type":"resource","resource":{"uri":"a:b","blob":"AA=="}}]}`,
		`{"content":[{"type":"resource_link","uri":"a:b","name":"n"},5,null,{"type":"x"}],"isError":"yes"}`,
		`{"content":[{"type":"text","text":"\ud800\u200b\n"}],"structuredContent":[1e999]}`, `{"title":"T","content":["a"]}`,
		`"text"`, `null`, `[[[]]]`, `{"content":[]`, "{\n\"content\":[]}", `12345678901234567890`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if r, ok := PageResult(raw); ok {
			wantSoundResult(t, r)
			again, ok := PageResult(r.JSON)
			if !ok || !sameJSON(again.JSON, r.JSON) || again.IsError != r.IsError {
				t.Errorf("passed on again\n   %s\nis %s (%v)", r.JSON, again.JSON, ok)
			}
		} else if json.Valid(raw) && strings.HasPrefix(string(raw), `{"content":[]`) {
			t.Errorf("refused: %s", raw)
		}
		wantSoundResult(t, NativeResult(raw))
	})
}

// wantSoundResult checks a result by what MCP's schema asks of it.
func wantSoundResult(t *testing.T, r Result) {
	t.Helper()
	wantPortable(t, r.JSON)
	fields := decode[map[string]json.RawMessage](t, r.JSON)
	if isError := string(fields["isError"]) == "true"; isError != r.IsError {
		t.Errorf("IsError is %v in %s", r.IsError, r.JSON)
	}
	if s, has := fields["structuredContent"]; has && !isObject(s) {
		t.Errorf("structuredContent is no object: %s", r.JSON)
	}
	if fields["content"] == nil {
		t.Errorf("no content: %s", r.JSON)
	}
	for _, b := range decode[[]json.RawMessage](t, fields["content"]) {
		if !soundContent(b) {
			t.Errorf("unsound block %s in %s", b, r.JSON)
		}
	}
	if NestedDeeper(r.JSON, MaxResultDepth+5) {
		t.Errorf("too deep: %.200s", r.JSON)
	}
}

func TestHalfPairs(t *testing.T) {
	for _, c := range []struct {
		raw  string
		half bool
	}{
		{`plain`, false},             // no escape at all
		{`\ud83d\uded2`, false},      // a pair
		{`\uD83D\uDED2`, false},      // in capitals
		{`\ud83d`, true},             // the first half
		{`\uded2`, true},             // the second
		{`\ud83d \uded2`, true},      // apart
		{`\ud83d\ud83d\uded2`, true}, // one too many before
		{`\ud83d\uded2\uded2`, true}, // and after
		{`\\ud83d`, false},           // an escaped backslash
		{`\\\ud83d`, true},           // and an escape after it
		{`\ud7ff\ue000`, false},      // neighbours of the surrogates
		{`\udbff\udfff`, false},      // the last pair
		{`\udbff\udbff`, true},       // two first halves
		{`\ud83d\n`, true},           // another escape after it
		{`\ud83`, false},             // cut short: not JSON anyway
		{`\`, false},                 // likewise
	} {
		if got := holdsHalfPair([]byte(c.raw)); got != c.half {
			t.Errorf("holdsHalfPair(%s) = %v", c.raw, got)
		}
	}
}

func TestBase64(t *testing.T) {
	for _, c := range []struct {
		raw string
		ok  bool
	}{
		{`""`, true},          // no bytes
		{`"AAAA"`, true},      // three
		{`"AAA="`, true},      // two
		{`"AA=="`, true},      // one
		{`"AA"`, true},        // decoders take it without padding
		{`"A"`, false},        // not a whole byte
		{`"AAAAA"`, false},    // nor this
		{`"A==="`, false},     // three pads
		{`"AAAA===="`, false}, // four
		{`"AAA=="`, false},    // wrong length
		{`"A=AA"`, false},     // a pad inside
		{`"AA A"`, false},     // a space
		{`"-_-_"`, false},     // the alphabet for URLs
		{`"\/\/8="`, true},    // escaped slashes
		{`"\n"`, false},       // escaped something else
		{`5`, false},          // not a string
		{``, false},           // not there
	} {
		if got := isBase64([]byte(c.raw)); got != c.ok {
			t.Errorf("isBase64(%s) = %v", c.raw, got)
		}
	}
}

func TestOwnResults(t *testing.T) {
	for _, c := range []struct {
		why  string
		r    Result
		want string
	}{
		{"text is not escaped for HTML", TextResult("a <b> & \u2028"), `{"content":[{"type":"text","text":"a <b> & \u2028"}]}`},
		{"an error says so", ErrorResult("no"), `{"content":[{"type":"text","text":"no"}],"isError":true}`},
		{"structured for both kinds of client", StructuredResult(map[string]int{"n": 1}), `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`},
	} {
		if string(c.r.JSON) != c.want {
			t.Errorf("%s: got %s, want %s", c.why, c.r.JSON, c.want)
		}
		wantSoundResult(t, c.r)
	}
}

// contentText gives the text of a result's only content block.
func contentText(t testing.TB, r Result) string {
	t.Helper()
	blocks := decode[struct {
		Content []struct{ Text string }
	}](t, r.JSON).Content
	if len(blocks) != 1 {
		t.Fatalf("want one content block: %s", r.JSON)
	}
	return blocks[0].Text
}

// A result that is too deep for a structure is text, and still says that it is an
// error.
func TestDeepErrorsStayErrors(t *testing.T) {
	for _, depth := range []int{MaxResultDepth + 1, 250, 299, 1000} {
		deep := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		raw := []byte(`{"content":[{"type":"text","text":"no"}],"structuredContent":{"x":` + deep + `},"isError":true}`)
		if r := NativeResult(raw); !r.IsError || contentText(t, r) != string(raw) {
			t.Errorf("%d levels: error %v", depth, r.IsError)
		}
		if r, ok := PageResult(raw); !ok || !r.IsError {
			t.Errorf("%d levels from a page's server: error %v", depth, r.IsError)
		}
		if r := NativeResult([]byte(`{"x":` + deep + `}`)); r.IsError {
			t.Errorf("%d levels: an answer becomes an error", depth)
		}
	}
}
