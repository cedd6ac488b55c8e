package cdp

import (
	"encoding/json"
	"errors"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry"

	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// Start makes the page run a tool.
func (p *Link) Start(c *tab.Call) (why string) {
	f, why := p.target(c.Route)
	if why == "" {
		why = c.ToolMismatch(f.offered(c.Route))
	}
	if why != "" {
		return why
	}
	p.Calls[c] = true
	if dialog := p.behindDialog(f); dialog != "" {
		p.Finish(c, registry.BehindDialog(c.Route.Tool, dialog))
		return ""
	}
	if c.Route.Runtime != offer.Native {
		f.servers.Of(c.Route.Runtime).Start(c)
		return ""
	}
	if !cdpclient.Invocable(c.Args) {
		p.execute(f, c)
		return ""
	}
	p.early.unnamed(f.session)
	p.conn.Post(f.session, cdpclient.WebMCPInvokeTool, cdpclient.InvokeToolParams{
		FrameID:  string(f.id),
		ToolName: c.Route.Tool,
		Input:    c.Args,
	}, invokeReply{c})
	return ""
}

// target returns the frame to which a route leads, or a reason why the route leads nowhere any more.
func (p *Link) target(r offer.Route) (f *frame, why string) {
	f = p.frames[r.Frame]
	switch {
	case f == nil:
		return nil, tab.FrameGone
	case f.doc != r.Doc && f == p.main && p.BetweenDocuments():
		return nil, "its page has just navigated"
	case f.doc != r.Doc && f == p.main:
		return nil, p.NavigatedSince()
	case f.doc != r.Doc:
		return nil, tab.FrameNavigated
	case r.Tool != "" && f.offered(r) == nil:
		return nil, tab.ToolGone
	}
	return f, ""
}

// offered returns the frame's tool to which a route leads, or nil.
func (f *frame) offered(r offer.Route) *registry.PageTool {
	if r.Runtime == offer.Native {
		return f.native.get(r.Tool)
	}
	if s := f.servers.Of(r.Runtime); s != nil {
		return s.Get(r.Tool)
	}
	return nil
}

// CallEnded removes what the link knows of a call.
func (p *Link) CallEnded(c *tab.Call) {
	if c.State.Invocation != "" {
		delete(p.byInvocation, c.State.Invocation)
	}
	p.dropLingering(c.Route.Frame, c.Route.Tool)
}

// dropLingering removes a tool that was kept only for the results of its calls.
func (p *Link) dropLingering(id registry.FrameID, tool string) {
	f := p.frames[id]
	if f == nil || p.Running(f.id, f.doc, tool) {
		return
	}
	if f.lingering[tool] {
		p.removeNative(f, tool)
	}
	for _, s := range f.servers.All() {
		s.CallEnded(tool)
	}
}

// Cancel is called when the caller has stopped waiting. It tells the page, so that the tool's AbortSignal fires.
func (p *Link) Cancel(c *tab.Call) {
	if c.State.Executed && c.State.Invocation == "" {
		p.giveUpUnnamed(c)
		return
	}
	if c.Route.Runtime == offer.Native && c.State.Invocation == "" {
		c.State.Cancelled = true // invoked tells the page once the invocation's id is known
		return
	}
	p.abort(c)
	p.watch(c)
	p.Finish(c, registry.EndedByCancel(c.Route.Tool))
}

func (p *Link) abort(c *tab.Call) {
	f := p.frames[c.Route.Frame]
	if f == nil || c.State.Invocation == "" {
		return
	}
	p.aborting[c.State.Invocation] = f.session
	c.State.StopUnconfirmed = true
	p.conn.Post(f.session, cdpclient.WebMCPCancelInvocation,
		cdpclient.CancelInvocationParams{InvocationID: c.State.Invocation}, abortReply{c})
}

// abortReply tags the reply to WebMCP.cancelInvocation, or to the command that is sent in its place.
type abortReply struct{ call *tab.Call }

// invokeReply tags the reply to WebMCP.invokeTool.
type invokeReply struct{ call *tab.Call }

// invoked handles the reply to WebMCP.invokeTool. Chrome sends it before the call's events, but a relay between Chrome
// and the hub may change the order: see early.go.
func (p *Link) invoked(c *tab.Call, r cdpclient.Reply) {
	p.early.named(r.Session)
	defer p.early.tidy(r.Session)
	if !p.Calls[c] {
		return // the call has ended meanwhile, for example by a navigation
	}
	if r.Err != nil {
		p.Finish(c, p.notStarted(c, r.Session, r.Err))
		return
	}
	var reply cdpclient.InvokeToolResult
	if err := json.Unmarshal(r.Result, &reply); err != nil {
		p.Finish(c, registry.NotThere(c.Route.Tool, "Chrome's answer could not be read"))
		return
	}
	c.State.Invocation = reply.InvocationID
	if c.State.Cancelled {
		p.abort(c)
		p.watch(c)
		p.Finish(c, registry.EndedByCancel(c.Route.Tool))
		return
	}
	p.byInvocation[c.State.Invocation] = c
	if early, came := p.early.find(r.Session, c.State.Invocation); came {
		p.responded(c, early)
	}
}

// notStarted returns the result of a call whose invocation Chrome did not start.
func (p *Link) notStarted(c *tab.Call, session cdpclient.SessionID, err error) registry.Result {
	var refusal *cdpclient.Error
	switch {
	case p.Ending() != nil: // the tab's end is the reason
		return p.Ending()(c.Route.Tool)
	case errors.Is(err, cdpclient.ErrSessionGone): // an iframe's session; for the page's own, [Link.ended] came first
		return registry.EndedByFrame(c.Route.Tool)
	case errors.As(err, &refusal):
		return registry.NotThere(c.Route.Tool, "Chrome says: "+refusal.Message)
	}
	return registry.EndedByLoss(c.Route.Tool)
}

func sessionIsGone(err error) bool {
	return errors.Is(err, cdpclient.ErrSessionGone) || errors.Is(err, cdpclient.ErrConnClosed)
}

// toolResponded handles the answer to an invocation. Chrome also broadcasts answers to other clients' invocations,
// and can answer an invocation that navigated a second time. Such answers match no call here.
func (p *Link) toolResponded(s cdpclient.SessionID, e cdpclient.ToolResponded) {
	if e.Exception != nil && e.Exception.ObjectID != "" {
		p.conn.Post(s, "Runtime.releaseObject", map[string]string{"objectId": e.Exception.ObjectID}, nil)
	}
	if c := p.byInvocation[e.InvocationID]; c != nil {
		p.responded(c, e)
		return
	}
	p.early.keep(s, e)
}

// responded ends a call with its tool's answer.
func (p *Link) responded(c *tab.Call, e cdpclient.ToolResponded) {
	tool := c.Route.Tool
	switch {
	case c.State.DocumentGone:
		p.Finish(c, p.afterNavigation(tool, e))
	case e.Status == "Completed":
		p.Finish(c, sanitize.NativeResult(e.Output))
	case e.Status == "Canceled":
		text := e.ErrorText
		if text == "" {
			text = "The page cancelled the call."
		}
		p.Finish(c, registry.PageFailure(tool, text))
	case e.Exception == nil && e.ErrorText == "Tool not found: "+tool: // the tool was removed meanwhile
		p.Finish(c, registry.NotThere(tool, tab.ToolGone))
	default:
		p.Finish(c, registry.PageFailure(tool, e.PageError()))
	}
}
