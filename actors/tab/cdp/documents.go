package cdp

import (
	"cmp"

	"webmcphub/cdpclient"
	"webmcphub/registry"

	"webmcphub/registry/offer"
)

// frame is a frame of the page and its current document.
type frame struct {
	id      registry.FrameID
	parent  registry.FrameID // "" for the main frame
	session cdpclient.SessionID
	apart   bool         // the session is this frame's own, because the frame is in another process
	early   registry.Gen // the main document when the frame came, if the frame may belong to the next one; else 0
	order   int          // counts frames as they become known; the main frame is 0
	document
	world *world // the bridge's world; nil until it is there
}

// document has what the link knows of a frame's current document.
type document struct {
	doc    registry.Gen
	url    string // the document's address; "" until it is known
	moved  string // the address to which pushState or a fragment has changed url; "" if none did
	origin string // the origin as Chrome reports it; "" until that is known
	// found says that the document existed before its session, so Chrome never announced its tools.
	found bool
	// navigating says that the next document is on its way. Until it is there, Chrome holds back commands to the
	// frame.
	navigating bool

	// loading says that the load event is still to come. withoutWebMCP says that the document has loaded and has no
	// WebMCP. Both are known for the main document only.
	loading, withoutWebMCP bool

	native    toolSet
	forms     map[string]bool // the native tools that are forms
	lingering map[string]bool // removed tools that are kept until their calls are answered
	scan      scan
	lost      lostSchemas
	servers   PageServers
}

// worldKey identifies a bridge's execution context. Context ids are unique within a session.
type worldKey struct {
	session cdpclient.SessionID
	id      int
}

// world is the bridge's execution context in one document.
type world struct {
	key    worldKey
	unique string
	origin string // the document's origin, as Chrome reports it
}

func (p *Link) addFrame(id, parent registry.FrameID, s cdpclient.SessionID) *frame {
	f := &frame{id: id, parent: parent, session: s, order: p.nextFrame}
	p.nextFrame++
	p.frames[id] = f
	p.newDocument(f)
	return f
}

// rootOf returns the outermost frame of a session of the page, or nil if that frame is gone. Chrome's processes don't
// wait for each other. So reports about a frame can come after the frame was removed and before its session ends.
// Such reports don't bring the frame back.
func (p *Link) rootOf(s cdpclient.SessionID) *frame {
	if s == p.session {
		return p.main
	}
	for _, f := range p.frames {
		if f.apart && f.session == s {
			return f
		}
	}
	return nil
}

// frameIn returns the frame about which session s reports. If the frame has moved there from another process, frameIn
// records that. It returns nil if s reports about a document that the frame has left: s no longer has a frame that has
// a session of its own. It also returns nil if the session's own frame is gone.
func (p *Link) frameIn(s cdpclient.SessionID, id registry.FrameID) *frame {
	f := p.frames[id]
	if f == nil {
		if root := p.rootOf(s); root != nil {
			return p.addFrame(id, root.id, s)
		}
		return nil
	}
	if f.session != s && f.apart {
		return nil
	}
	if f.session != s {
		f.session = s
		p.endDocument(f)
	}
	return f
}

// newDocument starts a frame's next document, without tools and servers.
func (p *Link) newDocument(f *frame) {
	f.document = document{doc: p.NewGen()}
	if f == p.main {
		p.Doc.Origin, p.Doc.Failure = "", ""
	}
}

// endDocument drops what a frame's document had, and ends its calls. It also removes the frames inside the document,
// which Chrome doesn't report.
func (p *Link) endDocument(f *frame) {
	for _, kid := range p.frames {
		if kid.parent == f.id {
			p.removeFrame(kid)
		}
	}
	f.servers.Drop()
	p.forgetWorld(f)
	old := f.doc
	p.newDocument(f)
	for c := range p.Calls {
		if c.Route.Frame == f.id && c.Route.Doc == old && c.Route.Runtime == offer.Native && !c.State.DocumentGone {
			p.Finish(c, registry.EndedByFrame(c.Route.Tool))
		}
	}
	p.ReportTools()
}

func (p *Link) forgetWorld(f *frame) {
	if f.world != nil {
		delete(p.worlds, f.world.key)
		f.world = nil
	}
}

