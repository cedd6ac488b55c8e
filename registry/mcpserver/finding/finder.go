package finding

import (
	"math"
	"sync"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/find"
	"webmcphub/registry/mcpserver/lens"
)

// How the index follows the catalogs.
const (
	// followsFor is for how long after a search it does.
	followsFor = 10 * time.Minute
	// pauses is how long it waits at least after a catalog, and rests how many times as
	// long as it worked.
	pauses, rests = 50 * time.Millisecond, 9
	// atOnce is how many new tools it reads before it lets a search in.
	atOnce = 16
)

// Finder has an index of the catalog that is served.
type Finder struct {
	current func() *lens.Served
	used    used

	mu    sync.Mutex // for what follows
	index *find.Index

	following sync.Mutex // for what follows; never held for long
	until     time.Time  // it follows until then
	waiting   bool       // it will look at the catalog that is current then
}

// New makes a finder of nothing. current gives the catalog that is served; it is called from
// any goroutine.
func New(current func() *lens.Served) *Finder {
	return &Finder{current: current, index: find.NewIndex()}
}

// Served says that another catalog is served. It returns at once.
func (f *Finder) Served() {
	f.following.Lock()
	defer f.following.Unlock()
	if !f.waiting && time.Now().Before(f.until) {
		f.waiting = true
		time.AfterFunc(pauses, f.follow)
	}
}

// follow brings the index nearer to the catalog that is current, and comes back if it is not
// there.
func (f *Finder) follow() {
	f.following.Lock()
	f.waiting = false
	f.following.Unlock()
	began := time.Now()
	f.mu.Lock()
	there := f.index.Update(f.current().Catalog, atOnce)
	f.mu.Unlock()
	if there {
		return // what was served since says so
	}
	f.following.Lock()
	defer f.following.Unlock()
	if !f.waiting && time.Now().Before(f.until) {
		f.waiting = true
		time.AfterFunc(max(time.Millisecond, rests*time.Since(began)), f.follow)
	}
}

// search searches the catalog that is served, which it gives besides. q is made when that is
// known.
func (f *Finder) search(q func(now *registry.Catalog) find.Query) (found []find.Found, total int, now *lens.Served) {
	f.following.Lock()
	f.until = time.Now().Add(followsFor)
	f.following.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	now = f.current()
	f.index.Update(now.Catalog, math.MaxInt)
	query := q(now.Catalog)
	query.Recent = f.used.recent()
	found, total = f.index.Search(query)
	return found, total, now
}
