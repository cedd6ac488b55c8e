package supervisor

import (
	"cmp"
	"maps"
	"slices"

	"webmcphub/actors/tab"
	"webmcphub/registry"

	"webmcphub/registry/sanitize"
)

// Tabs are those that a supervisor has taken up of one connection to a browser. T is what
// the browser says of each.
type Tabs[T Shown] struct {
	supervisor *Supervisor
	all        map[registry.PageID]*Tab[T]
	failures   map[registry.PageID]*Failures
	leftAlone  map[registry.PageID]bool // those that failed too often

	Proxied bool // the browser is an MCP-B proxy
}

// Shown is what a browser says of a tab.
type Shown interface{ Info() tab.Info }

// A Tab is one that was taken up.
type Tab[T Shown] struct {
	ID    registry.PageID
	Shown T
	To    *tab.Address

	intake *tab.Intake
	epoch  registry.Epoch
}

// NewTabs are none yet.
func NewTabs[T Shown](k *Supervisor) *Tabs[T] {
	return &Tabs[T]{supervisor: k, all: map[registry.PageID]*Tab[T]{}, failures: map[registry.PageID]*Failures{},
		leftAlone: map[registry.PageID]bool{}}
}

// Len is how many there are.
func (ts *Tabs[T]) Len() int { return len(ts.all) }

// Get finds a tab, or returns nil.
func (ts *Tabs[T]) Get(page registry.PageID) *Tab[T] { return ts.all[page] }

// LeftAlone says whether a tab failed too often to be taken up once more.
func (ts *Tabs[T]) LeftAlone(page registry.PageID) bool { return ts.leftAlone[page] }

// InOrder are all, in the order in which they were taken up.
func (ts *Tabs[T]) InOrder() []*Tab[T] {
	return slices.SortedFunc(maps.Values(ts.all), func(t, u *Tab[T]) int { return cmp.Compare(t.epoch, u.epoch) })
}

// Open takes up a tab, whose actor is made by birth.
func (ts *Tabs[T]) Open(page registry.PageID, shown T, birth func(tab.Birth) *tab.Tab) *Tab[T] {
	k := ts.supervisor
	k.spawned++
	t := &Tab[T]{ID: page, Shown: shown, To: tab.NewAddress(k.Self), intake: &tab.Intake{}, epoch: k.spawned}
	ts.all[page] = t
	ts.tellOpened(t)
	k.Spawn(birth(tab.Birth{Info: shown.Info(), ID: page, Epoch: t.epoch, Address: t.To, Intake: t.intake}))
	return t
}

func (ts *Tabs[T]) tellOpened(t *Tab[T]) {
	info := t.Shown.Info()
	ts.supervisor.Tell(registry.PageOpened{Page: t.ID, Browser: ts.supervisor.Browser, URL: info.URL, Title: info.Title,
		Proxied: ts.Proxied, Epoch: t.epoch, Origins: ts.supervisor.Origins})
}

// Send sends a message to the actor of a tab.
func (ts *Tabs[T]) Send(t *Tab[T], m any) { ts.supervisor.Root.Send(t.To.PID, m) }

// Renew takes what the browser shows of a tab now.
func (ts *Tabs[T]) Renew(t *Tab[T], now T) {
	t.Shown = now
	t.intake.NewInfo(ts.supervisor.Root, t.To, now.Info())
}

// Close ends a tab's actor and withdraws its tools. The message that ends it
// stands behind what the page said last, so answers on their way still count.
func (ts *Tabs[T]) Close(t *Tab[T], how tab.End) {
	delete(ts.all, t.ID)
	ts.supervisor.Forget(t.ID, t.To)
	ts.Send(t, how)
	ts.supervisor.Tell(registry.PageClosed{Page: t.ID})
}

// Closed is for a tab that the browser has closed, taken up or not.
func (ts *Tabs[T]) Closed(page registry.PageID) {
	delete(ts.failures, page)
	delete(ts.leftAlone, page)
	if t := ts.all[page]; t != nil {
		ts.Close(t, tab.End{Why: registry.EndedByClose})
	}
}

// CloseAll ends all, and returns how they are reached until they have ended.
func (ts *Tabs[T]) CloseAll(why func(tool string) registry.Result) (were []*tab.Address) {
	for _, t := range ts.InOrder() {
		were = append(were, t.To)
		ts.Close(t, tab.End{Why: why})
	}
	return were
}

// Replace ends a tab whose actor failed, and has it taken up once more by again,
// unless it failed too often; until says when that is forgotten.
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

// Retell tells the registry of all.
func (ts *Tabs[T]) Retell() {
	for _, t := range ts.InOrder() {
		ts.tellOpened(t)
		ts.Send(t, tab.Retell{})
	}
}

// Want has the hub attached to a tab, or not, and answers the order for that.
func (ts *Tabs[T]) Want(t *Tab[T], o *Order) {
	ts.Send(t, tab.Wanted{On: o.Does == ConnectTab, Answer: func(err error) { o.Give(Answer{Err: err}) }})
}

// TakesFront tells the registry that an order brings its tab to the front or closes
// it, so that it isn't taken for the user's doing.
func (k *Supervisor) TakesFront(o *Order) {
	k.Tell(registry.FrontTaken{Page: o.Page, Closed: o.Does == CloseTab})
}

// Opened is the answer to an order that has opened a tab.
func (k *Supervisor) Opened(o *Order, page registry.PageID) Answer {
	if !o.Background {
		k.Tell(registry.FrontTaken{Page: page})
	}
	return Answer{Page: page}
}
