package tab

import (
	"cmp"

	"webmcphub/registry"
)

// The methods that the rows of the table call.

func (t *Tab) start(any) {
	session := t.session
	t.session = nil
	switch {
	case session != nil && t.wanted:
		t.take(session)
	case session != nil:
		t.link.TurnDown(session)
	case t.wanted:
		t.ask()
	}
	if t.phase != Ready {
		t.tellDocument()
		t.TellPage()
	}
}

// ask makes the link ask for a session.
func (t *Tab) ask() {
	if t.link.Attach() {
		t.take(nil)
		return
	}
	t.become(Attaching)
}

func (t *Tab) take(session any) {
	t.become(Ready)
	t.Doc.Gen = t.link.Take(session)
	t.tellDocument()
	t.TellPage()
	t.answerWaiting(nil)
	t.link.Prepare()
}

func (t *Tab) answerWaiting(err error) {
	for _, answer := range t.waiting {
		answer(err)
	}
	t.waiting = nil
}

func (t *Tab) attach(m any) {
	t.awaitSession(m)
	t.ask()
}

func (t *Tab) awaitSession(m any) {
	if t.wanted = true; m.(Wanted).Answer != nil {
		t.waiting = append(t.waiting, m.(Wanted).Answer)
	}
}

func (t *Tab) attachAgain(m any) {
	t.letGo(nil)
	t.attach(m)
}

// answer answers a Wanted at once, without an error: the hub has carried it out or will.
func (t *Tab) answer(m any) {
	w := m.(Wanted)
	if t.wanted = w.On; w.Answer != nil {
		w.Answer(nil)
	}
}

func (t *Tab) declineRequest(m any) {
	if answer := m.(Wanted).Answer; answer != nil {
		answer(ErrClosed)
	}
}

func (t *Tab) giveUpAttaching(m any) {
	t.become(Known)
	t.answerWaiting(errDisconnected)
	t.answer(m)
}

func (t *Tab) takeOffer(m any) {
	if !t.wanted {
		t.turnDown(m)
		return
	}
	t.take(m.(Offered).Session)
}

// turnDown detaches a session, unless it is the one that the tab has.
func (t *Tab) turnDown(m any) {
	if s := m.(Offered).Session; !t.link.Has(s) {
		t.link.TurnDown(s)
	}
}

func (t *Tab) noSession(m any) {
	t.become(Known)
	t.answerWaiting(m.(AttachFailed).Err)
}

// detach detaches from the page: at once, if the browser has named all calls, so that they can be cancelled.
func (t *Tab) detach(m any) {
	t.answer(m)
	if t.link.Naming() {
		t.becomeAtMost(Detaching)
		return
	}
	t.letGo(nil)
}

func (t *Tab) letGo(any) { t.release(registry.EndedByDisconnect) }

// release withdraws the page's tools, ends its calls with results that how makes, and makes the link detach once it
// has told the page.
func (t *Tab) release(how func(tool string) registry.Result) {
	t.become(Known)
	t.TellPage() // before the tools go, so that a client that misses them learns why
	t.link.Release()
	t.finishAll(how)
	t.Doc.Gen = t.link.Forget()
	t.reports.frames = nil
	t.tellDocument()
	t.ReportTools()
}

// SessionEnded is called by the link when the browser has ended the tab's session.
func (t *Tab) SessionEnded() { t.step(sessionEnded, nil) }

func (t *Tab) sever(any) { t.becomeAtMost(Severed) }

// survive goes on with a tab that has lost only its session.
func (t *Tab) survive(any) {
	if !t.wanted {
		t.letGo(nil)
		return
	}
	t.release(registry.EndedBySessionLoss)
	t.ask()
}

func (t *Tab) crashUnattached(any) {
	t.become(KnownCrashed)
	t.TellPage()
}

func (t *Tab) targetMoved(m any) {
	info := m.(Info)
	if t.phase == KnownCrashed {
		t.become(Known)
	}
	t.Doc.SetInfo(info)
	t.ReportSoon()
}

func (t *Tab) targetTitled(m any) { t.SetTitle(m.(Info)) }

func (t *Tab) takeTitle(m any) { t.SetTitle(Info(m.(TitleListed))) }

// SetTitle sets the page's title: at once if the title belongs to the document's address, or else when the page has
// come to that address. The browser's reports and the page's events come in no fixed order.
func (t *Tab) SetTitle(info Info) {
	t.Doc.pendingInfo = info
	if before := t.Doc.Title; t.Doc.titled() != before {
		t.ReportSoon()
	}
}

