package cdp

import (
	"context"
	"encoding/json"
	"errors"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient/pagemcp"
	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// AskServer sends a request to a page's own MCP server. It always returns: with the server's answer, or with a
// [registry.PageError]. When ctx ends, it cancels the request in the page and returns at once. params is a JSON
// object without _meta. progress, if not nil, is called with the params of the page's progress notifications.
//
// to is the address of the page's tab, nil if the tab is gone. Any goroutine may call AskServer.
func AskServer(ctx context.Context, env *tab.Env, to *tab.Address, server registry.DocumentRef, method string,
	params json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error) {
	if to == nil {
		return nil, unasked("its page is gone")
	}
	answer := make(chan found, 1)
	env.Root.Send(to.PID, FindServer{server, answer})
	var s found
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
	// The request runs in the caller's goroutine. It ends with the server's context, which the tab's actor owns.
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.server.ctx, func() { cancel(tab.ErrDocumentGone) })()
	result, err := s.server.client.Request(asking, method, params, progress)
	var refusal *pagemcp.RPCError
	switch {
	case err == nil:
		return result, nil
	case errors.As(err, &refusal):
		return nil, registry.PageError{Code: refusal.Code, Text: sanitize.Text(refusal.Message, 4096)}
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, pagemcp.ErrServerStopped): // checked first, because the server's context has then ended too
		return nil, unanswered(pagemcp.ErrServerStopped.Error())
	case errors.Is(err, tab.ErrDocumentGone), errors.Is(context.Cause(asking), tab.ErrDocumentGone),
		errors.Is(err, pagemcp.ErrInterrupted):
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

// FindServer asks a tab's link for a server, on behalf of a caller's goroutine. The link calls Give or Decline in the
// tab's turn. Only the first call counts.
type FindServer struct {
	Server registry.DocumentRef
	answer chan found
}

type found struct {
	server *PageServer
	why    string // if not "": why there is no such server
}

// Give answers with the server, or with nil if the server has stopped.
func (m FindServer) Give(s *PageServer) {
	if s == nil {
		m.Decline("its page's MCP server has stopped")
		return
	}
	m.reply(found{server: s})
}

// Decline answers that there is no such server.
func (m FindServer) Decline(why string) { m.reply(found{why: why}) }

func (m FindServer) reply(f found) {
	select {
	case m.answer <- f:
	default:
	}
}

// fromPage carries out a request of a page's server. It runs on a goroutine of the server's client. ctx ends when the
// page cancels the request, and with the server.
func (s *PageServer) fromPage(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	who := make(chan offer.PageRequest, 1)
	s.Tab.Send(FindRequester{s, who})
	select {
	case r := <-who:
		r.Method, r.Params = method, params
		result, err := s.Tab.Env().AskAgent(ctx, r)
		if refusal, ok := errors.AsType[registry.PageError](err); ok {
			err = &pagemcp.RPCError{Code: refusal.Code, Message: refusal.Text}
		}
		return result, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// FindRequester asks the tab's actor who makes a request, on behalf of a goroutine that waits for the answer.
type FindRequester struct {
	Server *PageServer
	answer chan offer.PageRequest // has room for one
}

// Handle answers with what the tab's actor knows of the server's document. It gives no answer for a server that its
// document no longer has; the goroutine that waits then ends with the server.
func (m FindRequester) Handle() {
	if s := m.Server; s.current() {
		doc := &s.Tab.Doc
		m.answer <- offer.PageRequest{Server: s.ref(), Origin: s.Where().document(),
			PageOrigin: names.DocumentOrigin(doc.Origin, doc.URL)}
	}
}
