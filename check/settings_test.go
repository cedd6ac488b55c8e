package check

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/check/lint"
)

var rules = []string{"late", "title-missing", "schema-shape"}

func finding(rule, tool string) lint.Finding {
	return lint.Finding{Rule: rule, Severity: lint.Warning, Page: "http://a.example:3000/shop", Tool: tool, Message: "m"}
}

// Rules get another severity or none, and findings are silenced for a tool, a page, and until a day.
func TestApply(t *testing.T) {
	s, err := ReadSettings([]byte(`
rules: {title-missing: off, schema-shape: info}
ignore:
  - {rule: late, tool: "get_*", page: /shop, reason: a plugin's, until: 2027-03-31}
  - {rule: late, tool: buy, page: /cart, reason: elsewhere, until: 2027-03-31}
  - {rule: late, tool: pay, reason: it is being mended, until: 2026-01-01}
`), rules)
	if err != nil {
		t.Fatal(err)
	}
	all := []lint.Finding{finding("title-missing", "a"), finding("schema-shape", "a"), finding("late", "get_it"), finding("late", "buy"), finding("late", "pay")}
	kept, silenced := s.Apply(slices.Clone(all), time.Date(2027, 3, 31, 23, 0, 0, 0, time.UTC))
	var got []string
	for _, f := range kept {
		got = append(got, f.Rule+" "+f.Tool+" "+string(f.Severity)+" "+f.Message)
	}
	want := []string{"schema-shape a info m", "late buy warning m", "late pay warning m (it was ignored until 2026-01-01: it is being mended)"}
	if !slices.Equal(got, want) || silenced != 2 {
		t.Errorf("got %q, %d silenced", got, silenced)
	}
	if kept, silenced = s.Apply(all[2:3], time.Date(2027, 4, 1, 0, 0, 0, 0, time.UTC)); len(kept) != 1 || silenced != 0 {
		t.Errorf("it is ignored after the last day: %+v", kept)
	}
	if kept, silenced = (*Settings)(nil).Apply(all, time.Time{}); len(kept) != len(all) || silenced != 0 {
		t.Error("without settings something is silenced")
	}
}

func TestWrongSettings(t *testing.T) {
	for text, want := range map[string]string{
		"rules: {lat: off}": `no rule "lat"; did you mean late`, "rules: {late: never}": "never", "rule: {}": "field rule not found",
		"ignore: [{rule: late, until: 2027-01-01}]": "say why", "ignore: [{rule: late, reason: x}]": "until when",
		"ignore: [{rule: late, reason: x, until: soon}]": "soon", "ignore: [{rule: late, reason: x, until: 2027-01-01, tool: '['}]": "pattern",
		"ignore: [{rule: titel-missing, reason: x, until: 2027-01-01}]": "did you mean title-missing",
	} {
		if _, err := ReadSettings([]byte(text), rules); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	if s, err := ReadSettings(nil, rules); err != nil || s == nil {
		t.Errorf("an empty file: %v", err)
	}
}

// Findings of a baseline are old on any host and port; what it doesn't have is new.
func TestBaseline(t *testing.T) {
	var b Baseline
	b.Add([]lint.Finding{finding("late", "a"), finding("late", "a")})
	text, err := b.Write()
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadBaseline(text)
	if err != nil || len(read.Findings) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	moved := finding("late", "a")
	moved.Page, moved.Message = "https://b.example/shop", "another"
	fresh, old := read.New([]lint.Finding{moved, finding("late", "b")})
	if old != 1 || len(fresh) != 1 || fresh[0].Tool != "b" {
		t.Errorf("got %+v, %d old", fresh, old)
	}
	if _, err := ReadBaseline([]byte(`{"version":2}`)); !errors.Is(err, ErrNewer) {
		t.Errorf("a newer file: %v", err)
	}
	if _, err := ReadBaseline([]byte(`{}`)); err == nil {
		t.Error("a file without a version is read")
	}
}
