package gateway

import (
	"maps"
	"slices"
	"sync/atomic"

	"webmcphub/cluster/api"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/mailbox"
	"webmcphub/cluster/pages"
	"webmcphub/registry"
)

// directory owns what all nodes offer together, and decides which tenant sees what of it.
type directory struct {
	*Gateway
	box  *mailbox.Box[func()] // for run
	over chan struct{}        // closed when run has ended

	// What follows belongs to run.
	nodes   map[string]*offered // by name
	tenants []*tenantView
	leases  map[string]leases.Lease // by browser
	numbers numbers                 // of pages
}

// offered is what one node offers.
type offered struct {
	browsers []registry.Browser
	lives    map[string]string // of browsers
	pages    map[registry.PageID]*registry.PageSnapshot
	order    []registry.PageID
	epoch    registry.Epoch // of its pages
	leaving  string         // why the node leaves; unless it is "", nobody sees the node's pages
	counts   counts         // the node's part of the figures
}

// tenantView is a tenant, and what its server has been sent about the nodes.
type tenantView struct {
	*tenantServer
	shown  map[registry.PageID]*registry.PageSnapshot // the pages, as they were sent last
	stands []registry.Browser                         // the browsers, as they were sent last
}

func newDirectory(g *Gateway) *directory {
	return &directory{Gateway: g, box: mailbox.New[func()](maxWaiting), over: make(chan struct{}),
		nodes: map[string]*offered{}, leases: map[string]leases.Lease{},
		numbers: numbers{of: map[registry.PageID]registry.TabID{}, taken: map[registry.TabID]bool{}}}
}

// run owns the directory.
func (h *directory) run() {
	defer close(h.over)
	mailbox.Run(h.box, h.ctx.Done(), nil)
}

// departs notes why a node leaves; "" means that it stays. Any goroutine may call it.
func (h *directory) departs(node, why string) {
	h.box.Must(func() {
		if n := h.node(node); n.leaving != why {
			n.leaving = why
			h.linger(node, why != "")
			h.showAll()
		}
	})
}

// gone removes a node. Any goroutine may call it.
func (h *directory) gone(node string) {
	h.box.Must(func() {
		n := h.node(node)
		for id := range n.pages {
			h.numbers.free(id)
		}
		n.pages, n.browsers = nil, nil
		h.figures.count(n)
		delete(h.nodes, node)
		h.linger(node, false)
		h.showAll()
	})
}

// leased replaces the leases, which are by browser. Any goroutine may call it.
func (h *directory) leased(all map[string]leases.Lease) {
	h.box.Must(func() {
		h.leases = all
		h.showAll()
	})
}

func (h *directory) node(name string) *offered {
	n := h.nodes[name]
	if n == nil {
		n = &offered{pages: map[registry.PageID]*registry.PageSnapshot{}}
		h.nodes[name] = n
	}
	return n
}

// takes notes what a node offers now, as its mirror reports it, and passes it on to the tenants that may see it. It
// calls taken when these have it.
func (h *directory) takes(node string, m pages.Content, taken func()) {
	n := h.node(node)
	defer func() { h.figures.count(n) }()
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
	shares := newShares(len(h.tenants)+1, taken)
	defer shares.done()
	for _, r := range h.tenants {
		var events registry.EventBatch
		if !stood || !lived { // otherwise the tenant's browsers are unchanged
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
		if !lived { // a new life ends leases, or makes them valid
			events = append(events, h.shows(r)...)
		}
		r.tell(events, shares.done)
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

// holds returns the handle of a tenant's lease of a browser, or "" if there is none. The store's report may be out of
// date, here or at the node. So the browser must be in the life that the lease is for: its next life may be another
// tenant's.
func (h *directory) holds(r *tenantView, browser string) (handle string) {
	node, _ := pages.Own(browser)
	l, n := h.leases[browser], h.nodes[node]
	if l.Handle == "" || l.Tenant != r.tenant || l.Life == "" || n == nil || n.lives[browser] != l.Life {
		return ""
	}
	return l.Handle
}

// stand returns the events that tell a tenant which browsers it sees, and their statuses, if these have changed.
func (h *directory) stand(r *tenantView) (events registry.EventBatch) {
	var now []registry.Browser
	lives := map[string]string{}
	for _, node := range slices.Sorted(maps.Keys(h.nodes)) {
		for _, b := range h.nodes[node].browsers {
			if !h.may(r, b.Name) {
				continue
			}
			b.Labels = append(slices.Clone(b.Labels), node) // so that a client can ask for any browser of the node
			if handle := h.holds(r, b.Name); handle != "" {
				b.Labels = append(b.Labels, handle) // so that a client can ask for this browser
				lives[b.Name] = h.leases[b.Name].Life
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

// show notes what the tenant sees of a page, and returns the events for that. is is nil if the tenant sees nothing.
func (r *tenantView) show(id registry.PageID, is *registry.PageSnapshot, epoch registry.Epoch) registry.EventBatch {
	before := r.shown[id]
	if is == nil {
		delete(r.shown, id)
	} else {
		r.shown[id] = is
	}
	return pages.Events(is, before, epoch)
}

// showAll sends all tenants what has changed in the browsers and pages that they may see.
func (h *directory) showAll() {
	for _, r := range h.tenants {
		h.showTo(r)
	}
}

func (h *directory) showTo(r *tenantView) {
	r.tell(append(h.stand(r), h.shows(r)...), func() {})
}

// shows returns the events for pages that the tenant newly sees, or no longer sees.
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

// passOn passes a message of a page's own server to the tenants that see the page. It calls done when these have it.
func (h *directory) passOn(node string, m *api.PageEvent, done func()) {
	at := serverOf(node, m.GetDocument())
	taken := newShares(len(h.tenants)+1, done)
	defer taken.done()
	for _, r := range h.tenants {
		var events registry.EventBatch
		if m.GetLog() != nil && r.shown[at.Page] != nil {
			events = append(events, registry.PageLogged{Server: at, Origin: m.GetOrigin(), Params: m.GetLog()})
		}
		if len(m.GetUpdated()) > 0 && r.shown[at.Page] != nil {
			events = append(events, registry.ResourcesUpdated{Server: at, URIs: m.GetUpdated()})
		}
		r.tell(events, taken.done)
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

// shares calls all once done has been called n times.
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
