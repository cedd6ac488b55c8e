package listing

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/find"
)

// How the index follows the catalogs.
const (
	// followsFor is for how long after a search it does.
	followsFor = 10 * time.Minute
	// pauses is how long it waits at least after a catalog, and rests how many times as
	// long as it worked.
	pauses, rests = 50 * time.Millisecond, 9
	// atOnce is how many new tools it reads before it lets a search in, and inSearch how
	// many a search reads before it lets others in.
	atOnce, inSearch = 16, 256
	// readsFor is for how long a search reads what is new before it answers from what is
	// there.
	readsFor = 2 * time.Second
)

// Finder has an index of the catalog that is served.
type Finder struct {
	current func() *view.Served
	log     *slog.Logger
	used    used

	busy  chan struct{} // has one while somebody uses the index
	index *find.Index

	following sync.Mutex // for what follows; never held for long
	until     time.Time  // it follows until then
	waiting   bool       // it will look at the catalog that is current then
}

// New makes a finder of nothing. current gives the catalog that is served; it is called from
// any goroutine.
func NewFinder(current func() *view.Served, log *slog.Logger) *Finder {
	return &Finder{current: current, log: log, busy: make(chan struct{}, 1), index: find.NewIndex()}
}

// Served says that another catalog is served. It returns at once.
func (f *Finder) Served() { f.followIn(pauses) }

// followIn has the index follow after a while, unless it will anyway or nobody searches.
func (f *Finder) followIn(pause time.Duration) {
	f.following.Lock()
	defer f.following.Unlock()
	if !f.waiting && time.Now().Before(f.until) {
		f.waiting = true
		time.AfterFunc(pause, f.follow)
	}
}

// follow brings the index nearer to the catalog that is current, and comes back if it is not
// there. If it panics, the index begins anew with the next search.
func (f *Finder) follow() {
	f.following.Lock()
	f.waiting = false
	f.following.Unlock()
	defer func() {
		if p := recover(); p != nil {
			f.log.Error("panic", "method", "following the catalog", "panic", p, "stack", string(debug.Stack()))
			f.following.Lock()
			f.until = time.Time{}
			f.following.Unlock()
		}
	}()
	began := time.Now()
	there := false
	_ = f.alone(context.Background(), func() { there = f.index.Update(f.current().Catalog, atOnce) })
	if !there { // else what was served since says so
		f.followIn(max(time.Millisecond, rests*time.Since(began)))
	}
}

// alone does something with the index once nobody else uses it. A panic leaves an empty
// index behind. It fails if ctx ends before.
func (f *Finder) alone(ctx context.Context, do func()) error {
	select {
	case f.busy <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	done := false
	defer func() {
		if !done {
			f.index = find.NewIndex()
		}
		<-f.busy
	}()
	do()
	done = true
	return nil
}

// result is what a search gives.
type findResult struct {
	found []find.Found
	total int
	now   *view.Served // what was searched
	late  bool         // not all of it could be read in time
}

// search searches the catalog that is served. q is made when that is known. It lets others
// in while it reads what is new, and reads for so long at most. It fails if ctx ends.
func (f *Finder) search(ctx context.Context, q func(now *registry.Catalog) find.Query) (r findResult, err error) {
	f.following.Lock()
	f.until = time.Now().Add(followsFor)
	f.following.Unlock()
	end := time.Now().Add(readsFor)
	for over := false; !over; {
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		err := f.alone(ctx, func() {
			r.now = f.current()
			r.late = !f.index.Update(r.now.Catalog, inSearch)
			if over = !r.late || time.Now().After(end); over {
				r.found, r.total = f.index.Search(q(r.now.Catalog))
			}
		})
		if err != nil {
			return r, err
		}
	}
	if r.late {
		f.followIn(pauses)
	}
	return r, nil
}
