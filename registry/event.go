package registry

import (
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// Event is a fact that [State.Step] is told. Events of one page must be given
// in the order in which they happened; events of different pages in any order.
type Event interface{ event() }

// PageOpened says that a tab exists. Pages get their index in the order of
// these events.
type PageOpened struct {
	Page  PageID
	URL   string
	Title string
	// Browser is the name of the tab's browser, where there are several, else "".
	Browser string
	// Tab is the page's number, which no other page has had; 0 has the State give the next.
	Tab TabID
	// Proxied says that an MCP-B proxy tells of the tab, not the browser: its
	// address is what the proxy says it is.
	Proxied bool
	// Epoch is whose [PageSaid] counts from now on.
	Epoch Epoch
	// Origins are the rules for its documents instead of those in [Options]; nil is those.
	Origins *names.Origins
}

// PageChanged says that a page's address, title or state changed without a
// new document (history.pushState, <title>, a crash). An empty URL is the
// same as before, and so is the Origin then, which is as in [PageTool].
type PageChanged struct {
	Page   PageID
	URL    string
	Origin string
	Title  string
	State  string
	// Dialog says which dialog is open in the page, "dialog open: …"; "" if none is.
	Dialog string
	// Arrived says that the first document that the tab was opened for is there,
	// or has failed to load; a page that was never told of has not arrived.
	Arrived bool
	// Readiness says why the page may have no tools yet.
	Readiness Readiness
}

// Navigated says that a page has a new main document. The tools of all
// earlier documents are gone. An empty URL is not known yet; [PageChanged]
// tells it. Origin is as in [PageTool].
type Navigated struct {
	Page   PageID
	Gen    Gen
	URL    string
	Origin string
}

// ToolsReported gives the whole set of a page's tools, so it is idempotent.
// It is dropped if Gen is not the page's current one. Order matters for
// clashing names: the first tool keeps the plain name.
type ToolsReported struct {
	Page  PageID
	Gen   Gen
	Tools []*PageTool
}

// FramesReported gives the whole set of a page's iframes, before the
// [ToolsReported] that shows the change: it tells why a tool is gone. It is
// dropped if Gen is not the page's current one.
type FramesReported struct {
	Page   PageID
	Gen    Gen
	Frames []Frame
}

// PageClosed says that a tab is gone.
type PageClosed struct{ Page PageID }

// BrowsersNamed says that the hub has several browsers, and gives all of them, in their
// order. Those that it had and that aren't among them are forgotten.
type BrowsersNamed struct{ Browsers []NamedBrowser }

// BrowserChanged says how the connection to a Chrome stands. Status is a
// sentence for the agent, empty while all is well. Browser is its name, as in
// [BrowsersNamed]; a name that isn't known there is not heeded.
type BrowserChanged struct {
	Status  string
	Browser string
}

// ExtensionChanged is [BrowserChanged] for the browsers whose extension
// connects to the hub. While either is well, a browser is there. What is never
// told of does not count.
type ExtensionChanged struct{ Status string }

// CacheChanged gives the whole set of tools that outlive their tabs; those
// that an open tab has may be among them. Of two for one site and name the
// first counts.
type CacheChanged struct{ Tools []offer.CachedTool }

// StandingChanged says that something was accepted, or no longer is: how all tools stand
// with it is asked anew.
type StandingChanged struct{ Standing offer.Standing }

// FlushDue says that the time asked for by [ArmFlush] is over.
type FlushDue struct{}

// SettleDue says that the time asked for by [ArmSettle] is over.
type SettleDue struct {
	Page PageID
	Seq  uint64
}

// RegistrationsDue says that the time asked for by [ArmRegistrations] is over.
type RegistrationsDue struct {
	Page PageID
	Seq  uint64
}

func (PageOpened) event()       {}
func (PageChanged) event()      {}
func (Navigated) event()        {}
func (ToolsReported) event()    {}
func (FramesReported) event()   {}
func (PageClosed) event()       {}
func (CacheChanged) event()     {}
func (BrowsersNamed) event()    {}
func (BrowserChanged) event()   {}
func (ExtensionChanged) event() {}
func (StandingChanged) event()  {}
func (FlushDue) event()         {}
func (SettleDue) event()        {}
func (RegistrationsDue) event() {}
