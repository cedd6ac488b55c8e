package actors

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"webmcphub/actors/tab"
	"webmcphub/extlink"
	"webmcphub/registry"
	"webmcphub/registry/advice"
	"webmcphub/registry/sanitize"
)

// orderLimit is how long an extension may take to carry out an order.
const orderLimit = 10 * time.Second

var errNoAnswer = fmt.Errorf("the browser's extension did not answer in %v", orderLimit)

// viaExtension says whether a page is an extension's.
func (h *Hub) viaExtension(page registry.PageID) bool {
	to, ok := h.pages.Load(page)
	return ok && to.(*tab.Address).Keeper == h.extBrowsers
}

// orderExt has the actor of extensions carry out an order, and waits.
func (h *Hub) orderExt(ctx context.Context, o extOrder) (registry.PageID, error) {
	o.answer = make(chan orderAnswer, 1)
	h.root.Send(h.extBrowsers, &o)
	select {
	case r := <-o.answer:
		return r.page, r.err
	case <-ctx.Done():
		return "", fmt.Errorf("the browser's extension did not answer (%w)", context.Cause(ctx))
	case <-h.stopped:
		return "", ErrStopped
	}
}

// connectOrdered answers if a browser is there; else it's for CDP. What opens
// no tabs is no browser for somebody who would have one started.
func (a *extBrowsersActor) connectOrdered(o connectOrder) {
	l := a.opener()
	if l == nil && !o.launch {
		l = a.first()
	}
	if l != nil && !a.stopping {
		info := BrowserInfo{sanitize.Text(l.browser.Name, 64), sanitize.Text(l.browser.Version, 64)}
		a.hub.root.Send(a.hub.registry, connectAnswered{[]connectOrder{o}, connectAnswer{info: info}})
		return
	}
	a.hub.root.Send(a.hub.browser, o)
}

func (a *extBrowsersActor) ordered(o *extOrder) {
	l, t := a.find(o.page)
	switch {
	case o.does == orderOpen && (l == nil || l.browser.Fixed):
		if l = a.opener(); l == nil && a.connectedAny() {
			o.answer <- orderAnswer{err: advice.OpensNoTabs{}}
			return
		}
	case o.does != orderOpen && t == nil:
		o.answer <- orderAnswer{err: errors.New("the tab was closed meanwhile")}
		return
	}
	if l == nil {
		o.answer <- orderAnswer{err: errNoBrowser}
		return
	}
	switch o.does {
	case orderConnect, orderDisconnect:
		t.off = o.does == orderDisconnect
		a.hub.root.Send(t.to.PID, tab.Wanted{On: !t.off})
		o.answer <- orderAnswer{}
		return
	case orderFocus, orderClose:
		a.tell(registry.FrontTaken{Page: t.id, Closed: o.does == orderClose})
	}
	a.lastID++
	request := "o" + strconv.Itoa(a.lastID)
	o.number = a.lastID
	l.orders[request] = o
	root, self := a.hub.root, a.hub.extBrowsers
	o.limit = time.AfterFunc(orderLimit, func() { root.Send(self, orderOverdue{l, request}) })
	switch o.does {
	case orderOpen:
		l.conn.Send(extlink.OpenTab{URL: o.url, Focus: !o.background, RequestID: request})
	case orderFocus:
		o.tab = t.tab.ID
		l.conn.Send(extlink.FocusTab{TabID: o.tab, RequestID: request})
	case orderClose:
		o.tab = t.tab.ID
		l.conn.Send(extlink.CloseTab{TabID: o.tab, RequestID: request})
	}
}

// answer answers an order.
func (l *extBrowser) answer(request string, r orderAnswer) {
	if o := l.orders[request]; o != nil {
		delete(l.orders, request)
		o.limit.Stop()
		o.answer <- r
	}
}

// orderDone is the extension's own word.
func (a *extBrowsersActor) orderDone(l *extBrowser, m extlink.OrderResult) {
	o := l.orders[m.RequestID]
	switch {
	case o == nil:
	case m.Error != "":
		l.answer(m.RequestID, orderAnswer{err: errors.New(sanitize.Text(m.Error, 500))})
	case o.does == orderOpen && m.TabID == 0:
		l.answer(m.RequestID, orderAnswer{err: errors.New("the browser's extension does not say which tab it opened")})
	case o.does == orderOpen:
		a.openedTab(l, m.RequestID, m.TabID)
	default:
		l.answer(m.RequestID, orderAnswer{})
	}
}

func (a *extBrowsersActor) openedTab(l *extBrowser, request string, opened extlink.TabID) {
	page := a.pageID(l, opened)
	if o := l.orders[request]; o != nil && !o.background {
		a.tell(registry.FrontTaken{Page: page})
	}
	l.answer(request, orderAnswer{page: page})
}

// took takes what happens to tabs for the answer to the oldest order for that,
// where the extension is one that gives no other.
func (a *extBrowsersActor) took(l *extBrowser, m extlink.Message) {
	if l.browser.Instance != "" {
		return
	}
	oldest, request := 0, ""
	for r, o := range l.orders {
		done := false
		switch m := m.(type) {
		case extlink.TabCreated:
			done = o.does == orderOpen
		case extlink.TabFocused:
			done = o.does == orderFocus && o.tab == m.TabID
		case extlink.TabClosed:
			done = o.does == orderClose && o.tab == m.TabID
		}
		if done && (request == "" || o.number < oldest) {
			oldest, request = o.number, r
		}
	}
	if request == "" {
		return
	}
	if m, ok := m.(extlink.TabCreated); ok {
		a.openedTab(l, request, m.Tab.ID)
		return
	}
	l.answer(request, orderAnswer{})
}
