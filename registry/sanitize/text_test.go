package sanitize

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	const cut = "… [cut]"
	for _, c := range []struct {
		text string
		max  int
		want string
	}{
		{"plain", 100, "plain"},                                 // nothing to do
		{"two\nlines\tand a tab", 100, "two\nlines\tand a tab"}, // these are kept
		{"windows\r\n", 100, "windows\n"},                       // carriage returns can overwrite a line
		{"\x1b[31mred\x07\x00", 100, "[31mred"},                 // terminal escapes
		{"c1\u009b31m", 100, "c131m"},                           // the other kind
		{"pay \u202e001\u202c", 100, "pay 001"},                 // bidirectional overrides
		{"a\u2066b\u2069c\u061c", 100, "abc"},                   // isolates and the Arabic mark
		{"zero\u200bwidth\ufeff\u2060\u00ad", 100, "zerowidth"}, // nothing to see
		{"tag\U000e0041\U000e007f", 100, "tag"},                 // letters that only models read
		{"vs\U000e0100\U000e01ef", 100, "vs"},                   // bytes in variation selectors
		{"a\ufe00\ufe01\ufe02 b\ufe0f\ufe0f\ufe0f", 100, "a b"}, // the same, in those of old
		{"❤\ufe0f 1\ufe0f\u20e3 葛\ufe00 ≨\ufe00", 100, "❤\ufe0f 1\ufe0f\u20e3 葛\ufe00 ≨\ufe00"}, // what they are for
		{"❤\ufe0f\ufe01\ufe0e\ufe0f!", 100, "❤\ufe0f!"},                                         // once
		{"\ufe0fa", 100, "a"}, // after nothing
		{"fill\u034f\u115f\u1160\u3164\uffa0er", 100, "filler"},           // fillers that show nothing
		{"half \xff\xfe", 100, "half \ufffd"},                             // invalid UTF-8
		{"日本語 – “ok” 🛒", 100, "日本語 – “ok” 🛒"},                             // every script is welcome
		{strings.Repeat("a", 20), 20, strings.Repeat("a", 20)},            // just fits
		{strings.Repeat("a", 21), 20, strings.Repeat("a", 11) + cut},      // one too long
		{strings.Repeat("é", 20), 20, strings.Repeat("é", 5) + cut},       // not in the middle of a rune
		{"\u200b" + strings.Repeat("a", 20), 20, strings.Repeat("a", 20)}, // what is taken out doesn't count
		{strings.Repeat("a", 20), 5, "aaaaa"},                             // no room to say that it is cut
		{"é", 1, ""},                                                      // not even for one rune
		{"a", 0, ""},                                                      // for nothing
		{"", 0, ""},                                                       // nothing
	} {
		if got := Text(c.text, c.max); got != c.want {
			t.Errorf("Text(%q, %d) = %q, want %q", c.text, c.max, got, c.want)
		}
	}
}

// FuzzText: clean text is valid, within its limit, free of what deceives,
// and doesn't change when it is cleaned again.
func FuzzText(f *testing.F) {
	for _, s := range []string{"plain", "a\u202eb\x00\xff", strings.Repeat("é", 50), "\U000e0041tag", "\xe2\x80"} {
		f.Add(s, 40)
	}
	f.Add("short of room", 3)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if limit < 0 || limit > 1<<20 {
			return
		}
		got := Text(s, limit)
		switch {
		case len(got) > limit:
			t.Errorf("%d bytes, want at most %d", len(got), limit)
		case !utf8.ValidString(got):
			t.Errorf("not UTF-8: %q", got)
		case strings.ContainsFunc(withoutSelectors(got), deceptive):
			t.Errorf("deceptive: %q", got)
		case Text(got, limit) != got:
			t.Errorf("cleaned again %q becomes %q", got, Text(got, limit))
		}
	})
}

// withoutSelectors leaves out the variation selectors that writing needs.
func withoutSelectors(s string) string {
	before := rune(0)
	return strings.Map(func(r rune) rune {
		if selects(before, r) {
			before = r
			return -1
		}
		before = r
		return r
	}, s)
}

func TestList(t *testing.T) {
	for _, c := range []struct {
		all  []int
		want string
	}{
		{nil, ""},
		{[]int{1}, "1"},
		{[]int{1, 2}, "1, 2"},
		{[]int{1, 2, 3}, "1, 2, …"},
		{[]int{1, 2, 3, 4}, "1, 2, …"},
	} {
		if got := List(c.all, 2, strconv.Itoa); got != c.want {
			t.Errorf("List(%v) = %q, want %q", c.all, got, c.want)
		}
	}
}
