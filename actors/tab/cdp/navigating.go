package cdp

import (
	"strings"
	"time"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry"

	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// A page can navigate while one of its tools runs. Where the tool itself did
// that (location.href, a form), the browser answers its invocation once the
// next document has loaded; otherwise it never does. So calls during which
// the page asked for a navigation wait for the next document's load, and all
// others end with the document.

const (
	// afterLoad is how long a tool's answer may come after the next
	// document's load event.
	afterLoad = 500 * time.Millisecond
)

// nowhereDue says that what a form led to is no page, and no other has been asked for.
type nowhereDue struct{ call *tab.Call }

func (p *Link) frameRequestedNavigation(s cdpclient.SessionID, e cdpclient.FrameRequestedNavigation) {
	if f := p.frames[registry.FrameID(e.FrameID)]; f != nil && strings.HasPrefix(e.Reason, "formSubmission") {
		for _, c := range p.sentForms(s) {
			if c.Route.Frame == f.id { // in others the page may send forms of its own
				c.Flight.Sent = true
			}
		}
	}
	for c := range p.Calls {
		if c.Route.Runtime == offer.Native && string(c.Route.Frame) == string(e.FrameID) {
			c.Flight.Outlives = true
		}
	}
}

func (p *Link) frameStartedNavigating(_ cdpclient.SessionID, e cdpclient.FrameStartedNavigating) {
	if f := p.frames[registry.FrameID(e.FrameID)]; f != nil && !strings.HasSuffix(e.NavigationType, "ameDocument") {
		f.navigating = true
	}
}

// frameStoppedLoading: also for a navigation that came to nothing, such as one
// that is answered with 204 or a download. Chrome never answers the call of a form
// that led to one.
func (p *Link) frameStoppedLoading(_ cdpclient.SessionID, e cdpclient.FrameStoppedLoading) {
	f := p.frames[registry.FrameID(e.FrameID)]
	if f == nil {
		return
	}
	f.navigating = false
	if f == p.main {
		p.loaded() // no load event comes if the loading was stopped
	}
	for c := range p.Calls {
		if p.stays(c) == f {
			p.After(afterLoad, nowhereDue{c})
		}
	}
}

// stays is the frame that a call's form was sent in, if the form's document is still
// there and no other is on its way.
func (p *Link) stays(c *tab.Call) *frame {
	if f := p.frames[c.Route.Frame]; c.Flight.Sent && f != nil && f.doc == c.Route.Doc && !f.navigating &&
		!c.Flight.DocumentGone {
		return f
	}
	return nil
}

func (p *Link) nowhereDue(m nowhereDue) {
	if c := m.call; p.Calls[c] && p.stays(c) != nil {
		p.Finish(c, registry.FormLedNowhere())
	}
}

// navigateCalls is called when the main document ends. Calls that end with it
// are answered when the new address is known.
func (p *Link) navigateCalls() {
	wait := false
	for c := range p.Calls {
		if c.Route.Runtime != offer.Native && !c.Flight.DocumentGone {
			c.Flight.Outlives = true // until its goroutine comes back
		}
		c.Flight.DocumentGone = true
		wait = wait || c.Flight.Outlives
	}
	if wait {
		p.overdueAfter(tab.MaxLoadWait)
	}
}

func (p *Link) endNavigatedCalls() {
	for c := range p.Calls {
		if c.Flight.DocumentGone && !c.Flight.Outlives {
			p.Finish(c, registry.EndedByNavigation(c.Route.Tool, p.Doc.URL))
		}
	}
}

func (p *Link) loadEventFired(s cdpclient.SessionID, _ struct{}) {
	if s != p.session {
		return
	}
	p.askTitle()
	p.askForWebMCP()
	p.loaded()
	for c := range p.Calls {
		if c.Flight.DocumentGone {
			p.overdueAfter(afterLoad)
			return
		}
	}
}

func (p *Link) overdueAfter(d time.Duration) {
	p.After(d, navigationOverdue{p.LastGen()})
}

// navigationOverdue ends the calls that left their document at or before gen.
func (p *Link) navigationOverdue(gen registry.Gen) {
	for c := range p.Calls {
		if c.Flight.DocumentGone && c.Route.Doc <= gen {
			p.Finish(c, registry.EndedByNavigation(c.Route.Tool, p.Doc.URL))
		}
	}
}

// afterNavigation is the result of a tool whose answer came from the next
// document: what that document declares as its data (JSON-LD), often nothing.
func (p *Link) afterNavigation(tool string, e cdpclient.ToolResponded) registry.Result {
	switch {
	case e.Status == "Completed" && string(e.Output) == "[]":
		return tab.Navigated(p.Doc.URL)
	case e.Status == "Completed":
		return sanitize.NativeResult(e.Output)
	case strings.Contains(e.ErrorText, "navigation"):
		return registry.EndedByNavigation(tool, p.Doc.URL)
	}
	return registry.PageFailure(tool, e.PageError())
}
