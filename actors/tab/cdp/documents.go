package cdp

import (
	"cmp"

	"webmcphub/cdpclient"
	"webmcphub/registry"

	"webmcphub/registry/offer"
)

// frame is one frame of the page and its current document.
type frame struct {
	id      registry.FrameID
	parent  registry.FrameID // "" for the main frame
	session cdpclient.SessionID
	apart   bool         // the session is this frame's own: it lives in another process
	early   registry.Gen // the main document that was there when it came, if it may belong to the next one; else 0
	order   int          // in which frames were met; the main frame is 0
	document
	world *world // the bridge's, nil until it is there
}

// document is what a frame's current document has.
type document struct {
	doc    registry.Gen
	url    string // the document's, "" until it is known
	moved  string // where the document has taken itself since (pushState, a fragment), "" if nowhere
	origin string // what Chrome says of it, "" until that is known
	// found is true for a document that was there before its session: its
	// tools were never announced.
	found bool
	// navigating says that the next document is on its way. Until it is there
	// Chrome keeps commands back from the frame.
	navigating bool

	// loading says that the load event is still to come, and withoutWebMCP that the
	// document has loaded without WebMCP. They are known of the main document only.
	loading, withoutWebMCP bool

	native    toolSet
	forms     map[string]bool // the native tools that are forms
	lingering map[string]bool // removed, but kept until their calls are answered
	scan      scan
	lost      lostSchemas
	servers   PageServers
}

// worldKey finds a bridge's execution context: ids are unique in a session.
type worldKey struct {
	session cdpclient.SessionID
	id      int
}

// world is the bridge's execution context in one document.
type world struct {
	key    worldKey
	unique string
	origin string // the document's, as Chrome says
}

func (p *Link) addFrame(id, parent registry.FrameID, s cdpclient.SessionID) *frame {
	f := &frame{id: id, parent: parent, session: s, order: p.nextFrame}
	p.nextFrame++
	p.frames[id] = f
	p.newDocument(f)
	return f
}

// rootOf is the frame that a session of the page is for, nil for one whose frame is gone.
// Processes don't wait for each other: what one has to tell of its frame can come when
// that has been removed, before the end of its session. Nothing of it brings a frame back.
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

// frameIn finds a frame that session s speaks of, and adopts it if it moved
// there from another process. It is nil where s speaks of the document that the
// frame left behind: as long as a frame has a session of its own, it is there.
// It is nil, too, if the session's own frame is gone.
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

// newDocument starts a frame's next document: no tools, no server.
func (p *Link) newDocument(f *frame) {
	f.document = document{doc: p.NewGen()}
	if f == p.main {
		p.Doc.Origin, p.Doc.Failure = "", ""
	}
}

// endDocument drops what a frame's document had, also the frames inside it
// (Chrome says nothing of those), and ends its calls.
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
		if c.Route.Frame == f.id && c.Route.Doc == old && c.Route.Runtime == offer.Native && !c.Flight.DocumentGone {
			p.Finish(c, registry.EndedByFrame(c.Route.Tool))
		}
	}
	p.Changed()
}

func (p *Link) forgetWorld(f *frame) {
	if f.world != nil {
		delete(p.worlds, f.world.key)
		f.world = nil
	}
}

// removeFrame forgets a frame and those inside it.
func (p *Link) removeFrame(f *frame) {
	if f == p.main || p.frames[f.id] != f {
		return
	}
	delete(p.frames, f.id)
	p.endDocument(f)
}

// contextsCleared is the first word of a document's end, before anything of
// the next one: a navigation's, or a restored page's.
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

// expectAddress: normally frameNavigated brings the address. Should it not, this does.
func (p *Link) expectAddress() {
	p.conn.Post(p.session, "Page.getFrameTree", nil, frameTreeReply{p.Doc.Gen})
}

// isEarly says whether a frame, or the one whose process it is in, came before
// the document that it belongs to.
func (p *Link) isEarly(f *frame) bool {
	root := p.rootOf(f.session)
	return root != nil && root.early != 0
}

