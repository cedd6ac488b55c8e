package gateway

import (
	"maps"
	"slices"
	"sync/atomic"

	"webmcphub/cluster/api"
	"webmcphub/cluster/mailbox"
	"webmcphub/cluster/pages"
	"webmcphub/registry"

	"webmcphub/registry/offer"
)

// directory owns what all nodes offer together, and who sees what of it.
type directory struct {
	*Gateway
	box  *mailbox.Box[any]
	over chan struct{} // closed when run has ended

	// What follows belongs to run.
	nodes   map[string]*offered // by name
	tenants []*tenantView
	leases  map[string]lease // by browser
	numbers numbers          // of pages
}

// offered is what one node offers.
type offered struct {
	browsers []registry.Browser
	lives    map[string]string // of browsers
	pages    map[registry.PageID]*registry.PageSnapshot
	order    []registry.PageID
	epoch    registry.Epoch // of its pages
	leaving  string         // why it leaves; then nobody sees its pages
	counts   counts         // as figures know them
}

// tenantView is a tenant, and what it has been told of the nodes.
type tenantView struct {
	*tenantServer
	shown  map[registry.PageID]*registry.PageSnapshot // pages as the tenant was told of them
	stands []registry.Browser
}

// lease is whose a browser is, and by which handle, while it is in that life.
type lease struct{ tenant, handle, life string }

// What comes into its box.
type (
	// content is what a node's mirror says that there is.
	content struct {
		node string
		pages.Content
		taken func() // to be called when the tenants have it
	}
	// departs says why a node leaves, or with "" that it stays.
	departs struct{ node, why string }
	// gone says that there is no such node any more.
	gone struct{ node string }
	// said is what a page's own server tells.
	said struct {
		node string
		*api.PageEvent
		done func()
	}
	// leased are the leases that there are now, by browser.
	leased struct{ all map[string]lease }
	// tenantsChanged are the tenants that there are now.
	tenantsChanged struct{ tenants []*tenantServer }
	// pinged asks for a sign of life.
	pinged struct{ done chan<- struct{} }
)

func newDirectory(g *Gateway) *directory {
	return &directory{Gateway: g, box: mailbox.New[any](maxWaiting), over: make(chan struct{}),
		nodes: map[string]*offered{}, leases: map[string]lease{},
		numbers: numbers{of: map[registry.PageID]registry.TabID{}, taken: map[registry.TabID]bool{}}}
}

// run owns the directory.
func (h *directory) run() {
	defer close(h.over)
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-h.box.Ready():
			for _, m := range h.box.Take() {
				h.handle(m)
			}
		}
	}
}

func (h *directory) handle(m any) {
	switch m := m.(type) {
	case content:
		h.takes(m)
		h.figures.count(h.node(m.node))
	case departs:
		n := h.node(m.node)
		if n.leaving == m.why {
			return
		}
		n.leaving = m.why
		h.linger(m.node, m.why != "")
		h.showAll()
	case gone:
		n := h.node(m.node)
		for id := range n.pages {
			h.numbers.free(id)
		}
		n.pages, n.browsers = nil, nil
		h.figures.count(n)
		delete(h.nodes, m.node)
		h.linger(m.node, false)
		h.showAll()
	case said:
		h.passOn(m)
	case leased:
		h.leases = m.all
		h.showAll()
	case tenantsChanged:
		h.setTenants(m.tenants)
	case pinged:
		close(m.done)
	}
}

func (h *directory) node(name string) *offered {
	n := h.nodes[name]
	if n == nil {
		n = &offered{pages: map[registry.PageID]*registry.PageSnapshot{}}
		h.nodes[name] = n
	}
	return n
}

// takes notes what a node offers now, and tells the tenants that may see it.
func (h *directory) takes(m content) {
	n := h.node(m.node)
	stood := slices.EqualFunc(n.browsers, m.Browsers, registry.Browser.Same)
	lived := maps.Equal(n.lives, m.Lives)
	n.browsers, n.lives, n.epoch = m.Browsers, m.Lives, m.Epoch
	for _, id := range m.Gone {
		delete(n.pages, id)
		h.numbers.free(id)
	}
	n.order = slices.DeleteFunc(n.order, func(id registry.PageID) bool { return n.pages[id] == nil })
	for _, p := range m.Pages {
		if n.pages[p.Page] == nil {
			n.order = append(n.order, p.Page)
		}
		n.pages[p.Page] = p
	}
	taken := newShares(len(h.tenants)+1, m.taken)
	defer taken.done()
	for _, r := range h.tenants {
		var events registry.EventBatch
		if !stood || !lived { // else it is as it was, however many there are
			events = h.stand(r)
		}
		for _, id := range m.Gone {
			events = append(events, r.show(id, nil, 0)...)
		}
		for _, p := range m.Pages {
			if h.may(r, p.Browser) {
				events = append(events, h.numbered(r.show(p.Page, p, n.epoch))...)
			}
		}
		if !lived { // leases may have ended by that, or hold only now
			events = append(events, h.shows(r)...)
		}
		r.tellAnd(events, taken.done)
	}
}

// may says whether a tenant sees a browser.
func (h *directory) may(r *tenantView, browser string) bool {
	node, _ := pages.Own(browser)
	if n := h.nodes[node]; n == nil || n.leaving != "" {
		return false
	}
	return !r.leasing || h.holds(r, browser) != ""
}

