package extbrowser

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"webmcphub/actors/tab"
	"webmcphub/extlink"
	"webmcphub/registry"

	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// Start has the page run a tool.
func (p *Link) Start(c *tab.Call) (why string) {
	f, why := p.target(c.Route)
	if why == "" {
		why = c.Meant(f.tools.Get(c.Route.Tool))
	}
	if why != "" {
		return why
	}
	p.lastID++
	c.Flight.Invocation = callID(p.tab, p.Doc.Gen, p.lastID)
	p.Calls[c], p.byID[c.Flight.Invocation] = true, c
	args := c.Args
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	p.conn.Send(extlink.CallTool{
		CallID:    c.Flight.Invocation,
		TabID:     p.tab,
		ToolName:  c.Route.Tool,
		Args:      args,
		FrameID:   f.id,
		Doc:       f.doc,
		TimeoutMs: p.Env().CallTimeout.Milliseconds(),

		Meta:       metaOf(c),
		Extensions: c.Extensions,
	})
	return ""
}

// callID names the tab, so that the answer finds its way, and is never used
// again for another call.
func callID(tab extlink.TabID, gen registry.Gen, n int) string {
	return fmt.Sprintf("%d.%d.%d", tab, gen, n)
}

// CalledTab is the tab that a call's id names, 0 if it isn't one.
func CalledTab(callID string) extlink.TabID {
	number, _, _ := strings.Cut(callID, ".")
	n, _ := strconv.ParseInt(number, 10, 64)
	return extlink.TabID(n)
}

// target finds the frame that a route leads to, or says why it leads nowhere
// any more.
func (p *Link) target(r offer.Route) (f *frame, why string) {
	id, err := strconv.ParseInt(string(r.Frame), 10, 64)
	f = p.frames[id]
	switch {
	case err != nil, f == nil && r.Doc >= p.Doc.Gen:
		return nil, tab.FrameGone
	case r.Doc < p.Doc.Gen:
		return nil, p.NavigatedSince()
	case f.gen != r.Doc:
		return nil, tab.FrameNavigated
	case f.tools.Get(r.Tool) == nil:
		return nil, tab.ToolGone
	}
	return f, ""
}

// Address is where a route's document is now.
func (p *Link) Address(r offer.Route) string {
	id, err := strconv.ParseInt(string(r.Frame), 10, 64)
	f := p.frames[id]
	switch {
	case err != nil, f == nil, f.gen != r.Doc:
		return ""
	case f.id == 0:
		return p.Doc.URL
	}
	return f.url
}

// answered ends a call. Results of calls that have ended otherwise come to
// nothing.
func (p *Link) answered(m extlink.ToolResult) {
	c := p.byID[m.CallID]
	switch {
	case c == nil:
		if unsaid, ok := p.noise.Allow(); ok {
			p.Log.Debug("a result that nobody waits for", "call", m.CallID, "unsaid", unsaid)
		}
	case m.NotBegun:
		p.Finish(c, registry.NotThere(c.Route.Tool, "its tab was closed"))
	case m.Leaves && !m.Failed:
		c.Flight.Outlives = true
	case c.Flight.DocumentGone:
		p.Finish(c, p.ledTo(c, m))
	case m.Failed:
		p.Finish(c, sanitize.WithPageMeta(registry.PageFailure(c.Route.Tool, sanitize.Text(m.Error, 4096)), m.Meta))
	default:
		r := sanitize.WithPageMeta(sanitize.NativeResult(m.Result), m.Meta)
		if m.OpenedTab > 0 {
			r.Opened = string(p.sibling(m.OpenedTab))
		}
		p.Finish(c, r)
	}
}

// sibling is the hub's name for another tab of the page's browser, see
// extBrowsersActor.pageID.
func (p *Link) sibling(id extlink.TabID) registry.PageID {
	browser := strings.TrimSuffix(string(p.ID), strconv.FormatInt(int64(p.tab), 10))
	return registry.PageID(browser + strconv.FormatInt(int64(id), 10))
}

// documentGone is called when the page has got a new document, under a call or
// brought about by its tool. What that document gives as the tool's result
// comes later, see ledTo.
func (p *Link) documentGone(c *tab.Call) {
	if !c.Flight.Outlives || c.Flight.DocumentGone {
		p.Finish(c, registry.EndedByNavigation(c.Route.Tool, p.Doc.URL))
		return
	}
	c.Flight.DocumentGone = true
	p.After(tab.MaxLoadWait, leadOverdue{p.Doc.Gen})
}

// ledTo is the result of a tool that made its page go on to its present
// document, as over the port (see afterNavigation): what that declares as its
// data, if it is of the same origin.
func (p *Link) ledTo(c *tab.Call, m extlink.ToolResult) registry.Result {
	switch result := string(m.Result); {
	case m.Failed:
		return registry.EndedByNavigation(c.Route.Tool, p.Doc.URL)
	case result == "[]" || result == "null" || result == "":
		return tab.Navigated(p.Doc.URL)
	}
	return sanitize.NativeResult(m.Result)
}

// lead ends the calls whose pages went on at or before gen to a document
// that never came to be read.
func (p *Link) lead(m leadOverdue) {
	for c := range p.Calls {
		if c.Flight.DocumentGone && p.Doc.Gen <= m.gen {
			p.abort(c)
			p.Finish(c, registry.EndedByNavigation(c.Route.Tool, p.Doc.URL))
		}
	}
}

func (p *Link) progressed(m extlink.ToolProgress) {
	if c := p.byID[m.CallID]; c != nil && c.Progress != nil {
		c.Progress(m.Params)
	}
}

// Cancel: the caller has stopped waiting. The page is told, so that its
// AbortSignal fires.
func (p *Link) Cancel(c *tab.Call) {
	p.abort(c)
	p.Finish(c, registry.EndedByCancel(c.Route.Tool))
}

func (p *Link) abort(c *tab.Call) { p.conn.Send(extlink.CancelTool{CallID: c.Flight.Invocation}) }

// CallEnded takes away a tool that was kept only for its calls' results.
func (p *Link) CallEnded(c *tab.Call) {
	delete(p.byID, c.Flight.Invocation)
	id, _ := strconv.ParseInt(string(c.Route.Frame), 10, 64)
	if f := p.frames[id]; f != nil && !p.Running(f.frameID(), f.gen, c.Route.Tool) && f.tools.CallEnded(c.Route.Tool) {
		p.Changed()
	}
}
