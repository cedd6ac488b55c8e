package actors

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/tab"
	"webmcphub/actors/tab/ext"
	"webmcphub/extlink"
	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/endings"
	"webmcphub/registry/sanitize"
)

const (
	// noExtension is the status while no browser's extension is connected.
	noExtension = "no browser with the WebMCP Hub extension is connected; open one (webmcp-hub extension pair says how to pair it)"
	// maxExtTabs is how many tabs of one browser are known. No person has so
	// many; a broken extension might.
	maxExtTabs = 5000
)

// extBrowsersActor owns the connections of browsers' extensions and knows their tabs.
// One actor has all of them, since a browser that connects anew takes the place
// of its older connection: its tabs must be gone before they come again.
type extBrowsersActor struct {
	hub      *Hub
	browsers []*extBrowser // as they came
	spawned  registry.Epoch
	lastID   int    // of orders and connections
	status   string // as the registry was told last
	stopping bool
	parting  int // links whose end is awaited
	failures failures
}

// extBrowser is one connection.
type extBrowser struct {
	number  int
	conn    *extlink.Conn
	browser extlink.Browser
	ready   bool // it has told its tabs
	full    bool // too many tabs were noticed
	tabs    map[extlink.TabID]*extTab
	orders  map[string]*extOrder // by request
	fails   map[extlink.TabID]*failures
}

// extTab is one tab.
type extTab struct {
	id     registry.PageID
	epoch  registry.Epoch
	tab    extlink.Tab
	latest *extlink.ToolsChanged // its newest list, nil before the first
	off    bool                  // a client let go of it
	to     *tab.Address
	intake *tab.Intake
}

// AddExtension takes up a browser whose extension has connected; the hub owns
// the wire from now on.
func (h *Hub) AddExtension(w extlink.Link) { h.root.Send(h.extBrowsers, extOpened{w}) }

func newExtBrowsersActor(h *Hub) *extBrowsersActor {
	return &extBrowsersActor{hub: h}
}

// Receive handles one message. Nothing in it waits.
func (a *extBrowsersActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		if a.hub.options.Extension {
			a.tellStatus(a.without())
		}
	case extOpened:
		a.opened(ctx, m.wire)
	case fromExtension:
		a.heard(m)
	case connectOrder:
		a.connectOrdered(m)
	case *extOrder:
		a.ordered(m)
	case orderOverdue:
		m.browser.answer(m.request, orderAnswer{err: errNoAnswer})
	case tab.ActorFailed:
		a.replace(m)
	case extensionsKeptOut:
		a.retellStatus()
	case registryFailed:
		a.retell()
	case stopBrowser:
		a.shutDown(ctx)
	case extClosed:
		a.parting--
		a.end(ctx)
	case *actor.Stopped:
		a.over()
	}
}

// ExtensionsKeptOut says why extensions can't connect, for agents to know; or
// with "" that they can.
func (h *Hub) ExtensionsKeptOut(why string) {
	h.keptOut.Store(&why)
	h.root.Send(h.extBrowsers, extensionsKeptOut{})
}

// ExtensionRefused says why one that came was sent away, for agents to know while
// none is connected; who names it, such as "a browser's extension".
func (h *Hub) ExtensionRefused(who, why string) {
	why = who + " came, but was refused: " + why
	h.refused.Store(&why)
	h.root.Send(h.extBrowsers, extensionsKeptOut{})
}

// without is the status while no extension is connected.
func (a *extBrowsersActor) without() string {
	if why := a.hub.whyKeptOut(); why != "" {
		return why
	}
	return noExtension
}

// retellStatus tells the status anew while no extension is connected.
func (a *extBrowsersActor) retellStatus() {
	if status := a.without(); !a.connectedAny() && status != a.status {
		a.tellStatus(status)
	}
}

// whyKeptOut is empty if extensions can connect, as far as is known.
func (h *Hub) whyKeptOut() string {
	if why := h.keptOut.Load(); why != nil && *why != "" {
		return "no browser's extension can connect: " + *why
	}
	if why := h.refused.Load(); why != nil && *why != "" {
		return *why
	}
	return ""
}

func (a *extBrowsersActor) tell(e registry.Event) { a.hub.root.Send(a.hub.registry, e) }

func (a *extBrowsersActor) tellStatus(status string) {
	a.status = status
	a.tell(registry.ExtensionChanged{Status: status})
}

// opened greets a new connection. What it is is known when it answers.
func (a *extBrowsersActor) opened(ctx actor.Context, w extlink.Link) {
	if a.stopping {
		_ = w.Close()
		return
	}
	a.lastID++
	l := &extBrowser{number: a.lastID, tabs: map[extlink.TabID]*extTab{}, orders: map[string]*extOrder{}, fails: map[extlink.TabID]*failures{}}
	root, self := a.hub.root, ctx.Self()
	ready := make(chan struct{}) // l.conn is there
	l.conn = extlink.NewConn(w, a.hub.log, func(m extlink.Message, cost int) {
		<-ready
		root.Send(self, fromExtension{l, m, cost})
	})
	close(ready)
	a.browsers = append(a.browsers, l)
	l.conn.Send(extlink.Connect{LegacyModelContext: a.legacyName(), Introspect: a.hub.options.Introspect, Origins: a.originRules()})
}

