package extbrowser

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/extlink"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// orderLimit is how long an extension may take to carry out an order.
const orderLimit = 10 * time.Second

var errNoAnswer = fmt.Errorf("the browser's extension did not answer in %v", orderLimit)

// order is an order that an extension is carrying out.
type order struct {
	*supervisor.Order
	request string
	number  int           // orders are numbered in the order in which they began
	tab     extlink.TabID // the tab that the order is about
	limit   *time.Timer
}

// reach answers an order to reach a browser at once, because it is extensions that connect. An order that may launch a
// browser is answered only with a browser that can open tabs.
func (a *Actor) reach(o *supervisor.Order) {
	l := a.first(opensTabs)
	if l == nil && !o.Launch {
		l = a.first(anyBrowser)
	}
	if l == nil || a.Stopping() {
		o.Give(supervisor.Answer{Why: a.away.why(), Err: supervisor.ErrNoBrowser})
		return
	}
	a.Root.Send(a.Registry, supervisor.Answered{Orders: []*supervisor.Order{o},
		Answer: supervisor.Answer{Info: browserInfo(l.about)}})
}

func (a *Actor) ordered(o *supervisor.Order) {
	switch o.Does {
	case supervisor.ReachBrowser:
		a.reach(o)
		return
	case supervisor.OpenTab:
		a.openTab(o)
		return
	}
	l := a.browserOf(o.Page)
	if l == nil {
		o.Give(supervisor.Answer{Err: tab.ErrClosed})
		return
	}
	t := l.tabs.Get(o.Page)
	switch o.Does {
	case supervisor.ConnectTab, supervisor.DisconnectTab:
		if t.Shown.off = o.Does == supervisor.DisconnectTab; t.Shown.off {
			l.letGoOf(t.Shown.ID, errDisconnected)
		}
		l.tabs.Want(t, o)
	case supervisor.FocusTab:
		a.TellFront(o)
		l.conn.Send(extlink.FocusTab{TabID: t.Shown.ID, RequestID: a.begin(l, o, t.Shown.ID)})
	case supervisor.CloseTab:
		a.TellFront(o)
		l.conn.Send(extlink.CloseTab{TabID: t.Shown.ID, RequestID: a.begin(l, o, t.Shown.ID)})
	}
}

// openTab opens a tab in the browser of the page beside which the tab should be. If that browser doesn't open tabs, or
// there is no such page, it opens the tab in the first browser that opens tabs.
func (a *Actor) openTab(o *supervisor.Order) {
	l := a.browserOf(o.Page)
	if l == nil || !opensTabs(l) {
		l = a.first(opensTabs)
	}
	switch {
	case l != nil:
		url := o.URL
		if o.For != "" && !l.about.Automation {
			url = o.For
		}
		l.conn.Send(extlink.OpenTab{URL: url, Focus: !o.Background, RequestID: a.begin(l, o, 0)})
	case a.first(anyBrowser) != nil:
		o.Give(supervisor.Answer{Err: registry.OpensNoTabs{}})
	default:
		o.Give(supervisor.Answer{Err: supervisor.ErrNoBrowser})
	}
}

// begin records that an extension carries out an order, and returns the request id that the extension's answer will
// have.
func (a *Actor) begin(l *connection, o *supervisor.Order, tab extlink.TabID) (request string) {
	a.lastID++
	request = "o" + strconv.Itoa(a.lastID)
	limit := time.AfterFunc(orderLimit, func() { a.ToSelf(orderOverdue{l, request}) })
	l.orders[request] = &order{o, request, a.lastID, tab, limit}
	return request
}

// answer answers an order.
func (l *connection) answer(request string, r supervisor.Answer) {
	if o := l.orders[request]; o != nil {
		delete(l.orders, request)
		o.limit.Stop()
		o.Give(r)
	}
}

// orderDone handles the extension's answer to an order.
func (a *Actor) orderDone(l *connection, m extlink.OrderResult) {
	o := l.orders[m.RequestID]
	switch {
	case o == nil:
	case m.Error != "":
		l.answer(m.RequestID, supervisor.Answer{Err: errors.New(sanitize.Text(m.Error, 500))})
	case o.Does == supervisor.OpenTab && m.TabID == 0:
		l.answer(m.RequestID, supervisor.Answer{Err: errors.New("the browser's extension does not say which tab it opened")})
	default:
		a.carriedOut(l, o, m.TabID)
	}
}

// carriedOut answers an order that was carried out. For OpenTab, opened is the new tab.
func (a *Actor) carriedOut(l *connection, o *order, opened extlink.TabID) {
	var answer supervisor.Answer
	if o.Does == supervisor.OpenTab {
		answer = a.Opened(o.Order, l.pageID(opened))
	}
	l.answer(o.request, answer)
}

// answerByEvent treats an event of a tab as the answer to the oldest order for such an event, if the extension is one
// that doesn't answer orders.
func (a *Actor) answerByEvent(l *connection, does supervisor.OrderKind, tab extlink.TabID) {
	var oldest *order
	for _, o := range l.orders {
		if o.Does == does && (does == supervisor.OpenTab || o.tab == tab) &&
			(oldest == nil || o.number < oldest.number) {
			oldest = o
		}
	}
	if oldest != nil && l.about.Instance == "" {
		a.carriedOut(l, oldest, tab)
	}
}
