package tab

import (
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Link is the way by which a tab's page is reached: over the debugging port (package cdp) or by the browser's
// extension (package extbrowser). A Link embeds its [Tab] and belongs to it. The tab's actor calls all of its
// methods; none of them may block.
type Link interface {
	Session
	Calls
	Page
	// Handle handles a message that is not one of this package's. HandleUnattached handles messages that come while
	// the hub is not attached to the page.
	Handle(message any)
	HandleUnattached(message any)
	// Took is called first for every message, also for one that the tab ignores. It gives back the room that the
	// message took in the mailbox.
	Took(message any)
}

// Session has the methods for attaching to the page.
type Session interface {
	// Attach asks the browser for a session; [AttachFailed] or [Offered] follows. If the page can be reached without
	// a session, Attach returns true instead.
	Attach() (atHand bool)
	// Take takes over a session, or nil if there are no sessions, and returns the generation of the page's document.
	// The tab then tells the registry about the document, and calls Prepare.
	Take(session any) registry.Gen
	Prepare()
	// TurnDown detaches a session that is not taken over.
	TurnDown(session any)
	// Has says whether an offered session is the one that was taken over.
	Has(session any) bool
	// Release tells the page that the hub gives up all calls, and then detaches the session. Forget is called after
	// it. It drops all that the link knows of the page's documents, and returns the generation of the next one.
	Release()
	Forget() registry.Gen
	// End ends the link for good. It detaches the session only if the tab still exists, because otherwise there is no
	// session. It calls heard once, from any goroutine, when it has told the page.
	End(lives bool, heard func())
	// Abandon does only what is indispensable of End, after a panic.
	Abandon(lives bool)
}

// Calls has the methods for calls.
type Calls interface {
	// Start begins a call and adds it to [Tab.Calls], or returns a reason why it can't.
	Start(*Call) (why string)
	// Cancel makes the page stop the tool of a call that its caller has given up.
	Cancel(*Call)
	// CallEnded is called for each call once it has been answered.
	CallEnded(*Call)
	// Naming says whether the browser hasn't yet named some call. The hub can't cancel a call before the browser has
	// named it.
	Naming() bool
}

// Page has the methods that describe the page for reports.
type Page interface {
	// Tools returns the page's tools, in the order in which they get names. A tool that has not changed is the same
	// pointer as before.
	Tools() []*registry.PageTool
	// Frames returns the page's frames except the main one.
	Frames() []registry.Frame
	// Readiness says what the page still has to do before its tools are known.
	Readiness() registry.Readiness
	// Offers returns what the page offers besides tools. It is called when the tools are reported. The caller fills in
	// the page and the generation.
	Offers() registry.OffersReported
	// DrainEvents returns what else happened since the last report. It is called for each report.
	DrainEvents() []registry.Event
	// Address returns the current address of a route's document, or "" if it isn't known.
	Address(offer.Route) string
}
