package registry

import "testing"

func TestSentence(t *testing.T) {
	for was, want := range map[string]string{
		"":                                ".",
		"the tab is gone":                 "The tab is gone.",
		"The tab is gone.":                "The tab is gone.",
		"wait_for was given up":           "wait_for was given up.",
		"net::ERR_FAILED came of it":      "net::ERR_FAILED came of it.",
		"écran is the page's own button…": "Écran is the page's own button….",
		"\xff is no text":                 "\xff is no text.",
	} {
		if got := Sentence(was); got != want {
			t.Errorf("%q became %q, want %q", was, got, want)
		}
	}
}