// mainArrived ends the time between two main documents.
func (p *Link) mainArrived(url string) {
	for _, f := range p.frames {
		if f.early != p.main.doc { // which are its frames, then
			f.early = 0
		}
	}
	url = cmp.Or(url, "about:blank")
	p.main.arriveAt(url)
	p.DocumentArrived(url)
	p.askTitle()
	p.endNavigatedCalls()
	p.Changed()
}

// mainIs learns the main frame's id: a page that Chrome prerendered brings its
// own, and what came of it before this was known belongs to it.
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

// arriveAt gives the document its address.
func (f *frame) arriveAt(url string) {
	f.moved = ""
	f.isOf(url, f.origin)
}

// isOf notes the document's address and origin. Tools that were announced before
// these were known (those of a page from the back-forward cache) get them too.
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

// originIs takes what Chrome says of the origin of a frame's document.
// Page.Frame.securityOrigin does not say it: that is the address's.
func (p *Link) originIs(f *frame, origin string) {
	if f.origin == origin {
		return
	}
	f.isOf(f.url, origin)
	if f == p.main {
		p.Doc.Origin = origin
	}
	p.Changed()
}

func (p *Link) frameNavigated(s cdpclient.SessionID, e cdpclient.FrameNavigated) {
	if e.Frame.ParentID == "" && s == p.session {
		p.mainIs(registry.FrameID(e.Frame.ID))
		p.arrives(e.Frame)
		if p.main.loading = e.Type != cdpclient.NavigationBFCache; !p.main.loading {
			p.askForWebMCP() // no load event follows
		}
		p.mainArrived(e.Frame.URL)
		return
	}
	f := p.frameIn(s, registry.FrameID(e.Frame.ID))
	if f == nil {
		return
	}
	if e.Frame.ParentID != "" { // in an out-of-process iframe contextsCleared came first
		f.parent = registry.FrameID(e.Frame.ParentID)
		kept := f.world
		p.endDocument(f)
		p.keepWorld(f, kept)
	}
	f.arriveAt(e.Frame.URL)
	p.Changed() // also one without tools, which says why those before are gone
}

// keepWorld takes up the bridge's world of a frame's last document, if Chrome
// did not take it away before the next one came: the window of an initial empty
// document that a script has touched goes on with the next document. Chrome
// announces no other then, and runs no script of ours again.
func (p *Link) keepWorld(f *frame, w *world) {
	if w == nil || w.key.session != f.session {
		return
	}
	f.world = w
	p.worlds[w.key] = f
	p.originIs(f, w.origin) // which is what lets the window go on
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
	case e.Reason != cdpclient.DetachSwap: // it is gone, also one in another process
		p.removeFrame(f)
	case f.session == s: // it goes on in another process
		p.endDocument(f)
	}
}

func (p *Link) navigatedWithinDocument(s cdpclient.SessionID, e cdpclient.NavigatedWithinDocument) {
	f := p.frames[registry.FrameID(e.FrameID)]
	if f == nil || f.session != s { // of the document before, in another process
		return
	}
	f.moved = e.URL
	if f == p.main && p.Doc.URL != e.URL {
		p.Doc.URL = e.URL
		p.ReportSoon()
		p.askTitle()
	}
}

// attachedToTarget brings the session of an out-of-process iframe.
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
		f.session = e.SessionID // whatever session it had, it has this one now
		p.endDocument(f)
	}
	f.apart, f.early = true, 0
	if p.autoAttached && !e.WaitingForDebugger {
		// Chrome attaches to an iframe that runs already in answer to Target.setAutoAttach, and
		// when its page comes back from the back-forward cache: with all that it has, and
		// without waiting for the end of the page's old document.
		f.early = p.main.doc
	}
	p.prepare(e.SessionID, e.WaitingForDebugger)
}

// crashed: the renderer died. The page stays, without tools, until it is reloaded.
func (p *Link) crashed(s cdpclient.SessionID, _ struct{}) {
	if s != p.session { // an iframe's renderer
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
