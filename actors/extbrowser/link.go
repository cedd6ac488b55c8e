package extbrowser

import (
	"net/url"
	"strconv"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient/pagemcp"
	"webmcphub/extlink"
	"webmcphub/internal/loglimit"
	"webmcphub/registry"
)

// Link is a tab's link by the browser's extension. It has the page's documents and their tools, as the extension
// reports them. tools.go handles tools, calls.go calls, and requests.go requests of the page to the agent.
type Link struct {
	*tab.Tab
	conn *extlink.Conn
	tab  extlink.TabID
	old  bool // the extension reports no documents, and only tabs that have loaded

	doc      string // the extension's id of the main document; "" if it reports none
	toolsDoc string // if doc is "": the main document's id, as reported with the tools
	frames   map[int64]*frame
	met      int                   // how many frames have been added
	latest   *extlink.ToolsChanged // the newest list of this document's tools; nil before the first

	byID     map[string]*tab.Call
	lastID   int
	logLimit loglimit.Limit // limits logs about results for which nobody waits

	asking pagemcp.Requests // requests of the page to the agent
}

// frame is a frame and its current document.
type frame struct {
	id    int64
	order int // its number among the frames, in the order of their appearance
	gen   registry.Gen
	doc   string // the extension's id of the document; "" if it reports none
	url   string
	tools tab.ToolList
}

// TabEvent is a message of a connection about one tab. Its receiver reports its cost as handled.
type TabEvent struct {
	Message extlink.Message
	Cost    int
}

// Inside returns the message by which the log distinguishes this message from others.
func (s TabEvent) Inside() any { return s.Message }

// leadOverdue says that a document to which a tool has led has not come in time.
type leadOverdue struct{ gen registry.Gen }

// NewTab returns a tab that is reached by an extension. old says that the extension reports no documents.
func NewTab(env *tab.Env, conn *extlink.Conn, old bool, t extlink.Tab, b tab.Birth) *tab.Tab {
	p := &Link{Tab: tab.New(env, b), conn: conn, old: old, tab: t.ID, doc: t.Doc, byID: map[string]*tab.Call{}}
	p.arrives(t)
	p.Use(p, p.newDocument())
	return p.Tab
}

// Took reports a message as handled, so that the connection's reader can go on.
func (p *Link) Took(message any) {
	if m, ok := message.(TabEvent); ok {
		p.conn.Handled(m.Cost)
	}
}

// HandleUnattached handles messages too, because the extension goes on reporting. The hub shows nothing of that.
func (p *Link) HandleUnattached(message any) { p.Handle(message) }

// Handle handles messages of the extension and of the link's goroutines.
func (p *Link) Handle(message any) {
	switch m := message.(type) {
	case TabEvent:
		p.handleMessage(m.Message)
	case leadOverdue:
		p.lead(m)
	case requestOver:
		p.requestEnded(m)
	}
}

// Attach shows the page's tools. There is no session to wait for.
func (p *Link) Attach() (atHand bool) { return true }

// Take starts the document again with what the extension has reported about it.
func (p *Link) Take(any) registry.Gen { return p.Forget() }

// Prepare reports the document's tools.
func (p *Link) Prepare() {
	p.ReportTools()
	if p.latest != nil {
		p.toolsChanged(p.latest)
	}
}

// TurnDown and Has have nothing to do, because there are no sessions.
func (p *Link) TurnDown(any) {}
func (p *Link) Has(any) bool { return true }

// Naming returns false, because the hub itself names the calls.
func (p *Link) Naming() bool { return false }

// Release aborts the page's calls.
func (p *Link) Release() {
	for c := range p.Calls {
		p.abort(c)
	}
}

// Forget starts the document again, but keeps what the extension has reported about it.
func (p *Link) Forget() registry.Gen {
	latest := p.latest
	gen := p.newDocument()
	if p.latest = latest; latest != nil {
		p.originIs(latest)
	}
	return gen
}

// End ends the link for good. The extension still receives what was sent, as long as it is connected.
func (p *Link) End(_ bool, heard func()) {
	p.dropAsks()
	p.Release()
	heard()
}

// Abandon does only the part of End that must not be left out.
func (p *Link) Abandon(bool) { p.dropAsks() }

// handleMessage handles a message of the extension about this tab.
func (p *Link) handleMessage(m extlink.Message) {
	switch m := m.(type) {
	case extlink.TabUpdated:
		p.updated(m.Tab)
	case extlink.ToolsChanged:
		p.toolsChanged(&m)
	case extlink.TabFocused:
		if p.Env().Fronts.Load() {
			p.ReportFront()
		}
		p.toolsChanged(&m.ToolsChanged)
	case extlink.ToolResult:
		p.answered(m)
	case extlink.ToolProgress:
		p.progressed(m)
	case extlink.PageRequest:
		p.requested(m)
	case extlink.PageRequestCancelled:
		p.withdrawn(m)
	}
}

// updated records the tab's title, address and document.
func (p *Link) updated(t extlink.Tab) {
	moved := p.doc != "" && t.Doc != "" && p.doc != t.Doc ||
		// The extension reports no documents. Within an origin the page may have changed its own address; it reports its
		// tools in either case.
		p.doc == "" && t.Doc == "" && !sameOrigin(p.Doc.URL, t.URL)
	p.Doc.SetInfo(tab.Info{URL: t.URL, Title: t.Title})
	p.arrives(t)
	if t.Doc != "" {
		p.doc = t.Doc
	}
	if moved {
		p.navigated()
		return
	}
	p.ReportSoon()
}

// Readiness returns that it is unknown: the extension's protocol doesn't report it.
func (p *Link) Readiness() registry.Readiness { return registry.ReadinessUnknown }

// arrives records whether the tab shows a page or the browser's error page in its place. A peer that reports no
// documents reports only tabs whose page has loaded.
func (p *Link) arrives(t extlink.Tab) {
	p.Doc.Failure = ""
	if t.Error != "" {
		p.Doc.Failure = registry.NotLoaded(t.Error)
	}
	p.Doc.Arrived = p.Doc.Arrived || t.Error != "" || t.Doc != "" || p.old
}

func sameOrigin(a, b string) bool {
	u, err := url.Parse(a)
	v, wrong := url.Parse(b)
	return err == nil && wrong == nil && u.Scheme == v.Scheme && u.Host == v.Host
}

// navigated begins a new document without tools and iframes. It reports the document, and then tells each call of the
// page that its document has gone, which ends most calls.
func (p *Link) navigated() {
	p.ReportDocument(p.newDocument())
	for c := range p.Calls {
		p.documentGone(c)
	}
}

// newDocument starts the page's next main document, without tools and iframes.
func (p *Link) newDocument() registry.Gen {
	p.frames, p.met, p.latest, p.toolsDoc = map[int64]*frame{}, 0, nil, ""
	p.Doc.Origin = ""
	p.dropAsks()
	return p.frame(0).gen
}

// frame returns a frame. It adds the frame if it isn't known yet.
func (p *Link) frame(id int64) *frame {
	f := p.frames[id]
	if f == nil {
		f = &frame{id: id, order: p.met, gen: p.NewGen()}
		p.met++
		p.frames[id] = f
	}
	return f
}

// frameID returns the registry's id of a frame.
func (f *frame) frameID() registry.FrameID {
	return registry.FrameID(strconv.FormatInt(f.id, 10))
}
