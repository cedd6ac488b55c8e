package settings

import (
	"strings"
	"testing"
)

func TestItems(t *testing.T) {
	for text, lines := range map[string][]int{
		"shops: []":                   {},
		"shops:\n  - a\n  - {b: c}\n": {2, 3},
		`{"shops": [1, 2]}`:           {1, 1},
	} {
		items, err := ListItems([]byte(text), "shops")
		if err != nil || len(items) != len(lines) {
			t.Errorf("%q: %d items, %v", text, len(items), err)
			continue
		}
		for i, line := range lines {
			if items[i].Line != line {
				t.Errorf("%q: item %d is in line %d", text, i, items[i].Line)
			}
		}
	}
}

func TestWrongFrames(t *testing.T) {
	for text, want := range map[string]string{
		"":                          `line 1: the file is empty; there must be "shops:" and a list of shops`,
		"- a":                       `line 1: there must be "shops:" and a list of shops, which may be [], and nothing else`,
		"shops: []\nmore: 1":        "and nothing else",
		"\nshops: s3cret":           "line 2: shops must be a list",
		"shops: [":                  "line ",
		"shops: []\n---\nshops: []": "more than one document",
	} {
		_, err := ListItems([]byte(text), "shops")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
