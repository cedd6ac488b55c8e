package cdptest

import (
	"slices"

	"webmcphub/cdpclient"
)

// Navigate loads url as the user or Page.navigate does.
func (p *Page) Navigate(url string) {
	p.do(func() { p.navigate(url, "differentDocument") })
}

// NavigateByScript loads url as an assignment to location.href does, outside of
// a tool; within one see [NavigateFromTool].
func (p *Page) NavigateByScript(url string) {
	p.do(func() {
		p.requested(url)
		p.navigate(url, "differentDocument")
	})
}

func (p *Page) requested(url string) {
	p.t.emitPage(cdpclient.PageFrameRequestedNavigation, obj{"frameId": p.t.id, "reason": "scriptInitiated", "url": url,
		"disposition": "currentTab"})
}

// Reload loads the document again, without what was registered meanwhile.
func (p *Page) Reload() {
	p.do(func() { p.navigate(p.t.url, "reload") })
}

// navigate shows a new document and returns its loader. Called with the lock.
func (p *Page) navigate(url, kind string) string {
	f := p.t.root
	doc := p.begin(url, kind)
	p.commit(doc, kind)
	f.load()
	return doc.loader
}

// begin announces a new document.
func (p *Page) begin(url, kind string) *document {
	if p.t.blocked == "crashed" {
		p.t.root.endAwaited("Target crashed")
		p.t.emitAll(cdpclient.InspectorReloadAfterCrash, obj{})
		p.failHeld()
		p.t.blocked = ""
		p.t.crashed = true
	}
	doc := p.t.root.newDocument(url, p.t.root.processFor(url))
	p.t.root.started(doc, kind)
	return doc
}

// restart gives a crashed page a new renderer with an empty document.
func (p *Page) restart() {
	f := p.t.root
	f.doc = f.newDocument(f.doc.url, &process{origin: origin(f.doc.url)})
	f.cleared(1)
	w := f.doc.proc.newWorld("")
	f.doc.contexts = []*world{w}
	p.t.emitRuntime(cdpclient.RuntimeExecutionContextCreated, f.contextJSON(w))
}

// commit shows it.
func (p *Page) commit(doc *document, kind string) {
	f := p.t.root
	f.doc.endCalls()
	f.endAwaited(targetNavigated)
	for _, k := range p.t.kidTargets() {
		p.late = append(p.late, k.id)
	}
	f.leaveKids()
	if p.t.crashed {
		p.t.crashed = false
		p.restart()
		doc.proc = f.processFor(doc.url)
	} else {
		f.cleared(1)
	}
	f.cleared(1)
	if kind != "reload" {
		p.history = append(p.history[:min(p.at+1, len(p.history))], doc)
		p.at = len(p.history) - 1
	} else {
		p.history[p.at] = doc
	}
	f.doc = doc
	p.t.blocked = ""
	f.navigated(cdpclient.NavigationNew)
	f.startWorlds()
}

// BackForward shows a document of the session history from the back/forward
// cache: the newest other one with that address. If tools are given, it has
// these; without such a document, one is made up.
func (p *Page) BackForward(url string, tools ...Tool) {
	p.do(func() {
		f := p.t.root
		at := -1
		for i, d := range p.history {
			if i != p.at && d.url == url {
				at = i
			}
		}
		if at < 0 {
			doc := f.newDocument(url, f.processFor(url))
			doc.contexts = []*world{doc.proc.newWorld("")}
			for _, w := range f.doc.contexts[1:] {
				doc.contexts = append(doc.contexts, doc.proc.newWorld(w.name))
			}
			p.history = append(p.history[:p.at+1], doc)
			at = p.at + 1
		}
		doc := p.history[at]
		if len(tools) > 0 {
			doc.tools = slices.Clone(tools)
		}
		p.restore(at)
	})
}

func (p *Page) restore(at int) {
	t, f := p.t, p.t.root
	f.doc.endCalls()
	f.endAwaited(targetNavigated)
	f.leaveKids()
	p.at = at
	doc := p.history[at]
	f.started(&document{url: doc.url, loader: t.b.newID()}, "historyDifferentDocument")
	f.doc = doc
	f.kids, doc.kids = doc.kids, nil
	f.revive()
	t.url, t.title = doc.url, t.b.sites[doc.url].Title
	t.changed()
	t.emitPage("Page.frameStoppedLoading", obj{"frameId": f.id})
	f.cleared(1)
	for _, g := range f.frames() {
		for _, w := range slices.Backward(g.doc.contexts) {
			t.emitRuntime(cdpclient.RuntimeExecutionContextCreated, g.contextJSON(w))
		}
	}
	f.announceTools(t.sessions)
	t.emitPage(cdpclient.PageFrameNavigated,
		cdpclient.FrameNavigated{Frame: f.json(), Type: cdpclient.NavigationBFCache})
	f.checkReady() // the bridge's pageshow listener
}

func (f *Frame) started(doc *document, kind string) {
	f.target().emitPage("Page.frameStartedNavigating", obj{"frameId": f.id, "url": doc.url, "loaderId": doc.loader,
		"navigationType": kind})
}

func (f *Frame) cleared(times int) {
	for range times {
		f.target().emitRuntime(cdpclient.RuntimeExecutionContextsCleared, obj{})
	}
}

// navigated says that f.doc is shown.
func (f *Frame) navigated(kind string) {
	t := f.target()
	t.emitPage(cdpclient.PageFrameNavigated, cdpclient.FrameNavigated{Frame: f.json(), Type: kind})
	if f.own != nil {
		t.url, t.title = f.doc.shownURL(), t.b.sites[f.doc.shownURL()].Title
		t.changed()
	}
}

// PushState changes the address without a new document.
func (p *Page) PushState(url string) {
	p.do(func() {
		p.t.root.doc.url, p.t.url = url, url
		p.t.changed()
		p.t.emitPage(cdpclient.PageNavigatedWithinDocument,
			obj{"frameId": p.t.id, "url": url, "navigationType": "historyApi"})
	})
}
