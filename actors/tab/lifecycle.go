package tab

import (
	"cmp"

	"webmcphub/registry"
)

// What the rows of the table do.

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

// ask has the link make a session.
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

// answer says that a wish is met, or will be.
func (t *Tab) answer(m any) {
	w := m.(Wanted)
	if t.wanted = w.On; w.Answer != nil {
		w.Answer(nil)
	}
}

func (t *Tab) declineWish(m any) {
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

// turnDown lets go of a session, unless it is the one that the tab has.
func (t *Tab) turnDown(m any) {
	if s := m.(Offered).Session; !t.link.Has(s) {
		t.link.TurnDown(s)
	}
}

func (t *Tab) noSession(m any) {
	t.become(Known)
	t.answerWaiting(m.(AttachFailed).Err)
}

// detach lets go of the page: at once, if all calls have names by which they can
// be cancelled.
func (t *Tab) detach(m any) {
	t.answer(m)
	if t.link.Naming() {
		t.becomeAtMost(Detaching)
		return
	}
	t.letGo(nil)
}

func (t *Tab) letGo(any) { t.release(registry.EndedByDisconnect) }

// release withdraws the page's tools, ends its calls as how says, and lets go of its
// session once the page has heard of that.
func (t *Tab) release(how func(tool string) registry.Result) {
	t.become(Known)
	t.TellPage() // first, so that who misses the tools is told why
	t.link.Release()
	t.finishAll(how)
	t.Doc.Gen = t.link.Forget()
	t.reports.frames = nil
	t.tellDocument()
	t.Changed()
}

// SessionEnded is for the link: the browser has ended the session that was taken up.
func (t *Tab) SessionEnded() { t.step(sessionEnded, nil) }

func (t *Tab) sever(any) { t.becomeAtMost(Severed) }

// survive goes on with a tab that has only lost its session.
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
	t.Doc.At(info)
	t.ReportSoon()
}

func (t *Tab) targetTitled(m any) { t.Titled(m.(Info)) }

func (t *Tab) takeTitle(m any) { t.Titled(Info(m.(TitleListed))) }

// Titled takes the page's title: at once if its address is the page's, else when the page is
// there. The browser and the page tell of addresses in no common order.
func (t *Tab) Titled(said Info) {
	t.Doc.said = said
	if before := t.Doc.Title; t.Doc.titled() != before {
		t.ReportSoon()
	}
}

// TitleAnswered is for the link: the browser has answered which title the page has. Without an answer, nil, what it
// told last counts.
func (t *Tab) TitleAnswered(said *Info) {
	t.Doc.untold = false
	t.Titled(*cmp.Or(said, &t.Doc.said))
}

// At takes a title and an address that count, whatever titles came before.
func (d *Doc) At(is Info) { d.URL, d.Title, d.said, d.untold = is.URL, is.Title, Info{}, false }

// Goes takes the address of another document, whose title the link then asks for. While a browser is on its
// way to a document, it says that one's address with the last document's title, so titles that it has told
// unasked don't count until it has answered.
func (d *Doc) Goes(url string) {
	if !(registry.Title{URL: d.URL}).Of(url) {
		d.Title, d.said, d.untold = "", Info{}, true
	}
	d.URL = url
}

// titled is the title, the latest one if that is of the document's address.
func (d *Doc) titled() string {
	if !d.untold && (registry.Title{URL: d.said.URL}).Of(d.URL) && d.said != (Info{}) {
		d.Title, d.said = d.said.Title, Info{}
	}
	return d.Title
}

// DocumentEnded is for the link: the main document is gone, and gen the next one,
// whose address isn't known yet.
func (t *Tab) DocumentEnded(gen registry.Gen) { t.step(documentEnded, gen) }

func (t *Tab) endDocument(m any) {
	if t.phase != Detaching && t.phase != Closing {
		t.become(BetweenDocuments)
	}
	t.nextDocument(m.(registry.Gen))
}

// nextDocument withdraws the tools at once.
func (t *Tab) nextDocument(gen registry.Gen) {
	t.Doc.Gen, t.reports.frames = gen, nil
	t.tell(registry.Navigated{Page: t.ID, Gen: gen})
}

// DocumentArrived is for the link: the main document's address is known.
func (t *Tab) DocumentArrived(url string) { t.step(documentArrived, url) }

func (t *Tab) arrive(m any) {
	t.Doc.Goes(m.(string))
	if t.phase == Detaching || t.phase == Closing {
		return
	}
	t.become(Ready)
	t.TellPage()
}

// RendererCrashed is for the link: the page is dead until it is loaded again. next
// ends its document, and gives the generation of the next one.
func (t *Tab) RendererCrashed(next func() registry.Gen) { t.step(rendererCrashed, next) }

func (t *Tab) crash(m any) {
	t.finishAll(registry.EndedByCrash)
	if t.phase != Detaching && t.phase != Closing {
		t.become(Crashed)
		t.TellPage() // first, so that who misses the tools is told why
	}
	t.nextDocument(m.(func() registry.Gen)())
}

// RendererBack is for the link: the page is being loaded again.
func (t *Tab) RendererBack() { t.step(rendererBack, nil) }

// RendererSilent is for the link: the page does not answer, and RendererAnswered that
// it does.
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

// close ends everything of the page.
func (t *Tab) close(m any) {
	if t.link.Naming() {
		t.end = m.(End)
		t.becomeAtMost(Closing)
		return
	}
	t.closeNow(m)
}

// closeNow is for a tab whose calls get no names any more, or can't be trusted to.
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

// abandon is what is indispensable of conclude, where that may panic.
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
