package actors

import (
	"net/url"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/extlink"
	"webmcphub/registry"
)

// extPage owns one tab that the browser's extension reaches: its documents
// and their tools as the extension tells of them, and the calls in flight.
// Tools are in ext_tools.go, calls in ext_calls.go.
type extPage struct {
	pageCore
	browser *extBrowser
	tab     extlink.TabID

	doc      string // the main document as the extension calls it, "" if it doesn't say
	toolsDoc string // likewise, as told with the tools, where doc isn't
	frames   map[int64]*extFrame
	met      int // frames so far

	latest *extlink.ToolsChanged // of this document, nil before the first
	byID   map[string]*call
	lastID int
	noise  extlink.Noise // about results that nobody waits for

	asking map[string]*extAsk // what the page asks of the agent, by request
}

// extFrame is a frame and its current document.
type extFrame struct {
	id    int64
	order int // in which frames were met
	gen   registry.Gen
	doc   string // as the extension calls it, "" if it doesn't say
	url   string

	tools     map[string]*registry.PageTool
	lingering map[string]bool // no longer offered, but kept until their calls are answered
}

func newExtPage(h *Hub, l *extBrowser, t *extTab, epoch registry.Epoch, off bool) *extPage {
	p := &extPage{
		pageCore: newPageCore(h, t.ref, t.id, t.tab.URL, t.tab.Title, epoch),
		browser:  l,
		tab:      t.tab.ID,
		doc:      t.tab.Doc,
		byID:     map[string]*call{},
	}
	p.via = p
	p.arrives(t.tab)
	if off {
		p.state = registry.NotConnected
	}
	p.newDocument()
	return p
}

// Receive handles one message. Nothing in it waits.
func (p *extPage) Receive(ctx actor.Context) {
	m, said := ctx.Message().(fromExtension)
	if said {
		defer p.browser.conn.Handled(m.cost)
	}
	if p.closed {
		p.refuseLate(ctx.Message())
		return
	}
	if said {
		p.heard(m.message)
		return
	}
	switch m := ctx.Message().(type) {
	case *actor.Started:
		p.self = ctx.Self()
		p.tell(registry.Navigated{Page: p.id, Gen: p.gen, URL: p.url, Origin: p.origin})
		p.tellChanged()
	case retell:
		p.tellAll()
	case startCall:
		p.startCall(m.call)
	case cancelCall:
		p.cancelCall(m.call)
	case reportDue:
		p.report()
	case extSwitch:
		p.switched(m.on)
	case navigationOverdue:
		p.leadOverdue(m)
	case extAsked:
		p.askedOver(m)
	case pageGone:
		p.close(ctx, m)
	}
}

// heard takes what the extension says of this tab.
func (p *extPage) heard(m extlink.Message) {
	switch m := m.(type) {
	case extlink.TabUpdated:
		p.updated(m.Tab)
	case extlink.ToolsChanged:
		p.toolsChanged(&m)
	case extlink.TabFocused:
		p.shown = p.hub.fronts.Load()
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
func (p *extPage) updated(t extlink.Tab) {
	moved := p.doc != "" && t.Doc != "" && p.doc != t.Doc ||
		// An extension that doesn't tell documents: within an origin the page
		// may have changed its own address, and tells of its tools either way.
		p.doc == "" && t.Doc == "" && !sameOrigin(p.url, t.URL)
	p.url, p.title = t.URL, t.Title
	p.arrives(t)
	if t.Doc != "" {
		p.doc = t.Doc
	}
	if moved {
		p.navigated()
		return
	}
	p.reportSoon()
}

// arrives takes note of what the tab shows: a page, or the browser's error page
// in its place. A peer that tells no documents tells of tabs whose page is there.
func (p *extPage) arrives(t extlink.Tab) {
	p.failure = ""
	if t.Error != "" {
		p.failure = registry.NotLoaded(t.Error)
	}
	p.arrived = p.arrived || t.Error != "" || t.Doc != "" || p.browser.browser.Instance == ""
}

func sameOrigin(a, b string) bool {
	u, err := url.Parse(a)
	v, wrong := url.Parse(b)
	return err == nil && wrong == nil && u.Scheme == v.Scheme && u.Host == v.Host
}

// navigated drops what the last document had, and ends its calls when the
// registry has been told.
func (p *extPage) navigated() {
	p.newDocument()
	p.moved, p.dirty = true, true
	if p.self != nil && !p.ref.reported.Load() && p.reports.Allow() {
		p.report()
	} else {
		p.reportSoon()
	}
	for c := range p.calls {
		p.departed(c)
	}
}

// newDocument starts the page's next main document, without tools or iframes.
func (p *extPage) newDocument() {
	p.frames, p.met, p.latest, p.toolsDoc = map[int64]*extFrame{}, 0, nil, ""
	p.told, p.origin = nil, ""
	p.dropAsks()
	p.gen = p.frame(0).gen
}

// frame finds a frame, or makes it known.
func (p *extPage) frame(id int64) *extFrame {
	f := p.frames[id]
	if f == nil {
		p.nextGen++
		f = &extFrame{id: id, order: p.met, gen: p.nextGen}
		p.met++
		p.frames[id] = f
	}
	return f
}

// frameID is how the registry calls a frame.
func (f *extFrame) frameID() registry.FrameID {
	return registry.FrameID(strconv.FormatInt(f.id, 10))
}

// switched is what connect_webmcp and disconnect_webmcp do here: the extension
// goes on telling, but the page's tools don't show.
func (p *extPage) switched(on bool) {
	if on == (p.state == "") {
		return
	}
	p.state = registry.NotConnected
	if on {
		p.state = ""
	}
	latest := p.latest
	p.tellChanged() // first, so that who misses the tools is told why
	p.newDocument()
	p.moved = true
	for c := range p.calls {
		p.abort(c)
		p.finish(c, registry.EndedByDisconnect(c.route.Tool))
	}
	p.changed()
	if latest != nil {
		p.toolsChanged(latest)
	}
}

// close ends everything of the page.
func (p *extPage) close(ctx actor.Context, m pageGone) {
	p.closed = true
	ctx.Stop(ctx.Self()) // takes effect after this message
	p.dropAsks()
	for c := range p.calls {
		p.abort(c) // heard where the page lives on without us
	}
	p.ref.end(m.ended)
	for c := range p.calls {
		p.finish(c, m.ended(c.route.Tool))
	}
}

// failed: what is known of the page can't be trusted any more, so it is taken
// up anew, unless it is gone.
func (p *extPage) failed(ctx actor.Context, message any) {
	if gone, last := message.(pageGone); last {
		p.closed = true
		ctx.Stop(ctx.Self())
		p.dropAsks()
		p.ref.end(gone.ended)
		return
	}
	if !p.closed {
		p.root.Send(p.ref.keeper, pageFailed{p.id, p.ref})
	}
}