// originRules say in which documents the extension's scripts may be at work; nil
// if in all.
func (a *extBrowsersActor) originRules() *extlink.OriginRules {
	raw := a.hub.options.Registry.Origins.Rules()
	if raw == nil {
		return nil
	}
	var rules extlink.OriginRules
	if err := json.Unmarshal(raw, &rules); err != nil {
		panic(err) // the two shapes are one: TestExtRules
	}
	return &rules
}

// legacyName says in which pages the extension is to give document.modelContext
// its former name, too; nil if in none.
func (a *extBrowsersActor) legacyName() *extlink.LegacyModelContext {
	if !a.hub.options.LegacyModelContext {
		return nil
	}
	matches, exclude := a.hub.options.Registry.Origins.MatchPatterns()
	return &extlink.LegacyModelContext{Matches: matches, ExcludeMatches: exclude}
}

// heard takes what an extension says. What concerns one tab goes on to its
// page's actor, which then gives back its cost.
func (a *extBrowsersActor) heard(m fromExtension) {
	l := m.browser
	passedOn := false
	defer func() {
		if !passedOn {
			l.conn.Handled(m.cost)
		}
	}()
	if !slices.Contains(a.browsers, l) {
		return // it was let go
	}
	pass := func(tab extlink.TabID) {
		if t := l.tabs[tab]; t != nil && l.ready {
			passedOn = true
			a.hub.root.Send(t.to.PID, ext.Said{Message: m.message, Cost: m.cost})
		}
	}
	switch said := m.message.(type) {
	case extlink.Closed:
		a.lost(l, said.Err)
	case extlink.Connected:
		a.connected(l, said)
	case extlink.Disconnected:
		a.lost(l, errBrowserCloses)
		l.conn.Close(extlink.CloseNormal, "goodbye")
	case extlink.TabCreated:
		a.created(l, said.Tab)
	case extlink.TabUpdated:
		l.updated(said.Tab)
		pass(said.Tab.ID)
	case extlink.TabClosed:
		if t := l.tabs[said.TabID]; t != nil {
			a.close(l, t, tab.End{Why: endings.ByClose})
		}
		a.took(l, said)
	case extlink.TabFocused:
		a.remember(l, &said.ToolsChanged)
		pass(said.TabID)
		a.took(l, said)
	case extlink.ToolsChanged:
		a.remember(l, &said)
		pass(said.TabID)
	case extlink.ToolResult:
		pass(ext.CalledTab(said.CallID))
	case extlink.ToolProgress:
		pass(ext.CalledTab(said.CallID))
	case extlink.PageRequest:
		pass(said.TabID)
		if !passedOn {
			l.conn.Send(extlink.PageAnswer{RequestID: said.RequestID, Error: &extlink.AnswerError{Code: jsonrpc.CodeInternal, Message: "there is no such tab"}})
		}
	case extlink.PageRequestCancelled:
		pass(said.TabID)
	case extlink.OrderResult:
		a.orderDone(l, said)
	}
}

// updated takes what a tab shows now. A new document's tools are yet to be told.
func (l *extBrowser) updated(now extlink.Tab) {
	if t := l.tabs[now.ID]; t != nil {
		if now.Doc != "" && now.Doc != t.tab.Doc {
			t.latest = nil
		}
		t.tab = now
	}
}

// remember keeps a tab's list for an actor that has to be replaced.
func (a *extBrowsersActor) remember(l *extBrowser, m *extlink.ToolsChanged) {
	if t := l.tabs[m.TabID]; t != nil {
		t.latest = m
	}
}

// lost withdraws everything of a connection that is gone, or is to go.
func (a *extBrowsersActor) lost(l *extBrowser, why error) {
	a.hub.log.Info("a browser's extension is gone", "browser", browserText(l.browser), "why", why)
	a.letGo(l, endings.ByExtension)
}

// letGo forgets a connection and ends its pages.
func (a *extBrowsersActor) letGo(l *extBrowser, ended func(tool string) registry.Result) {
	a.browsers = slices.DeleteFunc(a.browsers, func(other *extBrowser) bool { return other == l })
	if l.ready && !a.connectedAny() {
		a.tellStatus(a.without()) // first, so that who misses a tool is told why
	}
	for _, t := range l.inOrder() {
		a.close(l, t, tab.End{Why: ended})
	}
	for request := range l.orders {
		l.answer(request, orderAnswer{err: errNoBrowser})
	}
}

func (a *extBrowsersActor) connectedAny() bool { return a.first() != nil }

// first is the browser that has been there for longest, nil if there is none.
func (a *extBrowsersActor) first() *extBrowser {
	for _, l := range a.browsers {
		if l.ready {
			return l
		}
	}
	return nil
}

// opener is the first that opens tabs, nil if there is none.
func (a *extBrowsersActor) opener() *extBrowser {
	for _, l := range a.browsers {
		if l.ready && !l.browser.Fixed {
			return l
		}
	}
	return nil
}

func (l *extBrowser) inOrder() []*extTab {
	return slices.SortedFunc(maps.Values(l.tabs), func(t, u *extTab) int { return cmp.Compare(t.epoch, u.epoch) })
}

func browserText(b extlink.Browser) string {
	return strings.TrimSpace(sanitize.Text(b.Name, 64) + " " + sanitize.Text(b.Version, 64))
}
