package report

import (
	"fmt"
	"strings"

	"webmcphub/internal/wording"
)

// cleanCoverage makes the texts from pages in the coverage safe to write anywhere.
func cleanCoverage(c *Coverage) {
	c.Of = line(c.Of, 200)
	for i := range c.Tools {
		t := &c.Tools[i]
		t.Tool = line(t.Tool, 200)
		for j := range t.Parameters {
			t.Parameters[j].Name = line(t.Parameters[j].Name, 200)
		}
	}
}

// coverageText writes for people which tools the calls used.
func coverageText(b *strings.Builder, c *Coverage) {
	fmt.Fprintf(b, "coverage of %s: %d of %s called\n", c.Of, c.Called(), wording.Count(len(c.Tools), "tool"))
	var never []string
	for _, t := range c.Tools {
		if t.Calls == 0 {
			never = append(never, t.Tool)
			continue
		}
		fmt.Fprintf(b, "  %s: %s\n", t.Tool, wording.Count(t.Calls, "call"))
		for _, p := range t.Parameters {
			fmt.Fprintf(b, "      %s: %s\n", p.Name, parameterText(p, t.Calls))
		}
	}
	if len(never) > 0 {
		fmt.Fprintf(b, "  never called: %s\n", strings.Join(never, ", "))
	}
}

// parameterText says how many calls used a parameter, and which of its values no call used.
func parameterText(p ParameterCoverage, calls int) string {
	text := fmt.Sprintf("in %d of %d", p.Calls, calls)
	if p.Calls == 0 {
		text = "never given"
	}
	var never []string
	for _, v := range p.Values {
		if v.Calls == 0 {
			never = append(never, line(string(v.Value), 80))
		}
	}
	if p.Calls > 0 && len(never) > 0 {
		text += ", never with " + strings.Join(never, ", ")
	}
	if p.Unlisted {
		text += ", which its schema doesn't have"
	}
	return text
}
