package actors

import (
	"strings"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/registry"
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
	// maxDeparture bounds the wait for a document that never loads.
	maxDeparture = 10 * time.Second
)

func (p *pageActor) frameRequestedNavigation(_ cdpclient.SessionID, e cdpclient.FrameRequestedNavigation) {
	for c := range p.calls {
		if c.route.Runtime == registry.Native && string(c.route.Frame) == string(e.FrameID) {
			c.outlives = true
		}
	}
}

func (p *pageActor) frameStartedNavigating(_ cdpclient.SessionID, e cdpclient.FrameStartedNavigating) {
	if f := p.frames[registry.FrameID(e.FrameID)]; f != nil && !strings.HasSuffix(e.NavigationType, "ameDocument") {
		f.departing = true
		p.returning = p.returning || f == p.main && strings.HasPrefix(e.NavigationType, "history")
	}
}

// frameStoppedLoading: also for a navigation that came to nothing.
func (p *pageActor) frameStoppedLoading(_ cdpclient.SessionID, e cdpclient.FrameStoppedLoading) {
	if f := p.frames[registry.FrameID(e.FrameID)]; f != nil {
		f.departing = false
	}
}

// navigateCalls is called when the main document ends. Calls that end with it
// are answered when the new address is known.
func (p *pageActor) navigateCalls() {
	wait := false
	for c := range p.calls {
		if c.route.Runtime != registry.Native && !c.departed {
			c.outlives = true // until its goroutine comes back
		}
		c.departed = true
		wait = wait || c.outlives
	}
	if wait {
		p.overdueAfter(maxDeparture)
	}
}

func (p *pageActor) endNavigatedCalls() {
	for c := range p.calls {
		if c.departed && !c.outlives {
			p.finish(c, registry.EndedByNavigation(c.route.Tool, p.url))
		}
	}
}

func (p *pageActor) loadEventFired(s cdpclient.SessionID, _ struct{}) {
	if s != p.session {
		return
	}
	p.askTitle()
	for c := range p.calls {
		if c.departed {
			p.overdueAfter(afterLoad)
			return
		}
	}
}

func (p *pageActor) overdueAfter(d time.Duration) {
	root, self, gen := p.root, p.self, p.nextGen
	time.AfterFunc(d, func() { root.Send(self, navigationOverdue{gen}) })
}

// navigationOverdue ends the calls that left their document at or before gen.
func (p *pageActor) navigationOverdue(gen registry.Gen) {
	for c := range p.calls {
		if c.departed && c.route.Doc <= gen {
			p.finish(c, registry.EndedByNavigation(c.route.Tool, p.url))
		}
	}
}

// navigatedResult is the result of a tool that did nothing but navigate its page.
func navigatedResult(url string) registry.Result {
	return sanitize.TextResult("The tool navigated the page to " + sanitize.Text(url, 300) + ". The page's tools may have changed: list them again.")
}

// afterNavigation is the result of a tool whose answer came from the next
// document: what that document declares as its data (JSON-LD), often nothing.
func (p *pageActor) afterNavigation(tool string, e cdpclient.ToolResponded) registry.Result {
	switch {
	case e.Status == "Completed" && string(e.Output) == "[]":
		return navigatedResult(p.url)
	case e.Status == "Completed":
		return sanitize.NativeResult(e.Output)
	case strings.Contains(e.ErrorText, "navigation"):
		return registry.EndedByNavigation(tool, p.url)
	}
	return registry.PageFailure(tool, e.PageError())
}
