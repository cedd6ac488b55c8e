package contract

import (
	"slices"

	"webmcphub/check/lint"
)

// Findings returns differences as findings of a page.
func Findings(page string, all []Difference) (found []lint.Finding) {
	rules := Rules()
	for _, d := range all {
		i := slices.IndexFunc(rules, func(r lint.Rule) bool { return r.ID == string(d.Kind) })
		found = append(found, lint.Finding{Rule: string(d.Kind), Severity: rules[i].Severity, Page: page, Tool: d.Tool,
			Where: d.Where, Message: d.Message})
	}
	return found
}
