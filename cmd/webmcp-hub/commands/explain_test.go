package commands

import (
	"strings"
	"testing"

	"webmcphub/check"
	"webmcphub/check/report"
)

// Each rule is explained to whoever has nothing but the program, and what is no rule is
// answered with those that there are.
func TestExplain(t *testing.T) {
	for _, r := range check.Rules() {
		c := Check{Explain: r.ID}
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
		var b strings.Builder
		if err := report.Explain(&b, *rule(r.ID)); err != nil {
			t.Fatal(err)
		}
		says := b.String()
		if !strings.Contains(says, r.Title) || strings.Contains(says, "docs/") || (r.Bad != "") != strings.Contains(says, "\nBad:\n") || (r.Good != "") != strings.Contains(says, "\nGood:\n") {
			t.Errorf("%s is explained as\n%s", r.ID, says)
		}
	}
	if err := (&Check{Explain: "titel-missing"}).Validate(); err == nil || !strings.Contains(err.Error(), "did you mean title-missing;") {
		t.Errorf("a rule that is written wrongly: %v", err)
	}
	c := Check{Explain: "none"}
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "smoke-hang") {
		t.Errorf("a rule that isn't there: %v", err)
	}
}
