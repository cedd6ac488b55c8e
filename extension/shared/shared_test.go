package shared

import (
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestManifest: the extension loads all of these scripts, in the same order.
func TestManifest(t *testing.T) {
	text, err := os.ReadFile("../manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		ContentScripts []struct{ JS []string } `json:"content_scripts"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	var loaded []string
	for _, scripts := range manifest.ContentScripts {
		for _, file := range scripts.JS {
			if name, ok := strings.CutPrefix(file, "shared/"); ok {
				loaded = append(loaded, strings.TrimSuffix(name, ".js"))
			}
		}
	}
	want := slices.Concat([]string{"may-have-tools", "origin-rules", "parts"}, Declared, Introspection)
	if !slices.Equal(loaded, want) {
		t.Errorf("the manifest loads %q, want %q", loaded, want)
	}
	all, err := fs.Glob(files, "*.js")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(want)+2 { // and legacy-name and polyfill-page, which come when they are wanted
		t.Errorf("of %q some are in no list", all)
	}
}

// comment is what WithoutComments takes out, as a regular expression, which takes some milliseconds for all scripts.
var comment = regexp.MustCompile(`(?m)^[ \t]*(//.*|/\*(?:[^*]|\*+[^*/])*\*+/)\n`)

// TestWithoutComments: whole lines alone go, and no script has one in a string.
func TestWithoutComments(t *testing.T) {
	got := WithoutComments("// a\n  /** b */\nf(); // c\n\t// d\ng(\"// e\");\n  /**\n   * h\n   **/\ni(); /** j */\n/** k */ l();\n")
	if want := "f(); // c\ng(\"// e\");\ni(); /** j */\n/** k */ l();\n"; got != want {
		t.Errorf("%q is left, want %q", got, want)
	}
	for _, script := range []string{"", "\n", "//", "/*/\n", "/**/", "/**/\n", "/***/\n x\n", "/*\n// a\nf();\n", "a\n /* b */ */\n",
		"/* a */ f(); /*\n// b\n*/\n"} {
		if got, want := WithoutComments(script), comment.ReplaceAllString(script, ""); got != want {
			t.Errorf("%q becomes %q, want %q", script, got, want)
		}
	}
	for _, name := range slices.Concat([]string{"parts", "legacy-name", "polyfill-page"}, Declared, Introspection) {
		if got, want := WithoutComments(source(name)), comment.ReplaceAllString(source(name), ""); got != want {
			t.Errorf("%s.js becomes %q, want %q", name, got, want)
		}
		for _, at := range comment.FindAllStringIndex(source(name), -1) {
			code := WithoutComments(source(name)[:at[0]])
			if strings.Count(code, "`")%2 != 0 {
				t.Errorf("%s.js has a comment in a string after %q", name, code[max(0, len(code)-100):])
			}
		}
	}
}

// TestPartsAreMadeInOrder: a part needs only parts that were made before it.
func TestPartsAreMadeInOrder(t *testing.T) {
	maker := regexp.MustCompile(`(?m)^webmcpHub\.parts\.(\w+) = \((?:\{ ([\w:, ]+) \})?\) => \{$`)
	made := map[string]bool{}
	for _, name := range slices.Concat(Declared, Introspection) {
		m := maker.FindAllStringSubmatch(source(name), -1)
		if len(m) != 1 {
			t.Errorf("%s.js makes %d parts, want one", name, len(m))
			continue
		}
		for _, field := range strings.FieldsFunc(m[0][2], func(r rune) bool { return r == ',' }) {
			needed, _, _ := strings.Cut(strings.TrimSpace(field), ":") // the rest is what it is called there
			if !made[needed] {
				t.Errorf("%s.js needs %s, which is not there yet", name, needed)
			}
		}
		made[m[0][1]] = true
	}
}
