package cdp

import (
	"context"
	"encoding/json"
	"errors"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient/mcpb"
	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// Ask sends a request to a page's own MCP server and always returns: with its
// answer, or with a [registry.PageError], or, when ctx ends, at once, having
// told the page. params is a JSON object without _meta. progress, if not nil,
// is given the params of the page's progress notifications.
//
// to is the page's tab, nil if it has none. Ask may be called from any goroutine.
func Ask(ctx context.Context, env *tab.Env, to *tab.Address, server registry.ServerRef, method string, params json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error) {
	if to == nil {
		return nil, unasked("its page is gone")
	}
	answer := make(chan serverFound, 1)
	env.Root.Send(to.PID, findServer{server, answer})
	var s serverFound
	select {
	case s = <-answer:
	case <-to.Gone():
		return nil, unasked("its page is gone")
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if s.why != "" {
		return nil, unasked(s.why)
	}
	// The goroutine is the caller's: what the tab's actor owns ends the request.
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(tab.ErrDocumentGone) })()
	result, err := s.client.Request(asking, method, params, progress)
	var refusal *mcpb.RPCError
	switch {
	case err == nil:
		return result, nil
	case errors.As(err, &refusal):
		return nil, registry.PageError{Code: refusal.Code, Text: sanitize.Text(refusal.Message, 4096)}
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, mcpb.ErrServerStopped): // which ends the server's context, too
		return nil, unanswered(mcpb.ErrServerStopped.Error())
	case errors.Is(err, tab.ErrDocumentGone), errors.Is(context.Cause(asking), tab.ErrDocumentGone), errors.Is(err, mcpb.ErrInterrupted):
		return nil, unanswered("its document is gone: the page navigated, was closed, or crashed")
	}
	return nil, unanswered(err.Error())
}

func unasked(why string) error {
	return registry.PageError{Code: jsonrpc.CodeInternal, Text: "the page could not be asked: " + why + "; list again"}
}

func unanswered(why string) error {
	return registry.PageError{Code: jsonrpc.CodeInternal, Text: "the page did not answer: " + why}
}

// Refuse answers that there is no such server.
func (m findServer) Refuse(why string) { m.reply(serverFound{why: why}) }

// reply answers; the first word counts.
func (m findServer) reply(found serverFound) {
	select {
	case m.answer <- found:
	default:
	}
}

// findServer is answered in a turn of the tab's actor.
func (p *Link) findServer(m findServer) {
	f, why := p.target(offer.Route{Page: p.ID, Frame: m.server.Frame, Doc: m.server.Doc})
	switch {
	case why == "" && f.server == nil:
		why = "its page's MCP server has stopped"
	}
	if why != "" {
		m.Refuse(why)
		return
	}
	m.reply(serverFound{client: f.server.client, ctx: f.server.ctx})
}
