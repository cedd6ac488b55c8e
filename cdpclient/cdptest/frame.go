package cdptest

import "webmcphub/cdpclient"

// AddFrame adds an iframe to the main document: in the page's process if url
// has the page's origin, else in its own, with a target and sessions of its own.
func (p *Page) AddFrame(url string) *Frame { return p.t.root.AddFrame(url) }

// AddFrame adds an iframe inside f.
func (f *Frame) AddFrame(url string) *Frame {
	k := &Frame{page: f.page, parent: f}
	f.page.t.b.mu.Lock()
	k.id = f.page.t.b.newID()
	f.page.t.b.mu.Unlock()
	f.do(func() {
		k.doc = &document{loader: k.page.t.b.newID(), proc: f.doc.proc, origin: f.doc.origin}
		f.kids = append(f.kids, k)
		t := k.target()
		t.emitPage(cdpclient.PageFrameAttached, cdpclient.FrameAttached{FrameID: k.id, ParentFrameID: f.id})
		t.emitPage(cdpclient.PageFrameRequestedNavigation,
			obj{"frameId": k.id, "reason": "initialFrameNavigation", "url": url, "disposition": "currentTab"})
		k.goTo(url)
	})
	return k
}

// do is Page.do for a frame: it waits for the frame's own target, and does
// nothing once the frame is gone.
func (f *Frame) do(do func()) {
	f.page.do(func() {
		if f.doc == nil || f.gone {
			return
		}
		f.target().when(func() {
			if !f.gone {
				do()
			}
		})
	})
}

// Navigate loads url in an iframe, changing process if the origin asks for it.
func (f *Frame) Navigate(url string) {
	if f.parent == nil {
		f.page.Navigate(url)
		return
	}
	f.do(func() {
		f.parent.target().emitPage(cdpclient.PageFrameRequestedNavigation,
			obj{"frameId": f.id, "reason": "scriptInitiated", "url": url, "disposition": "currentTab"})
		f.goTo(url)
	})
}

// goTo commits a new document in an iframe.
func (f *Frame) goTo(url string) {
	host := f.parent.target()
	foreign := f.originAt(url) != f.parent.doc.proc.origin
	doc := f.newDocument(url, f.parent.doc.proc)
	if foreign {
		doc.proc = &process{origin: f.originAt(url)}
	}
	f.started(doc, "differentDocument")
	f.doc.endCalls()
	f.dropKids()
	switch {
	case foreign && f.own == nil:
		f.swapOut(host, doc)
		return
	case foreign:
		f.endAwaited(targetNavigated)
		f.cleared(2)
	case f.own != nil:
		own := f.own
		f.own = nil
		own.gone = true
		own.detachAll()
		host.emitPage(cdpclient.PageFrameAttached, cdpclient.FrameAttached{FrameID: f.id, ParentFrameID: f.parent.id})
	default:
		f.destroyWorlds(host)
		f.endAwaited(contextDestroyed)
	}
	f.doc = doc
	f.navigated(cdpclient.NavigationNew)
	f.startWorlds()
	f.load()
}

// swapOut moves a frame to a process of its own: a new target, which is held
// before its document is shown.
func (f *Frame) swapOut(host *target, doc *document) {
	old := f.doc.contexts
	t := &target{b: host.b, id: f.id, kind: cdpclient.TypeIframe, page: f.page, root: f}
	f.own = t
	f.doc = &document{loader: host.b.newID(), proc: doc.proc, origin: doc.origin}
	for _, s := range host.sessions {
		if s.auto != nil && matches(s.auto.Filter, t.kind) {
			s.attach(t, s.auto.WaitForDebuggerOnStart)
		}
	}
	t.when(func() {
		if f.gone {
			return
		}
		f.cleared(1)
		f.doc = doc
		f.navigated(cdpclient.NavigationNew)
		host.emitPage(cdpclient.PageFrameDetached, cdpclient.FrameDetached{FrameID: f.id, Reason: cdpclient.DetachSwap})
		for _, w := range old {
			host.emitRuntime(cdpclient.RuntimeExecutionContextDestroyed,
				obj{"executionContextId": w.id, "executionContextUniqueId": w.unique})
		}
		f.startWorlds()
		t.todo = append(t.todo, f.load) // after the reply to Runtime.runIfWaitingForDebugger
	})
	t.released() // if nobody holds it
}

func (f *Frame) destroyWorlds(t *target) {
	for _, w := range f.doc.contexts {
		t.emitRuntime(cdpclient.RuntimeExecutionContextDestroyed,
			obj{"executionContextId": w.id, "executionContextUniqueId": w.unique})
	}
}

// Remove takes an iframe out of its document.
func (f *Frame) Remove() {
	f.page.do(func() {
		if f.gone || f.parent == nil {
			return
		}
		host := f.parent.target()
		host.emitPage(cdpclient.PageFrameDetached,
			cdpclient.FrameDetached{FrameID: f.id, Reason: cdpclient.DetachRemove})
		if f.own == nil {
			f.destroyWorlds(host)
			f.endAwaited(contextDestroyed)
		} else {
			for _, k := range f.own.kidTargets() {
				f.own.emitPage(cdpclient.PageFrameDetached,
					cdpclient.FrameDetached{FrameID: k.id, Reason: cdpclient.DetachRemove})
			}
		}
		f.drop()
		f.unlink()
	})
}

// URL is the frame's address.
func (f *Frame) URL() string {
	f.page.t.b.mu.Lock()
	defer f.page.t.b.mu.Unlock()
	if f.doc == nil {
		return ""
	}
	return f.doc.url
}
