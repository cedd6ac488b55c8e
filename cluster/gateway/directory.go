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

// directory owns what all nodes offer together, and who sees what of it.
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
	leaving  string         // why it leaves; then nobody sees its pages
	counts   counts         // as figures know them
}

// tenantView is a tenant, and what it has been told of the nodes.
type tenantView struct {
	*tenantServer
	shown  map[registry.PageID]*registry.PageSnapshot // pages as the tenant was told of them
	stands []registry.Browser
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

// departs says why a node leaves, or with "" that it stays. Any goroutine may call it.
func (h *directory) departs(node, why string) {
	h.box.Must(func() {
		if n := h.node(node); n.leaving != why {
			n.leaving = why
			h.linger(node, why != "")
			h.showAll()
		}
	})
}

// gone says that there is no such node any more. Any goroutine may call it.
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

// leased says which leases there are now, by browser. Any goroutine may call it.
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

// takes notes what a node's mirror says that it offers now, and tells the tenants that may see it. taken is called when
// they have it.
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

// holds is the handle by which a tenant has a browser; "" if it hasn't. What the store says may be
// old, here or at the node: so the browser must be in the life that the lease is for, as its next life
// is somebody else's.
func (h *directory) holds(r *tenantView, browser string) (handle string) {
	node, _ := pages.Own(browser)
	l, n := h.leases[browser], h.nodes[node]
	if l.Handle == "" || l.Tenant != r.tenant || l.Life == "" || n == nil || n.lives[browser] != l.Life {
		return ""
	}
	return l.Handle
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
	r.tell(append(h.stand(r), h.shows(r)...), func() {})
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

// passOn passes on what a page's own server tells, to the tenants that see the page. It calls done when these have it.
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
