package actors

import (
	"encoding/json"
	"errors"

	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// call is one call in flight. Its fields belong to the page actor, but for
// the channel.
type call struct {
	route    registry.Route
	args     json.RawMessage
	progress func(json.RawMessage)
	extras   CallExtras
	answer   chan registry.Result // buffered; takes one result

	answered   bool
	cancelled  bool
	invocation string // the native invocation's id, once known
	cancel     func() // ends the request to a page server
	// outlives says that the tool's result may still come although its document
	// ends: a navigation of the page began while the tool ran, so the tool may
	// be its cause.
	outlives bool
	// unheard says that the page has yet to answer that it was told to stop.
	unheard bool
	// executed says that the page's own API runs it, see page_execute.go.
	executed bool
	// departed says that the tool's document is gone and its result awaited.
	departed bool
}

// reply answers the call. Only the first answer counts: a tool that navigates
// can be answered twice by the browser.
func (c *call) reply(r registry.Result) {
	if !c.answered {
		c.answered = true
		c.answer <- r
	}
}

func (p *pageActor) startCall(c *call) {
	if p.leaving != nil {
		c.reply(p.leaving.ended(c.route.Tool))
		return
	}
	f, why := p.target(c.route)
	if why != "" {
		c.reply(registry.NotThere(c.route.Tool, why))
		return
	}
	if dialog := p.behindDialog(f); dialog != "" {
		c.reply(registry.BehindDialog(c.route.Tool, dialog))
		return
	}
	p.calls[c] = true
	if c.route.Runtime != registry.Native {
		p.callServer(f.serverOf(c.route.Runtime), c)
		return
	}
	if !cdpclient.Invocable(c.args) {
		p.execute(f, c)
		return
	}
	p.early.unnamed(f.session)
	p.conn.Post(f.session, cdpclient.WebMCPInvokeTool, cdpclient.InvokeToolParams{
		FrameID:  string(f.id),
		ToolName: c.route.Tool,
		Input:    c.args,
	}, invokeReply{c})
}

// target finds the frame that a route leads to, or says why it leads nowhere
// any more.
func (p *pageActor) target(r registry.Route) (f *frame, why string) {
	f = p.frames[r.Frame]
	switch {
	case p.parting:
		return nil, registry.PageNotConnected
	case p.state != "":
		return nil, "its page " + p.state
	case f == nil:
		return nil, "its frame is gone"
	case f.doc != r.Doc && f == p.main && p.unsettled:
		return nil, "its page has just navigated"
	case f.doc != r.Doc && f == p.main:
		return nil, "its page has navigated to " + p.url + " since"
	case f.doc != r.Doc:
		return nil, "its frame has navigated since"
	case r.Tool != "" && !f.offers(r):
		return nil, "its page no longer offers it"
	}
	return f, ""
}

// offers says whether the frame has the tool that a route leads to.
func (f *frame) offers(r registry.Route) bool {
	if r.Runtime == registry.Native {
		return f.native.get(r.Tool) != nil
	}
	s := f.serverOf(r.Runtime)
	return s != nil && s.tools[r.Tool] != nil
}

// running says whether a call of the tool is in flight.
func (p *pageActor) running(f *frame, tool string) bool {
	for c := range p.calls {
		if c.route.Frame == f.id && c.route.Doc == f.doc && c.route.Tool == tool {
			return true
		}
	}
	return false
}

// callEnded forgets what is known of a call besides.
func (p *pageActor) callEnded(c *call) {
	if c.invocation != "" {
		delete(p.byInvocation, c.invocation)
	}
	p.dropLingering(c.route.Frame, c.route.Tool)
}

// dropLingering takes away a tool that was kept only for its calls' results.
func (p *pageActor) dropLingering(id registry.FrameID, tool string) {
	f := p.frames[id]
	if f == nil || p.running(f, tool) {
		return
	}
	if f.lingering[tool] {
		p.removeNative(f, tool)
	}
	for _, s := range f.servers() {
		if s.lingering[tool] {
			delete(s.lingering, tool)
			s.forget(tool)
			p.changed()
		}
	}
}

// cancelCall: the caller has stopped waiting. The page is told, so that its
// AbortSignal fires.
func (p *pageActor) cancelCall(c *call) {
	if !p.calls[c] {
		return
	}
	if c.executed && c.invocation == "" {
		p.giveUpUnnamed(c)
		return
	}
	if c.route.Runtime == registry.Native && c.invocation == "" {
		c.cancelled = true // told as soon as the invocation's id is known
		return
	}
	p.abort(c)
	p.watch(c)
	p.finish(c, registry.EndedByCancel(c.route.Tool))
}

func (p *pageActor) abort(c *call) {
	f := p.frames[c.route.Frame]
	if f == nil || c.invocation == "" {
		return
	}
	p.aborting[c.invocation] = f.session
	c.unheard = true
	p.conn.Post(f.session, cdpclient.WebMCPCancelInvocation, cdpclient.CancelInvocationParams{InvocationID: c.invocation}, abortReply{c})
}

// abortReply tags the reply to WebMCP.cancelInvocation, or to what stands for it.
type abortReply struct{ call *call }

// invokeReply tags the reply to WebMCP.invokeTool.
type invokeReply struct{ call *call }

// invoked handles that reply. Chrome sends it before the call's events, but not
// every relay between it and the hub keeps that order: see page_early.go.
func (p *pageActor) invoked(c *call, r cdpclient.Reply) {
	p.early.named(r.Session)
	defer p.early.tidy(r.Session)
	if !p.calls[c] {
		return // ended meanwhile, by navigation say
	}
	if r.Err != nil {
		p.finish(c, p.refused(c, r.Session, r.Err))
		return
	}
	var reply cdpclient.InvokeToolResult
	if err := json.Unmarshal(r.Result, &reply); err != nil {
		p.finish(c, registry.NotThere(c.route.Tool, "Chrome's answer could not be read"))
		return
	}
	c.invocation = reply.InvocationID
	if c.cancelled {
		p.abort(c)
		p.watch(c)
		p.finish(c, registry.EndedByCancel(c.route.Tool))
		return
	}
	p.byInvocation[c.invocation] = c
	if early, came := p.early.find(r.Session, c.invocation); came {
		p.responded(c, early)
	}
}

// refused explains why Chrome did not start an invocation.
func (p *pageActor) refused(c *call, session cdpclient.SessionID, err error) registry.Result {
	var refusal *cdpclient.Error
	switch {
	case p.leaving != nil: // which is why
		return p.leaving.ended(c.route.Tool)
	case errors.Is(err, cdpclient.ErrSessionGone) && session == p.session:
		return registry.EndedByClose(c.route.Tool)
	case errors.Is(err, cdpclient.ErrSessionGone):
		return registry.EndedByFrame(c.route.Tool)
	case errors.As(err, &refusal):
		return registry.NotThere(c.route.Tool, "Chrome says: "+refusal.Message)
	}
	return registry.EndedByLoss(c.route.Tool)
}

func sessionIsGone(err error) bool {
	return errors.Is(err, cdpclient.ErrSessionGone) || errors.Is(err, cdpclient.ErrConnClosed)
}

// toolResponded ends an invocation. Other clients' invocations are broadcast
// too, and one that navigated may be answered a second time: both are unknown here.
func (p *pageActor) toolResponded(s cdpclient.SessionID, e cdpclient.ToolResponded) {
	if e.Exception != nil && e.Exception.ObjectID != "" {
		p.conn.Post(s, "Runtime.releaseObject", map[string]string{"objectId": e.Exception.ObjectID}, nil)
	}
	if c := p.byInvocation[e.InvocationID]; c != nil {
		p.responded(c, e)
		return
	}
	p.early.keep(s, e)
}

// responded ends a call with what its tool gave.
func (p *pageActor) responded(c *call, e cdpclient.ToolResponded) {
	tool := c.route.Tool
	switch {
	case c.departed:
		p.finish(c, p.afterNavigation(tool, e))
	case e.Status == "Completed":
		p.finish(c, sanitize.NativeResult(e.Output))
	case e.Status == "Canceled":
		text := e.ErrorText
		if text == "" {
			text = "The page cancelled the call."
		}
		p.finish(c, registry.PageFailure(tool, text))
	case e.Exception == nil && e.ErrorText == "Tool not found: "+tool: // taken away as the call was on its way
		p.finish(c, registry.NotThere(tool, "its page no longer offers it"))
	default:
		p.finish(c, registry.PageFailure(tool, e.PageError()))
	}
}
