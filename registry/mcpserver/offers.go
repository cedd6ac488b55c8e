package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// applyOffers carries out the effects that are about what pages' own MCP
// servers offer besides tools. It belongs to the registry actor.
func (s *Server) applyOffers(effects []registry.Effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case registry.ServeOffers:
			s.offers.Store(e.Catalog)
			s.eachSession(func(sess *session) { sess.out.offersServed(e.Catalog) })
			s.resubscribe(e.Catalog)
		case registry.ResourcesUpdated:
			s.resourcesUpdated(e)
		case registry.PageLogged:
			s.logged(e)
		}
	}
}

// asksPages says whether a request may have to wait for a page.
func asksPages(method string) bool {
	switch method {
	case "tools/call", "resources/read", "resources/subscribe", "resources/unsubscribe", "prompts/get", "completion/complete":
		return true
	}
	return false
}

// listOffers answers resources/list, resources/templates/list and
// prompts/list.
func (s *session) listOffers(r *request, m *jsonrpc.Message) reply {
	p, err := readToolParams(m)
	switch {
	case err != nil:
		return reply{err: err}
	case !p.sound():
		return s.delegate(r, m)
	case p.cursor != "":
		return reply{err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown cursor: the list has one page only")}
	}
	kind, member := resources, "resources"
	switch m.Method {
	case "resources/templates/list":
		member = "resourceTemplates"
	case "prompts/list":
		kind, member = prompts, "prompts"
	}
	shown, seen := s.out.shownOffers(kind, s.server.catalog())
	seen.templates = member == "resourceTemplates"
	all := []json.RawMessage{}
	switch member {
	case "resources":
		for _, o := range shown.Resources {
			all = append(all, o.Encoded)
		}
	case "resourceTemplates":
		for _, o := range shown.Templates {
			all = append(all, o.Encoded)
		}
	default:
		for _, o := range shown.Prompts {
			all = append(all, o.Encoded)
		}
	}
	result := map[string]any{member: all}
	if p.modern() {
		result["resultType"], result["ttlMs"], result["cacheScope"] = "complete", 0, "private"
	}
	return reply{result: jsonrpc.MustEncode(result), offers: seen}
}

// offerParams are the params of requests that are about one offer.
type offerParams struct {
	toolParams
	uri                    string
	ref, argument, context json.RawMessage
}

func readOfferParams(m *jsonrpc.Message) (p offerParams, err *jsonrpc.Error) {
	if p.toolParams, err = readToolParams(m); err != nil {
		return p, err
	}
	for name, value := range jsonrpc.Members(m.Params) {
		ok := true
		switch name {
		case "uri":
			p.uri, ok = jsonrpc.Text(value)
		case "ref":
			p.ref, ok = value, jsonrpc.IsObject(value)
		case "argument":
			p.argument, ok = value, jsonrpc.IsObject(value)
		case "context":
			p.context, ok = value, jsonrpc.IsObject(value)
		case "arguments":
			ok = jsonrpc.IsObject(value) || string(value) == "null"
		}
		if !ok {
			err = jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%q has the wrong type in the params of %s", name, m.Method)
		}
	}
	return p, err
}

// pageQuestion is a request about one offer, as its page is asked it.
type pageQuestion struct {
	server registry.ServerRef
	params map[string]any
	// pass makes the page's answer the client's.
	pass func(raw json.RawMessage) (json.RawMessage, error)
	// target is what a resource's URI leads to.
	target registry.ResourceTarget
}

// askPage answers the requests that a page's own MCP server has to answer.
func (s *session) askPage(r *request, m *jsonrpc.Message) reply {
	p, bad := readOfferParams(m)
	switch {
	case bad != nil:
		return reply{err: bad}
	case !p.sound() || p.modern() && (m.Method == "resources/subscribe" || m.Method == "resources/unsubscribe"):
		return s.delegate(r, m)
	case s.server.options.PageServers == nil:
		return reply{err: jsonrpc.Errorf(jsonrpc.CodeInternal, "no page's MCP server can be reached")}
	case m.Method == "resources/unsubscribe":
		return s.unsubscribe(r, p.uri)
	}
	progress := newProgress(p.token, s.out, r, "waiting for the page")
	defer progress.stop()
	_ = s.server.needBrowser(r.ctx, s.out, progress.now) // without one, there is nothing of that name
	q, bad := s.question(m.Method, p)
	if bad != nil {
		return reply{err: bad}
	}
	page := q.server.Page
	if kept := s.server.leases.refusal(s.server.catalog().Tab(page), page, s.out); kept != "" {
		return reply{err: jsonrpc.Errorf(jsonrpc.CodeInternal, "the page was not asked: %s", kept)}
	}
	limit := s.out.view.CallTimeout
	watch := startClock(limit, r.cancel)
	defer watch.stop()
	s.out.asking(r, q.server, "", watch)
	if m.Method == "resources/subscribe" {
		if err := s.server.subscribe(r.ctx, s.out, p.uri, q.target); err != nil {
			return reply{err: failure(err)}
		}
		return reply{result: json.RawMessage("{}")}
	}
	raw, err := s.server.options.PageServers.Ask(r.ctx, q.server, m.Method, jsonrpc.MustEncode(q.params), progress.forPage())
	if err != nil {
		return reply{err: failure(err)}
	}
	if limit := s.server.options.MaxResult; len(raw) > limit {
		return reply{err: failure(sanitize.TooLarge(len(raw), limit))}
	}
	if raw, err = q.pass(raw); err != nil {
		return reply{err: failure(err)}
	}
	if p.modern() {
		raw = withResultType(raw)
		if m.Method == "resources/read" {
			raw = append(raw[:len(raw)-1:len(raw)-1], `,"ttlMs":0,"cacheScope":"private"}`...)
		}
	}
	return reply{result: raw}
}

// failure is the answer to a request that a page did not answer with a result.
func failure(err error) *jsonrpc.Error {
	var said registry.PageError
	if errors.As(err, &said) {
		return jsonrpc.Errorf(said.Code, "%s", said.Text)
	}
	var timeout TimeoutError
	if errors.As(err, &timeout) {
		return jsonrpc.Errorf(jsonrpc.CodeInternal, "the page did not answer: %v", timeout)
	}
	return jsonrpc.Errorf(jsonrpc.CodeInternal, "the page did not answer: %v", err)
}

// question resolves what a request is about, against what the client has seen
// and what there is now.
func (s *session) question(method string, p offerParams) (pageQuestion, *jsonrpc.Error) {
	now, sees := s.out.offersNow(s.server.catalog())
	notFound := mcp.RESOURCE_NOT_FOUND
	if p.modern() {
		notFound = jsonrpc.CodeInvalidParams
	}
	switch method {
	case "prompts/get":
		prompt, err := registry.ResolvePrompt(s.out.seenPrompt(p.name), now, p.name, s.server.audience(s.out))
		if err == nil {
			err = s.outOfSight(sees, prompt.Server.Page)
		}
		if err != nil {
			return pageQuestion{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%v", err)
		}
		params := map[string]any{"name": prompt.Original}
		if jsonrpc.IsObject(p.arguments) {
			params["arguments"] = p.arguments
		}
		return pageQuestion{server: prompt.Server, params: params, pass: func(raw json.RawMessage) (json.RawMessage, error) {
			return registry.PromptResult(now, prompt, raw)
		}}, nil
	case "completion/complete":
		return s.completion(now, sees, p)
	}
	target, err := registry.ResolveResource(s.out.seenResource(p.uri), now, p.uri, s.server.audience(s.out))
	if err == nil {
		err = s.outOfSight(sees, target.Resource.Server.Page)
	}
	if err != nil {
		return pageQuestion{}, jsonrpc.Errorf(notFound, "%v", err)
	}
	return pageQuestion{server: target.Resource.Server, target: target, params: map[string]any{"uri": target.URI}, pass: func(raw json.RawMessage) (json.RawMessage, error) {
		return registry.ReadResult(now, target, raw)
	}}, nil
}

// completion resolves completion/complete.
func (s *session) completion(now *registry.OfferCatalog, sees func(registry.PageID) bool, p offerParams) (q pageQuestion, bad *jsonrpc.Error) {
	var ref struct{ Type, Name, URI string }
	if json.Unmarshal(p.ref, &ref) != nil || p.argument == nil {
		return q, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, `completion/complete needs a "ref" and an "argument"`)
	}
	own := map[string]any{"type": ref.Type}
	var err error
	switch ref.Type {
	case "ref/prompt":
		var prompt *registry.HubPrompt
		if prompt, err = registry.ResolvePrompt(s.out.seenPrompt(ref.Name), now, ref.Name, s.server.audience(s.out)); err == nil {
			q.server, own["name"] = prompt.Server, prompt.Original
		}
	case "ref/resource":
		var template *registry.HubResource
		if template, err = registry.ResolveTemplate(s.out.seenTemplate(ref.URI), now, ref.URI, s.server.audience(s.out)); err == nil {
			q.server, own["uri"] = template.Server, template.Original
		}
	default:
		err = fmt.Errorf("there is no ref of the type %s", cut(ref.Type, 64))
	}
	if err == nil {
		err = s.outOfSight(sees, q.server.Page)
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

// outOfSight refuses what a client in focus mode asks of another tab.
func (s *session) outOfSight(sees func(registry.PageID) bool, page registry.PageID) error {
	if sees(page) {
		return nil
	}
	if tab := s.server.catalog().Tab(page); tab != nil {
		return fmt.Errorf("it belongs to tab %d, which is not the focused one. Call focus_tab with tabId %d first", tab.ID, tab.ID)
	}
	return errors.New("its page was closed")
}

// withTimeout bounds what is asked of a page on nobody's request.
func (s *Server) withTimeout() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), DefaultCallTimeout)
}
