package cdptest

import (
	"slices"
	"time"

	"webmcphub/cdpclient"
)

// Page is one tab.
type Page struct {
	t       *target
	history []*document
	at      int // index of the shown document in history
	window  int // that it is in, see InWindow

	latency time.Duration
	tasks   runner   // commands that wait
	late    []string // foreign frames of the last document, not yet reported gone
	server  runner   // payloads for the documents' MCP servers
	log     []Command
	hooks   map[string]Hook
}

// open makes a tab. Called with the lock.
func (b *Browser) open(url string, opener *Frame) *Page {
	t := &target{b: b, id: b.newID(), kind: cdpclient.TypePage, url: url, title: b.sites[url].Title}
	p := &Page{t: t, hooks: map[string]Hook{}}
	t.page = p
	f := &Frame{page: p, id: t.id, own: t}
	t.root = f
	if opener != nil {
		p.openedBy(opener, url)
		return p
	}
	doc := f.newDocument(url, f.processFor(url))
	p.history = []*document{doc}
	f.doc = doc
	if b.early {
		f.doc = f.newDocument("", doc.proc)
	}
	f.doc.contexts = []*world{doc.proc.newWorld("")}
	b.targets = append(b.targets, t)
	b.announce(t)
	t.when(func() {
		if f.doc != doc {
			f.cleared(1)
			f.doc = doc
			f.navigated(cdpclient.NavigationNew)
			f.startWorlds()
		}
		f.load()
	})
	return p
}

// openedBy makes a popup: it is held at its initial empty document. If it stays
// in its opener's origin, window and contexts live on in the next document.
func (p *Page) openedBy(opener *Frame, url string) {
	t, f := p.t, p.t.root
	t.opener, t.by, t.url = opener.page.t.id, opener.id, ""
	proc := opener.doc.proc
	f.doc = f.newDocument("", proc)
	f.doc.contexts = []*world{proc.newWorld("")}
	t.b.targets = append(t.b.targets, t)
	t.b.announce(t)
	t.when(func() {
		t.emitPage(cdpclient.PageFrameRequestedNavigation,
			obj{"frameId": f.id, "reason": "other", "url": url, "disposition": "currentTab"})
		doc := f.newDocument(url, f.processFor(url))
		f.started(doc, "differentDocument")
		if doc.proc == proc {
			doc.contexts = f.doc.contexts
			f.doc = doc
		} else {
			f.cleared(2)
			f.doc = doc
		}
		f.navigated(cdpclient.NavigationNew)
		if len(doc.contexts) == 0 {
			f.startWorlds()
		}
		p.history = []*document{doc}
		f.load()
	})
}

// do runs f with the lock, now or when the page is let run. On a closed page
// it does nothing.
func (p *Page) do(f func()) {
	p.t.b.mu.Lock()
	defer p.t.b.mu.Unlock()
	p.t.when(func() {
		if !p.t.gone {
			f()
		}
	})
}

// ID is the target id, and the main frame's.
func (p *Page) ID() string { return p.t.id }

// URL is the main document's address.
func (p *Page) URL() string {
	p.t.b.mu.Lock()
	defer p.t.b.mu.Unlock()
	return p.t.url
}

// InWindow puts the tab at the end of a window, by its number: 0 is the one that
// all tabs open in.
func (p *Page) InWindow(window int) {
	b := p.t.b
	b.mu.Lock()
	defer b.mu.Unlock()
	p.window = window
	b.targets = append(slices.DeleteFunc(b.targets, func(t *target) bool { return t == p.t }), p.t)
}

// InContext moves the tab to another browser context, before anybody is told of the tab.
func (p *Page) InContext(id string) { p.do(func() { p.t.in = id }) }

// Main is the main frame. It stays the same through navigations.
func (p *Page) Main() *Frame { return p.t.root }

// Sessions counts the sessions on the page, of all connections.
func (p *Page) Sessions() int {
	p.t.b.mu.Lock()
	defer p.t.b.mu.Unlock()
	return len(p.t.sessions)
}

