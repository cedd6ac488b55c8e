package cdp

import (
	"encoding/json"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Tools by the CDP WebMCP domain: events carry every change, so no reading of
// lists is needed, but for iframes that were there before us.

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

// addNative takes a tool in. CDP has no titles: one is known only where the
// page's own API was asked, and "" keeps that of the same tool announced again.
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
		tool.Annotations = offer.Annotations{ReadOnly: said(a.ReadOnly), Consequential: said(a.Consequential),
			Untrusted: said(a.UntrustedContent)}
	}
	relisted := f.lingering[t.Name] // taken away meanwhile: another tool of that name
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
	if old != nil && tool.Script == "" && !relisted { // likewise: the page's own API tells no script
		tool.Script = old.Script
	}
	if old == nil || !old.Same(tool) {
		f.native.put(tool)
		p.Changed()
	}
}

// said is a hint of Chrome's that is the page's own word. Chrome says false of
// each that the page left out, if it gave any, so that false says nothing.
func said(hint *bool) *bool {
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
		// A tool that takes itself away stays until its own result is out.
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
		// A page server that mirrors its tools to the browser takes them away
		// here first; its own list follows at the next reading.
		own.Forget(name)
	}
	p.Changed()
}

// scan is the reading of one document's tools.
type scan struct {
	flight  tab.Flight
	removed map[string]bool // since it was asked for, nil if none was
}

// scanReply tags the answer to a reading of one frame's tools by the page's
// own API.
type scanReply struct {
	frame *frame
	doc   registry.Gen
}

// scan asks for the tools of an iframe that registered them before the
// session's WebMCP.enable, or that came back from the back-forward cache:
// those are never announced (facts: only the root frame's are).
func (p *Link) scan(f *frame) {
	if f.world == nil || !f.scan.flight.Want() {
		return
	}
	f.scan.removed = map[string]bool{}
	p.askDocument(f, bridge.ListTools, scanReply{f, f.doc})
}

// askDocument calls a function in the bridge's world of a frame's document,
// where no script of the page can stand between. The reply has what its promise
// brings.
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
	if again := f.scan.flight.Landed(); again {
		f.scan.flight.Reset()
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

// scannedTool is a tool as the page's own API describes it: its hints have
// other names there than in CDP.
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
