package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// PageRequestTimeout is how long a client may take to answer what a page asks of it. It is long because the client
// may ask a person.
const PageRequestTimeout = 5 * time.Minute

// PageRequests says when pages may ask something of an agent.
type PageRequests string

const (
	// DuringCalls lets a page ask while it carries out a client's request, and only that client. It is the default.
	DuringCalls PageRequests = "during-calls"
	// AtAnyTime also lets a page ask while it carries out no request, if only one client sees the page.
	AtAnyTime PageRequests = "always"
	// Never is for a hub that gives pages no way to ask, so that it announces none.
	Never PageRequests = "none"
)

// PageRequest passes a page's request to the client that it concerns, and returns the client's answer. It always
// returns: soon after ctx ends, and within [PageRequestTimeout]. Errors are [registry.PageError]s. Any goroutine may
// call it.
//
// The client is the one whose request the asking document is carrying out. The page's request ends with the client's.
// If the document carries out no request, [PageRequests] says what happens.
func (s *Server) PageRequest(ctx context.Context, r offer.PageRequest) (json.RawMessage, error) {
	agent, during, refusal := s.agentFor(r)
	r.Tool = during.Tool
	params, err := r.Sanitized()
	if err != nil {
		return nil, err
	}
	if refusal != "" {
		return nil, registry.PageError{Code: mcp.METHOD_NOT_FOUND, Text: r.Method + " was not passed on: " + refusal}
	}
	if during.Request != nil {
		var end context.CancelFunc
		ctx, end = context.WithCancel(ctx)
		defer end()
		defer context.AfterFunc(during.Request.Ctx, end)()
	}
	if s.options.Trust != nil {
		if no := s.calls.JudgeRequest(ctx, agent, during.Request, r, params); no != nil {
			return nil, registry.PageError{Code: mcp.METHOD_NOT_FOUND, Text: r.Method +
				" was not passed on: it is not allowed now"}
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, PageRequestTimeout, wire.TimeoutError{After: PageRequestTimeout})
	defer cancel()
	return agent.Conn.Ask(ctx, r.Method, params, during.Request)
}

// agentFor finds the client that a page's request concerns, and which of its requests the page is carrying out.
// Otherwise refusal says why there is no such client. If a page carries out several calls and one of them is waiting
// for an answer, a new question belongs to another one, so a client that never answers doesn't hold up the others.
// But a question that comes within [gathering] of an earlier one may have been asked together with it.
func (s *Server) agentFor(r offer.PageRequest) (agent *view.Client, during wire.Concern, refusal string) {
	if r.Method == sanitize.MethodRoots && !s.options.PageRoots {
		return nil, during, "the user lets no page see the agent's folders (--page-roots)"
	}
	type caller struct {
		*view.Client
		wire.Concern
	}
	var waiting, calling []caller // waiting: the page waits for their answer; calling: it has asked them nothing
	var seeing []*view.Client
	s.sessions.each(func(sess *session) {
		c := sess.client
		concern := c.Conn.Concerned(r.Server)
		switch {
		case concern.Request == nil:
		case concern.WaitsForAnswer:
			waiting = append(waiting, caller{c, concern})
		default:
			calling = append(calling, caller{c, concern})
		}
		if concern.Ready && c.View.Sees(r.Server.Page) && s.calls.Leases.Refusal(nil, r.Server.Page, c) == "" {
			seeing = append(seeing, c)
		}
	})
	several := len(calling)+len(waiting) > 1
	if several { // with a single caller, its call asks a second question
		waiting = slices.DeleteFunc(waiting, func(c caller) bool { return time.Since(c.LastQuestion) >= gathering })
	}
	calling = append(calling, waiting...)
	switch {
	case len(calling) > 1 || len(calling) == 0 && several:
		// Nothing in the page's request says to which client's call it belongs.
		return nil, during, "the page carries out calls of several clients, and one client's questions must not " +
			"reach another; ask when only one of them is running"
	case len(calling) == 1:
		agent, during = calling[0].Client, calling[0].Concern
	case s.options.PageRequests != AtAnyTime:
		return nil, during, "a page may ask only while it carries out a call of an agent; the user can allow it at " +
			"other times (--page-requests=always)"
	case len(seeing) == 0:
		return nil, during, "no client is connected that sees the page"
	case len(seeing) > 1:
		return nil, during, "several clients see the page and none of them is using it; ask while a tool runs"
	default:
		agent = seeing[0]
	}
	if refusal = cantAnswer(agent, during.Request, r.Method); refusal != "" && during.Request != nil {
		capability, _, _ := strings.Cut(r.Method, "/")
		agent.Conn.NoteLacking(during.Request, capability)
	}
	return agent, during, refusal
}

// undeclared is the reason if a client didn't declare in its request that pages may ask it something.
const undeclared = "the agent's client did not declare in its request that it can be asked anything"

// cantAnswer says why a client can't be asked during one of its requests, or returns "".
func cantAnswer(agent *view.Client, during *wire.Request, method string) string {
	anything, this := agent.Answers(method)
	if inRounds, takes := during.Takes(method); inRounds {
		anything, this = true, takes
	}
	closed := during.ClosedToQuestions()
	switch {
	case closed != "":
		return closed
	case !anything && during != nil:
		return undeclared
	case !anything:
		return "the agent's client speaks MCP " + mcp.ProtocolVersion20260728 + ", which has no requests to clients " +
			"but during their own"
	case !this:
		return "the agent's client did not declare that it supports this"
	}
	return ""
}
