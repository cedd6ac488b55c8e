package cdp

import (
	"context"
	"encoding/json"
	"sync"

	"webmcphub/actors/tab"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/internal/loglimit"
	"webmcphub/registry"
)

// Link reaches a page over the debugging port, by the page's session and those of its out-of-process iframes. This
// file routes messages; doc.go lists the other files.
type Link struct {
	*tab.Tab
	shared   *Shared
	conn     *cdpclient.Conn
	targetID string          // Chrome's id of the tab
	inbox    cdpclient.Inbox // receives the messages of all its sessions
	tabRef   *tabRef         // where inbox sends messages

	// ctx ends with the page, and with it the goroutines that talk to page servers.
	ctx    context.Context
	cancel context.CancelFunc

	attachment
	scripts map[scriptKey]string // Chrome's ids of the bridge's scripts

	documents
	invocations
	dialogs
	// logLimits limits logs about answered dialogs, and about bridge messages that can't be read.
	logLimits struct{ dialogs, bridge loglimit.Limit }
}

// documents has the page's frames.
type documents struct {
	frames    map[registry.FrameID]*frame
	main      *frame
	nextFrame int
	worlds    map[worldKey]*frame // frames by the bridge's execution context
}

// invocations has the native calls, as Chrome knows them.
type invocations struct {
	byInvocation map[string]*tab.Call
	early        earlyAnswers
	unnamed      []*tab.Call                    // executed calls whose invocation id isn't known, oldest first
	aborting     map[string]cdpclient.SessionID // cancelled invocations that Chrome hasn't confirmed yet
	windows      []*requestedWindow             // windows that forms may have asked for, oldest first
}

func newInvocations() invocations {
	return invocations{byInvocation: map[string]*tab.Call{}, early: earlyAnswers{},
		aborting: map[string]cdpclient.SessionID{}}
}

// dialogs has the page's open dialog.
type dialogs struct {
	open *openDialog // nil if no dialog is open
}

// New returns a tab that is reached over conn.
func New(shared *Shared, conn *cdpclient.Conn, b tab.Birth) *tab.Tab {
	p := &Link{
		Tab:         tab.New(shared.Env, b),
		shared:      shared,
		targetID:    registry.PageIDOf(shared.browser, string(b.ID)),
		conn:        conn,
		tabRef:      &tabRef{},
		scripts:     map[scriptKey]string{},
		documents:   documents{frames: map[registry.FrameID]*frame{}, worlds: map[worldKey]*frame{}},
		invocations: newInvocations(),
	}
	p.tabRef.Store(b.Address)
	p.inbox = newInbox(shared.Env, b, p.tabRef)
	p.ctx, p.cancel = context.WithCancel(context.Background())
	// A page target's main frame has the target's id.
	p.main = p.addFrame(registry.FrameID(p.targetID), "", "")
	p.Use(p, p.main.doc)
	return p.Tab
}

// Took subtracts an event from the bytes that wait in the mailbox.
func (p *Link) Took(message any) {
	if e, ok := message.(cdpclient.Event); ok {
		p.FlowControl().Took(weight(e))
	}
}

// HandleUnattached ignores messages: without a session, nothing comes from the page.
func (p *Link) HandleUnattached(any) {}

// Handle handles messages from the page, from Chrome, and from the link's goroutines.
func (p *Link) Handle(message any) {
	switch m := message.(type) {
	case cdpclient.Event:
		p.event(m)
	case cdpclient.Reply:
		p.reply(m)
	case cdpclient.SessionEnded:
		p.ended(m.Session)
	case stuckDue:
		p.stuck(m.call)
	case TabOpened:
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
	case ServerMessage:
		m.Handle()
	case ServerAnswered:
		p.serverAnswered(m)
	case FindServer:
		p.findServer(m)
	case FindDialog:
		p.findDialog(m)
	case WatchFront:
		p.watchFront(p.session)
	case LogLevelSet:
		p.logLevelSet()
	}
}

