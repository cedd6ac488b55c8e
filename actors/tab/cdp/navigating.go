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

// A page can navigate while one of its tools runs. If the tool itself caused that (by location.href or a form), the
// browser answers its invocation once the next document has loaded. Otherwise the browser never answers it. So calls
// during which the page asked for a navigation wait until the next document has loaded, and all others end with the
// document.

const (
	// afterLoad is how long a tool's answer may take after the next document's load event.
	afterLoad = 500 * time.Millisecond
)

// nowhereDue says that a form led to something that is no page, and that no other navigation has begun.
type nowhereDue struct{ call *tab.Call }

func (p *Link) frameRequestedNavigation(s cdpclient.SessionID, e cdpclient.FrameRequestedNavigation) {
	if f := p.frames[registry.FrameID(e.FrameID)]; f != nil && strings.HasPrefix(e.Reason, "formSubmission") {
		for _, c := range p.sentForms(s) {
			if c.Route.Frame == f.id { // in other frames the page may send forms of its own
				c.State.Sent = true
			}
		}
	}
	for c := range p.Calls {
		if c.Route.Runtime == offer.Native && string(c.Route.Frame) == string(e.FrameID) {
			c.State.Outlives = true
		}
	}
}

func (p *Link) frameStartedNavigating(_ cdpclient.SessionID, e cdpclient.FrameStartedNavigating) {
	if f := p.frames[registry.FrameID(e.FrameID)]; f != nil && !strings.HasSuffix(e.NavigationType, "ameDocument") {
		f.navigating = true
	}
}

// frameStoppedLoading handles the end of a loading, also of one that brought no document, such as an answer with
// status 204 or a download. Chrome never answers the call of a form that led to one.
func (p *Link) frameStoppedLoading(_ cdpclient.SessionID, e cdpclient.FrameStoppedLoading) {
	f := p.frames[registry.FrameID(e.FrameID)]
	if f == nil {
		return
	}
	f.navigating = false
	if f == p.main {
		p.loaded() // if the loading was stopped, no load event comes
	}
	for c := range p.Calls {
		if p.stays(c) == f {
			p.After(afterLoad, nowhereDue{c})
		}
	}
}

// stays returns the frame in which a call's form was sent, if the form's document is still there and no other
// document is on its way.
func (p *Link) stays(c *tab.Call) *frame {
	if f := p.frames[c.Route.Frame]; c.State.Sent && f != nil && f.doc == c.Route.Doc && !f.navigating &&
		!c.State.DocumentGone {
		return f
	}
	return nil
}

func (p *Link) nowhereDue(m nowhereDue) {
	if c := m.call; p.Calls[c] && p.stays(c) != nil {
		p.Finish(c, registry.FormLedNowhere())
	}
}

// navigateCalls is called when the main document ends. Calls that end with it are answered once the new address is
// known.
func (p *Link) navigateCalls() {
	wait := false
	for c := range p.Calls {
		if c.Route.Runtime != offer.Native && !c.State.DocumentGone {
			c.State.Outlives = true // until serverAnswered
		}
		c.State.DocumentGone = true
		wait = wait || c.State.Outlives
	}
	if wait {
		p.overdueAfter(tab.MaxLoadWait)
	}
}

func (p *Link) endNavigatedCalls() {
	for c := range p.Calls {
		if c.State.DocumentGone && !c.State.Outlives {
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
		if c.State.DocumentGone {
			p.overdueAfter(afterLoad)
			return
		}
	}
}

func (p *Link) overdueAfter(d time.Duration) {
	p.After(d, navigationOverdue{p.LastGen()})
}

// navigationOverdue ends the calls whose document had generation gen or an older one.
func (p *Link) navigationOverdue(gen registry.Gen) {
	for c := range p.Calls {
		if c.State.DocumentGone && c.Route.Doc <= gen {
			p.Finish(c, registry.EndedByNavigation(c.Route.Tool, p.Doc.URL))
		}
	}
}

// afterNavigation returns the result of a tool whose answer came from the next document. The answer is what that
// document declares as its data (JSON-LD), often nothing.
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
