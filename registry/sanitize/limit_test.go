package sanitize

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestLimitResult(t *testing.T) {
	const max = 4096
	long := strings.Repeat("x", 10_000)
	for _, c := range []struct {
		name       string
		result     string
		structured bool
		want       []string // what must be in it
		isError    bool
	}{
		{"a result that fits stays", `{"content":[{"type":"text","text":"hi"}],"structuredContent":{"a":1}}`, true, []string{`"structuredContent":{"a":1}`}, false},
		{"a long text is cut and says so", `{"content":[{"type":"text","text":"` + long + `"}]}`, false, []string{"xxx", "cut: the text had 10000 bytes"}, false},
		{"a short text beside a long one stays whole", `{"content":[{"type":"text","text":"short one"},{"type":"text","text":"` + long + `"}]}`, false, []string{"short one", "cut: the text had"}, false},
		{"an image is left out, not cut", `{"content":[{"type":"image","mimeType":"image/png","data":"` + long + `"}]}`, false, []string{"a block of type image and"}, false},
		{"structuredContent goes first", `{"content":[{"type":"text","text":"say"}],"structuredContent":{"a":"` + long + `"}}`, false, []string{"say", "structuredContent of 10008 bytes was left out"}, false},
		{"and is missed where it was promised", `{"content":[{"type":"text","text":"say"}],"structuredContent":{"a":"` + long + `"}}`, true, []string{`"isError":true`}, true},
		{"characters that JSON escapes", `{"content":[{"type":"text","text":"` + strings.Repeat(`\u0001`, 10_000) + `"}]}`, false, []string{"cut: the text had 10000 bytes"}, false},
		{"letters of several bytes", `{"content":[{"type":"text","text":"` + strings.Repeat(`ß`, 10_000) + `"}]}`, false, []string{"ßß", "cut: the text had 20000 bytes"}, false},
		{"an error stays one", `{"content":[{"type":"text","text":"` + long + `"}],"isError":true}`, false, []string{`"isError":true`}, true},
		{"very many blocks", `{"content":[` + strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"b"},`, 1000), ",") + `]}`, false, []string{"more blocks were left out"}, false},
		{"no content to cut", `{"x":"` + long + `"}`, false, []string{"was left out"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := LimitResult(Result{JSON: json.RawMessage(c.result), IsError: strings.Contains(c.result, `"isError":true`)}, max, c.structured)
			if len(r.JSON) > max || !json.Valid(r.JSON) {
				t.Errorf("%d bytes: %.200s", len(r.JSON), r.JSON)
			}
			for _, w := range c.want {
				if !strings.Contains(string(r.JSON), w) {
					t.Errorf("there is no %q in %.500s", w, r.JSON)
				}
			}
			if r.IsError != c.isError {
				t.Errorf("isError is %v", r.IsError)
			}
			if _, ok := PageResult(r.JSON); !ok {
				t.Errorf("no client would take %.200s", r.JSON)
			}
		})
	}
}

func TestWithMeta(t *testing.T) {
	meta := json.RawMessage(`{"` + ProvenanceKey + `":{"origin":"https://a"}}`)
	for _, c := range []struct{ in, want string }{
		{`{"content":[]}`, `{"_meta":` + string(meta) + `,"content":[]}`},
		// The page's own entries stay, its say about where it comes from doesn't.
		{`{"content":[],"_meta":{"k":1,"` + ProvenanceKey + `":"forged"}}`, fmt.Sprintf(`{"_meta":{"k":1,%s,"content":[]}`, meta[1:])},
		{`{"content":[{"type":"text","text":"\"_meta\""}]}`, `{"_meta":` + string(meta) + `,"content":[{"type":"text","text":"\"_meta\""}]}`},
	} {
		got := WithMeta(Result{JSON: json.RawMessage(c.in)}, meta).JSON
		if !sameJSON(got, json.RawMessage(c.want)) {
			t.Errorf("%s became %s", c.in, got)
		}
	}
}
