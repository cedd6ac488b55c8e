package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/advice"
	"webmcphub/registry/mcpserver/images"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// toolCall is one tools/call, from whichever transport.
type toolCall struct {
	name  string
	args  json.RawMessage
	token json.RawMessage // progressToken, or nil
	// meta and extensions are for the page.
	meta, extensions json.RawMessage
	// cancel ends the context that the call runs in.
	cancel context.CancelCauseFunc

	// Nil where the client is not one of our own sessions.
	out      *outbox
	request  *request
	progress *progress // of the whole call; nil if the client wants none

	to     advice.Audience // of the answer's text; set by tools that are told a page
	limit  time.Duration   // of the call, if shorter than Options.CallTimeout; 0 for that
	record *CallRecord     // nil if nobody asks for it
}

func (s *session) callTool(r *request, m *jsonrpc.Message) reply {
	p, err := readToolParams(m)
	switch {
	case err != nil:
		return reply{err: err}
	case !p.sound():
		return s.delegate(r, m)
	case p.name == "":
		return reply{err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, `tools/call needs the tool's "name"`)}
	}
	answer := s.server.call(r.ctx, toolCall{
		name:   p.name,
		args:   p.arguments,
		token:  p.token,
		meta:   p.meta,
		cancel: r.cancel,

		extensions: p.extensions,
		out:        s.out,
		request:    r,
	})
	if p.modern() && answer.err == nil {
		answer.result = withResultType(answer.result)
	}
	return answer
}

// withResultType adds what protocol 2026-07-28 asks for in results.
func withResultType(result json.RawMessage) json.RawMessage {
	rest, ok := bytes.CutPrefix(result, []byte("{"))
	if !ok {
		return result
	}
	return append([]byte(`{"resultType":"complete",`), rest...)
}

