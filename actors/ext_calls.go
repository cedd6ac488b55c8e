package actors

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"webmcphub/extlink"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

func (p *extPage) startCall(c *call) {
	f, why := p.target(c.route)
	if why != "" {
		c.reply(registry.NotThere(c.route.Tool, why))
		return
	}
	p.lastID++
	c.invocation = callID(p.tab, p.gen, p.lastID)
	p.calls[c], p.byID[c.invocation] = true, c
	args := c.args
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	p.browser.conn.Send(extlink.CallTool{
		CallID:    c.invocation,
		TabID:     p.tab,
		ToolName:  c.route.Tool,
		Args:      args,
		FrameID:   f.id,
		Doc:       f.doc,
		TimeoutMs: p.hub.options.CallTimeout.Milliseconds(),

		Meta:       metaOf(c),
		Extensions: c.extras.Extensions,
	})
}

// callID names the tab, so that the answer finds its way, and is never used
// again for another call.
func callID(tab extlink.TabID, gen registry.Gen, n int) string {
	return fmt.Sprintf("%d.%d.%d", tab, gen, n)
}

// calledTab is the tab that a call's id names, 0 if it isn't one.
func calledTab(callID string) extlink.TabID {
	number, _, _ := strings.Cut(callID, ".")
	n, _ := strconv.ParseInt(number, 10, 64)
	return extlink.TabID(n)
}

// target finds the frame that a route leads to, or says why it leads nowhere
// any more.
func (p *extPage) target(r registry.Route) (f *extFrame, why string) {
	id, err := strconv.ParseInt(string(r.Frame), 10, 64)
	f = p.frames[id]
	switch {
	case p.state != "":
		return nil, "its page " + p.state
	case err != nil, f == nil && r.Doc >= p.gen:
		return nil, "its frame is gone"
	case r.Doc < p.gen:
		return nil, "its page has navigated to " + p.url + " since"
	case f.gen != r.Doc:
		return nil, "its frame has navigated since"
	case f.tools[r.Tool] == nil:
		return nil, "its page no longer offers it"
	}
	return f, ""
}

func (p *extPage) address(r registry.Route) string {
	id, err := strconv.ParseInt(string(r.Frame), 10, 64)
	f := p.frames[id]
	switch {
	case err != nil, f == nil, f.gen != r.Doc:
		return ""
	case f.id == 0:
		return p.url
	}
	return f.url
}

// answered ends a call. Results of calls that have ended otherwise come to
// nothing.
func (p *extPage) answered(m extlink.ToolResult) {
	c := p.byID[m.CallID]
	switch {
	case c == nil:
		if unsaid, ok := p.noise.Allow(); ok {
			p.log.Debug("a result that nobody waits for", "call", m.CallID, "unsaid", unsaid)
		}
	case m.Leaves && !m.Failed:
		c.outlives = true
	case c.departed:
		p.finish(c, p.ledTo(c, m))
	case m.Failed:
		p.finish(c, sanitize.WithPageMeta(registry.PageFailure(c.route.Tool, sanitize.Text(m.Error, 4096)), m.Meta))
	default:
		p.finish(c, sanitize.WithPageMeta(sanitize.NativeResult(m.Result), m.Meta))
	}
}

// departed is called when the page has got a new document, under a call or
// brought about by its tool. What that document gives as the tool's result
// comes later, see ledTo.
func (p *extPage) departed(c *call) {
	if !c.outlives || c.departed {
		p.finish(c, registry.EndedByNavigation(c.route.Tool, p.url))
		return
	}
	c.departed = true
	root, self, gen := p.root, p.self, p.gen
	time.AfterFunc(maxDeparture, func() { root.Send(self, navigationOverdue{gen}) })
}

// ledTo is the result of a tool that made its page go on to its present
// document, as over the port (see afterNavigation): what that declares as its
// data, if it is of the same origin.
func (p *extPage) ledTo(c *call, m extlink.ToolResult) registry.Result {
	switch result := string(m.Result); {
	case m.Failed:
		return registry.EndedByNavigation(c.route.Tool, p.url)
	case result == "[]" || result == "null" || result == "":
		return navigatedResult(p.url)
	}
	return sanitize.NativeResult(m.Result)
}

// leadOverdue ends the calls whose pages went on at or before gen to a document
// that never came to be read.
func (p *extPage) leadOverdue(m navigationOverdue) {
	for c := range p.calls {
		if c.departed && p.gen <= m.gen {
			p.abort(c)
			p.finish(c, registry.EndedByNavigation(c.route.Tool, p.url))
		}
	}
}

func (p *extPage) progressed(m extlink.ToolProgress) {
	if c := p.byID[m.CallID]; c != nil && c.progress != nil {
		c.progress(m.Params)
	}
}

// cancelCall: the caller has stopped waiting. The page is told, so that its
// AbortSignal fires.
func (p *extPage) cancelCall(c *call) {
	if p.calls[c] {
		p.abort(c)
		p.finish(c, registry.EndedByCancel(c.route.Tool))
	}
}

func (p *extPage) abort(c *call) { p.browser.conn.Send(extlink.CancelTool{CallID: c.invocation}) }

// callEnded takes away a tool that was kept only for its calls' results.
func (p *extPage) callEnded(c *call) {
	delete(p.byID, c.invocation)
	id, _ := strconv.ParseInt(string(c.route.Frame), 10, 64)
	if f := p.frames[id]; f != nil && f.lingering[c.route.Tool] && !p.running(f, c.route.Tool) {
		delete(f.lingering, c.route.Tool)
		delete(f.tools, c.route.Tool)
		p.changed()
	}
}
