package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"webmcphub/internal/browsertool"
	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/arguments"
	"webmcphub/mcpserver/results"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// ToolCall is one tools/call request, from any transport.
type ToolCall struct {
	Name  string
	Args  json.RawMessage
	Token json.RawMessage // progressToken, or nil
	// Meta and Extensions are passed on to the page.
	Meta, Extensions json.RawMessage
	// Cancel ends the context in which the call runs.
	Cancel context.CancelCauseFunc

	Client   *view.Client
	Request  *wire.Request
	progress *wire.Progress // of the whole call; nil if the client wants no progress

	to     registry.VisibleTools // the tools that the answer's text may name; set by tools that take a page
	record *Record               // nil if nobody wants a record
	step   *step                 // nil unless the call is a step of a batch
	tab    *float64              // the tab id that the client gave with the tool's name; nil if none

	// For a call that began as a call of a site's tool:
	limit time.Duration // its time limit if it is shorter than the view's CallTimeout; 0 if it is not
	begun bool          // Trust has decided about one of its actions, so the next one doesn't count as another call
}

// stage returns the Stage of the call's next action.
func (c ToolCall) stage() browsertool.Stage {
	if c.begun {
		return browsertool.StageEnter
	}
	return browsertool.StageBegin
}

// Handle carries out a call. Everything that an agent could correct is a tool result with isError, because clients
// show those to the model. Only a name that can never have been one of the hub's tools is a protocol error, as MCP
// requires.
func (s *Handler) Handle(ctx context.Context, c ToolCall) (answer wire.Reply) {
	if s.options.Called != nil || s.options.Watch != nil || s.options.Trace != nil {
		over := s.recorded(ctx, &c)
		defer func() { over(answer) }()
	}
	c.progress = wire.StartProgress(c.Token, c.Client.Conn, c.Request, "waiting for "+sanitize.Text(c.Name, 128))
	defer c.progress.Stop()
	if t, ok := c.ownTool(s, c.Name); ok {
		return t.run(ctx, c)
	}
	if c.Client.View.Settings().Mode == view.FocusedTab && !pageName(c.Name) {
		return done(s.callBare(ctx, c))
	}
	if pageName(c.Name) {
		c.awaitTool(ctx, s, func(now *registry.Catalog) bool { return now.Lookup(c.Name) != nil })
	}
	now := c.Client.View.Catalog(s.Current.Load()).Catalog
	tool, err := registry.Resolve(c.Client.View.KnowingName(now, c.Name), now, c.Name, s.VisibleToolsFor(c.Client))
	switch {
	case err == nil:
		return done(s.ask(ctx, c, tool))
	case pageName(c.Name):
		refusal := err.Error()
		if h := registry.WithheldNow(c.Client.View.KnowingName(now, c.Name), now, c.Name); h != nil {
			return done(s.acceptFirst(ctx, c, now, h))
		}
		if seen := c.Client.View.KnowingName(now, c.Name); seen == nil || seen.Lookup(c.Name) == nil {
			refusal = s.soon(refusal)
		}
		return done(sanitize.ErrorResult(refusal))
	}
	return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool: %v", err)}
}

// pageName reports whether name may be, or may have been, the name of a page's tool.
func pageName(name string) bool {
	return strings.HasPrefix(name, "webmcp_") || strings.HasPrefix(name, "website_tool_")
}

// callBare calls a tool of the client's focused tab by its bare name.
func (s *Handler) callBare(ctx context.Context, c ToolCall) registry.Result {
	shown, _ := c.Client.View.Shown()
	tool, err := focus.ResolveBare(c.Client.View.KnowingBare(c.Name), shown, c.Name)
	if err != nil {
		return sanitize.ErrorResult(err.Error())
	}
	return s.ask(ctx, c, tool)
}

func done(r registry.Result) wire.Reply { return wire.Reply{Result: r.JSON} }

