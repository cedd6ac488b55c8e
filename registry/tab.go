package registry

import (
	"cmp"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// Result is the answer to one tool call: a whole MCP CallToolResult object.
type Result = sanitize.Result

// PageError says how a request to a page's MCP server failed.
type PageError = sanitize.PageError

// Tab is what a catalog says about one open page.
type Tab struct {
	offer.SiteTab
	Index int // the {idx} of page{idx}
	// Browser is the name of the tab's browser if there are several, else "".
	Browser string
	Title   string
	// Dialog, Arrived and Readiness are as in [PageChanged].
	Dialog    string
	Arrived   bool
	Readiness Readiness
	// Tools has the page's published tools, in the order in which the page reported them.
	Tools []*HubTool
	// Refused has the page's tools that were not published, with the reasons.
	Refused []offer.Refusal
	// Withheld has the tools that wait until a person accepts them, see [Options.Pins]. They are in Refused, too.
	Withheld []*offer.Held

	record
}

// record has what catalogs know about a tab besides what they show.
type record struct {
	times int // how often the page has been opened, as the hub knows
	gen   Gen // of the main document
	rules *names.Origins
	// reportedTools has the tools that the page shows, as far as they are within the limits; see shownTools.
	reportedTools []*PageTool
	capable       offer.BrowserCapabilities // as far as the page's offers show
	// Address is the page's address as agents may read it.
	Address names.Address
	documents
}

// Published returns those of the page's tools that clients see, in the order of Tools. t may be nil.
func (t *Tab) Published() []*HubTool {
	if t == nil {
		return nil
	}
	return t.Shown
}

// Document returns the page's main document, which is different after each navigation. Its Frame is "", the id of no
// frame.
func (t *Tab) Document() DocumentRef { return DocumentRef{Page: t.Page, Doc: t.gen} }

// Frames returns the page's iframes, with their addresses as agents may read them.
func (t *Tab) Frames() []Frame { return t.frames }

// ShownTitle returns the page's title as agents may read it, in at most most bytes. It is "" if the rules keep the
// page out.
func (t *Tab) ShownTitle(most int) string {
	if t.Address.KeptOut() {
		return ""
	}
	return sanitize.Text(t.Title, most)
}

// Rules returns the rules that say which documents of the tab agents may see and operate; nil permits all.
func (t *Tab) Rules() *names.Origins { return t.rules }

// Condition says what is wrong with the page, or which dialog is open in it; "" while all is well.
func (t *Tab) Condition() string { return cmp.Or(t.State, t.Dialog) }

// Crashed reports whether the page has crashed. Its tab counts as closed until it is reloaded.
func (t *Tab) Crashed() bool { return t.State == "crashed" }

// NewTab describes a tab to open.
type NewTab struct {
	URL string
	// For is the address that the tab is to load later, if URL is a blank page; else "". A browser whose tabs can't be
	// debugged opens For itself, because the hub couldn't navigate the tab there.
	For string
	// Beside is a page in the browser to use; "" means any browser.
	Beside PageID
	// In has the names of the browsers that will do, the preferred one first; nil means any.
	In         []string
	Background bool                       // opens the tab behind the one in front
	May        func(browser string) error // returns why the tab can't open in that browser after all; asked last; must not block; nil allows any
}

// Frame is one iframe of a page and the document that it shows.
type Frame struct {
	ID  FrameID
	Doc Gen
	URL string  // empty while it is not known
	In  FrameID // the parent frame; "" if that is the page itself or isn't known
}
