package trust

import "webmcphub/mcpserver/calls"

// Verdict is what a decider says of an action. A greater one is stricter.
type Verdict int

// The verdicts.
const (
	Allow Verdict = iota
	Log           // allowed, and reported
	Ask           // a person is to be asked
	Refuse
)

func (v Verdict) String() string {
	return [...]string{"allow", "log", "ask", "refuse"}[v]
}

// Decider decides about actions. Any goroutine may call it; it never blocks.
type Decider interface {
	// Decide says what is to become of an action, and why, in words for the client and its
	// user: a clause such as "the rule … refuses it". why may be empty with [Allow].
	Decide(d calls.Action) (v Verdict, why string)
}

// Flow is a decider that knows what clients have read.
type Flow interface {
	// Decide is a [Decider]'s. approve allows for good, for all clients, exactly what it
	// speaks of; nil if a person can't be asked for that.
	Decide(d calls.Action) (v Verdict, why string, approve func())
	// Sent is told of each action whose outcome is about to be sent to its client.
	Sent(d calls.Action)
	// ClientGone says that a client's session is over.
	ClientGone(session string)
	// Resume and Follow are a client.Memory's, of the MCP server.
	Resume(session, remembered string)
	Follow(session string, changed func(remembered string))
}