// ask checks the arguments and calls the tool in its page.
func (s *Handler) ask(ctx context.Context, c ToolCall, tool *registry.HubTool) registry.Result {
	if tool.SiteTool != nil {
		return s.askSiteTool(ctx, c, tool)
	}
	c.record.about(tool, c.Args, s.Current.Catalog())
	if wrong := c.step.begins(tool, s.Current.Catalog()); wrong != "" {
		return sanitize.ErrorResult(wrong)
	}
	if kept := s.Leases.Refusal(s.Current.Catalog().Tab(tool.Route.Page), tool.Route.Page, c.Client); kept != "" {
		return sanitize.ErrorResult(fmt.Sprintf("%s was not called: %s.", tool.Name, kept))
	}
	var doubts string
	args, wrong := arguments.Object(c.Args)
	if wrong == "" {
		args = tool.PageArguments(args)
		wrong, doubts = s.schemas.CheckForPage(tool.ArgumentSchema, args)
	}
	if wrong != "" {
		return sanitize.ErrorResult(wrong + " The page was not asked; correct the arguments and call " + tool.Name +
			" again.")
	}

	limit := c.Client.View.Settings().CallTimeout
	if c.limit > 0 && (limit <= 0 || c.limit < limit) {
		limit = c.limit
	}
	watch := wire.StartClock(limit, c.Cancel)
	defer watch.Stop()
	s.opening.calls(tool.Route.Page)
	call := Call{Tool: tool, Args: args, Meta: tool.MetaForPage(c.Meta), Extensions: c.Extensions}
	action, refused := s.judgeTool(ctx, c, call, watch)
	if refused != nil {
		return *refused
	}
	if trust := s.options.Trust; trust != nil {
		call.Exactly = tool.Source() // the catalog may lag behind the page
		trust.Sent(action)           // from now on the page can send progress or ask questions
	}
	c.Client.Conn.Asking(c.Request, tool.Route.Document(), tool.Route.Tool, watch)
	if c.progress != nil {
		c.progress.Later("waiting for " + sanitize.Text(tool.Route.Tool, 128) + " on " + s.displayHost(tool))
		call.Progress = s.Noting(action, c.progress.ForPage())
	}
	c.record.asks()
	result := registry.ResultFor(s.VisibleToolsFor(c.Client), s.caller.Call(ctx, call))
	var timeout wire.TimeoutError
	switch {
	case len(result.JSON) > 0:
	case errors.As(context.Cause(ctx), &timeout):
		result = registry.EndedByTimeout(tool.Route.Tool, timeout.Error())
	default:
		result = registry.NotThere(tool.Route.Tool, "its page gave no result")
	}
	c.record.answered(result)
	s.used(c, tool)
	result = s.passOn(ctx, tool, result)
	if c.step != nil {
		c.step.own = result.JSON
	}
	return s.worded(c, action, tool, s.noticed(result, doubts))
}

// used notes that the client has used the tool. The note is deleted when the client's session ends.
func (s *Handler) used(c ToolCall, tool *registry.HubTool) {
	if !c.Client.Conn.Over() {
		s.Finder.Used(c.Client.Session(), tool)
	}
}

// noticed adds the hub's notices to a page's result.
func (s *Handler) noticed(result registry.Result, doubts string) registry.Result {
	if doubts != "" {
		result = sanitize.WithNotice(result, "the page was asked although the arguments don't match its schema:"+doubts)
	}
	if opened := s.Current.Catalog().Tab(registry.PageID(result.Opened)); opened != nil {
		result = sanitize.WithNotice(result, fmt.Sprintf("opened in tab %d", opened.ID))
	}
	return result
}

// passOn turns a page's result into one that every client accepts, and adds its source.
func (s *Handler) passOn(ctx context.Context, tool *registry.HubTool, r registry.Result) registry.Result {
	meta := tool.ResultMeta(r)
	r = tool.CleanResult(r)
	if schema := outputSchema(tool); schema != nil {
		r = sanitize.Promised(r, func(structured json.RawMessage) (wrong string) {
			return s.schemas.Faults(schema,
				structured)
		})
	}
	r = sanitize.LimitResult(results.FitImages(ctx, r), s.options.MaxResult, tool.Structured)
	return sanitize.WithMeta(r, meta)
}

// displayHost returns the host of the tool's page as people write it.
func (s *Handler) displayHost(t *registry.HubTool) string {
	if tab := s.Current.Catalog().Tab(t.Route.Page); tab != nil {
		return names.DisplayHost(tab.URL)
	}
	return "its page"
}
