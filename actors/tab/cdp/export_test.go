package cdp

import (
	"time"

	"webmcphub/actors/tab"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// What the tests of this package see of its inside. They are a package of their own,
// since they play with whole hubs, which import this one.

const (
	AfterLoad           = afterLoad
	AfterWindow         = afterWindow
	BlockedAfter        = blockedAfter
	MaxAsked            = maxWindows
	MaxEarly            = maxEarly
	MaxEarlyBytes       = maxEarlyBytes
	SchemasLongestPause = schemasLongestPause
	SetupRetries        = setupRetries
	SetupRetryDelay     = setupRetryDelay
	SilentAfter         = silentAfter
	StuckAfter          = stuckAfter
)

// Methods are the events that a link cares for.
func Methods() (all []string) {
	for method := range eventHandlers {
		all = append(all, method)
	}
	return all
}

// Harmless are messages that change nothing in a link by themselves.
func Harmless() []any {
	gone := &PageServer{}
	return []any{
		navigationOverdue{}, stuckDue{&tab.Call{}}, schemasDue{schemasReply{frame: &frame{}}}, silentDue{},
		retryDue{step: setupStep{command: bridge.Install()[0]}},
		TabOpened{}, tabDue{call: &tab.Call{}}, windowDue{&requestedWindow{}}, nowhereDue{&tab.Call{}}, RereadDue{Server: gone},
		LogLevelAnswered{Server: gone}, FindServer{}, FindDialog{func(*cdpclient.OpenDialog) {}}, FindRequester{Server: gone},
		WatchFront{}, cdpclient.Reply{Tag: chromeAnswers{}}, cdpclient.Reply{Tag: errorCodeReply{}}, cdpclient.Reply{Tag: webMCPReply{}},
	}
}

// Questions are replies about a document that is gone.
func Questions() []cdpclient.Reply {
	return []cdpclient.Reply{{Tag: scanReply{frame: &frame{}}}, {Tag: schemasReply{frame: &frame{}}}}
}

func (p *Link) Event(e cdpclient.Event)        { p.event(e) }
func (p *Link) SessionID() cdpclient.SessionID { return p.session }
func (p *Link) Ended() bool                    { return p.ctx.Err() != nil }

// Servers are how many the main frame has.
func (p *Link) Servers() int { return len(p.main.servers.All()) }

// Invocations are those that Chrome has named, Remembered counts all that the link
// knows of calls.
func (p *Link) Invocations() (ids []string) {
	for id := range p.byInvocation {
		ids = append(ids, id)
	}
	return ids
}

func (p *Link) Remembered() int { return len(p.Calls) + len(p.byInvocation) + len(p.unnamed) }

// EarlySessions counts the sessions whose early answers are kept, EarlyAnswers those of
// the page's own.
func (p *Link) EarlySessions() int { return len(p.early) }

func (p *Link) EarlyAnswers() int {
	if e := p.early[p.session]; e != nil {
		return len(e.answers)
	}
	return 0
}

// AskedWindows counts the windows that have no tab yet.
func (p *Link) AskedWindows() int { return len(p.windows) }

// HasDialog takes note of a dialog that nobody told of, or of its end.
func (p *Link) HasDialog(open bool) {
	p.open = nil
	if open {
		p.open = &openDialog{}
	}
}

// Main is the main frame, MainDoc its document.
func (p *Link) Main() registry.FrameID { return p.main.id }
func (p *Link) MainDoc() registry.Gen  { return p.main.doc }

// KnownFrames and Worlds count the page's frames and the bridge's contexts.
func (p *Link) KnownFrames() int { return len(p.frames) }
func (p *Link) Worlds() int      { return len(p.worlds) }

// Knows says whether a frame is known as one that was there before its session, inside
// another.
func (p *Link) Knows(id, parent registry.FrameID) bool {
	f := p.frames[id]
	return f != nil && f.parent == parent && f.found
}

// SessionOf is the session of a frame, "" if it is unknown.
func (p *Link) SessionOf(id string) cdpclient.SessionID {
	if f := p.frames[registry.FrameID(id)]; f != nil {
		return f.session
	}
	return ""
}

// EndDocument ends the document of a frame that had taken itself to url, and gives the
// route to the next one.
func (p *Link) EndDocument(id, url string) offer.Route {
	f := p.frames[registry.FrameID(id)]
	f.moved = url
	p.endDocument(f)
	return offer.Route{Frame: f.id, Doc: f.doc}
}

func (p *Link) Opened(m TabOpened) { p.tabOpened(m) }
func (p *Link) Crash()             { p.crashed(p.session, struct{}{}) }

// Sever has Chrome end the page's session.
func (p *Link) Sever() {
	p.conn.Post("", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: p.session}, nil)
}

// RemoveNative takes a tool of the main frame away. LoseSchema has one be there without
// its schema, and the page be asked for it.
func (p *Link) RemoveNative(name string) { p.removeNative(p.main, name) }

func (p *Link) LoseSchema(name string) {
	again := *p.main.native.get(name)
	again.InputSchema = nil
	p.main.native.put(&again)
	p.main.lost.tools = map[string]bool{name: true}
	p.main.lost.coalescer.Want()
}

// Schemas is the answer to a question about so many documents before the main frame's.
func (p *Link) Schemas(before registry.Gen, r cdpclient.Reply) {
	p.schemas(schemasReply{p.main, p.main.doc - before}, r)
}

// SchemasLater ends the pause of a frame's document after d.
func (p *Link) SchemasLater(d time.Duration, id string) {
	p.After(d, schemasDue{schemasReply{frame: p.frames[registry.FrameID(id)]}})
}
