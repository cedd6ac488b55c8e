package extbrowser

import (
	"context"
	"encoding/json"
	"errors"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient/pagemcp"
	"webmcphub/extlink"
	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// Requests of the page of a Link to the agent. Over CDP, a page's own MCP server sends such requests (package cdp).

// requestOver says that a request has ended.
type requestOver struct {
	request string
	ask     *pagemcp.OpenRequest
}

// ErrWithdrawn is the cause with which the page's cancellation ends a request.
var ErrWithdrawn = errors.New("the page has cancelled it")

func (p *Link) requested(m extlink.PageRequest) {
	answer := func(a extlink.PageAnswer) {
		a.RequestID = m.RequestID
		p.conn.Send(a)
	}
	refuse := func(code int, why string) {
		answer(extlink.PageAnswer{Error: &extlink.AnswerError{Code: code, Message: why}})
	}
	switch {
	case p.Env().PageRequests == nil:
		refuse(jsonrpc.CodeMethodNotFound, "Method not found")
		return
	case p.Phase() != tab.Ready:
		refuse(jsonrpc.CodeInternal, registry.PageNotConnected)
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	if p.asking == nil {
		p.asking = pagemcp.Requests{}
	}
	ask := p.asking.Begin(m.RequestID, len(m.Params), cancel)
	if ask == nil {
		cancel(nil)
		refuse(jsonrpc.CodeInvalidRequest, pagemcp.TooManyRequests)
		return
	}
	main := p.frame(0)
	origin := names.DocumentOrigin(p.Doc.Origin, p.Doc.URL)
	r := offer.PageRequest{
		Server:     registry.DocumentRef{Page: p.ID, Frame: main.frameID(), Doc: main.gen},
		Origin:     origin,
		PageOrigin: origin,
		Method:     m.Method,
		Params:     m.Params,
	}
	env := p.Env()
	go func() {
		defer cancel(nil)
		result, err := env.AskAgent(ctx, r)
		var why registry.PageError
		switch {
		case errors.Is(context.Cause(ctx), ErrWithdrawn): // the page doesn't wait for an answer
		case err == nil:
			answer(extlink.PageAnswer{Result: result})
		case errors.Is(context.Cause(ctx), tab.ErrDocumentGone):
			refuse(jsonrpc.CodeInternal, tab.ErrDocumentGone.Error())
		case errors.As(err, &why):
			refuse(why.Code, why.Text)
		default:
			refuse(jsonrpc.CodeInternal, err.Error())
		}
		p.Send(requestOver{m.RequestID, ask})
	}()
}

func (p *Link) requestEnded(m requestOver) {
	p.asking.End(m.request, m.ask)
}

// withdrawn ends a request that the page has cancelled. The page may use the request's id again.
func (p *Link) withdrawn(m extlink.PageRequestCancelled) {
	if ask := p.asking[m.RequestID]; ask != nil {
		ask.Cancel(ErrWithdrawn)
		delete(p.asking, m.RequestID)
	}
}

// dropAsks ends all requests of the document.
func (p *Link) dropAsks() {
	for _, ask := range p.asking {
		ask.Cancel(tab.ErrDocumentGone)
	}
	p.asking = nil
}

// metaOf returns the _meta of a call: the caller's, with a progress token if the caller wants progress notifications.
func metaOf(c *tab.Call) json.RawMessage {
	if c.Progress == nil {
		return c.Meta
	}
	meta := map[string]json.RawMessage{}
	_ = json.Unmarshal(c.Meta, &meta) // if it is no object, there is no _meta
	meta["progressToken"], _ = json.Marshal(c.State.Invocation)
	raw, _ := json.Marshal(meta) // can't fail: all parts are JSON already, or a string
	return raw
}
