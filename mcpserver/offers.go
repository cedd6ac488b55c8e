package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/results"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// applyOffers passes on the messages of pages' own MCP servers. It belongs to the registry actor.
func (s *Server) applyOffers(effects []registry.Effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case registry.ResourcesUpdated:
			s.resourcesUpdated(e)
		case registry.PageLogged:
			s.logged(e)
		}
	}
}

// listOffers answers resources/list, resources/templates/list and prompts/list.
func (s *session) listOffers(r *wire.Request, m *jsonrpc.Message) wire.Reply {
	p, answered := s.params(r, m)
	switch {
	case answered != nil:
		return *answered
	case p.cursor != "":
		return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown cursor: the list has one page only")}
	}
	kind, member := offer.Prompt, "prompts"
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodResourcesList:
		kind, member = offer.Resource, "resources"
	case mcp.MethodResourcesTemplatesList:
		kind, member = offer.ResourceTemplate, "resourceTemplates"
	}
	shown, catalog, version := s.client.View.ShownOffers(kind)
	all := make([]json.RawMessage, len(shown))
	for i, o := range shown {
		all[i] = o.Encoded
	}
	result := map[string]any{member: all}
	if p.modern() {
		result["resultType"], result["ttlMs"], result["cacheScope"] = "complete", 0, "private"
	}
	return s.client.ReadsOffers(wire.Reply{Result: jsonrpc.MustEncode(result)}, kind, catalog, version)
}

// notFound returns the error of a request for a resource that doesn't exist or can't be read.
func (p *params) notFound(why error) *jsonrpc.Error {
	code := mcp.RESOURCE_NOT_FOUND
	if p.modern() {
		code = jsonrpc.CodeInvalidParams
	}
	err := jsonrpc.Errorf(code, "%v", why)
	err.Data = jsonrpc.MustEncode(map[string]string{"uri": p.uri})
	return err
}

// pageQuestion is a request about one offer, as the hub sends it to the page.
type pageQuestion struct {
	server registry.DocumentRef
	of     *offer.Offer
	params map[string]any
	// pass turns the page's answer into the client's.
	pass func(raw json.RawMessage) (json.RawMessage, error)
	// target is what a resource's URI refers to.
	target offer.ResourceTarget
}

// askPage answers the requests that a page's own MCP server has to answer.
func (s *session) askPage(r *wire.Request, m *jsonrpc.Message) wire.Reply {
	p, answered := s.params(r, m)
	switch {
	case answered != nil:
		return *answered
	case p.misfit != "":
		return wire.Reply{Err: wrongType(p.misfit, m)}
	case p.modern() &&
		(mcp.MCPMethod(m.Method) == mcp.MethodResourcesSubscribe ||
			mcp.MCPMethod(m.Method) == mcp.MethodResourcesUnsubscribe):
		return s.delegate(r, m)
	case mcp.MCPMethod(m.Method) == mcp.MethodResourcesRead && strings.HasPrefix(p.uri, results.Scheme):
		return s.readWhole(p)
	case s.server.options.PageServers == nil:
		return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInternal, "no page's MCP server can be reached")}
	case mcp.MCPMethod(m.Method) == mcp.MethodResourcesUnsubscribe:
		return s.unsubscribe(r, p.uri)
	}
	if mcp.MCPMethod(m.Method) == mcp.MethodCompletionComplete {
		if p.modern() {
			r.CloseToQuestions("MCP " + mcp.ProtocolVersion20260728 + " has no questions to clients during a completion")
		}
		return s.askFor(r, m, p)
	}
	return s.inRounds(r, &p, m.Method+"\n"+p.name+"\n"+p.uri+"\n"+string(p.arguments),
		func(r *wire.Request) wire.Reply { return s.askFor(r, m, p) })
}

