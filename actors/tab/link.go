package tab

import (
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// A Link is how a tab's page is reached: over the debugging port (package cdp) or by
// the browser's extension (package ext). It belongs to its [Tab], which it embeds,
// and all its methods are called in the tab's turn, where none may wait.
type Link interface {
	Session
	Calls
	Page
	// Handle takes a message that is none of this package's. HandleUnattached takes
	// those that come while the hub is not attached to the page.
	Handle(message any)
	HandleUnattached(message any)
	// Took is called for each message first, whatever becomes of it: what stood in
	// the mailbox is given back.
	Took(message any)
}

// Session is the link's hold on the page.
type Session interface {
	// Attach asks the browser for a session, or says that the page is at hand
	// without one. AttachFailed or Offered follows.
	Attach() (atHand bool)
	// Take takes a session up, nil if the page is at hand, and gives the generation of
	// the document in it. Prepare is called when the registry has been told.
	Take(session any) registry.Gen
	Prepare()
	// TurnDown lets go of a session that is not taken up.
	TurnDown(session any)
	// Has says whether an offered session is the one that was taken up.
	Has(session any) bool
	// Release tells the page that all calls are given up, and lets go of the session
	// once it has heard. Forget then drops all that is known of the page's documents,
	// and gives the generation of the next one.
	Release()
	Forget() registry.Gen
	// End is for good. It lets go of the session only if the tab lives, since else there
	// is none. heard is called once, in any goroutine, when the page has heard.
	End(lives bool, heard func())
	// Abandon is what is indispensable of End, after a panic.
	Abandon(lives bool)
}

// Calls are the calls that the link carries.
type Calls interface {
	// Start begins a call and notes it in [Tab.Calls], or says why it can't.
	Start(*Call) (why string)
	// Cancel has the page stop the tool of a call that its caller has given up.
	Cancel(*Call)
	// CallEnded is called for each call that was answered.
	CallEnded(*Call)
	// Naming says whether the browser has yet to name a call, which can't be
	// cancelled before.
	Naming() bool
}

// Page is what the page has to report.
type Page interface {
	// Tools are the page's tools in the order for names. A tool that has not
	// changed is the same pointer.
	Tools() []*registry.PageTool
	// Frames are the page's frames but the main one.
	Frames() []registry.Frame
	// Readiness is what there still is to wait for in the page.
	Readiness() registry.Readiness
	// Offers and SaidMeanwhile are what else there is to report: with the tools (page
	// and generation are filled in), and in any case.
	Offers() registry.OffersReported
	SaidMeanwhile() []registry.Event
	// Address is where a route's document is now, "" if that isn't known.
	Address(offer.Route) string
}