// Commands lists what came on the page's sessions, oldest first.
func (p *Page) Commands() []Command {
	p.t.b.mu.Lock()
	defer p.t.b.mu.Unlock()
	return slices.Clone(p.log)
}

// On sets the hook for a method on this page's sessions; nil takes it away.
func (p *Page) On(method string, h Hook) {
	p.t.b.mu.Lock()
	defer p.t.b.mu.Unlock()
	if h == nil {
		delete(p.hooks, method)
		return
	}
	p.hooks[method] = h
}

// SetLatency delays each command to the page by d, in order.
func (p *Page) SetLatency(d time.Duration) {
	p.t.b.mu.Lock()
	defer p.t.b.mu.Unlock()
	p.latency = d
}

// OpenPopup opens a tab as window.open does.
func (p *Page) OpenPopup(url string) *Page { return p.t.root.OpenPopup(url) }

// OpenPopup opens a tab as window.open in this frame does.
func (f *Frame) OpenPopup(url string) *Page {
	b := f.page.t.b
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open(url, f)
}

// SetTitle changes the title.
func (p *Page) SetTitle(title string) {
	p.do(func() {
		p.t.title = title
		p.t.changed()
	})
}

// SetTitleByScript changes the title as a script does after the load: Chrome
// knows of it, but announces nothing.
func (p *Page) SetTitleByScript(title string) { p.do(func() { p.t.title = title }) }

// Crash ends the renderer: commands hang until a navigation.
func (p *Page) Crash() {
	p.do(func() {
		t := p.t
		t.block("crashed")
		t.root.doc.endCalls()
		t.root.dropKids()
		t.emitAll(cdpclient.InspectorTargetCrashed, obj{})
		t.b.discovered(t, cdpclient.TargetTargetCrashed,
			cdpclient.TargetCrashed{TargetID: t.id, Status: "crashed", ErrorCode: 5})
	})
}

// failHeld answers what a crash left open, as Chrome does at the next load.
func (p *Page) failHeld() {
	held := p.t.held
	p.t.held = nil
	for _, h := range held {
		if h.s.conn.sessions[h.s.id] == h.s {
			h.s.reply(h.r.ID, nil, &cdpclient.Error{Code: cdpclient.CodeServerError, Message: "Target crashed"})
		}
	}
}

// Hang makes the page's thread busy: commands to it wait until Resume.
func (p *Page) Hang() { p.do(func() { p.t.block("hung") }) }

// Resume ends [Page.Hang].
func (p *Page) Resume() {
	p.do(func() {
		if p.t.blocked == "hung" {
			p.t.unblock()
		}
	})
}

// Dialog opens an alert, which blocks the page until it is handled.
func (p *Page) Dialog(kind, message string) {
	p.do(func() {
		p.t.block("dialog")
		p.t.emitPage(cdpclient.PageJavascriptDialogOpening,
			cdpclient.JavascriptDialogOpening{FrameID: p.t.id, URL: p.t.url, Message: message, Type: kind})
	})
}

// CloseDialog is the user who answers it.
func (p *Page) CloseDialog() {
	p.do(func() {
		if p.t.blocked == "dialog" {
			p.t.dialogClosed()
		}
	})
}

// Close closes the tab.
func (p *Page) Close() {
	p.t.b.mu.Lock()
	defer p.t.b.mu.Unlock()
	p.close()
}

func (p *Page) close() {
	t := p.t
	if t.gone {
		return
	}
	t.gone = true
	t.root.doc.endCalls()
	t.root.dropKids()
	if !t.b.shared(t.root.doc.proc, t) {
		t.emitAll(cdpclient.InspectorDetached, obj{"reason": "Render process gone."})
	}
	t.detachAll()
	t.b.targets = slices.DeleteFunc(t.b.targets, func(x *target) bool { return x == t })
	t.b.discovered(t, cdpclient.TargetTargetDestroyed, cdpclient.TargetDestroyed{TargetID: t.id})
}

// shared says whether another tab lives in the process.
func (b *Browser) shared(p *process, not *target) bool {
	return slices.ContainsFunc(b.targets,
		func(t *target) bool { return t != not && t.root != nil && t.root.doc.proc == p })
}