// holds is the handle by which a tenant has a browser; "" if it hasn't. What the store says may be
// old, here or at the node: so the browser must be in the life that the lease is for, as its next life
// is somebody else's.
func (h *directory) holds(r *tenantView, browser string) (handle string) {
	node, _ := pages.Own(browser)
	l, n := h.leases[browser], h.nodes[node]
	if l.handle == "" || l.tenant != r.tenant || l.life == "" || n == nil || n.lives[browser] != l.life {
		return ""
	}
	return l.handle
}

// stand tells a tenant how the browsers stand that it sees, where that has changed.
func (h *directory) stand(r *tenantView) (events registry.EventBatch) {
	var now []registry.Browser
	lives := map[string]string{}
	for _, node := range slices.Sorted(maps.Keys(h.nodes)) {
		for _, b := range h.nodes[node].browsers {
			if !h.may(r, b.Name) {
				continue
			}
			b.Labels = append(slices.Clone(b.Labels), node) // by which any browser of the node is meant
			if handle := h.holds(r, b.Name); handle != "" {
				b.Labels = append(b.Labels, handle) // by which the tenant means it
				lives[b.Name] = h.leases[b.Name].life
			}
			now = append(now, b)
		}
	}
	r.lives.Store(&lives)
	same := func(a, b registry.Browser) bool { return a.Name == b.Name && slices.Equal(a.Labels, b.Labels) }
	if !slices.EqualFunc(now, r.stands, same) {
		named := make([]registry.NamedBrowser, len(now))
		for i, b := range now {
			named[i] = b.NamedBrowser
		}
		events = append(events, registry.BrowsersNamed{Browsers: named})
	}
	was := map[string]string{} // statuses
	for _, b := range r.stands {
		was[b.Name] = b.Status
	}
	for _, b := range now {
		if status, known := was[b.Name]; !known || status != b.Status {
			events = append(events, registry.BrowserChanged{Browser: b.Name, Status: b.Status})
		}
	}
	r.stands = now
	return events
}

// show tells the tenant of a page as it is now; nil is gone, or out of its sight.
func (r *tenantView) show(id registry.PageID, is *registry.PageSnapshot, epoch registry.Epoch) registry.EventBatch {
	before := r.shown[id]
	if is == nil {
		delete(r.shown, id)
	} else {
		r.shown[id] = is
	}
	return pages.Events(is, before, epoch)
}

// showAll tells all tenants what they may see now of all that there is.
func (h *directory) showAll() {
	for _, r := range h.tenants {
		h.showTo(r)
	}
}

func (h *directory) showTo(r *tenantView) {
	r.tell(append(h.stand(r), h.shows(r)...))
}

// shows tells a tenant of the pages that it sees only now, or no more.
func (h *directory) shows(r *tenantView) (events registry.EventBatch) {
	for id, was := range r.shown {
		if n := h.nodes[pages.NodeOf(id)]; n == nil || n.pages[id] == nil || !h.may(r, was.Browser) {
			events = append(events, r.show(id, nil, 0)...)
		}
	}
	for _, node := range slices.Sorted(maps.Keys(h.nodes)) {
		n := h.nodes[node]
		for _, id := range n.order {
			if r.shown[id] == nil && h.may(r, n.pages[id].Browser) {
				events = append(events, h.numbered(r.show(id, n.pages[id], n.epoch))...)
			}
		}
	}
	return events
}

// passOn passes on what a page's own server tells, to the tenants that see the page. It is done when these have it.
func (h *directory) passOn(m said) {
	d := m.GetDocument()
	at := registry.ServerRef{Page: registry.PageID(pages.Named(m.node, d.GetPage())),
		Frame: registry.FrameID(d.GetFrame()), Doc: offer.Gen(d.GetGeneration())}
	taken := newShares(len(h.tenants)+1, m.done)
	defer taken.done()
	for _, r := range h.tenants {
		var events registry.EventBatch
		if m.GetLog() != nil && r.shown[at.Page] != nil {
			events = append(events, registry.PageLogged{Server: at, Origin: m.GetOrigin(), Params: m.GetLog()})
		}
		if len(m.GetUpdated()) > 0 && r.shown[at.Page] != nil {
			events = append(events, registry.ResourcesUpdated{Server: at, URIs: m.GetUpdated()})
		}
		r.tellAnd(events, taken.done)
	}
}

// setTenants keeps the tenants that stay, and sends new ones the current browsers and pages.
func (h *directory) setTenants(now []*tenantServer) {
	h.tenants = slices.DeleteFunc(h.tenants, func(l *tenantView) bool { return !slices.Contains(now, l.tenantServer) })
	for _, r := range now {
		if !slices.ContainsFunc(h.tenants, func(l *tenantView) bool { return l.tenantServer == r }) {
			l := &tenantView{tenantServer: r, shown: map[registry.PageID]*registry.PageSnapshot{}}
			h.tenants = append(h.tenants, l)
			h.showTo(l)
		}
	}
}

// shares calls what is to be done when several have called theirs.
type shares struct {
	left atomic.Int32
	all  func()
}

func newShares(n int, all func()) *shares {
	s := &shares{all: all}
	s.left.Store(int32(n))
	return s
}

func (s *shares) done() {
	if s.left.Add(-1) == 0 {
		s.all()
	}
}
