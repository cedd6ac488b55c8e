package main

import (
	"strings"
	"testing"
	"time"

	"webmcphub/bench/storm"
)

// A scenario has its line in the table, and what it failed by.
func TestTable(t *testing.T) {
	s, err := storm.Named("trickle", storm.Fake)
	if err != nil {
		t.Fatal(err)
	}
	s.Pages, s.Duration = 3, 300*time.Millisecond
	r, err := storm.Run(t.Context(), s, storm.Options{})
	if err != nil || len(r.Failures) > 0 {
		t.Fatal(err, r)
	}
	r.Failures = []string{"nothing"}
	var text strings.Builder
	if err := table(&text, []*storm.Result{r}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" trickle  ", "trickle: all listed after", "trickle: FAILED: nothing"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, &text)
		}
	}
}