// TitleAnswered is called by the link when the browser has answered which title the page has. info is nil if there
// was no answer; then the title that the browser reported last counts.
func (t *Tab) TitleAnswered(info *Info) {
	t.Doc.titlePending = false
	t.SetTitle(*cmp.Or(info, &t.Doc.pendingInfo))
}

// SetInfo sets a title and an address, whatever titles came before.
func (d *Doc) SetInfo(is Info) {
	d.URL, d.Title, d.pendingInfo, d.titlePending = is.URL, is.Title, Info{}, false
}

// SetNextURL sets the address of another document; the link then asks for that document's title. While a browser
// navigates to a document, it reports that document's address with the previous document's title. So titles that the
// browser reports unasked don't count until it has answered.
func (d *Doc) SetNextURL(url string) {
	if !(registry.Title{URL: d.URL}).Of(url) {
		d.Title, d.pendingInfo, d.titlePending = "", Info{}, true
	}
	d.URL = url
}

// titled returns the title. It first takes the latest title over, if that belongs to the document's address.
func (d *Doc) titled() string {
	if !d.titlePending && (registry.Title{URL: d.pendingInfo.URL}).Of(d.URL) && d.pendingInfo != (Info{}) {
		d.Title, d.pendingInfo = d.pendingInfo.Title, Info{}
	}
	return d.Title
}

// DocumentEnded is called by the link when the main document is gone. gen is the generation of the next document,
// whose address isn't known yet.
func (t *Tab) DocumentEnded(gen registry.Gen) { t.step(documentEnded, gen) }

func (t *Tab) endDocument(m any) {
	if t.phase != Detaching && t.phase != Closing {
		t.become(BetweenDocuments)
	}
	t.nextDocument(m.(registry.Gen))
}

// nextDocument withdraws the tools of the document that has ended.
func (t *Tab) nextDocument(gen registry.Gen) {
	t.Doc.Gen, t.reports.frames = gen, nil
	t.tell(registry.Navigated{Page: t.ID, Gen: gen})
}

// DocumentArrived is called by the link when the main document's address is known.
func (t *Tab) DocumentArrived(url string) { t.step(documentArrived, url) }

func (t *Tab) arrive(m any) {
	t.Doc.SetNextURL(m.(string))
	if t.phase == Detaching || t.phase == Closing {
		return
	}
	t.become(Ready)
	t.TellPage()
}

// RendererCrashed is called by the link when the page has crashed; the page stays dead until it is loaded again. next
// ends the document and returns the generation of the next one.
func (t *Tab) RendererCrashed(next func() registry.Gen) { t.step(rendererCrashed, next) }

func (t *Tab) crash(m any) {
	t.finishAll(registry.EndedByCrash)
	if t.phase != Detaching && t.phase != Closing {
		t.become(Crashed)
		t.TellPage() // before the tools go, so that a client that misses them learns why
	}
	t.nextDocument(m.(func() registry.Gen)())
}

// RendererBack is called by the link when the page is being loaded again.
func (t *Tab) RendererBack() { t.step(rendererBack, nil) }

// RendererSilent is called by the link when the page does not answer, and RendererAnswered when it answers again.
func (t *Tab) RendererSilent()   { t.step(rendererSilent, nil) }
func (t *Tab) RendererAnswered() { t.step(rendererAnswered, nil) }

func (t *Tab) silence(any) {
	t.become(Silent)
	t.TellPage()
}

func (t *Tab) reloaded(any) {
	t.become(Ready)
	t.TellPage()
}

// close ends the tab: at once, if the browser has named all calls.
func (t *Tab) close(m any) {
	if t.link.Naming() {
		t.end = m.(End)
		t.becomeAtMost(Closing)
		return
	}
	t.closeNow(m)
}

// closeNow ends the tab without waiting until the browser has named all calls: it no longer does, or may not.
func (t *Tab) closeNow(m any) {
	t.end = m.(End)
	t.conclude(nil)
}

func (t *Tab) conclude(any) {
	t.stop()
	t.link.End(t.end.Lives, t.address.release)
	t.address.end(t.end.Why)
	t.finishAll(t.end.Why)
}

// abandon does only what is indispensable of conclude, if conclude may panic.
func (t *Tab) abandon(m any) {
	if end, ok := m.(End); ok {
		t.end = end
	}
	t.stop()
	t.link.Abandon(t.end.Lives)
	t.address.end(t.why)
	t.address.release()
}

func (t *Tab) stop() {
	t.become(Gone)
	t.env.Root.Stop(t.address.PID) // takes effect after this message
	t.answerWaiting(ErrClosed)
}

// BetweenDocuments says whether the address of the main document isn't known yet.
func (t *Tab) BetweenDocuments() bool { return t.phase == BetweenDocuments }
