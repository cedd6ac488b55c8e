package cdp

import (
	"slices"

	"webmcphub/cdpclient"
)

// Chrome names an invocation in its reply to WebMCP.invokeTool, and answers the invocation after that. A relay
// between Chrome and the hub may pass on the answer first. So answers to unknown invocations (of other clients, or of
// a call of the hub) are kept as long as a reply on their session is still to come.

const (
	// maxEarly bounds how many such answers of one session are kept, and maxEarlyBytes their total size. The newest
	// answer is always kept.
	maxEarly      = 16
	maxEarlyBytes = 16 << 20
)

// earlyAnswers has the answers by session.
type earlyAnswers map[cdpclient.SessionID]*early

type early struct {
	pending int                       // how many replies to WebMCP.invokeTool are still to come
	answers []cdpclient.ToolResponded // oldest first
}

// unnamed counts a requested invocation whose reply is still to come. named counts the reply.
func (a earlyAnswers) unnamed(s cdpclient.SessionID) {
	if a[s] == nil {
		a[s] = &early{}
	}
	a[s].pending++
}

func (a earlyAnswers) named(s cdpclient.SessionID) {
	if a[s] != nil {
		a[s].pending--
	}
}

// tidy removes the answers of a session for which no reply is still to come.
func (a earlyAnswers) tidy(s cdpclient.SessionID) {
	if a[s] != nil && a[s].pending <= 0 {
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

// find returns the first answer to an invocation. An invocation that navigates its page can have two answers.
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
