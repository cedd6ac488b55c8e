package registry

import (
	"cmp"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// Result is the answer to one tool call: a whole MCP CallToolResult object.
type Result = sanitize.Result

// PageError is how a request to a page's MCP server failed.
type PageError = sanitize.PageError

// Tab is what a catalog says about one open page.
type Tab struct {
	offer.SiteTab
	Index int // the {idx} of page{idx}
	// Browser is the name of its browser, where there are several, else "".
	Browser string
	Title   string
	// Dialog, Arrived and Readiness are as in [PageChanged].
	Dialog    string
	Arrived   bool
	Readiness Readiness
	// Tools are the page's published tools in the order the page reported them.
	Tools []*HubTool
	// Refused are the page's tools that were not published, and why.
	Refused []offer.Refusal
	// Withheld are those that are withheld until a person accepts them, see
	// [Options.Standing]. They are among Refused, too.
	Withheld []*offer.Held

	record
}

// record is what catalogs know of a tab besides what they show.
type record struct {
	times int // how often the page was opened, in the hub's eyes
	gen   Gen // of the main document
	rules *names.Origins
	// said are the tools that the page shows, as far as they are within the limits; see told.
	said    []*PageTool
	capable offer.BrowserCapabilities // as far as its offers show
	// Address is the page's as agents may read it.
	Address names.Address
	documents
}

// Published are the page's tools that clients are shown, in that order. A nil Tab has
// none.
func (t *Tab) Published() []*HubTool {
	if t == nil {
		return nil
	}
	return t.Shown
}

// Document is the page's main document. It differs for each that the page shows. Its
// Frame is "", which is no frame's.
func (t *Tab) Document() ServerRef { return ServerRef{Page: t.Page, Doc: t.gen} }

// Frames are the page's iframes, with their addresses as agents may read them.
func (t *Tab) Frames() []Frame { return t.frames }

// ShownTitle is the page's title as agents may read it, in at most some bytes: "" where the rules
// keep the page out.
func (t *Tab) ShownTitle(most int) string {
	if t.Address.KeptOut() {
		return ""
	}
	return sanitize.Text(t.Title, most)
}

// Rules say which documents of the tab agents may see and operate; nil is all.
func (t *Tab) Rules() *names.Origins { return t.rules }

// Condition is what ails the page, or which dialog is open in it; "" while it is
// well.
func (t *Tab) Condition() string { return cmp.Or(t.State, t.Dialog) }

// Crashed says that the tab counts as closed until it is reloaded.
func (t *Tab) Crashed() bool { return t.State == "crashed" }

// NewTab is a tab to open.
type NewTab struct {
	URL string
	// For is the address that it is to load later, where URL is a blank page; else "".
	For string
	// Beside is a page in the same browser; if it is "", any browser will do.
	Beside PageID
	// In are the names of the browsers that will do, the preferred first; nil is any.
	In         []string
	Background bool                       // leaves the tab in front that is there: the new one opens behind it
	May        func(browser string) error // why not in that browser after all, asked last, without blocking; nil: any will do
}

// Frame is one iframe of a page and the document that it shows.
type Frame struct {
	ID  FrameID
	Doc Gen
	URL string  // empty while it is not known
	In  FrameID // the frame around it; "" where that is the page itself, or isn't known
}