// call carries out a call. Everything that an agent could mend is a tool
// result with isError, because clients show those to the model. Only a name
// that can't ever have been a tool of ours is a protocol error, as MCP has it.
func (s *Server) call(ctx context.Context, c toolCall) (answer reply) {
	if s.options.Called != nil {
		over := s.recorded(ctx, &c)
		defer func() { over(answer) }()
	}
	c.progress = newProgress(c.token, c.out, c.request, "waiting for "+cut(c.name, 128))
	defer c.progress.stop()
	if t, ok := s.byName[c.name]; ok {
		return t.run(ctx, c)
	}
	if c.out != nil && c.out.view.Mode == FocusedTab && !pageName(c.name) {
		return done(s.callBare(ctx, c))
	}
	if pageName(c.name) {
		c.awaitTool(ctx, s, func(now *registry.Catalog) bool { return now.Lookup(c.name) != nil })
	}
	now := s.servedTo(c.out).catalog
	tool, err := registry.Resolve(c.seenName(now, c.name), now, c.name, s.audience(c.out))
	switch {
	case err == nil:
		return done(s.ask(ctx, c, tool))
	case pageName(c.name):
		refusal := err.Error()
		if seen := c.seenName(now, c.name); seen == nil || seen.Lookup(c.name) == nil {
			refusal = s.soon(refusal)
		}
		return done(sanitize.ErrorResult(refusal))
	}
	return reply{err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool: %v", err)}
}

// pageName says whether a name may be, or have been, that of a page's tool.
func pageName(name string) bool {
	return strings.HasPrefix(name, "webmcp_") || strings.HasPrefix(name, "website_tool_")
}

// callBare calls a tool of the client's focused tab.
func (s *Server) callBare(ctx context.Context, c toolCall) registry.Result {
	shown, _ := c.out.shown()
	tool, err := registry.ResolveBare(c.out.seenBare(c.name), shown, c.name)
	if err != nil {
		return sanitize.ErrorResult(err.Error())
	}
	return s.ask(ctx, c, tool)
}

func done(r registry.Result) reply { return reply{result: r.JSON} }

// seen is the catalog by which the client knows something that is a page's now,
// or nil. It may have read one page's tools after the whole list.
func (c toolCall) seen(page registry.PageID, knows func(*registry.Catalog) bool) *registry.Catalog {
	if c.out == nil {
		return nil
	}
	return c.out.seen(page, knows)
}

// seenName is seen for a hub name.
func (c toolCall) seenName(now *registry.Catalog, name string) *registry.Catalog {
	var page registry.PageID
	if t := now.Lookup(name); t != nil {
		page = t.Route.Page
	}
	return c.seen(page, func(seen *registry.Catalog) bool { return seen.Lookup(name) != nil })
}

// ask checks the arguments and asks the page.
func (s *Server) ask(ctx context.Context, c toolCall, tool *registry.HubTool) registry.Result {
	if tool.Routed != nil {
		return s.askRouted(ctx, c, tool)
	}
	c.record.about(tool, c.args, s.catalog())
	if kept := s.leases.refusal(s.catalog().Tab(tool.Route.Page), tool.Route.Page, c.out); kept != "" {
		return sanitize.ErrorResult(fmt.Sprintf("%s was not called: %s.", tool.Name, kept))
	}
	var doubts string
	args, wrong := objectArguments(c.args)
	if wrong == "" {
		args = tool.PageArguments(args)
		wrong, doubts = s.schemas.CheckForPage(tool.ArgumentSchema, args)
	}
	if wrong != "" {
		return sanitize.ErrorResult(wrong + " The page was not asked; correct the arguments and call " + tool.Name + " again.")
	}

	limit := s.viewOf(c.out).CallTimeout
	if c.limit > 0 && (limit <= 0 || c.limit < limit) {
		limit = c.limit
	}
	watch := startClock(limit, c.cancel)
	defer watch.stop()
	s.opening.calls(tool.Route.Page)
	call := Call{Tool: tool, Args: args, Meta: tool.MetaForPage(c.meta), Extensions: c.extensions}
	if c.out != nil {
		c.out.asking(c.request, tool.Route.Document(), tool.Route.Tool, watch)
		if c.progress != nil {
			c.progress.later("waiting for " + sanitize.Text(tool.Route.Tool, 128) + " on " + s.displayHost(tool))
			call.Progress = c.progress.forPage()
		}
	}
	result := registry.ResultFor(s.audience(c.out), s.caller.Call(ctx, call))
	var timeout TimeoutError
	switch {
	case len(result.JSON) > 0:
	case errors.As(context.Cause(ctx), &timeout):
		result = registry.EndedByTimeout(tool.Route.Tool, timeout.Error())
	default:
		result = registry.NotThere(tool.Route.Tool, "its page gave no result")
	}
	c.record.answered(result)
	if doubts != "" {
		result = sanitize.WithNotice(result, "the page was asked although the arguments don't match its schema:"+doubts)
	}
	return s.passOn(ctx, tool, result)
}

// passOn makes a page's result one that every client takes, and says where it
// comes from.
func (s *Server) passOn(ctx context.Context, tool *registry.HubTool, r registry.Result) registry.Result {
	meta := tool.ResultMeta(r)
	r = tool.CleanResult(r)
	r = sanitize.LimitResult(images.Fit(ctx, r), s.options.MaxResult, tool.Structured)
	return sanitize.WithMeta(r, meta)
}

// objectArguments gives {} for no arguments, and says what is wrong with those
// that are no object.
func objectArguments(args json.RawMessage) (object json.RawMessage, wrong string) {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || string(args) == "null" {
		return json.RawMessage("{}"), ""
	}
	if args[0] != '{' {
		return nil, "The arguments must be a JSON object, not " + jsonType(args) + "."
	}
	if sanitize.WildNumber(args) {
		return nil, "The arguments have a number that is out of range."
	}
	return args, ""
}

func jsonType(raw json.RawMessage) string {
	switch raw[0] {
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	}
	return "a number"
}

// displayHost names the tool's page as people write it.
func (s *Server) displayHost(t *registry.HubTool) string {
	if tab := s.catalog().Tab(t.Route.Page); tab != nil {
		return names.DisplayHost(tab.URL)
	}
	return "its page"
}

// cut shortens foreign text for use in a message.
func cut(s string, max int) string { return sanitize.Text(s, max) }

// sentence begins with a capital letter, unless with a tool's name, and ends
// with a full stop.
func sentence(s string) string {
	if first, _, _ := strings.Cut(s, " "); s != "" && !strings.Contains(first, "_") {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return strings.TrimRight(s, ".") + "."
}
