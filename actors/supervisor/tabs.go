package supervisor

import (
	"cmp"
	"maps"
	"slices"

	"webmcphub/actors/tab"
	"webmcphub/registry"

	"webmcphub/registry/sanitize"
)

// Tabs has the tabs of one connection to a browser that a supervisor has taken up. T is what the browser reports about
// each tab.
type Tabs[T Shown] struct {
	supervisor *Supervisor
	all        map[registry.PageID]*Tab[T]
	failures   map[registry.PageID]*Failures
	leftAlone  map[registry.PageID]bool // tabs whose actors failed too often

	Proxied bool // the browser is an MCP-B proxy
}

// Shown is what a browser reports about a tab.
type Shown interface{ Info() tab.Info }

// Tab is a tab that the supervisor has taken up.
type Tab[T Shown] struct {
	ID    registry.PageID
	Shown T
	To    *tab.Address

	flow  *tab.FlowControl
	epoch registry.Epoch
}

// NewTabs returns an empty set of tabs.
func NewTabs[T Shown](k *Supervisor) *Tabs[T] {
	return &Tabs[T]{supervisor: k, all: map[registry.PageID]*Tab[T]{}, failures: map[registry.PageID]*Failures{},
		leftAlone: map[registry.PageID]bool{}}
}

// Len returns how many tabs there are.
func (ts *Tabs[T]) Len() int { return len(ts.all) }

// Get returns a tab, or nil.
func (ts *Tabs[T]) Get(page registry.PageID) *Tab[T] { return ts.all[page] }

// LeftAlone says whether a tab failed too often to be taken up again.
func (ts *Tabs[T]) LeftAlone(page registry.PageID) bool { return ts.leftAlone[page] }

// InOrder returns all tabs, in the order in which they were taken up.
func (ts *Tabs[T]) InOrder() []*Tab[T] {
	return slices.SortedFunc(maps.Values(ts.all), func(t, u *Tab[T]) int { return cmp.Compare(t.epoch, u.epoch) })
}

// Open takes up a tab. birth makes its actor.
func (ts *Tabs[T]) Open(page registry.PageID, shown T, birth func(tab.Birth) *tab.Tab) *Tab[T] {
	k := ts.supervisor
	k.spawned++
	t := &Tab[T]{ID: page, Shown: shown, To: tab.NewAddress(k.Self), flow: &tab.FlowControl{}, epoch: k.spawned}
	ts.all[page] = t
	ts.tellOpened(t)
	k.Spawn(birth(tab.Birth{Info: shown.Info(), ID: page, Epoch: t.epoch, Address: t.To, FlowControl: t.flow}))
	return t
}

func (ts *Tabs[T]) tellOpened(t *Tab[T]) {
	info := t.Shown.Info()
	ts.supervisor.Tell(registry.PageOpened{Page: t.ID, Browser: ts.supervisor.Browser, URL: info.URL, Title: info.Title,
		Proxied: ts.Proxied, Epoch: t.epoch, Origins: ts.supervisor.Origins})
}

// Send sends a message to the actor of a tab.
func (ts *Tabs[T]) Send(t *Tab[T], m any) { ts.supervisor.Root.Send(t.To.PID, m) }

// Renew records what the browser now reports about a tab, and passes it on to the tab's actor.
func (ts *Tabs[T]) Renew(t *Tab[T], now T) {
	t.Shown = now
	t.flow.NewInfo(ts.supervisor.Root, t.To, now.Info())
}

// Close ends a tab's actor and withdraws its tools. The message that ends the actor comes after everything that the
// page said before, so answers on their way still count.
func (ts *Tabs[T]) Close(t *Tab[T], how tab.End) {
	delete(ts.all, t.ID)
	ts.supervisor.Forget(t.ID, t.To)
	ts.Send(t, how)
	ts.supervisor.Tell(registry.PageClosed{Page: t.ID})
}

// Closed handles a tab that the browser has closed, whether it was taken up or not.
func (ts *Tabs[T]) Closed(page registry.PageID) {
	delete(ts.failures, page)
	delete(ts.leftAlone, page)
	if t := ts.all[page]; t != nil {
		ts.Close(t, tab.End{Why: registry.EndedByClose})
	}
}

// CloseAll ends all tabs. It returns their addresses, so that the caller can wait until they have ended.
func (ts *Tabs[T]) CloseAll(why func(tool string) registry.Result) (were []*tab.Address) {
	for _, t := range ts.InOrder() {
		were = append(were, t.To)
		ts.Close(t, tab.End{Why: why})
	}
	return were
}

// Replace ends a tab whose actor failed, and calls again to take the tab up once more. If the tab failed too often,
// Replace leaves it alone; until says, for the log, what ends that.
func (ts *Tabs[T]) Replace(m tab.ActorFailed, until string, again func(*Tab[T])) {
	t := ts.all[m.Page]
	if t == nil || t.To != m.Of {
		return
	}
	ts.Close(t, tab.End{Why: registry.EndedByFailure, Lives: true})
	if ts.failures[m.Page] == nil {
		ts.failures[m.Page] = &Failures{}
	}
	if ts.failures[m.Page].TooMany() {
		ts.leftAlone[m.Page] = true
		ts.supervisor.Log.Error("a page failed too often; it is left alone until "+until, "page", m.Page, "url",
			sanitize.Text(t.Shown.Info().URL, 200))
		return
	}
	again(t)
}

// Resync reports everything about all tabs to the registry again.
func (ts *Tabs[T]) Resync() {
	for _, t := range ts.InOrder() {
		ts.tellOpened(t)
		ts.Send(t, tab.Resync{})
	}
}

// Want makes the hub attach to a tab or detach from it, as the order says, and answers the order.
func (ts *Tabs[T]) Want(t *Tab[T], o *Order) {
	ts.Send(t, tab.Wanted{On: o.Does == ConnectTab, Answer: func(err error) { o.Give(Answer{Err: err}) }})
}

// TellFront tells the registry that an order brings its tab to the front or closes it. So the registry doesn't think
// that the user did it.
func (k *Supervisor) TellFront(o *Order) {
	k.Tell(registry.ActivatedByHub{Page: o.Page, Closed: o.Does == CloseTab})
}

// Opened returns the answer to an order that opened a tab, and tells the registry if the tab comes to the front.
func (k *Supervisor) Opened(o *Order, page registry.PageID) Answer {
	if !o.Background {
		k.Tell(registry.ActivatedByHub{Page: page})
	}
	return Answer{Page: page}
}
