package extbrowser

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"

	"webmcphub/extlink"
	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"

	"webmcphub/registry/sanitize"
)

// noExtension is the status while no browser's extension is connected.
const noExtension = "no browser with the WebMCP Hub extension is connected; open one (webmcp-hub extension pair says " +
	"how to pair it)"

// Actor owns the connections of browsers' extensions and knows their tabs. One Actor has all of them, because a
// browser that connects again replaces its older connection, and the older connection's tabs must be gone before the
// new ones come.
type Actor struct {
	supervisor.Supervisor
	expected bool          // extensions can connect, so the hub tells agents while none has
	browsers []*connection // in the order in which they came
	lastID   int           // the last number of an order or a connection
	away     absence
	agents   Agents      // nil if users can set nothing for agents
	status   AgentStatus // what is set
}

// absence says why no browser's extension is connected, as far as that is known.
type absence struct {
	keptOut, turnedAway string
	lastStatus          string // the last status that the actor reported to the registry
}

// New returns the actor that will be spawned as self. If extensions are expected, the hub tells agents while none has
// connected. agents may be nil.
func New(h supervisor.Hub, self *actor.PID, expected bool, agents Agents) *Actor {
	return &Actor{Supervisor: supervisor.New(h, self, "the side of browsers' extensions"), expected: expected,
		agents: agents}
}

// Receive handles one message. It never blocks.
func (a *Actor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		if a.expected {
			a.tellStatus(a.without())
		}
	case Opened:
		a.opened(m.Wire)
	case received:
		a.heard(m)
	case *supervisor.Order:
		a.ordered(m)
	case supervisor.Debug:
		a.debug(m)
	case attachOverdue:
		if m.of.debuggers[m.tab] == m.is {
			m.of.letGoOf(m.tab, errNoAnswer)
		}
	case orderOverdue:
		m.of.answer(m.request, supervisor.Answer{Err: errNoAnswer})
	case tab.ActorFailed:
		a.replace(m)
	case AgentStatus:
		a.status = m
		for _, l := range a.browsers {
			a.showStatus(l)
		}
	case KeptOut:
		a.away.keptOut = m.Why
		a.reportStatusAgain()
	case TurnedAway:
		a.away.turnedAway = m.Why
		a.reportStatusAgain()
	case supervisor.RegistryFailed:
		a.resync()
	case supervisor.Stop:
		a.shutDown()
	case supervisor.ConnectionClosed:
		a.StopAwaiting(m)
	case *actor.Stopped:
		a.Ended()
	}
}

// why says why extensions can't connect, or returns "" if they can, as far as that is known.
func (w absence) why() string {
	if w.keptOut != "" {
		return "no browser's extension can connect: " + w.keptOut
	}
	return w.turnedAway
}

// without returns the status while no extension is connected.
func (a *Actor) without() string {
	if why := a.away.why(); why != "" {
		return why
	}
	return noExtension
}

// reportStatusAgain reports the status again if it has changed while no extension is connected.
func (a *Actor) reportStatusAgain() {
	if status := a.without(); a.first(anyBrowser) == nil && status != a.away.lastStatus {
		a.tellStatus(status)
	}
}

func (a *Actor) tellStatus(status string) {
	a.away.lastStatus = status
	a.Tell(registry.ExtensionChanged{Status: status})
}

// opened greets a new connection. Its answer says what kind of peer it is.
func (a *Actor) opened(w extlink.Link) {
	if a.Stopping() {
		_ = w.Close()
		return
	}
	a.lastID++
	l := &connection{number: a.lastID, tabs: supervisor.NewTabs[shown](&a.Supervisor), orders: map[string]*order{},
		debuggers: map[extlink.TabID]*debugger{}}
	greeting := extlink.Connect{LegacyModelContext: a.legacyName(), Introspect: a.Introspect, Origins: a.Origins.Rules()}
	l.conn = extlink.NewConn(w, greeting, a.Log, func(m extlink.Message, cost int) { a.ToSelf(received{l, m, cost}) })
	a.browsers = append(a.browsers, l)
}

// legacyName says in which pages the extension is to provide the former name of document.modelContext too. It returns
// nil if in none.
func (a *Actor) legacyName() *extlink.LegacyModelContext {
	if !a.LegacyModelContext {
		return nil
	}
	matches, exclude := a.Origins.MatchPatterns()
	return &extlink.LegacyModelContext{Matches: matches, ExcludeMatches: exclude}
}

