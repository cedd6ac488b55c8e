package trust

import (
	"sync/atomic"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry/names"
	"webmcphub/trust/rules"
)

// Policy decides by rules, which may be replaced while the hub runs. Any goroutine may use it.
type Policy struct{ set atomic.Pointer[rules.Set] }

// NewPolicy returns a Policy with these rules.
func NewPolicy(set *rules.Set) *Policy {
	p := &Policy{}
	p.Replace(set)
	return p
}

// Replace replaces the rules.
func (p *Policy) Replace(set *rules.Set) { p.set.Store(set) }

// Decide implements [Decider].
func (p *Policy) Decide(d calls.Action) (Verdict, string) {
	decision := p.set.Load().Decide(subject(d))
	switch decision.Outcome {
	case rules.Deny:
		return Refuse, decision.Why()
	case rules.Ask:
		return Ask, decision.Why()
	case rules.AskSite:
		if opensAddress(d) {
			return Allow, ""
		}
		return AskSite, decision.Why()
	}
	return Allow, ""
}

// subject returns an action as the Subject of rules.
func subject(d calls.Action) rules.Subject {
	s := rules.Subject{Names: [2]string{d.Name, d.HubName}, Class: string(d.Class), Kind: string(d.Kind),
		Client: d.Client, Anyones: d.Anyones}
	if d.Kind != calls.BrowserTool || d.Tab != 0 {
		s.Origins = append(s.Origins, d.Origin)
		if names.ParseAddress(d.Origin) == (names.Origin{}) {
			s.Origins = append(s.Origins, names.Whose(d.Origin, d.Address)[1:]...)
			s.Origins = append(s.Origins, d.Around...)
		}
	}
	if d.To != "" {
		s.Origins = append(s.Origins, names.DocumentOrigin("", d.To))
	}
	return s
}
