package registry

import (
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// Event is a fact that the caller tells [State.Step]. The events of one page must come in the order in which they
// happened; events of different pages may come in any order.
type Event interface{ event() }

// PageOpened says that a tab exists. Pages get their index in the order of these events.
type PageOpened struct {
	Page  PageID
	URL   string
	Title string
	// Browser is the name of the tab's browser if there are several, else "".
	Browser string
	// Tab is the page's number, which no other page has had. If it is 0, State assigns the next one.
	Tab TabID
	// Proxied says that an MCP-B proxy reports the tab, not the browser. The proxy alone vouches for the tab's
	// address.
	Proxied bool
	// Epoch is the epoch whose [PageEvent] events count from now on.
	Epoch Epoch
	// Origins are the rules for this page's documents; nil means those of [Options].
	Origins *names.Origins
}

// PageChanged says that a page's address, title or state changed without a new document (history.pushState, <title>,
// a crash). If URL is empty, URL and Origin stay as they were. Origin is as in [PageTool].
type PageChanged struct {
	Page   PageID
	URL    string
	Origin string
	Title  string
	State  string
	// Dialog says which dialog is open in the page, "dialog open: …"; "" if none is.
	Dialog string
	// Arrived says that the first document of the tab is there, or has failed to load. It is false until an event
	// says so.
	Arrived bool
	// Readiness says why the page may not have tools yet.
	Readiness Readiness
}

// Navigated says that a page has a new main document, and that the tools of all earlier documents are gone. If URL is
// empty, the address is not known yet, and a [PageChanged] will report it. Origin is as in [PageTool].
type Navigated struct {
	Page   PageID
	Gen    Gen
	URL    string
	Origin string
}

// ToolsReported has the whole set of a page's tools, so it is idempotent. State drops it if Gen is not the page's
// current one. The order matters for clashing names: the first tool keeps the plain name.
type ToolsReported struct {
	Page  PageID
	Gen   Gen
	Tools []*PageTool
}

// FramesReported has the whole set of a page's iframes. It comes before the [ToolsReported] that shows the change,
// because it explains why a tool is gone. State drops it if Gen is not the page's current one.
type FramesReported struct {
	Page   PageID
	Gen    Gen
	Frames []Frame
}

// PageClosed says that a tab is gone.
type PageClosed struct{ Page PageID }

// BrowsersNamed says that the hub has several browsers, and lists all of them in order. State forgets the browsers
// that aren't in the list.
type BrowsersNamed struct{ Browsers []NamedBrowser }

// BrowserChanged reports the state of the connection to a Chrome. Status is a sentence for the agent, or empty while
// all is well. Browser is the name, as in [BrowsersNamed]; State ignores unknown names.
type BrowserChanged struct {
	Status  string
	Browser string
}

// ExtensionChanged is [BrowserChanged] for the browsers whose extension connects to the hub. While either way works,
// a browser counts as connected. A way that no event has reported doesn't count.
type ExtensionChanged struct{ Status string }

// CacheChanged has the whole set of tools that outlive their tabs. It may include tools that an open tab has. If two
// have the same site and name, the first counts.
type CacheChanged struct{ Tools []offer.CachedTool }

// PinsChanged says that a person has accepted something, or no longer accepts it. State then judges all tools
// again.
type PinsChanged struct{ Pins offer.Pins }

// FlushDue says that the time that [ArmFlush] asked for is over.
type FlushDue struct{}

// SettleDue says that the time that [ArmSettle] asked for is over.
type SettleDue struct {
	Page PageID
	Seq  uint64
}

// RegistrationsDue says that the time that [ArmRegistrations] asked for is over.
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
func (PinsChanged) event()      {}
func (FlushDue) event()         {}
func (SettleDue) event()        {}
func (RegistrationsDue) event() {}