// heard handles a message of an extension. A message about one tab goes on to the tab's actor, which then gives back
// its cost.
func (a *Actor) heard(m received) {
	l := m.of
	passedOn := false
	defer func() {
		if !passedOn {
			l.conn.Handled(m.cost)
		}
	}()
	if !slices.Contains(a.browsers, l) {
		return // the connection has been removed
	}
	pass := func(id extlink.TabID) {
		if t := l.tab(id); t != nil && l.ready {
			passedOn = true
			l.tabs.Send(t, TabEvent{Message: m.message, Cost: m.cost})
		}
	}
	switch is := m.message.(type) {
	case extlink.Closed:
		a.lost(l, is.Err)
	case extlink.Connected:
		a.connected(l, is)
	case extlink.Disconnected:
		a.lost(l, errBrowserCloses)
		l.conn.Close(extlink.CloseNormal, "goodbye")
	case extlink.TabCreated:
		a.created(l, is.Tab)
	case extlink.TabUpdated:
		l.updated(is.Tab)
		pass(is.Tab.ID)
	case extlink.TabClosed:
		l.debugEnds(is.TabID, tab.ErrClosed)
		l.tabs.Closed(l.pageID(is.TabID))
		a.took(l, supervisor.CloseTab, is.TabID)
	case extlink.TabFocused:
		l.remember(&is.ToolsChanged)
		pass(is.TabID)
		a.took(l, supervisor.FocusTab, is.TabID)
	case extlink.ToolsChanged:
		l.remember(&is)
		pass(is.TabID)
	case extlink.ToolResult:
		pass(CalledTab(is.CallID))
	case extlink.ToolProgress:
		pass(CalledTab(is.CallID))
	case extlink.PageRequest:
		pass(is.TabID)
		if !passedOn {
			l.conn.Send(extlink.PageAnswer{RequestID: is.RequestID,
				Error: &extlink.AnswerError{Code: jsonrpc.CodeInternal, Message: "there is no such tab"}})
		}
	case extlink.PageRequestCancelled:
		pass(is.TabID)
	case extlink.DebuggerReply:
		passedOn = a.debuggerReplied(l, is, m.cost)
	case extlink.DebuggerEvent:
		if d := l.debuggers[is.TabID]; d != nil && d.wire != nil {
			passedOn = true
			d.wire.Event(is.Session, is.Method, is.Params, func() { l.conn.Handled(m.cost) })
		}
	case extlink.DebuggerDetached:
		l.debugEnds(is.TabID, detached(is.Reason))
	case extlink.SetPaused:
		a.setPaused(l, is)
	case extlink.SetPermission:
		a.setPermission(l, is)
	case extlink.OrderResult:
		a.orderDone(l, is)
	}
}

// lost removes everything of a connection that is gone or is to be closed.
func (a *Actor) lost(l *connection, why error) {
	a.Log.Info("a browser's extension is gone", "browser", l.String(), "why", why)
	a.letGo(l, registry.EndedByExtension)
}

// letGo removes a connection and ends its tabs, whose addresses it returns.
func (a *Actor) letGo(l *connection, why func(tool string) registry.Result) []*tab.Address {
	a.browsers = slices.DeleteFunc(a.browsers, func(other *connection) bool { return other == l })
	if l.ready && a.first(anyBrowser) == nil {
		a.tellStatus(a.without()) // before the tools go, so that a client that misses one learns why
	}
	tabs := l.tabs.CloseAll(why)
	for id := range l.debuggers {
		l.debugEnds(id, supervisor.ErrNoBrowser)
	}
	for request := range l.orders {
		l.answer(request, supervisor.Answer{Err: supervisor.ErrNoBrowser})
	}
	return tabs
}

// disconnect removes a connection, and closes it once the hub has told its pages which calls it gives up.
func (a *Actor) disconnect(l *connection, why func(tool string) registry.Result, code int, reason string) {
	a.CloseAfter(a.letGo(l, why), func() {
		l.conn.Close(code, reason)
		<-l.conn.Done()
	})
}

// first returns the browser that has been connected longest of those for which suits is true, or nil if there is
// none.
func (a *Actor) first(suits func(*connection) bool) *connection {
	for _, l := range a.browsers {
		if l.ready && suits(l) {
			return l
		}
	}
	return nil
}

func anyBrowser(*connection) bool  { return true }
func opensTabs(l *connection) bool { return !l.about.Fixed }

// browserInfo returns a browser's name and version as they are shown to the agent.
func browserInfo(b extlink.Browser) supervisor.BrowserInfo {
	return supervisor.BrowserInfo{Name: sanitize.Text(b.Name, 64), Version: sanitize.Text(b.Version, 64)}
}

// shutDown ends all tabs, and then the connections. It may be called again.
func (a *Actor) shutDown() {
	for len(a.browsers) > 0 {
		a.disconnect(a.browsers[0], registry.EndedByStop, extlink.CloseGoingAway, "the hub is stopping")
	}
	a.Stop()
}
