package cdp

import (
	"slices"

	"webmcphub/cdpclient"
)

// Chrome names an invocation in its reply to WebMCP.invokeTool, and answers it
// after that. A relay between Chrome and the hub may pass on the answer first.
// So answers to unknown invocations (of other clients, perhaps of a call of ours)
// are kept as long as a session owes such a reply.

const (
	// maxEarly is how many such answers of one session are kept, and
	// maxEarlyBytes how long they may be together, but for the newest.
	maxEarly      = 16
	maxEarlyBytes = 16 << 20
)

// earlyAnswers has them by session.
type earlyAnswers map[cdpclient.SessionID]*early

type early struct {
	owed    int                       // replies to WebMCP.invokeTool
	answers []cdpclient.ToolResponded // oldest first
}

// unnamed says that an invocation was asked for, named that the reply is there.
func (a earlyAnswers) unnamed(s cdpclient.SessionID) {
	if a[s] == nil {
		a[s] = &early{}
	}
	a[s].owed++
}

func (a earlyAnswers) named(s cdpclient.SessionID) {
	if a[s] != nil {
		a[s].owed--
	}
}

// tidy forgets the answers of a session that owes no reply any more.
func (a earlyAnswers) tidy(s cdpclient.SessionID) {
	if a[s] != nil && a[s].owed <= 0 {
		delete(a, s)
	}
}

func (a earlyAnswers) keep(s cdpclient.SessionID, e cdpclient.ToolResponded) {
	of := a[s]
	if of == nil {
		return
	}
	of.answers = append(of.answers, e)
	size := 0
	for i, e := range slices.Backward(of.answers) {
		size += len(e.Output) + len(e.ErrorText)
		if e.Exception != nil {
			size += len(e.Exception.Description) + len(e.Exception.Value)
		}
		if n := len(of.answers) - i; n > maxEarly || size > maxEarlyBytes && n > 1 {
			of.answers = slices.Clone(of.answers[i+1:])
			return
		}
	}
}

// find gives the first answer to an invocation. One that navigates its page can
// have two.
func (a earlyAnswers) find(s cdpclient.SessionID, invocation string) (e cdpclient.ToolResponded, came bool) {
	if a[s] == nil {
		return e, false
	}
	i := slices.IndexFunc(a[s].answers, func(e cdpclient.ToolResponded) bool { return e.InvocationID == invocation })
	if i < 0 {
		return e, false
	}
	return a[s].answers[i], true
}
