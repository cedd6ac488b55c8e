package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"

	"webmcphub/mcpserver/arguments"
	"webmcphub/mcpserver/results"
	"webmcphub/mcpserver/view"
	"webmcphub/registry/focus"

	"webmcphub/mcpserver/wire"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// ToolCall is one tools/call, from whichever transport.
type ToolCall struct {
	Name  string
	Args  json.RawMessage
	Token json.RawMessage // progressToken, or nil
	// Meta and Extensions are for the page.
	Meta, Extensions json.RawMessage
	// Cancel ends the context that the call runs in.
	Cancel context.CancelCauseFunc

	Client   *view.Client
	Request  *wire.Request
	Rounds   *Rounds        // of protocol 2026-07-28; nil before
	progress *wire.Progress // of the whole call; nil if the client wants none

	to     registry.Audience // of the answer's text; set by tools that are told a page
	site   ofSite
	record *Record  // nil if nobody asks for it
	step   *step    // nil unless it is one of a batch
	tab    *float64 // that the client names beside the tool; nil for none
}

// ofSite is what is besides known of a call that began as one of a site's tool.
type ofSite struct {
	limit time.Duration // of the call, if shorter than the view's CallTimeout; 0 for that
	begun bool          // an action of it was judged: another is none of a further call
}

// stage is that of the call's next action.
func (c ToolCall) stage() Stage {
	if c.site.begun {
		return Enters
	}
	return Begins
}

// Handle carries out a call. Everything that an agent could mend is a tool
// result with isError, because clients show those to the model. Only a name
// that can't ever have been a tool of ours is a protocol error, as MCP has it.
func (s *Handler) Handle(ctx context.Context, c ToolCall) (answer wire.Reply) {
	if s.options.Called != nil || s.options.Watch != nil || s.options.Trace != nil {
		over := s.recorded(ctx, &c)
		defer func() { over(answer) }()
	}
	c.progress = wire.StartProgress(c.Token, c.Client.Conn, c.Request, "waiting for "+sanitize.Text(c.Name, 128))
	defer c.progress.Stop()
	if t, ok := s.own.byName[c.Name]; ok {
		return t.run(ctx, c)
	}
	if c.Client.Lens.View().Mode == view.FocusedTab && !pageName(c.Name) {
		return done(s.callBare(ctx, c))
	}
	if pageName(c.Name) {
		c.awaitTool(ctx, s, func(now *registry.Catalog) bool { return now.Lookup(c.Name) != nil })
	}
	now := c.Client.Lens.Catalog(s.Current.Load()).Catalog
	tool, err := registry.Resolve(c.Client.Lens.KnowingName(now, c.Name), now, c.Name, s.Audience(c.Client))
	switch {
	case err == nil:
		return done(s.ask(ctx, c, tool))
	case pageName(c.Name):
		refusal := err.Error()
		if h := registry.WithheldNow(c.Client.Lens.KnowingName(now, c.Name), now, c.Name); h != nil {
			return done(s.acceptFirst(ctx, c, now, h))
		}
		if seen := c.Client.Lens.KnowingName(now, c.Name); seen == nil || seen.Lookup(c.Name) == nil {
			refusal = s.soon(refusal)
		}
		return done(sanitize.ErrorResult(refusal))
	}
	return wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool: %v", err)}
}

// pageName says whether a name may be, or have been, that of a page's tool.
func pageName(name string) bool {
	return strings.HasPrefix(name, "webmcp_") || strings.HasPrefix(name, "website_tool_")
}

// callBare calls a tool of the client's focused tab.
func (s *Handler) callBare(ctx context.Context, c ToolCall) registry.Result {
	shown, _ := c.Client.Lens.Shown()
	tool, err := focus.ResolveBare(c.Client.Lens.KnowingBare(c.Name), shown, c.Name)
	if err != nil {
		return sanitize.ErrorResult(err.Error())
	}
	return s.ask(ctx, c, tool)
}

func done(r registry.Result) wire.Reply { return wire.Reply{Result: r.JSON, Asks: r.Ending == Asks} }

// ask checks the arguments and asks the page.
func (s *Handler) ask(ctx context.Context, c ToolCall, tool *registry.HubTool) registry.Result {
	if tool.Routed != nil {
		return s.askRouted(ctx, c, tool)
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

	limit := c.Client.Lens.View().CallTimeout
	if c.site.limit > 0 && (limit <= 0 || c.site.limit < limit) {
		limit = c.site.limit
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
		trust.Sent(action)           // from now on the page can say something: progress, a question
	}
	c.Client.Conn.Asking(c.Request, tool.Route.Document(), tool.Route.Tool, watch)
	if c.progress != nil {
		c.progress.Later("waiting for " + sanitize.Text(tool.Route.Tool, 128) + " on " + s.displayHost(tool))
		call.Progress = c.progress.ForPage()
	}
	c.record.asks()
	result := registry.ResultFor(s.Audience(c.Client), s.caller.Call(ctx, call))
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

// used notes that a client has used a tool. What is noted goes when its session ends.
func (s *Handler) used(c ToolCall, tool *registry.HubTool) {
	if !c.Client.Conn.Over() {
		s.Finder.Used(c.Client.Session(), tool)
	}
}

// noticed adds what the hub has to say of a page's result.
func (s *Handler) noticed(result registry.Result, doubts string) registry.Result {
	if doubts != "" {
		result = sanitize.WithNotice(result, "the page was asked although the arguments don't match its schema:"+doubts)
	}
	if opened := s.Current.Catalog().Tab(registry.PageID(result.Opened)); opened != nil {
		result = sanitize.WithNotice(result, fmt.Sprintf("opened in tab %d", opened.ID))
	}
	return result
}

// passOn makes a page's result one that every client takes, and says where it
// comes from.
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

// displayHost names the tool's page as people write it.
func (s *Handler) displayHost(t *registry.HubTool) string {
	if tab := s.Current.Catalog().Tab(t.Route.Page); tab != nil {
		return names.DisplayHost(tab.URL)
	}
	return "its page"
}
