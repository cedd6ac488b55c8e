package cdp

import (
	"encoding/json"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Tools by the CDP WebMCP domain. Chrome's events report every change, so the hub needn't read lists, except for
// iframes that existed before the hub came.

func (p *Link) toolsAdded(s cdpclient.SessionID, e cdpclient.ToolsAdded) {
	for _, t := range e.Tools {
		if f := p.frameIn(s, registry.FrameID(t.FrameID)); f != nil {
			p.addNative(f, t, "")
			if t.InputSchema == nil {
				p.schemaless(f, t.Name)
			}
		}
	}
}

// addNative adds a tool. CDP has no titles, so a title is known only if the page's own API was asked. If title is "",
// a tool that is announced again keeps its title.
func (p *Link) addNative(f *frame, t cdpclient.Tool, title string) {
	tool := &registry.PageTool{
		Frame:       f.id,
		Doc:         f.doc,
		FrameURL:    f.url,
		Origin:      f.origin,
		Runtime:     offer.Native,
		Name:        t.Name,
		Title:       title,
		Description: t.Description,
		InputSchema: t.InputSchema,
		Script:      string(t.Script),
	}
	if a := t.Annotations; a != nil {
		tool.Annotations = offer.Annotations{ReadOnly: onlyIfTrue(a.ReadOnly), Consequential: onlyIfTrue(a.Consequential),
			Untrusted: onlyIfTrue(a.UntrustedContent)}
	}
	relisted := f.lingering[t.Name] // the old tool was removed meanwhile, so this is another tool of that name
	delete(f.lingering, t.Name)
	delete(f.scan.removed, t.Name)
	delete(f.forms, t.Name)
	if t.BackendNodeID != 0 {
		if f.forms == nil {
			f.forms = map[string]bool{}
		}
		f.forms[t.Name] = true
	}
	old := f.native.get(t.Name)
	if old != nil && title == "" && !relisted {
		tool.Title = old.Title
	}
	if old != nil && tool.Script == "" && !relisted { // the page's own API doesn't report the script
		tool.Script = old.Script
	}
	if old == nil || !old.Same(tool) {
		f.native.put(tool)
		p.ReportTools()
	}
}

// onlyIfTrue returns a hint of Chrome's only if it is true. If the page gave any hint, Chrome reports false for all
// that the page left out, so false says nothing.
func onlyIfTrue(hint *bool) *bool {
	if hint != nil && *hint {
		return hint
	}
	return nil
}

func (p *Link) toolsRemoved(s cdpclient.SessionID, e cdpclient.ToolsRemoved) {
	for _, t := range e.Tools {
		f := p.frames[registry.FrameID(t.FrameID)]
		if f == nil || f.session != s {
			continue
		}
		if f.scan.removed != nil {
			f.scan.removed[t.Name] = true
		}
		if f.native.get(t.Name) == nil {
			continue
		}
		// A tool that removes itself stays until its own result has come.
		if p.Running(f.id, f.doc, t.Name) {
			if f.lingering == nil {
				f.lingering = map[string]bool{}
			}
			f.lingering[t.Name] = true
			continue
		}
		p.removeNative(f, t.Name)
	}
}

func (p *Link) removeNative(f *frame, name string) {
	f.native.remove(name)
	delete(f.forms, name)
	delete(f.lingering, name)
	if own := f.servers.Own; own != nil {
		// A page server that mirrors its tools to the browser removes them here first. Its own list follows at the
		// next reading.
		own.Forget(name)
	}
	p.ReportTools()
}

// scan is the reading of one document's tools.
type scan struct {
	coalescer tab.Coalescer
	removed   map[string]bool // tools that were removed since the reading began; nil if none is under way
}

// scanReply tags the reply to a reading of a frame's tools by the page's own API.
type scanReply struct {
	frame *frame
	doc   registry.Gen
}

// scan reads the tools of an iframe that registered them before the session's WebMCP.enable, or that came back from
// the back-forward cache. Chrome announces such tools for the main frame only.
func (p *Link) scan(f *frame) {
	if f.world == nil || !f.scan.coalescer.Want() {
		return
	}
	f.scan.removed = map[string]bool{}
	p.askDocument(f, bridge.ListTools, scanReply{f, f.doc})
}

// askDocument calls a function in the bridge's world of a frame's document, where no script of the page can
// interfere. The reply has the value to which the function's promise resolves.
func (p *Link) askDocument(f *frame, function string, tag any, args ...any) {
	values := make([]cdpclient.CallArgument, len(args))
	for i, a := range args {
		values[i].Value = a
	}
	p.conn.Post(f.session, cdpclient.RuntimeCallFunctionOn, map[string]any{
		"functionDeclaration": function,
		"arguments":           values,
		"uniqueContextId":     f.world.unique,
		"awaitPromise":        true,
		"returnByValue":       true,
		"silent":              true,
	}, tag)
}

func (p *Link) scanned(tag scanReply, r cdpclient.Reply) {
	f := tag.frame
	if p.frames[f.id] != f || f.doc != tag.doc {
		return
	}
	removed := f.scan.removed
	f.scan.removed = nil
	if again := f.scan.coalescer.Done(); again {
		f.scan.coalescer.Reset()
		defer p.scan(f)
	}
	var reply struct {
		Result struct{ Value []scannedTool }
	}
	if r.Err != nil || json.Unmarshal(r.Result, &reply) != nil {
		return // the frame is gone, or has no WebMCP
	}
	for _, t := range reply.Result.Value {
		if f.native.get(t.Name) == nil && !removed[t.Name] {
			p.addNative(f, cdpclient.Tool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema,
				Annotations: t.Annotations.cdp()}, t.Title)
		}
	}
}

// scannedTool is a tool as the page's own API describes it. Its hints have other names than in CDP.
type scannedTool struct {
	Name, Title, Description string
	InputSchema              json.RawMessage
	Annotations              pageHints
}

type pageHints struct {
	ReadOnlyHint, UntrustedContentHint, ConsequentialHint *bool
}

func (h pageHints) cdp() *cdpclient.ToolAnnotations {
	return &cdpclient.ToolAnnotations{ReadOnly: h.ReadOnlyHint, UntrustedContent: h.UntrustedContentHint,
		Consequential: h.ConsequentialHint}
}
