package actors

import (
	"context"
	"encoding/json"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/extlink"
	"webmcphub/registry"
)

// cdpLink reaches a page over the debugging port: by its session and those of
// its out-of-process iframes. This file routes messages; the others each hold one
// idea:
//
//	cdp_session.go     attaching to the page, letting go of it, its end
//	cdp_setup.go       preparing a session before its first script runs
//	cdp_documents.go   documents and frames come and go
//	cdp_notloaded.go   documents that did not load
//	cdp_native.go      tools by the CDP WebMCP domain
//	cdp_schemas.go     schemas that these events lack
//	cdp_server.go      tools by the page's own MCP server or the adapter, over the bridge
//	cdp_servercalls.go calls of their tools
//	cdp_reread.go      servers that announce no changes
//	cdp_offers.go      resources, prompts and requests of the page's own server
//	cdp_report.go      what there is to tell the registry
//	cdp_calls.go       calls
//	cdp_early.go       answers that come before their call has its name
//	cdp_execute.go     calls with arguments that WebMCP.invokeTool refuses
//	cdp_navigating.go  calls whose page navigates under them
//	cdp_popups.go      calls of forms whose result is shown in another tab
//	cdp_dialogs.go     dialogs that the page opens
//	cdp_stuck.go       calls that block their page
type cdpLink struct {
	*tab.Tab
	shared *cdpShared
	conn   *cdpclient.Conn
	inbox  cdpclient.Inbox // of all its sessions
	door   *door           // which that goes through

	// ctx is the page's: it ends the goroutines that talk to page servers.
	ctx    context.Context
	cancel context.CancelFunc

	attachment
	scripts map[scriptKey]string // the bridge's, as Chrome calls them

	documents
	invocations
	dialogs
}

// documents are the page's frames.
type documents struct {
	frames    map[registry.FrameID]*frame
	main      *frame
	nextFrame int
	worlds    map[worldKey]*frame // by the bridge's execution context
	returning bool                // a navigation through the history has begun, and its document isn't there yet
}

// invocations are the native calls, as Chrome knows them.
type invocations struct {
	byInvocation map[string]*tab.Call
	early        earlyAnswers
	unnamed      []*tab.Call                    // executed ones whose invocation's id is not known, oldest first
	aborting     map[string]cdpclient.SessionID // cancelled invocations that Chrome has yet to hear of
	asked        []*askedWindow                 // by forms perhaps, oldest first
}

func newInvocations() invocations {
	return invocations{byInvocation: map[string]*tab.Call{}, early: earlyAnswers{}, aborting: map[string]cdpclient.SessionID{}}
}

// dialogs are the boxes that the page opens.
type dialogs struct {
	open  *openDialog   // nil if none is
	noise extlink.Noise // about dialogs that were answered
}

// newCDPTab makes a tab that is reached over conn.
func newCDPTab(shared *cdpShared, conn *cdpclient.Conn, b tab.Birth) *tab.Tab {
	p := &cdpLink{
		Tab:         tab.New(shared.Env, b),
		shared:      shared,
		conn:        conn,
		door:        &door{},
		scripts:     map[scriptKey]string{},
		documents:   documents{frames: map[registry.FrameID]*frame{}, worlds: map[worldKey]*frame{}},
		invocations: newInvocations(),
	}
	p.door.Store(b.Address)
	p.inbox = newInbox(shared.Env, b, p.door)
	p.ctx, p.cancel = context.WithCancel(context.Background())
	// A page target's main frame has the target's id.
	p.main = p.addFrame(registry.FrameID(b.ID), "", "")
	p.Use(p, p.main.doc)
	return p.Tab
}

// Took gives back what an event has cost the mailbox.
func (p *cdpLink) Took(message any) {
	if e, ok := message.(cdpclient.Event); ok {
		p.Intake().Took(weight(e))
	}
}

// HandleUnattached: nothing of the page is heard without a session.
func (p *cdpLink) HandleUnattached(any) {}

// Handle takes what the page, Chrome, and the link's goroutines say.
func (p *cdpLink) Handle(message any) {
	switch m := message.(type) {
	case cdpclient.Event:
		p.event(m)
	case cdpclient.Reply:
		p.reply(m)
	case stuckDue:
		p.stuck(m.call)
	case tabOpened:
		p.tabOpened(m)
	case tabDue:
		p.tabDue(m)
	case windowDue:
		p.windowDue(m)
	case nowhereDue:
		p.nowhereDue(m)
	case navigationOverdue:
		p.navigationOverdue(m.gen)
	case schemasDue:
		p.schemasDue(m.schemasReply)
	case silentDue:
		p.silentDue(m)
	case retryDue:
		p.install(m.session, m.step)
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
	case findDialog:
		p.findDialog(m)
	case whoAsks:
		p.whoAsks(m)
	case watchFront:
		p.watchFront(p.session)
	case logLevelSet:
		p.logLevelSet()
	case logLevelTold:
		p.logLevelTold(m)
	}
}

