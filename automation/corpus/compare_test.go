package corpus

import (
	"reflect"
	"testing"
)

func TestCompare(t *testing.T) {
	run := func(texts ...string) (runs []Run) {
		for _, text := range texts {
			runs = append(runs, Run{Text: text})
		}
		return runs
	}
	for name, c := range map[string]struct {
		seen  Seen
		shown []string
		want  Difference
	}{
		"all there":              {Seen{Runs: run("Save", "3 items")}, []string{"Save", "3 items"}, Difference{}},
		"joined":                 {Seen{Runs: run("3", "items left")}, []string{"3 items left"}, Difference{}},
		"upper case by CSS":      {Seen{Runs: run("SAVE")}, []string{"Save"}, Difference{}},
		"lost":                   {Seen{Runs: run("Save", "Delete")}, []string{"Save"}, Difference{Lost: []string{"Delete"}}},
		"shown once of twice":    {Seen{Runs: run("Edit", "Edit")}, []string{"Edit"}, Difference{Lost: []string{"Edit"}}},
		"not a part of a word":   {Seen{Runs: run("a")}, []string{"a b", "table"}, Difference{Invented: []string{"a b", "table"}}},
		"the longest first":      {Seen{Runs: run("1", "item 1 of 3")}, []string{"item 1 of 3", "1"}, Difference{}},
		"glued":                  {Seen{Runs: []Run{{"git", false}, {"hub", true}}}, []string{"github"}, Difference{}},
		"not glued":              {Seen{Runs: run("git", "hub")}, []string{"github"}, Difference{Lost: []string{"git", "hub"}, Invented: []string{"github"}}},
		"a name":                 {Seen{Runs: run("x"), Names: []string{"Close"}}, []string{"x", "Close"}, Difference{}},
		"separators":             {Seen{Runs: run("a", "|", "(", "b", ")", "=")}, []string{"a", "b"}, Difference{Lost: []string{"="}}},
		"in a formula":           {Seen{Runs: run("F")}, []string{"\U0001d439"}, Difference{}},
		"invented":               {Seen{Runs: run("Save")}, []string{"Save", "Pay now"}, Difference{Invented: []string{"Pay now"}}},
		"hidden":                 {Seen{Runs: run("Save now", "pay"), Hidden: []string{"pay now"}}, []string{"pay", "Save now", "pay now"}, Difference{Invented: []string{"pay now"}}},
		"hidden and seen":        {Seen{Runs: run("Save"), Hidden: []string{"save"}}, []string{"Save"}, Difference{}},
		"cut short":              {Seen{Runs: run("a longer text")}, []string{"a longer te…"}, Difference{Lost: []string{"a longer text"}}},
		"in the words of a page": {Seen{Runs: run("Straße", "naïve")}, []string{"Straße", "naïve"}, Difference{}},
	} {
		if got := Compare(c.seen, c.shown); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}