// removeFrame removes a frame and the frames inside it.
func (p *Link) removeFrame(f *frame) {
	if f == p.main || p.frames[f.id] != f {
		return
	}
	delete(p.frames, f.id)
	p.endDocument(f)
}

// contextsCleared handles the first event of a document's end. It comes before anything of the next document, both in
// navigations and when a page is restored from the back-forward cache.
func (p *Link) contextsCleared(s cdpclient.SessionID, _ struct{}) {
	if s == p.session {
		p.mainDocumentEnded()
		return
	}
	for _, f := range p.frames {
		if f.session == s {
			p.endDocument(f)
		}
	}
}

func (p *Link) mainDocumentEnded() {
	p.DocumentEnded(p.nextMain())
	p.expectAddress()
}

// nextMain ends the main document and begins the next one.
func (p *Link) nextMain() registry.Gen {
	p.navigateCalls()
	for _, f := range p.frames {
		if f != p.main && !p.isEarly(f) {
			p.removeFrame(f)
		}
	}
	p.main.servers.Drop()
	p.forgetWorld(p.main)
	p.newDocument(p.main)
	return p.main.doc
}

// expectAddress asks for the frame tree. Usually frameNavigated brings the main document's address; if it doesn't,
// the reply to this command does.
func (p *Link) expectAddress() {
	p.conn.Post(p.session, "Page.getFrameTree", nil, frameTreeReply{p.Doc.Gen})
}

// isEarly says whether the outermost frame in the frame's session came before the main document to which it belongs.
func (p *Link) isEarly(f *frame) bool {
	root := p.rootOf(f.session)
	return root != nil && root.early != 0
}

// mainArrived ends the time between two main documents.
func (p *Link) mainArrived(url string) {
	for _, f := range p.frames {
		if f.early != p.main.doc { // early frames of the new document now belong to it
			f.early = 0
		}
	}
	url = cmp.Or(url, "about:blank")
	p.main.arriveAt(url)
	p.DocumentArrived(url)
	p.askTitle()
	p.endNavigatedCalls()
	p.ReportTools()
}

// mainIs sets the main frame's id, because a page that Chrome prerendered has another main frame. mainIs moves to the
// main frame the tools that the link has taken for another frame's before.
func (p *Link) mainIs(id registry.FrameID) {
	if id == p.main.id {
		return
	}
	early := p.frames[id]
	delete(p.frames, p.main.id)
	p.main.id = id
	p.frames[id] = p.main
	if early == nil {
		return
	}
	p.originIs(p.main, early.origin)
	for _, t := range early.native.sorted {
		moved := *t
		moved.Doc, moved.Origin = p.main.doc, p.main.origin
		p.main.native.put(&moved)
	}
	early.servers.Drop()
	p.forgetWorld(early)
}

// arriveAt sets the document's address.
func (f *frame) arriveAt(url string) {
	f.moved = ""
	f.isOf(url, f.origin)
}

// isOf sets the document's address and origin, also in tools that were announced before these were known, as those of
// a page from the back-forward cache are.
func (f *frame) isOf(url, origin string) {
	if f.url == url && f.origin == origin {
		return
	}
	f.url, f.origin = url, origin
	for _, t := range f.native.list() {
		moved := *t
		moved.FrameURL, moved.Origin = url, origin
		f.native.put(&moved)
	}
}

// originIs records what Chrome reports as the origin of a frame's document. Page.Frame.securityOrigin doesn't have
// that: it is the origin of the address.
func (p *Link) originIs(f *frame, origin string) {
	if f.origin == origin {
		return
	}
	f.isOf(f.url, origin)
	if f == p.main {
		p.Doc.Origin = origin
	}
	p.ReportTools()
}

func (p *Link) frameNavigated(s cdpclient.SessionID, e cdpclient.FrameNavigated) {
	if e.Frame.ParentID == "" && s == p.session {
		p.mainIs(registry.FrameID(e.Frame.ID))
		p.arrives(e.Frame)
		if p.main.loading = e.Type != cdpclient.NavigationBFCache; !p.main.loading {
			p.askForWebMCP() // because no load event follows
		}
		p.mainArrived(e.Frame.URL)
		return
	}
	f := p.frameIn(s, registry.FrameID(e.Frame.ID))
	if f == nil {
		return
	}
	if e.Frame.ParentID != "" { // for an out-of-process iframe contextsCleared came first
		f.parent = registry.FrameID(e.Frame.ParentID)
		kept := f.world
		p.endDocument(f)
		p.keepWorld(f, kept)
	}
	f.arriveAt(e.Frame.URL)
	p.ReportTools() // report also a document without tools: it explains why the earlier tools are gone
}