// askFor asks the page about one offer.
func (s *session) askFor(r *wire.Request, m *jsonrpc.Message, p params) wire.Reply {
	progress := wire.StartProgress(p.token, s.client.Conn, r, "waiting for the page")
	defer progress.Stop()
	_ = s.server.calls.EnsureBrowser(r.Ctx, s.client, progress.Now) // without a browser, nothing has that name
	q, bad := s.question(m.Method, p)
	if bad != nil {
		return wire.Reply{Err: bad}
	}
	page := q.server.Page
	if kept := s.server.calls.Leases.Refusal(s.server.catalog().Tab(page), page, s.client); kept != "" {
		return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInternal, "the page was not asked: %s", kept)}
	}
	limit := s.client.View.Settings().CallTimeout
	watch := wire.StartClock(limit, r.Cancel)
	defer watch.Stop()
	action, refused := s.judge(r, q, watch)
	if refused != nil {
		return *refused
	}
	s.asks(action)
	s.client.Conn.Asking(r, q.server, "", watch)
	if mcp.MCPMethod(m.Method) == mcp.MethodResourcesSubscribe {
		if err := s.server.subscribe(r.Ctx, s.client, p.uri, q.target); err != nil {
			s.marked(action, jsonrpc.MustEncode(err.Error()))
			return wire.Reply{Err: failure(err)}
		}
		return wire.Reply{Result: json.RawMessage("{}")}
	}
	raw, err := s.server.options.PageServers.Ask(r.Ctx, q.server, m.Method, jsonrpc.MustEncode(q.params),
		s.server.calls.Noting(action, progress.ForPage()))
	if err != nil {
		s.marked(action, jsonrpc.MustEncode(err.Error()))
	}
	var pageErr registry.PageError
	if read := mcp.MCPMethod(m.Method) == mcp.MethodResourcesRead; read && errors.As(err, &pageErr) &&
		(pageErr.Code == mcp.RESOURCE_NOT_FOUND || pageErr.Code == mcp.INVALID_PARAMS) {
		return wire.Reply{Err: p.notFound(err)}
	}
	if err != nil {
		return wire.Reply{Err: failure(err)}
	}
	if limit := s.server.options.MaxResult; len(raw) > limit {
		return wire.Reply{Err: failure(sanitize.TooLarge(len(raw), limit))}
	}
	if raw, err = q.pass(raw); err != nil {
		return wire.Reply{Err: failure(err)}
	}
	raw = s.marked(action, raw)
	if p.modern() {
		if mcp.MCPMethod(m.Method) == mcp.MethodResourcesRead {
			raw = asModernRead(raw)
		} else {
			raw = withResultType(raw)
		}
	}
	return wire.Reply{Result: raw}
}

// readWhole answers resources/read for a whole result, and returns one page of it. MCP has no cursor for this, so the
// cursor is a part of the URI; clients may also give it in the params.
func (s *session) readWhole(p params) wire.Reply {
	page, err := s.server.calls.ReadWhole(s.client, p.uri, p.cursor)
	if err != nil {
		return wire.Reply{Err: p.notFound(err)}
	}
	type contents struct {
		URI  string `json:"uri"`
		Type string `json:"mimeType"`
		Text string `json:"text"`
	}
	result := jsonrpc.MustEncode(map[string]any{"contents": []contents{{page.URI, page.Type, page.Text}}})
	result = page.Marked(result)
	if page.Next != "" { // beside the page's words, not among them
		var marked map[string]json.RawMessage
		var all []json.RawMessage
		if json.Unmarshal(result, &marked) == nil && json.Unmarshal(marked["contents"], &all) == nil {
			marked["contents"] = jsonrpc.MustEncode(append(all,
				jsonrpc.MustEncode(contents{page.Next, "text/plain", page.Note})))
			marked["nextCursor"] = jsonrpc.MustEncode(page.Cursor)
			result = jsonrpc.MustEncode(marked)
		}
	}
	if p.modern() {
		result = asModernRead(result)
	}
	return wire.Reply{Result: result}
}

// asModernRead adds what protocol 2026-07-28 requires in results of resources/read.
func asModernRead(result json.RawMessage) json.RawMessage {
	result = withResultType(result)
	return append(result[:len(result)-1:len(result)-1], `,"ttlMs":0,"cacheScope":"private"}`...)
}

// failure returns the error for a request to which a page gave no result.
func failure(err error) *jsonrpc.Error {
	if pageErr, ok := errors.AsType[registry.PageError](err); ok {
		return jsonrpc.Errorf(pageErr.Code, "%s", pageErr.Text)
	}
	if timeout, ok := errors.AsType[wire.TimeoutError](err); ok {
		return jsonrpc.Errorf(jsonrpc.CodeInternal, "the page did not answer: %v", timeout)
	}
	return jsonrpc.Errorf(jsonrpc.CodeInternal, "the page did not answer: %v", err)
}

