package actors

import (
	"context"
	"encoding/json"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/cdpclient"
	"webmcphub/extlink"
	"webmcphub/registry"
)

// pageActor owns one tab: its CDP sessions (its own and those of
// out-of-process iframes), its documents and their tools, and the calls in
// flight. This file routes messages; the others each hold one idea:
//
//	page_setup.go       preparing a session before its first script runs
//	page_link.go        attached to the page, or only knowing of it
//	page_documents.go   documents and frames come and go
//	page_notloaded.go   documents that did not load
//	page_native.go      tools by the CDP WebMCP domain
//	page_schemas.go     schemas that these events lack
//	page_server.go      tools by the page's own MCP server or the adapter, over the bridge
//	page_reread.go      servers that announce no changes
//	page_offers.go      resources, prompts and requests of the page's own server
//	page_report.go      telling the registry
//	page_calls.go       calls
//	page_early.go       answers that come before their call has its name
//	page_execute.go     calls with arguments that WebMCP.invokeTool refuses
//	page_navigating.go  calls whose page navigates under them
//	page_popups.go      calls of forms whose result is shown in another tab
//	page_dialogs.go     dialogs that the page opens
//	page_stuck.go       calls that block their page
type pageActor struct {
	pageCore
	conn *cdpclient.Conn

	// ctx is the page's: it ends the goroutines that talk to page servers.
	ctx    context.Context
	cancel context.CancelFunc
	inbox  cdpclient.Inbox

	attachment

	leaving *pageGone     // waits in close
	parting bool          // waits in unlink
	open    *openDialog   // nil if none is
	noise   extlink.Noise // about dialogs that were answered
	broken  bool          // it panicked, perhaps at what close would wait for

	returning bool // a navigation through the history has begun, and its document isn't there yet

	frames    map[registry.FrameID]*frame
	main      *frame
	nextFrame int
	worlds    map[worldKey]*frame  // by the bridge's execution context
	scripts   map[scriptKey]string // the bridge's, as Chrome calls them

	byInvocation map[string]*call
	early        earlyAnswers
	unnamed      []*call                        // executed ones whose invocation's id is not known, oldest first
	aborting     map[string]cdpclient.SessionID // cancelled invocations that Chrome has yet to hear of
}

