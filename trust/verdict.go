package trust

import (
	"encoding/json"

	"webmcphub/mcpserver/calls"
)

// Verdict is a decider's decision about an action. A greater one is stricter.
type Verdict int

const (
	Allow   Verdict = iota
	Log             // allowed, and reported
	AskSite         // a person has to be asked, once for the site and the kind of action
	Ask             // a person has to be asked
	Refuse
)

func (v Verdict) String() string {
	return [...]string{"allow", "log", "ask-site", "ask", "refuse"}[v]
}

// Decider decides about actions. Any goroutine may call it; it never blocks.
type Decider interface {
	// Decide returns the decision about an action, and the reason in words for the client and its user: a clause such
	// as "the rule … refuses it". why may be empty with [Allow].
	Decide(d calls.Action) (v Verdict, why string)
}

// Limiter is the decider that counts actions. It can't ask a person: the guard calls Count once for each call, and not
// again after a person's answer. Any goroutine may call it; it never blocks.
type Limiter interface {
	// Count counts an action and allows it, or refuses it and doesn't count it. why is the reason of a refusal, in the
	// form of the reason that [Decider].Decide returns.
	Count(d calls.Action) (allowed bool, why string)
}

// Flow is the decider that knows what clients have read.
type Flow interface {
	// Decide does what [Decider].Decide does.
	Decide(d calls.Action) (Verdict, reason)
	// Started notes that an action was allowed and that the hub is about to carry it out.
	Started(d calls.Action)
	// Sent and Read are those of [calls.Trust].
	Sent(d calls.Action)
	Read(d calls.Action, content json.RawMessage)
	// ClientGone reports that a client's session has ended.
	ClientGone(session string)
	// Resume and Follow are those of the MCP server's view.Memory.
	Resume(session, remembered string)
	Follow(session string, changed func(remembered string))
}
