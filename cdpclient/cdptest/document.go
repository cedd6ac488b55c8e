package cdptest

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"webmcphub/cdpclient"
)

// document is what a frame shows. It outlives its display in the back/forward
// cache.
type document struct {
	url      string
	failed   string // the address that did not load; url is the error page's then
	origin   string
	loader   string
	contexts []*world // the page's own first
	tools    []Tool   // in order of registration
	mcp      MCPHandler
	kids     []*Frame
	calls    []*invocation
	awaited  map[*promise]func(result any, err error) // promises that are not settled
	requests map[string]func(result any, err error)   // requests to mcp whose answers are awaited, by id
	proc     *process
	complete bool // its load event has come
}

// process numbers execution contexts: a new renderer starts at 1 again.
type process struct {
	origin   string
	contexts int
}

// world is an execution context.
type world struct {
	id     int
	unique string
	name   string // "" is the page's own
}

func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "://"
	}
	return u.Scheme + "://" + u.Host
}

func (p *process) newWorld(name string) *world {
	p.contexts++
	return &world{id: p.contexts, unique: fmt.Sprintf("%p.%d", p, p.contexts), name: name}
}

// Frame is one frame of a page: the main frame, one in the same process, or one
// in its own.
type Frame struct {
	page   *Page
	id     string
	parent *Frame // nil for a main frame
	own    *target
	doc    *document
	kids   []*Frame
	gone   bool
}

// ID is the frame's CDP id.
func (f *Frame) ID() string { return f.id }

// target is whose sessions the frame's events go to.
func (f *Frame) target() *target {
	for ; f.own == nil; f = f.parent {
	}
	return f.own
}

// frames lists f and its descendants in the same process.
func (f *Frame) frames() []*Frame {
	all := []*Frame{f}
	for _, k := range f.kids {
		if k.own == nil {
			all = append(all, k.frames()...)
		}
	}
	return all
}

func (f *Frame) json() cdpclient.Frame {
	// As in Chrome, this is the address's origin, which may not be the document's.
	frame := cdpclient.Frame{ID: f.id, LoaderID: f.doc.loader, URL: f.doc.url, SecurityOrigin: origin(f.doc.url),
		MimeType: "text/html", UnreachableURL: f.doc.failed}
	if f.parent != nil {
		frame.ParentID = f.parent.id
	}
	return frame
}

func (f *Frame) tree() cdpclient.FrameTree {
	t := cdpclient.FrameTree{Frame: f.json()}
	for _, k := range f.kids {
		if k.own == nil {
			t.ChildFrames = append(t.ChildFrames, k.tree())
		}
	}
	return t
}

// newDocument makes a document without showing it.
func (f *Frame) newDocument(address string, proc *process) *document {
	d := &document{url: address, loader: f.page.t.b.newID(), proc: proc, origin: f.originAt(address)}
	if f.page.t.b.sites[address].Unreachable != "" {
		d.url, d.failed, d.origin = errorPage, address, origin(errorPage)
	}
	return d
}

// errorPage is the address of what is shown instead of a page that did not load.
const errorPage = "chrome-error://chromewebdata/"

// shownURL is the address as tabs have it.
func (d *document) shownURL() string { return cmp.Or(d.failed, d.url) }

// originAt is the origin of a document at an address, which an iframe's about:srcdoc
// and about:blank have from the document around it.
func (f *Frame) originAt(address string) string {
	if f.parent != nil && strings.HasPrefix(address, "about:") {
		return f.parent.doc.origin
	}
	return origin(address)
}

// processFor keeps the old one within an origin, as Chrome does.
func (f *Frame) processFor(address string) *process {
	if f.doc != nil && f.doc.proc.origin == origin(address) {
		return f.doc.proc
	}
	return &process{origin: origin(address)}
}

func (f *Frame) contextJSON(w *world) cdpclient.ExecutionContextCreated {
	c := cdpclient.ExecutionContextCreated{Context: cdpclient.ExecutionContext{
		ID: w.id, Origin: f.doc.origin, Name: w.name, UniqueID: w.unique}}
	c.Context.AuxData.IsDefault = w.name == ""
	c.Context.AuxData.Type = "isolated"
	if w.name == "" {
		c.Context.AuxData.Type = "default"
	}
	c.Context.AuxData.FrameID = f.id
	return c
}

// startWorlds makes a new document's contexts and runs the scripts that
// sessions installed, which is to say: starts the bridge.
func (f *Frame) startWorlds() {
	t := f.target()
	f.addWorld("")
	for _, s := range t.sessions {
		for _, script := range s.scripts {
			if script.WorldName != "" {
				f.ensureWorld(script.WorldName)
			}
		}
	}
}

