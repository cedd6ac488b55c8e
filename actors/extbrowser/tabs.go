package extbrowser

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"

	"webmcphub/extlink"
	"webmcphub/registry"
)

// maxTabs bounds how many tabs of one browser are known. No person has that many, but a broken extension might report
// them.
const maxTabs = 5000

var errBrowserCloses = errors.New("the browser closes")

// connection is a connection to a browser.
type connection struct {
	number    int
	conn      *extlink.Conn
	about     extlink.Browser
	ready     bool // it has reported its tabs
	full      bool // it has been logged that there are too many tabs
	tabs      *supervisor.Tabs[shown]
	orders    map[string]*order // by request id
	debuggers map[extlink.TabID]*debugger
	attempts  uint64 // to attach a debugger
}

// shown has what an extension has reported about a tab.
type shown struct {
	extlink.Tab
	latest *extlink.ToolsChanged // the tab's newest list of tools; nil before the first
	off    bool                  // a client has disconnected it
}

// Info returns what a tab's actor and the registry need to know about the tab.
func (s shown) Info() tab.Info { return tab.Info{URL: s.URL, Title: s.Title} }

func (l *connection) String() string {
	info := browserInfo(l.about)
	return strings.TrimSpace(info.Name + " " + info.Version)
}

// pageID returns the hub's id of a tab. It stays the same when the tab's browser connects again.
func (l *connection) pageID(tab extlink.TabID) registry.PageID {
	browser := l.about.Instance
	if browser == "" {
		browser = strconv.Itoa(l.number) // a new number for each connection
	}
	return registry.PageID("extension/" + browser + "/" + strconv.Itoa(int(tab)))
}

// tab returns a tab, or nil.
func (l *connection) tab(id extlink.TabID) *supervisor.Tab[shown] { return l.tabs.Get(l.pageID(id)) }

// browserOf returns the browser that has a page, or nil.
func (a *Actor) browserOf(page registry.PageID) *connection {
	for _, l := range a.browsers {
		if l.tabs.Get(page) != nil {
			return l
		}
	}
	return nil
}

// connected handles the complete state of a browser, which it sends at the beginning of its connection and may send
// again later.
func (a *Actor) connected(l *connection, m extlink.Connected) {
	first := !l.ready
	if first {
		a.replaceOlder(l, m.Browser)
		l.ready, l.about, l.tabs.Proxied = true, m.Browser, m.Browser.Fixed
		a.away.turnedAway = ""
		a.Log.Info("a browser's extension has connected", "browser", l.String(), "tabs", len(m.Tabs))
		a.tellStatus("")
	}
	there := map[extlink.TabID]bool{}
	for _, t := range m.Tabs {
		there[t.ID] = true
	}
	for _, t := range l.tabs.InOrder() {
		if !there[t.Shown.ID] {
			l.tabs.Closed(t.ID)
		}
	}
	for _, t := range m.Tabs {
		a.created(l, t)
	}
	if first {
		a.foundFront(l)
		a.showStatus(l)
	}
}

// replaceOlder disconnects the older connection of the browser that now connects.
func (a *Actor) replaceOlder(now *connection, browser extlink.Browser) {
	for _, l := range a.browsers {
		if l != now && browser.Instance != "" && l.about.Instance == browser.Instance {
			a.Log.Info("a browser's extension has connected anew", "browser", l.String())
			a.disconnect(l, registry.EndedByExtension, extlink.CloseReplaced, "this browser has connected anew")
			return
		}
	}
}

// foundFront reports which tab the user was looking at when the browser connected. If there are several windows, that
// isn't known before the user switches tabs.
func (a *Actor) foundFront(l *connection) {
	var front []registry.PageID
	for _, t := range l.tabs.InOrder() {
		if t.Shown.Active {
			front = append(front, t.ID)
		}
	}
	if len(front) == 1 && a.Fronts.Load() {
		a.Tell(registry.FoundInFront{Page: front[0]})
	}
}

// created takes up a new tab. For a known tab, it records the change.
func (a *Actor) created(l *connection, info extlink.Tab) {
	t := l.tab(info.ID)
	switch {
	case !l.ready || l.tabs.LeftAlone(l.pageID(info.ID)):
		return
	case t != nil:
		t.Shown.Tab = info
		l.showDebugged(info)
		l.tabs.Send(t, TabEvent{Message: extlink.TabUpdated{Tab: info}})
		return
	case l.tabs.Len() >= maxTabs:
		if !l.full {
			l.full = true
			a.Log.Warn(fmt.Sprintf("a browser has more than %d tabs; the others stay unseen", maxTabs), "browser",
				l.String())
		}
		return
	}
	a.open(l, shown{Tab: info, off: a.Explicit})
	a.took(l, supervisor.OpenTab, info.ID)
}

// open takes up a tab.
func (a *Actor) open(l *connection, of shown) {
	t := l.tabs.Open(l.pageID(of.ID), of, func(birth tab.Birth) *tab.Tab {
		birth.Wanted = !of.off
		return NewTab(a.Env, l.conn, l.about.Instance == "", of.Tab, birth)
	})
	if of.latest != nil {
		l.tabs.Send(t, TabEvent{Message: *of.latest})
	}
}

// updated records what a tab shows now. The tools of a new document are still to be reported.
func (l *connection) updated(now extlink.Tab) {
	if t := l.tab(now.ID); t != nil {
		if now.Doc != "" && now.Doc != t.Shown.Doc {
			t.Shown.latest = nil
		}
		t.Shown.Tab = now
		l.showDebugged(now)
	}
}

// remember keeps a tab's list of tools, in case the tab's actor has to be replaced.
func (l *connection) remember(m *extlink.ToolsChanged) {
	if t := l.tab(m.TabID); t != nil {
		t.Shown.latest = m
	}
}