// event handles one CDP event of any of the page's sessions.
func (p *Link) event(e cdpclient.Event) {
	handle := eventHandlers[e.Method]
	if handle == nil {
		return
	}
	if err := handle(p, e.Session, e.Params); err != nil {
		p.Log.Warn("an event of Chrome could not be read", "method", e.Method, "err", err)
	}
}

// eventHandlers has the handlers of the events that a tab's actor uses.
var eventHandlers = map[string]func(*Link, cdpclient.SessionID, json.RawMessage) error{
	cdpclient.WebMCPToolsAdded:                 decoded((*Link).toolsAdded),
	cdpclient.WebMCPToolsRemoved:               decoded((*Link).toolsRemoved),
	cdpclient.WebMCPToolInvoked:                (*Link).toolInvoked,
	cdpclient.WebMCPToolResponded:              decoded((*Link).toolResponded),
	cdpclient.RuntimeExecutionContextsCleared:  decoded((*Link).contextsCleared),
	cdpclient.RuntimeExecutionContextCreated:   decoded((*Link).contextCreated),
	cdpclient.RuntimeExecutionContextDestroyed: decoded((*Link).contextDestroyed),
	cdpclient.RuntimeBindingCalled:             decoded((*Link).bindingCalled),
	cdpclient.PageFrameNavigated:               decoded((*Link).frameNavigated),
	cdpclient.PageFrameAttached:                decoded((*Link).frameAttached),
	cdpclient.PageFrameDetached:                decoded((*Link).frameDetached),
	cdpclient.PageFrameRequestedNavigation:     decoded((*Link).frameRequestedNavigation),
	cdpclient.PageFrameStartedNavigating:       decoded((*Link).frameStartedNavigating),
	cdpclient.PageFrameStoppedLoading:          decoded((*Link).frameStoppedLoading),
	cdpclient.PageNavigatedWithinDocument:      decoded((*Link).navigatedWithinDocument),
	cdpclient.PageDocumentOpened:               decoded((*Link).documentOpened),
	cdpclient.PageWindowOpen:                   decoded((*Link).windowOpen),
	cdpclient.PageLoadEventFired:               decoded((*Link).loadEventFired),
	cdpclient.PageJavascriptDialogOpening:      decoded((*Link).dialogOpening),
	cdpclient.PageJavascriptDialogClosed:       decoded((*Link).dialogClosed),
	cdpclient.InspectorTargetCrashed:           decoded((*Link).crashed),
	cdpclient.InspectorReloadAfterCrash:        decoded((*Link).reloadedAfterCrash),
	cdpclient.TargetAttachedToTarget:           decoded((*Link).attachedToTarget),
}

// decoder is an event that decodes itself, because that is faster than encoding/json or repairs mistakes of Chrome.
type decoder interface {
	Decode(params json.RawMessage) error
}

// decoded makes an event handler from a method that takes the event's parameters.
func decoded[E any](handle func(*Link, cdpclient.SessionID, E)) func(*Link, cdpclient.SessionID,
	json.RawMessage) error {
	return func(p *Link, s cdpclient.SessionID, params json.RawMessage) error {
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

// Shared has what all links to one browser share.
type Shared struct {
	*tab.Env
	browser string // the browser's name if there are several, else ""
	scripts
}

// scripts return the commands that put the hub's scripts into a session's documents, all of them limited to the origins
// that the rules permit. Each makes its commands once, when the first session needs them.
type scripts struct{ bridge, introspect, legacyName, front func() []bridge.Command }

// NewShared returns what the links to one browser share. browser is its name if there are several browsers, else "".
func NewShared(env *tab.Env, browser string) *Shared {
	guarded := func(install func() []bridge.Command) func() []bridge.Command {
		return sync.OnceValue(func() []bridge.Command { return bridge.Guarded(install(), env.Origins.Rules()) })
	}
	return &Shared{env, browser, scripts{guarded(bridge.Install), guarded(bridge.IntrospectInstall),
		guarded(bridge.LegacyNameInstall), guarded(bridge.FrontInstall)}}
}
