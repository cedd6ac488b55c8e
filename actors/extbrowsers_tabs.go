package actors

import (
	"errors"
	"fmt"
	"strconv"

	"webmcphub/actors/tab"
	"webmcphub/actors/tab/ext"
	"webmcphub/extlink"
	"webmcphub/registry"
	"webmcphub/registry/endings"
)

var errBrowserCloses = errors.New("the browser closes")

// connected takes the whole truth about a browser: at the beginning of its
// connection, or once more later.
func (a *extBrowsersActor) connected(l *extBrowser, m extlink.Connected) {
	first := !l.ready
	if first && m.Browser.Instance != "" {
		for _, older := range a.browsers {
			if older != l && older.browser.Instance == m.Browser.Instance {
				a.hub.log.Info("a browser's extension has connected anew", "browser", browserText(m.Browser))
				a.leave(older, endings.ByExtension, extlink.CloseReplaced, "this browser has connected anew", func() {})
				break
			}
		}
	}
	l.ready = true
	if first {
		l.browser = m.Browser
		a.hub.refused.Store(nil)
		a.hub.log.Info("a browser's extension has connected", "browser", browserText(l.browser), "tabs", len(m.Tabs))
		a.tellStatus("")
	}
	there := map[extlink.TabID]bool{}
	for _, t := range m.Tabs {
		there[t.ID] = true
	}
	for _, t := range l.inOrder() {
		if !there[t.tab.ID] {
			a.close(l, t, tab.End{Why: endings.ByClose})
		}
	}
	for _, t := range m.Tabs {
		a.created(l, t)
	}
	if first {
		a.foundFront(l)
	}
}

// foundFront notes which tab the user was looking at when the browser
// connected. With several windows that isn't known before the user switches.
func (a *extBrowsersActor) foundFront(l *extBrowser) {
	var front *extTab
	for _, t := range l.tabs {
		if !t.tab.Active {
			continue
		}
		if front != nil {
			return
		}
		front = t
	}
	if front != nil && a.hub.tabs.Fronts.Load() {
		a.tell(registry.FrontFound{Page: front.id})
	}
}

// created takes up a tab; one that is known has changed.
func (a *extBrowsersActor) created(l *extBrowser, said extlink.Tab) {
	t := l.tabs[said.ID]
	switch {
	case !l.ready:
		return
	case t != nil:
		t.tab = said
		a.hub.root.Send(t.to.PID, ext.Said{Message: extlink.TabUpdated{Tab: said}})
		return
	case len(l.tabs) >= maxExtTabs:
		if !l.full {
			l.full = true
			a.hub.log.Warn(fmt.Sprintf("a browser has more than %d tabs; the others stay unseen", maxExtTabs), "browser", browserText(l.browser))
		}
		return
	}
	a.open(l, &extTab{tab: said, off: a.hub.options.Explicit})
	a.took(l, extlink.TabCreated{Tab: said})
}

// open starts a tab's actor.
func (a *extBrowsersActor) open(l *extBrowser, t *extTab) {
	a.spawned++
	t.id, t.epoch = a.pageID(l, t.tab.ID), a.spawned
	t.to, t.intake = tab.NewAddress(a.hub.extBrowsers), &tab.Intake{}
	l.tabs[t.tab.ID] = t
	a.tell(registry.PageOpened{Page: t.id, URL: t.tab.URL, Title: t.tab.Title, Proxied: l.browser.Fixed, Epoch: t.epoch})
	a.hub.spawnTab(ext.New(a.hub.tabs, l.conn, l.browser.Instance == "", t.tab, tab.Birth{
		Info: tab.Info{URL: t.tab.URL, Title: t.tab.Title}, ID: t.id, Epoch: t.epoch, Wanted: !t.off, Address: t.to, Intake: t.intake,
	}))
	if t.latest != nil {
		a.hub.root.Send(t.to.PID, ext.Said{Message: *t.latest})
	}
}

// pageID is the hub's name for a tab: the same when its browser connects anew.
func (a *extBrowsersActor) pageID(l *extBrowser, tab extlink.TabID) registry.PageID {
	browser := l.browser.Instance
	if browser == "" {
		browser = strconv.Itoa(l.number) // a new one each time
	}
	return registry.PageID(fmt.Sprintf("extension/%s/%d", browser, tab))
}

// close ends a tab's actor and withdraws its tools. The message that ends it
// stands behind what the page said last, so answers on their way still count.
func (a *extBrowsersActor) close(l *extBrowser, t *extTab, how tab.End) {
	delete(l.tabs, t.tab.ID)
	a.hub.pages.CompareAndDelete(t.id, t.to)
	a.hub.root.Send(t.to.PID, how)
	a.tell(registry.PageClosed{Page: t.id})
}

// find gives a page's tab, or nil.
func (a *extBrowsersActor) find(page registry.PageID) (*extBrowser, *extTab) {
	for _, l := range a.browsers {
		for _, t := range l.tabs {
			if t.id == page {
				return l, t
			}
		}
	}
	return nil, nil
}
