package terminal

import (
	"os"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"one two three", 0, "- one two three"}, {"one two three", 9, "- one two\n  three"},
		{"one two three", 8, "- one\n  two\n  three"}, {"a verylongwordindeed b", 8, "- a\n  verylongwordindeed\n  b"},
		{"\x1b[31mone\x1b[0m two", 9, "- \x1b[31mone\x1b[0m two"}, {"größe größe", 13, "- größe größe"}, {"", 9, "- "},
	} {
		if got := Wrap(c.text, c.width, "- ", "  "); got != c.want {
			t.Errorf("%q at %d: got %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// What isn't a terminal has no width.
func TestWidth(t *testing.T) {
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if got := Width(file); got != 0 || strings.Contains(Wrap("a b c", got, "", ""), "\n") {
		t.Errorf("got %d", got)
	}
}