// keepWorld takes over the bridge's world of a frame's last document, if Chrome did not destroy it before the next
// document came. When a script has touched an initial empty document, its window goes on with the next document.
// Chrome then announces no other world and doesn't run the hub's scripts again.
func (p *Link) keepWorld(f *frame, w *world) {
	if w == nil || w.key.session != f.session {
		return
	}
	f.world = w
	p.worlds[w.key] = f
	p.originIs(f, w.origin) // the window goes on because the origin is the same
	p.checkReady(f)
}

func (p *Link) frameAttached(s cdpclient.SessionID, e cdpclient.FrameAttached) {
	if p.frames[registry.FrameID(e.FrameID)] == nil && p.rootOf(s) != nil {
		p.addFrame(registry.FrameID(e.FrameID), registry.FrameID(e.ParentFrameID), s)
	}
}

func (p *Link) Address(r offer.Route) string {
	if f := p.frames[r.Frame]; f != nil && f.doc == r.Doc {
		return cmp.Or(f.moved, f.url)
	}
	return ""
}

func (p *Link) frameDetached(s cdpclient.SessionID, e cdpclient.FrameDetached) {
	f := p.frames[registry.FrameID(e.FrameID)]
	switch {
	case f == nil:
	case e.Reason != cdpclient.DetachSwap: // the frame is gone, also if it is in another process
		p.removeFrame(f)
	case f.session == s: // the frame goes on in another process
		p.endDocument(f)
	}
}

func (p *Link) navigatedWithinDocument(s cdpclient.SessionID, e cdpclient.NavigatedWithinDocument) {
	f := p.frames[registry.FrameID(e.FrameID)]
	if f == nil || f.session != s { // the event is about the previous document, in another process
		return
	}
	f.moved = e.URL
	if f == p.main && p.Doc.URL != e.URL {
		p.Doc.URL = e.URL
		p.ReportSoon()
		p.askTitle()
	}
}

// attachedToTarget handles the session of an out-of-process iframe.
func (p *Link) attachedToTarget(parent cdpclient.SessionID, e cdpclient.AttachedToTarget) {
	root := p.rootOf(parent)
	if e.TargetInfo.Type != cdpclient.TypeIframe || root == nil {
		p.conn.Post(e.SessionID, "Runtime.runIfWaitingForDebugger", nil, nil)
		p.conn.Post(parent, "Target.detachFromTarget", map[string]any{"sessionId": e.SessionID}, nil)
		return
	}
	p.conn.Attach(e.SessionID, p.inbox)
	f := p.frames[registry.FrameID(e.TargetInfo.TargetID)]
	if f == nil {
		f = p.addFrame(registry.FrameID(e.TargetInfo.TargetID),
			registry.FrameID(cmp.Or(e.TargetInfo.ParentFrameID, string(root.id))), e.SessionID)
	} else {
		f.session = e.SessionID // it may have had another session before
		p.endDocument(f)
	}
	f.apart, f.early = true, 0
	if p.autoAttached && !e.WaitingForDebugger {
		// Chrome attaches to an iframe that already runs in two cases: in answer to Target.setAutoAttach, and when
		// the iframe's page comes back from the back-forward cache. In the second case the iframe comes with all that
		// it has, and Chrome doesn't wait for the end of the page's old document.
		f.early = p.main.doc
	}
	p.prepare(e.SessionID, e.WaitingForDebugger)
}

// crashed handles the crash of a renderer. The page stays, without tools, until it is reloaded.
func (p *Link) crashed(s cdpclient.SessionID, _ struct{}) {
	if s != p.session { // the renderer of an iframe crashed
		p.contextsCleared(s, struct{}{})
		return
	}
	p.dialogIs(nil)
	p.RendererCrashed(p.nextMain)
	p.expectAddress()
}

func (p *Link) reloadedAfterCrash(s cdpclient.SessionID, _ struct{}) {
	if s == p.session {
		p.RendererBack()
	}
}
