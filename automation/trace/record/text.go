package record

import (
	"fmt"
	"strings"
)

// Text returns the trace as text for a model: the report, what Chrome's engine adds, and a comparison with the
// previous trace of the same page.
func (i *Item) Text() string {
	var b strings.Builder
	b.WriteString(i.Report.Text())
	if i.Engine != nil {
		i.additions(&b)
	} else if i.Why != "" {
		fmt.Fprintf(&b, "\nThe hub's own figures and insights; Chrome's trace engine wasn't used: %s.\n", i.Why)
	}
	if i.Since != "" {
		fmt.Fprintf(&b, "\nSince %s\n", i.Since)
	}
	return b.String()
}

// additions writes the engine's estimates, and the insights that only it has.
func (i *Item) additions(b *strings.Builder) {
	fmt.Fprintf(b, "\nBy %s:\n", i.Who)
	for _, s := range i.Engine.Sets {
		set := i.reportSet(s)
		for _, in := range s.Insights {
			could := saves(in)
			if in.State == "pass" || could == "" && i.has(set, in.Name) {
				continue
			}
			fmt.Fprintf(b, "  - %s %s [%s]%s\n", set, in.Name, in.State, could)
		}
	}
	b.WriteString("performance_analyze_insight gives the details of an insight.\n")
}

// has says whether the report has an insight.
func (i *Item) has(set, name string) bool {
	_, _, err := i.Report.Find(set, name)
	return err == nil
}

// saves says how much an insight could save.
func saves(in EngineInsight) string {
	var parts []string
	for _, name := range []string{"FCP", "LCP", "INP", "CLS"} {
		switch v := in.Savings[name]; {
		case v <= 0:
		case name == "CLS":
			parts = append(parts, fmt.Sprintf("CLS %.2f", v))
		default:
			parts = append(parts, fmt.Sprintf("%s %.0f ms", name, v))
		}
	}
	if in.Wasted > 0 {
		parts = append(parts, fmt.Sprintf("%.1f kB", float64(in.Wasted)/1000))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": could save " + strings.Join(parts, ", ")
}
