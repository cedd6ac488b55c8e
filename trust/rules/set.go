package rules

import (
	"fmt"
	"slices"
	"strings"

	"webmcphub/registry/names"
)

// MaxRules is how many rules a [Set] may have.
const MaxRules = 10_000

// Set holds rules in their order, indexed by the hosts and tools that they name.
type Set struct {
	rules []*Rule
	// The indexes hold the rules' positions: rules that name hosts, rules that name the hosts below one, rules that
	// name only tools, and all others.
	host  map[string][]int
	below map[string][]int
	tool  map[string][]int
	rest  []int
}

// NewSet returns a Set of these rules.
func NewSet(all []*Rule) (*Set, error) {
	if len(all) > MaxRules {
		return nil, fmt.Errorf("%d rules are too many; there may be %d", len(all), MaxRules)
	}
	s := &Set{rules: slices.Clone(all), host: map[string][]int{}, below: map[string][]int{}, tool: map[string][]int{}}
	for i, r := range s.rules {
		s.file(i, r)
	}
	return s, nil
}

// file adds a rule to the indexes. A list may contain the rule twice.
func (s *Set) file(i int, r *Rule) {
	anyHost := len(r.hosts) == 0 || slices.ContainsFunc(r.hosts, func(h hostKey) bool { return h.host == "" })
	switch {
	case !anyHost:
		for _, h := range r.hosts {
			in := s.host
			if h.below {
				in = s.below
			}
			in[h.host] = append(in[h.host], i)
		}
	case len(r.tools) > 0 && !slices.ContainsFunc(r.tools, func(g glob) bool { return !g.plain() }):
		for _, t := range r.tools {
			s.tool[t.pattern] = append(s.tool[t.pattern], i)
		}
	default:
		s.rest = append(s.rest, i)
	}
}

// Rules returns the rules of the set, in order.
func (s *Set) Rules() []*Rule { return slices.Clone(s.rules) }

// Decision is the rules' decision about a subject.
type Decision struct {
	Outcome Outcome
	Rule    *Rule  // nil if none matches
	Origin  string // the origin of the subject to which the decision applies
}

// Why returns a clause that names the deciding rule.
func (d Decision) Why() string {
	if d.Rule == nil {
		return "no rule matches"
	}
	return "the rule " + d.Rule.String() + " " +
		map[Outcome]string{Allow: "allows it", AskSite: "asks first, once for this kind of action on this site",
			Ask: "asks first", Deny: "denies it"}[d.Outcome]
}

// Decide finds the first rule that matches a subject. If the subject has several origins, the strictest decision
// counts and, of equally strict ones, the first.
func (s *Set) Decide(about Subject) (d Decision) {
	client := strings.ToLower(about.Client)
	for i, origin := range about.Origins {
		if one := s.decide(&about, origin, client); i == 0 || one.Outcome > d.Outcome {
			d = one
		}
	}
	if len(about.Origins) == 0 {
		d = s.decide(&about, "", client)
	}
	return d
}

func (s *Set) decide(about *Subject, origin, client string) Decision {
	at := names.ParseAddress(origin)
	best := len(s.rules)
	look := func(list []int) {
		for _, i := range list {
			if i >= best {
				return
			}
			if s.rules[i].matches(about, at, client) {
				best = i
				return
			}
		}
	}
	if about.Anyones {
		for i, r := range s.rules {
			if r.matches(about, at, client) {
				best = i
				break
			}
		}
	}
	look(s.rest)
	look(s.tool[about.Names[0]])
	look(s.tool[about.Names[1]])
	if at.Host != "" {
		look(s.host[at.Host])
		for _, host, found := strings.Cut(at.Host, "."); found; _, host, found = strings.Cut(host, ".") {
			look(s.below[host])
		}
	}
	if best == len(s.rules) {
		return Decision{Origin: origin}
	}
	return Decision{s.rules[best].Outcome, s.rules[best], origin}
}
