package commands

import (
	"fmt"
	"slices"
	"strings"

	"webmcphub/check"
	"webmcphub/check/lint"
	"webmcphub/internal/wording"
)

// rule returns the rule with an id, or nil.
func rule(id string) *lint.Rule {
	all := check.Rules()
	if i := slices.IndexFunc(all, func(r lint.Rule) bool { return r.ID == id }); i >= 0 {
		return &all[i]
	}
	return nil
}

// explains returns an error if --explain names no rule.
func (c *Check) explains() error {
	if rule(c.Explain) != nil {
		return nil
	}
	ids := ruleNames()
	return fmt.Errorf("there is no rule %q%s; there are: %s", c.Explain, wording.DidYouMean(c.Explain, ids),
		strings.Join(ids, ", "))
}