// question resolves what a request refers to, by what the client has read and by what exists now.
func (s *session) question(method string, p params) (pageQuestion, *jsonrpc.Error) {
	now, scope := s.client.View.OffersNow()
	switch mcp.MCPMethod(method) {
	case mcp.MethodPromptsGet:
		prompt, err := registry.ResolveOffer(offer.Prompt, s.client.View.KnowingOffer(offer.Prompt, p.name), now,
			p.name, s.server.calls.VisibleToolsFor(s.client))
		if err == nil {
			err = s.outOfSight(scope, prompt.Server.Page)
		}
		if err != nil {
			return pageQuestion{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%v", err)
		}
		params := map[string]any{"name": prompt.Original}
		if jsonrpc.IsObject(p.arguments) {
			params["arguments"] = p.arguments
		}
		return pageQuestion{server: prompt.Server, of: prompt, params: params,
			pass: func(raw json.RawMessage) (json.RawMessage, error) {
				return now.Offered().PromptResult(prompt, raw)
			}}, nil
	case mcp.MethodCompletionComplete:
		return s.completion(now, scope, p)
	}
	target, err := registry.ResolveResource(s.client.View.KnowingResource(p.uri), now, p.uri,
		s.server.calls.VisibleToolsFor(s.client))
	if err == nil {
		err = s.outOfSight(scope, target.Resource.Server.Page)
	}
	if err != nil {
		return pageQuestion{}, p.notFound(err)
	}
	return pageQuestion{server: target.Resource.Server, of: target.Resource, target: target,
		params: map[string]any{"uri": target.URI}, pass: func(raw json.RawMessage) (json.RawMessage, error) {
			return now.Offered().ReadResult(target, raw)
		}}, nil
}

// completion resolves completion/complete.
func (s *session) completion(now *registry.Catalog, scope view.Scope,
	p params) (q pageQuestion, bad *jsonrpc.Error) {
	var ref struct{ Type, Name, URI string }
	if json.Unmarshal(p.ref, &ref) != nil || p.argument == nil {
		return q, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, `completion/complete needs a "ref" and an "argument"`)
	}
	own := map[string]any{"type": ref.Type}
	var of *offer.Offer
	var err error
	find := func(kind offer.OfferKind, name string) {
		of, err = registry.ResolveOffer(kind, s.client.View.KnowingOffer(kind, name), now, name,
			s.server.calls.VisibleToolsFor(s.client))
	}
	switch ref.Type {
	case "ref/prompt":
		if find(offer.Prompt, ref.Name); err == nil {
			own["name"] = of.Original
		}
	case "ref/resource":
		if find(offer.ResourceTemplate, ref.URI); err == nil {
			own["uri"] = of.Original
		}
	default:
		err = fmt.Errorf("there is no ref of the type %s", sanitize.Text(ref.Type, 64))
	}
	if err == nil {
		q.server, q.of = of.Server, of
		err = s.outOfSight(scope, q.server.Page)
	}
	if err != nil {
		return q, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%v", err)
	}
	q.params = map[string]any{"ref": own, "argument": p.argument}
	if p.context != nil {
		q.params["context"] = p.context
	}
	q.pass = sanitize.CompletionResult
	return q, nil
}

// outOfSight refuses a request of a client in focus mode about another tab.
func (s *session) outOfSight(scope view.Scope, page registry.PageID) error {
	if scope.Sees(page) {
		return nil
	}
	if tab := s.server.catalog().Tab(page); tab != nil {
		return fmt.Errorf("it belongs to tab %d, which is not the focused one. Call focus_tab with tabId %d first",
			tab.ID, tab.ID)
	}
	return errors.New("its page was closed")
}

// withTimeout returns a context that bounds requests to pages that no client's request has caused.
func (s *Server) withTimeout() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), DefaultCallTimeout)
}

// judge asks Trust about a request for one offer of a page. refused is the answer if the request may not be carried
// out.
func (s *session) judge(r *wire.Request, q pageQuestion,
	limit *wire.Clock) (d calls.Action, refused *wire.Reply) {
	if s.server.options.Trust == nil {
		return d, nil
	}
	s.client.Conn.Limited(r, limit)
	d, no := s.server.calls.JudgeOffer(s.client, r, q.of, q.target.URI, jsonrpc.MustEncode(q.params))
	if no != nil {
		return d, &wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInternal, "the page was not asked: %s", no.Text)}
	}
	if is := s.server.catalog().Offered().Current(q.of); is != q.of &&
		(is == nil || is.Server != q.server || is.Fingerprint() != q.of.Fingerprint()) {
		return d, &wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInternal, "the page was not asked: it changed or "+
			"withdrew what was to be read while that was being decided. List it again")}
	}
	return d, nil
}

// marked reports the answer to Trust, and marks the page's words in the answer to a request about an offer.
func (s *session) marked(d calls.Action, raw json.RawMessage) json.RawMessage {
	trust := s.server.options.Trust
	if trust == nil || d.Kind == "" {
		return raw
	}
	trust.Read(d, raw)
	return trust.Delimit(d, registry.Result{JSON: raw}).JSON
}

// asks reports to Trust that the hub asks a page. From then on the page can send the client progress, a question or an
// error.
func (s *session) asks(d calls.Action) {
	if trust := s.server.options.Trust; trust != nil && d.Kind != "" {
		trust.Sent(d)
	}
}
