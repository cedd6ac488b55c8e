package contract

import (
	"slices"

	"webmcphub/check/finding"
)

// Findings are differences as findings of a page.
func Findings(page string, all []Difference) (found []finding.Finding) {
	rules := Rules()
	for _, d := range all {
		i := slices.IndexFunc(rules, func(r finding.Rule) bool { return r.ID == string(d.Kind) })
		found = append(found, finding.Finding{Rule: string(d.Kind), Severity: rules[i].Severity, Page: page, Tool: d.Tool, Where: d.Where, Message: d.Message})
	}
	return found
}
