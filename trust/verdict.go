package trust

import "webmcphub/mcpserver/calls"

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

// Flow is a decider that knows what clients have read.
type Flow interface {
	// Decide does what [Decider].Decide does. approve allows for good, for all clients, exactly what the decision is
	// about. It is nil if a person can't be asked for that.
	Decide(d calls.Action) (v Verdict, why string, approve func())
	// Sent notes each action whose outcome is about to be sent to its client.
	Sent(d calls.Action)
	// ClientGone reports that a client's session has ended.
	ClientGone(session string)
	// Resume and Follow are those of the MCP server's view.Memory.
	Resume(session, remembered string)
	Follow(session string, changed func(remembered string))
}
