package listing

import (
	"context"
	"time"

	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/find"
)

const (
	// inSearch is how many new tools a search indexes before other searches may use the index.
	inSearch = 256
	// readsFor is how long a search indexes new tools before it answers from what is indexed.
	readsFor = 2 * time.Second
)

// Finder has an index of the catalog that is served. A search updates the index first, so the index takes no time
// while nobody searches.
type Finder struct {
	current func() *view.ServedCatalog
	used    used

	busy  chan struct{} // holds a token while somebody uses the index
	index *find.Index
}

// NewFinder returns a Finder with an empty index. current returns the catalog that is served; any goroutine calls it.
func NewFinder(current func() *view.ServedCatalog) *Finder {
	return &Finder{current: current, busy: make(chan struct{}, 1), index: find.NewIndex()}
}

// alone calls do when nobody else uses the index. After a panic the index is empty. alone fails if ctx ends before.
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
	now   *view.ServedCatalog // the catalog that was searched
	late  bool                // not everything could be indexed in time
}

// search searches the catalog that is served. It calls q with that catalog to make the query. While it indexes new
// tools, which takes at most readsFor, it lets others use the index. It fails if ctx ends.
func (f *Finder) search(ctx context.Context, q func(now *registry.Catalog) find.Query) (r findResult, err error) {
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
	return r, nil
}