func newPageActor(h *Hub, conn *cdpclient.Conn, ref *pageRef, at cdpclient.AttachedToTarget, epoch registry.Epoch) *pageActor {
	p := &pageActor{
		pageCore:     newPageCore(h, ref, registry.PageID(at.TargetInfo.TargetID), at.TargetInfo.URL, at.TargetInfo.Title, epoch),
		conn:         conn,
		attachment:   attachment{session: at.SessionID, waiting: at.WaitingForDebugger},
		frames:       map[registry.FrameID]*frame{},
		worlds:       map[worldKey]*frame{},
		scripts:      map[scriptKey]string{},
		byInvocation: map[string]*call{},
		early:        earlyAnswers{},
		aborting:     map[string]cdpclient.SessionID{},
	}
	p.via = p
	if p.session == "" {
		p.state = registry.NotConnected
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	// A page target's main frame has the target's id.
	p.main = p.addFrame(registry.FrameID(at.TargetInfo.TargetID), "", at.SessionID)
	p.gen = p.main.doc
	return p
}

// Receive handles one message. Nothing in it waits.
func (p *pageActor) Receive(ctx actor.Context) {
	if p.closed {
		p.refuseLate(ctx.Message())
		return
	}
	switch m := ctx.Message().(type) {
	case *actor.Started:
		p.self = ctx.Self()
		p.inbox = p.hub.inbox(p.id, p.ref)
		p.tell(registry.Navigated{Page: p.id, Gen: p.gen, URL: p.url})
		if p.session == "" {
			p.tellChanged()
			return
		}
		p.prepare(p.session, p.waiting)
	case cdpclient.Event:
		p.ref.backlog.Add(-weight(m))
		if p.session != "" {
			p.event(m)
		}
	case cdpclient.Reply:
		if p.session != "" {
			p.reply(m)
		}
	case linkPage:
		p.link(m.at)
	case unlinkPage:
		p.unlink()
	case leavingDue:
		if p.leaving != nil {
			p.endNow(ctx, *p.leaving)
		}
	case unlinkDue:
		if p.parting && m.session == p.session {
			p.letGo()
		}
	case unlinkedCrashed:
		p.unlinkedCrashed()
	case infoChanged:
		if info := p.ref.info.Swap(nil); info != nil {
			p.infoChanged(*info)
		}
	case retell:
		p.tellAll()
	case startCall:
		p.startCall(m.call)
	case cancelCall:
		p.cancelCall(m.call)
	case reportDue:
		p.report()
	case stuckDue:
		p.stuck(m.call)
	case windowDue:
		p.windowDue(m)
	case navigationOverdue:
		p.navigationOverdue(m.gen)
	case schemasDue:
		p.schemasDue(m.schemasReply)
	case silentDue:
		p.silentDue(m)
	case retryDue:
		p.retryDue(m)
	case serverConnected:
		p.serverConnected(m)
	case rereadDue:
		p.rereadDue(m.server)
	case serverListed:
		p.serverListed(m)
	case serverAnswered:
		p.serverAnswered(m)
	case offersListed:
		p.offersListed(m)
	case findServer:
		p.findServer(m)
	case whoAsks:
		p.whoAsks(m)
	case watchFront:
		if p.session != "" {
			p.watchFront(p.session)
		}
	case logLevelSet:
		p.logLevelSet()
	case logLevelTold:
		p.logLevelTold(m)
	case pageGone:
		p.close(ctx, m)
	}
}

// event handles one CDP event of any of the page's sessions.
func (p *pageActor) event(e cdpclient.Event) {
	handle := eventHandlers[e.Method]
	if handle == nil {
		return
	}
	if err := handle(p, e.Session, e.Params); err != nil {
		p.log.Warn("an event of Chrome could not be read", "method", e.Method, "err", err)
	}
}

// eventHandlers are the events that a page actor cares for.
var eventHandlers = map[string]func(*pageActor, cdpclient.SessionID, json.RawMessage) error{
	cdpclient.WebMCPToolsAdded:                 decoded((*pageActor).toolsAdded),
	cdpclient.WebMCPToolsRemoved:               decoded((*pageActor).toolsRemoved),
	cdpclient.WebMCPToolInvoked:                (*pageActor).toolInvoked,
	cdpclient.WebMCPToolResponded:              decoded((*pageActor).toolResponded),
	cdpclient.RuntimeExecutionContextsCleared:  decoded((*pageActor).contextsCleared),
	cdpclient.RuntimeExecutionContextCreated:   decoded((*pageActor).contextCreated),
	cdpclient.RuntimeExecutionContextDestroyed: decoded((*pageActor).contextDestroyed),
	cdpclient.RuntimeBindingCalled:             decoded((*pageActor).bindingCalled),
	cdpclient.PageFrameNavigated:               decoded((*pageActor).frameNavigated),
	cdpclient.PageFrameAttached:                decoded((*pageActor).frameAttached),
	cdpclient.PageFrameDetached:                decoded((*pageActor).frameDetached),
	cdpclient.PageFrameRequestedNavigation:     decoded((*pageActor).frameRequestedNavigation),
	cdpclient.PageFrameStartedNavigating:       decoded((*pageActor).frameStartedNavigating),
	cdpclient.PageFrameStoppedLoading:          decoded((*pageActor).frameStoppedLoading),
	cdpclient.PageNavigatedWithinDocument:      decoded((*pageActor).navigatedWithinDocument),
	cdpclient.PageDocumentOpened:               decoded((*pageActor).documentOpened),
	cdpclient.PageWindowOpen:                   decoded((*pageActor).windowOpen),
	cdpclient.PageLoadEventFired:               decoded((*pageActor).loadEventFired),
	cdpclient.PageJavascriptDialogOpening:      decoded((*pageActor).dialogOpening),
	cdpclient.PageJavascriptDialogClosed:       decoded((*pageActor).dialogClosed),
	cdpclient.InspectorTargetCrashed:           decoded((*pageActor).crashed),
	cdpclient.InspectorReloadAfterCrash:        decoded((*pageActor).reloadedAfterCrash),
	cdpclient.TargetAttachedToTarget:           decoded((*pageActor).attachedToTarget),
	cdpclient.TargetDetachedFromTarget:         decoded((*pageActor).detachedFromTarget),
}

// decoder is an event that is read in a way of its own: faster than by
// encoding/json, or mending what Chrome gets wrong.
type decoder interface {
	Decode(params json.RawMessage) error
}

// decoded makes an event handler of a method that takes the event's parameters.
func decoded[E any](handle func(*pageActor, cdpclient.SessionID, E)) func(*pageActor, cdpclient.SessionID, json.RawMessage) error {
	return func(p *pageActor, s cdpclient.SessionID, params json.RawMessage) error {
		var e E
		if len(params) > 0 {
			decode := func(params json.RawMessage) error { return json.Unmarshal(params, &e) }
			if d, ok := any(&e).(decoder); ok {
				decode = d.Decode
			}
			if err := decode(params); err != nil {
				return err
			}
		}
		handle(p, s, e)
		return nil
	}
}

func (p *pageActor) infoChanged(info cdpclient.TargetInfo) {
	// The address comes from the page's own events, which are in order with
	// its tools; the title comes only this way.
	if p.session == "" {
		p.unlinkedInfo(info)
	}
	if p.title != info.Title {
		p.title = info.Title
		p.reportSoon()
	}
}

// invoking says whether Chrome has yet to reply to an invocation.
func (p *pageActor) invoking() bool {
	for c := range p.calls {
		if c.route.Runtime == registry.Native && c.invocation == "" && !c.executed {
			return true
		}
	}
	return false
}

// close ends everything of the page. What may go wrong comes last.
func (p *pageActor) close(ctx actor.Context, m pageGone) {
	if p.invoking() && !p.broken {
		// Their invocations can't be cancelled before their ids are known.
		// Chrome's replies end the wait, and so does the connection's end.
		p.leaving = &m
		if m.lives {
			root, self := p.root, p.self
			time.AfterFunc(partTimeout, func() { root.Send(self, leavingDue{}) })
		}
		return
	}
	p.endNow(ctx, m)
}

func (p *pageActor) endNow(ctx actor.Context, m pageGone) {
	p.closed = true
	ctx.Stop(ctx.Self()) // takes effect after this message
	for c := range p.calls {
		p.abort(c) // heard where the page lives on without us
	}
	for _, f := range p.frames {
		for _, s := range f.takeServers() {
			p.ref.parting.Go(s.part)
		}
	}
	p.detach()
	if m.lives {
		p.release(&p.ref.parting)
	}
	p.ref.aborting = p.aborting
	p.ref.end(m.ended)
	p.cancel()
	for c := range p.calls {
		p.finish(c, m.ended(c.route.Tool))
	}
}

// detach lets go of the page's sessions, so that nothing keeps this actor.
func (p *pageActor) detach() {
	p.conn.Detach(p.session)
	for script := range p.scripts {
		p.conn.Detach(script.session)
	}
	for _, f := range p.frames {
		p.conn.Detach(f.session)
	}
}

// failed: what is known of the page can't be trusted any more, so its target is
// attached anew, unless it is gone.
func (p *pageActor) failed(ctx actor.Context, message any) {
	p.broken = true
	gone, last := message.(pageGone)
	switch {
	case p.leaving != nil:
		p.abandon(ctx, *p.leaving)
	case last:
		p.abandon(ctx, gone)
	case !p.closed:
		p.root.Send(p.hub.browser, pageFailed{p.id, p.ref})
	}
}

// abandon is what is indispensable of close.
func (p *pageActor) abandon(ctx actor.Context, m pageGone) {
	p.closed = true
	ctx.Stop(ctx.Self())
	p.detach()
	if m.lives && p.session != "" {
		p.conn.Post("", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: p.session}, nil)
	}
	p.ref.end(m.ended)
	p.cancel()
}
