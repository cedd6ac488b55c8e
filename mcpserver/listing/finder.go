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
	// followsFor is for how long after a search the index follows the catalogs.
	followsFor = 10 * time.Minute
	// pauses is the least time that the index waits after a new catalog. rests is how many times as long as it worked
	// it then pauses.
	pauses, rests = 50 * time.Millisecond, 9
	// atOnce is how many new tools are indexed before a search may use the index, and inSearch how many a search
	// indexes before other searches may use it.
	atOnce, inSearch = 16, 256
	// readsFor is for how long a search indexes new tools before it answers from what is indexed.
	readsFor = 2 * time.Second
)

// Finder has an index of the catalog that is served.
type Finder struct {
	current func() *view.Served
	log     *slog.Logger
	used    used

	busy  chan struct{} // holds a token while somebody uses the index
	index *find.Index

	following sync.Mutex // guards the fields below; never held for long
	until     time.Time  // until when the index follows
	waiting   bool       // follow will run, and look at the catalog that is current then
}

// NewFinder returns a Finder with an empty index. current returns the catalog that is served; any goroutine calls it.
func NewFinder(current func() *view.Served, log *slog.Logger) *Finder {
	return &Finder{current: current, log: log, busy: make(chan struct{}, 1), index: find.NewIndex()}
}

// Served reports that another catalog is served. It returns at once.
func (f *Finder) Served() { f.followIn(pauses) }

// followIn makes the index follow after a pause, unless it will anyway or nobody has searched lately.
func (f *Finder) followIn(pause time.Duration) {
	f.following.Lock()
	defer f.following.Unlock()
	if !f.waiting && time.Now().Before(f.until) {
		f.waiting = true
		time.AfterFunc(pause, f.follow)
	}
}

// follow indexes a part of the current catalog, and runs again later if it has not indexed all of it. If it panics,
// the index begins anew with the next search.
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
	if !there { // otherwise Served runs it again
		f.followIn(max(time.Millisecond, rests*time.Since(began)))
	}
}

// alone calls do when nobody else uses the index. After a panic the index is empty. It fails if ctx ends before.
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

// findResult is the result of a search.
type findResult struct {
	found []find.Found
	total int
	now   *view.Served // the catalog that was searched
	late  bool         // not everything could be indexed in time
}

// search searches the catalog that is served. It calls q with that catalog to make the query. While it indexes new
// tools, which takes at most readsFor, it lets others use the index. It fails if ctx ends.
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
