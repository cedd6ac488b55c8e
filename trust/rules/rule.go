package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// Outcome is a rule's decision about the actions that it matches. A greater one is stricter.
type Outcome int

const (
	Allow   Outcome = iota
	AskSite         // ask once for a site and a kind of action
	Ask
	Deny
)

func (o Outcome) String() string { return [...]string{"allow", "ask-site", "ask", "deny"}[o] }

// ParseOutcome reads an outcome's name.
func ParseOutcome(name string) (Outcome, error) {
	for _, o := range []Outcome{Allow, AskSite, Ask, Deny} {
		if o.String() == name {
			return o, nil
		}
	}
	return 0, fmt.Errorf("%s is not an action; the actions are allow, ask-site, ask and deny", quoted(name))
}

// The values of the conditions kind and class.
var (
	Kinds   = []string{"page", "introspected", "automation", "resource", "prompt", "request"}
	Classes = []string{"read-only", "destructive", "unknown"}
)

// conditionNames are the names of all conditions.
var conditionNames = []string{"origin", "tool", "class", "kind", "client"}

// listed lists the names of all conditions with a suffix after each.
func listed(suffix string) string {
	last := len(conditionNames) - 1
	return strings.Join(conditionNames[:last], suffix+", ") + suffix + " and " + conditionNames[last] + suffix
}

func errNoCondition(name string) error {
	return fmt.Errorf("%s is not a condition; the conditions are %s", quoted(name), listed(""))
}

// Limits of [Parse].
const (
	maxText   = 4096 // bytes of a rule
	maxValues = 100  // of one condition
)

// Rule is one rule. It is immutable.
type Rule struct {
	Outcome Outcome
	Text    string // the conditions, as the user wrote them
	Source  string // where the user wrote them, such as "--deny" or "policy.yaml, line 4"
	Line    int    // the line in a file; 0 if it isn't in one

	origins []names.OriginPattern // at least one must match; empty matches any
	hosts   []hostKey             // the hosts in origins
	tools   []glob
	clients []glob
	kinds   []string
	classes []string
}

// hostKey is the host that an origin pattern names.
type hostKey struct {
	host  string // "" means any
	below bool   // all hosts below it
}

// String returns the rule's text for users.
func (r *Rule) String() string {
	return fmt.Sprintf("%s %s (%s)", r.Outcome, sanitize.Text(r.Text, 300), r.Source)
}

// Parse reads a rule's conditions: words such as origin=…, tool=…, class=…, kind=… and client=…. All of them must
// hold. A condition may have several values, separated by commas, at least one of which must hold. A word without =
// is an origin, and a lone * matches everything. A value with blanks or commas is written in double quotes.
func Parse(outcome Outcome, text, source string) (*Rule, error) {
	r := &Rule{Outcome: outcome, Text: strings.TrimSpace(text), Source: source}
	if len(text) > maxText {
		return nil, fmt.Errorf("a rule of %d bytes is longer than %d", len(text), maxText)
	}
	words, err := split(r.Text)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, errors.New("the rule is empty; * matches everything")
	}
	given := map[string]bool{}
	for _, w := range words {
		if w.key == "" && len(w.values) == 1 && w.values[0] == "*" && len(words) == 1 {
			return r, nil
		}
		key := w.key
		if key == "" {
			key = "origin"
		}
		if given[key] {
			return nil, fmt.Errorf("%s is given twice; write its values with commas between them", key)
		}
		given[key] = true
		if err := r.condition(key, w.values); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// condition adds a condition to a rule that is being made.
func (r *Rule) condition(key string, values []string) error {
	if len(values) > maxValues {
		return fmt.Errorf("%s has %d values, which is more than %d", key, len(values), maxValues)
	}
	for _, v := range values {
		if v == "" {
			return fmt.Errorf("%s has an empty value", key)
		}
		switch key {
		case "origin":
			p, err := names.ParseOriginPattern(v)
			if err != nil {
				return fmt.Errorf("%w. Conditions are %s", err, listed("="))
			}
			host, below := p.Host()
			r.origins, r.hosts = append(r.origins, p), append(r.hosts, hostKey{host, below})
		case "tool":
			r.tools = append(r.tools, newGlob(v))
		case "client":
			r.clients = append(r.clients, newGlob(strings.ToLower(v)))
		case "kind":
			if !slices.Contains(Kinds, v) {
				return fmt.Errorf("%s is no kind; there are %s", quoted(v), strings.Join(Kinds, ", "))
			}
			r.kinds = append(r.kinds, v)
		case "class":
			if !slices.Contains(Classes, v) {
				return fmt.Errorf("%s is no class; there are %s", quoted(v), strings.Join(Classes, ", "))
			}
			r.classes = append(r.classes, v)
		default:
			return errNoCondition(key)
		}
	}
	return nil
}

// Subject is an action as rules see it.
type Subject struct {
	// Origins are the origins of the documents that the action concerns: the one that offers the tool, and the one to
	// which a navigation leads. Origins is empty if there are none.
	Origins []string
	// Anyones reports that the document may have any origin. Then it matches every origin= condition of rules that
	// deny or ask, but only * in rules that allow.
	Anyones bool
	// Names are the page's name of the tool, and the hub's.
	Names  [2]string
	Class  string
	Kind   string
	Client string
}

// matches reports whether the rule matches a subject at the origin at, one of the subject's origins.
func (r *Rule) matches(s *Subject, at names.Origin, client string) bool {
	if r.kinds != nil && !slices.Contains(r.kinds, s.Kind) || r.classes != nil && !slices.Contains(r.classes, s.Class) {
		return false
	}
	if r.tools != nil && !slices.ContainsFunc(r.tools, func(g glob) bool { return r.matchesName(g, s) }) {
		return false
	}
	if r.clients != nil && !slices.ContainsFunc(r.clients, func(g glob) bool { return g.matches(client) }) {
		return false
	}
	if r.origins == nil || s.Anyones && r.Outcome != Allow {
		return true
	}
	return slices.ContainsFunc(r.origins, func(p names.OriginPattern) bool { return p.Matches(at) })
}

// matchesName reports whether a pattern matches a tool's name. A page can give its tool the name that the hub uses
// for another page's tool. So a rule that allows a tool by the hub's name matches only the hub's names.
func (r *Rule) matchesName(g glob, s *Subject) bool {
	hubs := r.Outcome == Allow && slices.ContainsFunc(hubPrefixes,
		func(p string) bool { return strings.HasPrefix(g.pattern, p) })
	return g.matches(s.Names[1]) || !hubs && g.matches(s.Names[0])
}

// hubPrefixes are the prefixes of the hub's names for pages' tools.
var hubPrefixes = []string{"webmcp_", "website_tool_"}

// For returns the conditions of a narrow rule that matches a subject at its first origin. It returns "" if no rule can
// name the subject.
func For(s Subject) string {
	var words []string
	switch {
	case len(s.Origins) > 0 && names.ParseAddress(s.Origins[0]) != (names.Origin{}):
		words = append(words, "origin="+s.Origins[0])
	case s.Kind != "automation" || len(s.Origins) > 0:
		return ""
	}
	tool := s.Names[0]
	if strings.ContainsAny(tool, "*?") { // a rule can't name it otherwise
		tool = s.Names[1]
	}
	if strings.ContainsAny(tool, " ,=\"\t") {
		tool = `"` + strings.ReplaceAll(tool, `"`, "?") + `"`
	}
	return strings.Join(append(words, "tool="+tool, "kind="+s.Kind), " ")
}

func quoted(s string) string { return `"` + sanitize.Text(s, 100) + `"` }
