package cdp

import (
	"slices"
	"time"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry"

	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// A form with target=_blank shows its result in a new tab, and Chrome never answers the invocation that sent the
// form. So the hub answers the call with the tab that its frame opens, unless the page itself answers
// (SubmitEvent.respondWith) right after.
//
// Chrome first announces that a window was requested, but not by which frame. Then it announces the tab, with its
// opener's frame. If no tab follows, the browser blocked it.

const (
	// afterWindow is how long the page's own answer may take after the tab has opened.
	afterWindow = 500 * time.Millisecond
	// blockedAfter is how long a tab may take to open after it was requested.
	blockedAfter = 2 * time.Second
	// maxWindows bounds how many requested windows without a tab are kept, and maxWindowURL the bytes of each one's
	// address, because a page may request any number.
	maxWindows   = 16
	maxWindowURL = 300
)

// requestedWindow is a window that was requested, until its tab is there.
type requestedWindow struct {
	session cdpclient.SessionID
	url     string
	calls   []*tab.Call // calls of forms that may have requested it
}

// TabOpened tells the opener's tab about a new tab, and which frame opened it.
type TabOpened struct {
	Page  registry.PageID
	Frame registry.FrameID
	URL   string
}

// tabDue says that the page has given no answer of its own in time. windowDue says that no tab has come in time.
type (
	tabDue struct {
		call *tab.Call
		url  string
		page registry.PageID
	}
	windowDue struct{ window *requestedWindow }
)

// sentForms returns the calls of forms in a session's documents.
func (p *Link) sentForms(s cdpclient.SessionID) (all []*tab.Call) {
	for c := range p.Calls {
		f := p.frames[c.Route.Frame]
		if f != nil && f.session == s && f.doc == c.Route.Doc && c.Route.Runtime == offer.Native &&
			f.forms[c.Route.Tool] {
			all = append(all, c)
		}
	}
	return all
}

func (p *Link) windowOpen(s cdpclient.SessionID, e cdpclient.WindowOpen) {
	if calls := p.sentForms(s); len(calls) > 0 && len(p.windows) < maxWindows {
		w := &requestedWindow{s, sanitize.Text(e.URL, maxWindowURL), calls}
		p.windows = append(p.windows, w)
		p.After(blockedAfter, windowDue{w})
	}
}

// tabOpened matches a tab with the requested window: the one with the tab's address or, while the tab has no address
// yet, the oldest one of its session.
func (p *Link) tabOpened(m TabOpened) {
	f := p.frames[m.Frame]
	if f == nil {
		return
	}
	url := sanitize.Text(m.URL, maxWindowURL)
	blank := url == "" || url == "about:blank"
	i := slices.IndexFunc(p.windows, func(w *requestedWindow) bool {
		return w.session == f.session &&
			(blank || w.url == url)
	})
	if i >= 0 {
		url = p.windows[i].url
		p.windows = slices.Delete(p.windows, i, i+1)
	}
	for _, c := range p.sentForms(f.session) {
		if c.Route.Frame == f.id {
			p.After(afterWindow, tabDue{c, url, m.Page})
		}
	}
}

// inOwnTab says whether a call's form was sent in its own tab. A window that the page requests meanwhile is then not
// the form's.
func inOwnTab(c *tab.Call) bool {
	return c.State.DocumentGone || c.State.Outlives || c.State.Sent
}

func (p *Link) tabDue(m tabDue) {
	if c := m.call; p.Calls[c] && !inOwnTab(c) {
		p.Finish(c, registry.FormShownIn(m.url, string(m.page)))
	}
}

func (p *Link) windowDue(m windowDue) {
	i := slices.Index(p.windows, m.window)
	if i < 0 {
		return // the window's tab has come
	}
	p.windows = slices.Delete(p.windows, i, i+1)
	for _, c := range m.window.calls {
		if p.Calls[c] && !inOwnTab(c) {
			p.Finish(c, registry.FormBlocked(c.Route.Tool, m.window.url))
		}
	}
}
