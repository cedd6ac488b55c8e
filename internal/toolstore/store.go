package toolstore

import (
	"cmp"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// These limit the store.
const (
	// Keep is how long a tool is kept after its last tab is gone.
	Keep = time.Hour
	// MaxTools is how many tools are kept in all, the newest, and MaxSiteTools how many of one site.
	MaxTools     = 2000
	MaxSiteTools = 200

	// maxPending is how many catalogs may wait to be read.
	maxPending = 256

	// pace is the shortest time between two reads of the catalog.
	pace = 100 * time.Millisecond
	// refresh is how old the time in the file may get at which an open tab's tool was last seen. A hub that is killed
	// can't update it.
	refresh = 5 * time.Minute
)

// Options are fixed for the life of a [Store].
type Options struct {
	Path   string // of the file; "" keeps nothing beyond the store's life
	Logger *slog.Logger
}

// Store holds the tools that may outlive their tabs.
type Store struct {
	log  *slog.Logger
	wake chan struct{}
	stop chan struct{}
	over chan struct{}

	mu      sync.Mutex // guards pending; nothing blocks under it
	pending []*registry.Catalog

	// The fields below belong to the store's goroutine.
	file    *file
	changed func([]offer.CachedTool)
	known   map[key]*entry
	seen    *registry.Catalog
	live    map[key]bool // tools that an open tab has
	tabs    map[*registry.Tab]tabTools
	failed  bool // the last write failed
}

// tabTools is what the store needs to know of a tab. A tab that has not changed is the same pointer in the next
// catalog.
type tabTools struct {
	site   string
	kept   []offer.CachedTool
	others []string
}

// toolsOf reads a tab, unless it was in the last catalog.
func (s *Store) toolsOf(tab *registry.Tab) tabTools {
	t, known := s.tabs[tab]
	if !known {
		t.site = tab.Site
		t.kept, t.others = offer.Cacheable(&tab.SiteTab)
	}
	return t
}

type entry struct {
	offer.CachedTool
	seen time.Time // when a tab last had it
}

// Open reads the file. It always returns a store, whatever the state of the file.
func Open(o Options) *Store {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	s := &Store{log: o.Logger, wake: make(chan struct{}, 1), stop: make(chan struct{}), over: make(chan struct{}),
		seen: registry.EmptyCatalog()}
	s.file, s.known = openFile(o.Path, o.Logger)
	return s
}

// Start begins to follow the catalogs. It calls changed with all tools that are kept, at once and whenever they
// change. changed must not block.
func (s *Store) Start(changed func([]offer.CachedTool)) {
	s.changed = changed
	go s.run()
}

// Apply records what the registry serves, as a publisher beside the MCP server. It never blocks.
func (s *Store) Apply(effects []registry.Effect) {
	for _, e := range effects {
		if served, ok := e.(registry.SetCatalog); ok {
			s.mu.Lock()
			if len(s.pending) == maxPending {
				s.pending = s.pending[:maxPending-1] // a tool that came and went within so short a time is forgotten
			}
			s.pending = append(s.pending, served.Catalog)
			s.mu.Unlock()
			select {
			case s.wake <- struct{}{}:
			default:
			}
		}
	}
}

// Close writes what is left to write. It must not run at the same time as Start.
func (s *Store) Close() {
	if s.changed == nil { // never started
		s.file.close()
		return
	}
	close(s.stop)
	<-s.over
}

func (s *Store) run() {
	defer close(s.over)
	defer s.file.close()
	s.expire(time.Now())
	s.changed(s.tools())
	for {
		timer := time.NewTimer(s.next(time.Now()))
		select {
		case <-s.wake:
			s.look(time.Now())
			s.rest()
		case <-timer.C:
			s.look(time.Now())
		case <-s.stop:
			timer.Stop()
			s.look(time.Now())
			s.left(time.Now())
			return
		}
		timer.Stop()
	}
}

// rest keeps a page that changes all the time from keeping the disk busy.
func (s *Store) rest() {
	select {
	case <-time.After(pace):
	case <-s.stop:
	}
}

// next returns when something is to be done if nothing happens before.
func (s *Store) next(now time.Time) time.Duration {
	wait := refresh
	for k, e := range s.known {
		if !s.live[k] {
			wait = min(wait, e.seen.Add(Keep).Sub(now))
		}
	}
	return max(wait, pace)
}

// look updates the store by all catalogs that came, because a tab may have come and gone between them.
func (s *Store) look(now time.Time) {
	s.mu.Lock()
	pending := s.pending
	s.pending = nil
	s.mu.Unlock()
	for i, c := range pending {
		s.seen = c
		if i < len(pending)-1 {
			s.update(now)
		}
	}
	s.update(now)
}

func (s *Store) update(now time.Time) {
	put, gone := map[key]*entry{}, map[key]bool{}
	differs := false
	live := map[key]bool{}
	tabs := make(map[*registry.Tab]tabTools, len(s.tabs))
	for _, tab := range s.seen.Tabs() {
		read := s.toolsOf(tab)
		tabs[tab] = read
		for _, t := range read.kept {
			k := key{t.Site, t.Tool.Name}
			if live[k] {
				continue
			}
			e := s.known[k]
			if e == nil && !s.room(t.Site) {
				continue
			}
			live[k] = true
			if e == nil || e.URL != t.URL || !e.Tool.Same(&t.Tool) {
				e = &entry{CachedTool: t}
				differs = true
			}
			if now.Sub(e.seen) >= refresh || !s.live[k] || s.known[k] != e {
				e = &entry{e.CachedTool, now}
				put[k] = e
			}
			s.known[k] = e
		}
		for _, name := range read.others { // the page no longer lets it outlive its tab
			if k := (key{read.site, name}); s.known[k] != nil && !live[k] {
				delete(s.known, k)
				gone[k], differs = true, true
			}
		}
	}
	for k := range s.live {
		if e := s.known[k]; e != nil && !live[k] { // the time of Keep begins now
			put[k] = &entry{e.CachedTool, now}
			s.known[k] = put[k]
		}
	}
	s.live, s.tabs = live, tabs
	for _, k := range s.expired(now) {
		delete(s.known, k)
		gone[k], differs = true, true
	}
	for k := range gone {
		delete(put, k)
	}
	s.write(put, slices.Collect(maps.Keys(gone)))
	if differs {
		s.changed(s.tools())
	}
}

// left records, at the end, when open tabs' tools were last seen.
func (s *Store) left(now time.Time) {
	put := map[key]*entry{}
	for k := range s.live {
		if e := s.known[k]; e != nil {
			put[k] = &entry{e.CachedTool, now}
		}
	}
	s.write(put, nil)
}

// expire forgets the tools that are too old at the start.
func (s *Store) expire(now time.Time) {
	gone := s.expired(now)
	for _, k := range gone {
		delete(s.known, k)
	}
	s.write(nil, gone)
}

// expired returns the tools whose time is over, and the oldest beyond MaxTools.
func (s *Store) expired(now time.Time) (gone []key) {
	var waiting []key
	for k, e := range s.known {
		switch {
		case s.live[k]:
		case now.Sub(e.seen) >= Keep || e.seen.After(now.Add(Keep)): // the clock was set back
			gone = append(gone, k)
		default:
			waiting = append(waiting, k)
		}
	}
	if over := len(s.known) - len(gone) - MaxTools; over > 0 {
		slices.SortFunc(waiting, func(a, b key) int { return s.known[a].seen.Compare(s.known[b].seen) })
		gone = append(gone, waiting[:min(over, len(waiting))]...)
	}
	return gone
}

// room reports whether one more tool of a site may be kept.
func (s *Store) room(site string) bool {
	n := 0
	for k := range s.known {
		if k.site == site {
			n++
		}
	}
	return n < MaxSiteTools && len(s.known) < 2*MaxTools
}

// write writes to the file, and logs only the first of consecutive failures.
func (s *Store) write(put map[key]*entry, gone []key) {
	err := s.file.write(put, gone)
	if err != nil && !s.failed {
		s.log.Warn("the store of cached tools can't be written; cached tools may not outlive this hub", "err", err)
	}
	s.failed = err != nil
}

// tools returns all tools in a stable order.
func (s *Store) tools() []offer.CachedTool {
	all := make([]offer.CachedTool, 0, len(s.known))
	for _, e := range s.known {
		all = append(all, e.CachedTool)
	}
	slices.SortFunc(all, func(a, b offer.CachedTool) int {
		return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.Tool.Name, b.Tool.Name))
	})
	return all
}