// event handles one CDP event of any of the page's sessions.
func (p *cdpLink) event(e cdpclient.Event) {
	handle := eventHandlers[e.Method]
	if handle == nil {
		return
	}
	if err := handle(p, e.Session, e.Params); err != nil {
		p.Log.Warn("an event of Chrome could not be read", "method", e.Method, "err", err)
	}
}

// eventHandlers are the events that a tab's actor cares for.
var eventHandlers = map[string]func(*cdpLink, cdpclient.SessionID, json.RawMessage) error{
	cdpclient.WebMCPToolsAdded:                 decoded((*cdpLink).toolsAdded),
	cdpclient.WebMCPToolsRemoved:               decoded((*cdpLink).toolsRemoved),
	cdpclient.WebMCPToolInvoked:                (*cdpLink).toolInvoked,
	cdpclient.WebMCPToolResponded:              decoded((*cdpLink).toolResponded),
	cdpclient.RuntimeExecutionContextsCleared:  decoded((*cdpLink).contextsCleared),
	cdpclient.RuntimeExecutionContextCreated:   decoded((*cdpLink).contextCreated),
	cdpclient.RuntimeExecutionContextDestroyed: decoded((*cdpLink).contextDestroyed),
	cdpclient.RuntimeBindingCalled:             decoded((*cdpLink).bindingCalled),
	cdpclient.PageFrameNavigated:               decoded((*cdpLink).frameNavigated),
	cdpclient.PageFrameAttached:                decoded((*cdpLink).frameAttached),
	cdpclient.PageFrameDetached:                decoded((*cdpLink).frameDetached),
	cdpclient.PageFrameRequestedNavigation:     decoded((*cdpLink).frameRequestedNavigation),
	cdpclient.PageFrameStartedNavigating:       decoded((*cdpLink).frameStartedNavigating),
	cdpclient.PageFrameStoppedLoading:          decoded((*cdpLink).frameStoppedLoading),
	cdpclient.PageNavigatedWithinDocument:      decoded((*cdpLink).navigatedWithinDocument),
	cdpclient.PageDocumentOpened:               decoded((*cdpLink).documentOpened),
	cdpclient.PageWindowOpen:                   decoded((*cdpLink).windowOpen),
	cdpclient.PageLoadEventFired:               decoded((*cdpLink).loadEventFired),
	cdpclient.PageJavascriptDialogOpening:      decoded((*cdpLink).dialogOpening),
	cdpclient.PageJavascriptDialogClosed:       decoded((*cdpLink).dialogClosed),
	cdpclient.InspectorTargetCrashed:           decoded((*cdpLink).crashed),
	cdpclient.InspectorReloadAfterCrash:        decoded((*cdpLink).reloadedAfterCrash),
	cdpclient.TargetAttachedToTarget:           decoded((*cdpLink).attachedToTarget),
	cdpclient.TargetDetachedFromTarget:         decoded((*cdpLink).detachedFromTarget),
}

// decoder is an event that is read in a way of its own: faster than by
// encoding/json, or mending what Chrome gets wrong.
type decoder interface {
	Decode(params json.RawMessage) error
}

// decoded makes an event handler of a method that takes the event's parameters.
func decoded[E any](handle func(*cdpLink, cdpclient.SessionID, E)) func(*cdpLink, cdpclient.SessionID, json.RawMessage) error {
	return func(p *cdpLink, s cdpclient.SessionID, params json.RawMessage) error {
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

// cdpShared is what all links over debugging ports share.
type cdpShared struct {
	*tab.Env
	scripts
}

// scripts are the commands that put the hub's scripts into a session's
// documents, all guarded by [registry.Options]'s origins. They don't change.
type scripts struct{ bridge, introspect, front []bridge.Command }

func newCDPShared(env *tab.Env) *cdpShared {
	rules := env.Origins.Rules()
	return &cdpShared{env, scripts{
		bridge:     bridge.Guarded(bridge.Install(), rules),
		introspect: bridge.Guarded(bridge.IntrospectInstall(), rules),
		front:      bridge.Guarded(bridge.FrontInstall(), rules),
	}}
}