func (f *Frame) addWorld(name string) {
	w := f.doc.proc.newWorld(name)
	f.doc.contexts = append(f.doc.contexts, w)
	f.target().emitRuntime(cdpclient.RuntimeExecutionContextCreated, f.contextJSON(w))
	if name != "" {
		f.checkReady()
	}
}

func (f *Frame) ensureWorld(name string) {
	if f.world(name) == nil {
		f.addWorld(name)
	}
}

func (f *Frame) world(name string) *world {
	for _, w := range f.doc.contexts {
		if w.name == name {
			return w
		}
	}
	return nil
}

// load gives the document what its site has, and says that it is loaded.
func (f *Frame) load() {
	site := f.page.t.b.sites[f.doc.url]
	if site.MCP != nil {
		f.doc.mcp = site.MCP
		f.checkReady()
	}
	for _, tool := range site.Tools {
		f.register(tool)
	}
	if !site.Slow {
		f.loaded()
	}
}

// Loads finishes the loading of a [Site] that is slow.
func (p *Page) Loads() { p.do(p.t.root.loaded) }

func (f *Frame) loaded() {
	f.doc.complete = true
	t := f.target()
	if f.own != nil {
		t.emitPage(cdpclient.PageLoadEventFired, obj{"timestamp": 1})
	}
	t.emitPage("Page.frameStoppedLoading", obj{"frameId": f.id})
	if f.parent != nil {
		return
	}
	for _, id := range f.page.late {
		t.emitPage(cdpclient.PageFrameDetached, cdpclient.FrameDetached{FrameID: id, Reason: cdpclient.DetachRemove})
	}
	f.page.late = nil
}

// endCalls drops the calls of a document that goes away. No answer comes, but
// for those that were promised one by a navigation of their own.
func (d *document) endCalls() {
	for _, c := range d.calls {
		c.gone = true
		c.cancel()
	}
	d.calls = nil
	for _, k := range d.kids {
		k.doc.endCalls()
	}
}

// awaits is a promise of the document, which settles at the latest when the document ends.
func (d *document) awaits(p promise) promise {
	return func(settle func(any, error)) {
		if d.awaited == nil {
			d.awaited = map[*promise]func(any, error){}
		}
		d.awaited[&p] = settle
		p(func(result any, err error) {
			if d.awaited[&p] != nil {
				delete(d.awaited, &p)
				settle(result, err)
			}
		})
	}
}

// Chrome's words for a promise whose document has ended.
const (
	targetNavigated  = "Inspected target navigated or closed" // comes before the document's end
	contextDestroyed = "Execution context was destroyed."     // comes after it, if the frame isn't the session's own
)

// endAwaited answers what waits for promises of the document, and of those in it, when it ends.
func (f *Frame) endAwaited(why string) {
	for _, settle := range f.doc.awaited {
		settle(nil, &cdpclient.Error{Code: cdpclient.CodeServerError, Message: why})
	}
	f.doc.awaited = nil
	for _, k := range f.kids {
		k.endAwaited(why)
	}
}

// dropKids takes the child frames away without a word, as a navigation of
// their parent does; those in other processes are detached.
func (f *Frame) dropKids() {
	for _, k := range f.kids {
		k.drop()
	}
	f.doc.kids = f.kids
	f.kids = nil
}

// leaveKids is dropKids for a page that is left. Of sessions that were attached through
// an iframe's, nothing is said then: they end with it.
func (f *Frame) leaveKids() {
	for _, k := range f.target().kidTargets() {
		k.endNested()
	}
	f.dropKids()
}

// drop ends a frame and those in it.
func (f *Frame) drop() {
	f.gone = true
	for _, k := range f.kids {
		k.drop()
	}
	f.doc.endCalls()
	if f.own != nil {
		f.own.gone = true
		f.own.detachAll()
	}
}

// revive brings the frames of a restored document back. Those in other
// processes are attached at once, and nobody holds them.
func (f *Frame) revive() {
	f.gone = false
	host := f.target()
	for _, k := range f.kids {
		if k.own != nil {
			k.own.gone = false
			for _, s := range host.sessions {
				if s.auto != nil && matches(s.auto.Filter, k.own.kind) {
					s.attach(k.own, false)
				}
			}
		}
		k.revive()
	}
}

func (f *Frame) unlink() {
	f.parent.kids = slices.DeleteFunc(f.parent.kids, func(k *Frame) bool { return k == f })
}
