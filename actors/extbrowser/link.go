package extbrowser

import (
	"net/url"
	"strconv"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient/mcpb"
	"webmcphub/extlink"
	"webmcphub/internal/loglimit"
	"webmcphub/registry"
)

// Link reaches a page by its browser's extension: its documents and their tools
// as the extension tells of them. Tools are in tools.go, calls in calls.go,
// what the page asks in requests.go.
type Link struct {
	*tab.Tab
	conn *extlink.Conn
	tab  extlink.TabID
	old  bool // the extension tells no documents, and of tabs whose page is there only

	doc      string // the main document as the extension calls it, "" if it doesn't say
	toolsDoc string // likewise, as told with the tools, where doc isn't
	frames   map[int64]*frame
	met      int                   // frames so far
	latest   *extlink.ToolsChanged // of this document, nil before the first

	byID   map[string]*tab.Call
	lastID int
	noise  loglimit.Limit // about results that nobody waits for

	asking mcpb.Requests // what the page asks of the agent
}

// frame is a frame and its current document.
type frame struct {
	id    int64
	order int // in which frames were met
	gen   registry.Gen
	doc   string // as the extension calls it, "" if it doesn't say
	url   string
	tools tab.ToolList
}

// Said is what a connection said of one tab. Who handles it gives back its cost.
type TabEvent struct {
	Message extlink.Message
	Cost    int
}

// Inside is the message that is told apart from others by the log.
func (s TabEvent) Inside() any { return s.Message }

// leadOverdue ends the wait for a document that a tool led to.
type leadOverdue struct{ gen registry.Gen }

// New makes a tab that is reached by an extension. old says that this is one
// that tells no documents.
func NewTab(env *tab.Env, conn *extlink.Conn, old bool, t extlink.Tab, b tab.Birth) *tab.Tab {
	p := &Link{Tab: tab.New(env, b), conn: conn, old: old, tab: t.ID, doc: t.Doc, byID: map[string]*tab.Call{}}
	p.arrives(t)
	p.Use(p, p.newDocument())
	return p.Tab
}

// Took lets the connection's reader go on.
func (p *Link) Took(message any) {
	if m, ok := message.(TabEvent); ok {
		p.conn.Handled(m.Cost)
	}
}

// HandleUnattached: the extension goes on telling, but nothing of that shows.
func (p *Link) HandleUnattached(message any) { p.Handle(message) }

// Handle takes what the extension and the link's goroutines say.
func (p *Link) Handle(message any) {
	switch m := message.(type) {
	case TabEvent:
		p.heard(m.Message)
	case leadOverdue:
		p.lead(m)
	case requestOver:
		p.askedOver(m)
	}
}

// Attach has the page's tools shown.
func (p *Link) Attach() (atHand bool) { return true }

// Take begins with what the extension has told of the document.
func (p *Link) Take(any) registry.Gen { return p.Forget() }

// Prepare shows it.
func (p *Link) Prepare() {
	p.Changed()
	if p.latest != nil {
		p.toolsChanged(p.latest)
	}
}

// There are no sessions.
func (p *Link) TurnDown(any) {}
func (p *Link) Has(any) bool { return true }

// Naming is never true: the hub names the calls.
func (p *Link) Naming() bool { return false }

// Release has the page's tools stop.
func (p *Link) Release() {
	for c := range p.Calls {
		p.abort(c)
	}
}

// Forget begins the document anew, but keeps what the extension has told of it.
func (p *Link) Forget() registry.Gen {
	latest := p.latest
	gen := p.newDocument()
	if p.latest = latest; latest != nil {
		p.originIs(latest)
	}
	return gen
}

// End is for good. What is sent to the extension it gets, as long as it is there.
func (p *Link) End(_ bool, heard func()) {
	p.dropAsks()
	p.Release()
	heard()
}

// Abandon is what is indispensable of End.
func (p *Link) Abandon(bool) { p.dropAsks() }

// heard takes what the extension says of this tab.
func (p *Link) heard(m extlink.Message) {
	switch m := m.(type) {
	case extlink.TabUpdated:
		p.updated(m.Tab)
	case extlink.ToolsChanged:
		p.toolsChanged(&m)
	case extlink.TabFocused:
		if p.Env().Fronts.Load() {
			p.Shown()
		}
		p.toolsChanged(&m.ToolsChanged)
	case extlink.ToolResult:
		p.answered(m)
	case extlink.ToolProgress:
		p.progressed(m)
	case extlink.PageRequest:
		p.asked(m)
	case extlink.PageRequestCancelled:
		p.withdrawn(m)
	}
}

// updated takes the tab's title, address and document.
func (p *Link) updated(t extlink.Tab) {
	moved := p.doc != "" && t.Doc != "" && p.doc != t.Doc ||
		// An extension that doesn't tell documents: within an origin the page
		// may have changed its own address, and tells of its tools either way.
		p.doc == "" && t.Doc == "" && !sameOrigin(p.Doc.URL, t.URL)
	p.Doc.At(tab.Info{URL: t.URL, Title: t.Title})
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

// Readiness is not in the extension's protocol.
func (p *Link) Readiness() registry.Readiness { return registry.ReadinessUntold }

// arrives takes note of what the tab shows: a page, or the browser's error page
// in its place. A peer that tells no documents tells of tabs whose page is there.
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

// navigated drops what the last document had, and ends its calls when the
// registry has been told.
func (p *Link) navigated() {
	p.Moved(p.newDocument())
	for c := range p.Calls {
		p.documentGone(c)
	}
}

// newDocument starts the page's next main document, without tools or iframes.
func (p *Link) newDocument() registry.Gen {
	p.frames, p.met, p.latest, p.toolsDoc = map[int64]*frame{}, 0, nil, ""
	p.Doc.Origin = ""
	p.dropAsks()
	return p.frame(0).gen
}

// frame finds a frame, or makes it known.
func (p *Link) frame(id int64) *frame {
	f := p.frames[id]
	if f == nil {
		f = &frame{id: id, order: p.met, gen: p.NewGen()}
		p.met++
		p.frames[id] = f
	}
	return f
}

// frameID is how the registry calls a frame.
func (f *frame) frameID() registry.FrameID {
	return registry.FrameID(strconv.FormatInt(f.id, 10))
}
