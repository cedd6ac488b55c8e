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

// Start makes the page run a tool.
func (p *Link) Start(c *tab.Call) (why string) {
	f, why := p.target(c.Route)
	if why == "" {
		why = c.ToolMismatch(f.tools.Get(c.Route.Tool))
	}
	if why != "" {
		return why
	}
	p.lastID++
	c.State.Invocation = callID(p.tab, p.Doc.Gen, p.lastID)
	p.Calls[c], p.byID[c.State.Invocation] = true, c
	args := c.Args
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	p.conn.Send(extlink.CallTool{
		CallID:    c.State.Invocation,
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

// callID returns a call's id. The id contains the tab, so that the answer can be routed, and no other call ever has
// it.
func callID(tab extlink.TabID, gen registry.Gen, n int) string {
	return fmt.Sprintf("%d.%d.%d", tab, gen, n)
}

// CalledTab returns the tab that a call's id contains, or 0 if callID isn't a call's id.
func CalledTab(callID string) extlink.TabID {
	number, _, _ := strings.Cut(callID, ".")
	n, _ := strconv.ParseInt(number, 10, 64)
	return extlink.TabID(n)
}

// target returns the frame to which a route leads, or the reason why the route leads nowhere any more.
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

// Address returns the current address of a route's document.
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

// answered handles the result of a call. It ignores results of calls that have already ended.
func (p *Link) answered(m extlink.ToolResult) {
	c := p.byID[m.CallID]
	switch {
	case c == nil:
		if unsaid, ok := p.logLimit.Allow(); ok {
			p.Log.Debug("a result that nobody waits for", "call", m.CallID, "unsaid", unsaid)
		}
	case m.NotBegun:
		p.Finish(c, registry.NotThere(c.Route.Tool, "its tab was closed"))
	case m.Leaves && !m.Failed:
		c.State.Outlives = true
	case c.State.DocumentGone:
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

// sibling returns the hub's id of another tab of the page's browser; see [connection.pageID].
func (p *Link) sibling(id extlink.TabID) registry.PageID {
	browser := strings.TrimSuffix(string(p.ID), strconv.FormatInt(int64(p.tab), 10))
	return registry.PageID(browser + strconv.FormatInt(int64(id), 10))
}

// documentGone handles a new document of the page while a call runs. The tool may have caused that. The tool's result
// from the new document comes later; see ledTo.
func (p *Link) documentGone(c *tab.Call) {
	if !c.State.Outlives || c.State.DocumentGone {
		p.Finish(c, registry.EndedByNavigation(c.Route.Tool, p.Doc.URL))
		return
	}
	c.State.DocumentGone = true
	p.After(tab.MaxLoadWait, leadOverdue{p.Doc.Gen})
}

// ledTo returns the result of a tool that led its page to the present document: the data that the document declares,
// if it has the same origin. Package cdp does the same in afterNavigation.
func (p *Link) ledTo(c *tab.Call, m extlink.ToolResult) registry.Result {
	switch result := string(m.Result); {
	case m.Failed:
		return registry.EndedByNavigation(c.Route.Tool, p.Doc.URL)
	case result == "[]" || result == "null" || result == "":
		return tab.Navigated(p.Doc.URL)
	}
	return sanitize.NativeResult(m.Result)
}

// lead ends the calls that still wait for the present document's data, unless that document is newer than m.gen.
func (p *Link) lead(m leadOverdue) {
	for c := range p.Calls {
		if c.State.DocumentGone && p.Doc.Gen <= m.gen {
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

// Cancel ends a call that its caller has given up. It tells the page, so that the tool's AbortSignal fires.
func (p *Link) Cancel(c *tab.Call) {
	p.abort(c)
	p.Finish(c, registry.EndedByCancel(c.Route.Tool))
}

func (p *Link) abort(c *tab.Call) { p.conn.Send(extlink.CancelTool{CallID: c.State.Invocation}) }

// CallEnded removes a tool that the link kept only for the results of its calls.
func (p *Link) CallEnded(c *tab.Call) {
	delete(p.byID, c.State.Invocation)
	id, _ := strconv.ParseInt(string(c.Route.Frame), 10, 64)
	if f := p.frames[id]; f != nil && !p.Running(f.frameID(), f.gen, c.Route.Tool) && f.tools.CallEnded(c.Route.Tool) {
		p.ReportTools()
	}
}
