package lint

import (
	"cmp"
	"slices"
)

// Severity says how much a finding matters.
type Severity string

// The severities, the worst first.
const (
	Error   Severity = "error"   // agents can't use the tool, or it endangers its user
	Warning Severity = "warning" // agents will often use it wrongly, or not at all
	Info    Severity = "info"    // it could be better
)

// rank is higher for worse severities.
func (s Severity) rank() int {
	switch s {
	case Error:
		return 3
	case Warning:
		return 2
	}
	return 1
}

// AtLeast reports whether s is as bad as other, or worse.
func (s Severity) AtLeast(other Severity) bool { return s.rank() >= other.rank() }

// A Rule is something that pages should do, with an explanation for their developers.
type Rule struct {
	ID       string // a name in kebab case, which never changes its meaning
	Severity Severity
	Title    string // what is wrong where the rule is broken, without a full stop
	Why      string // the consequence
	// Bad is HTML of a page, or JavaScript, that breaks the rule, and Good is one that keeps it. They are "" if no
	// page's source can show it.
	Bad, Good string
	// Covers are the ids of other programs' rules that look for the same.
	Covers []string
}

// A Finding is one breach of a rule.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Page     string   `json:"page"`            // the requested address
	Tool     string   `json:"tool,omitempty"`  // the tool's name; "" if the finding is about the whole page
	Where    string   `json:"where,omitempty"` // the place in the tool, such as "inputSchema.properties.q"
	Message  string   `json:"message"`
	// Script is the address of the script that registered the tool, and Line the line where it did, from 1; "" and 0
	// if unknown.
	Script string `json:"script,omitempty"`
	Line   int    `json:"line,omitempty"`
}

// SortFindings sorts findings of one page: the worst first, then by rule, tool and place.
func SortFindings(all []Finding) {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Severity.rank(), a.Severity.rank()), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Where, b.Where), cmp.Compare(a.Message, b.Message))
	})
}

// CountFindings returns how many findings are as bad as s, or worse.
func CountFindings(all []Finding, s Severity) (n int) {
	for _, f := range all {
		if f.Severity.AtLeast(s) {
			n++
		}
	}
	return n
}
