package store

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/registry"
	"webmcphub/trust/pins"
)

const (
	// poll is the interval at which the store checks whether other processes have changed files.
	poll = time.Second
	// pace is the shortest time between two looks at the catalog.
	pace = 100 * time.Millisecond
	// maxPending is how many catalogs may wait to be looked at.
	maxPending = 256
	// maxNoted is how many noted changes the store remembers, so that it notes each once.
	maxNoted = 10_000
)

// Options are fixed for the life of a [Store].
type Options struct {
	Folder Folder
	Rules  pins.Rules
	Logger *slog.Logger
	// Noted is called with drift, once for each definition, and with acceptance. It may be nil. It must not block.
	Noted func(Note)
}

// Note is something that happened to a tool's definition.
type Note struct {
	Origin, Tool string
	What         string // "drift", "noted" (a change that needs no acceptance) or "accepted"
	Why          string // the difference in words, or who accepted it
}

// Store follows what pages register, and keeps it in files.
type Store struct {
	o    Options
	book atomic.Pointer[pins.Book]
	wake chan struct{}
	stop chan struct{}
	over chan struct{}

	mu      sync.Mutex // guards pending and accepts; nothing blocks under it
	pending []*registry.Catalog
	accepts []accept

	following // belongs to the store's goroutine
}

// following is the state of the store's goroutine.
type following struct {
	changed func(*pins.Book)
	stamps  map[string]stamp
	lost    map[string]string
	last    *registry.Catalog
	tabs    map[*registry.Tab]bool // the tabs of the last catalog
	shown   map[string]bool        // origins that some tab shows
	failing map[string]string      // why the files of these origins could not be written
	unsaid  map[string][]pins.Definition
	noted   map[pins.Hash]bool // the changes that were noted
}

// accept is a request to accept definitions.
type accept struct {
	ctx    context.Context
	origin string
	shown  []pins.Definition
	by     string
	done   chan error
}

// Open reads the files. It always returns a Store. If the files can't be read, that Store treats everything as not
// accepted.
func Open(o Options) *Store {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	s := &Store{o: o, wake: make(chan struct{}, 1), stop: make(chan struct{}), over: make(chan struct{})}
	s.following = following{shown: map[string]bool{}, failing: map[string]string{},
		unsaid: map[string][]pins.Definition{}, noted: map[pins.Hash]bool{}}
	s.book.Store(s.read())
	return s
}

// read makes a book of all files.
func (s *Store) read() *pins.Book {
	b := pins.NewBook(s.o.Rules)
	s.stamps, _ = s.o.Folder.stamps()
	sites, lost, err := s.o.Folder.All()
	if err != nil {
		s.o.Logger.Error("what was accepted of pages' tools can't be read, so none counts as accepted", "why", err)
		s.lost = nil
		return b.Broken(err.Error())
	}
	s.logLost(lost)
	now := time.Now()
	for _, site := range sites {
		site.Tick(false, now)
	}
	return b.With(sites).Lost(lost)
}

// logLost logs which files can't be used, once for each problem.
func (s *Store) logLost(lost map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(lost)) {
		if s.lost[key] != lost[key] {
			s.o.Logger.Error("what was accepted of a site's tools can't be read, so none of them counts as accepted",
				"why", lost[key])
		}
	}
	s.lost = lost
}

// Book returns what is pinned now.
func (s *Store) Book() *pins.Book { return s.book.Load() }

// Folder returns the folder with the files.
func (s *Store) Folder() Folder { return s.o.Folder }

// Own sets the hub's own tools ([pins.Rules]). It must be called before Start.
func (s *Store) Own(own []pins.Own) {
	s.o.Rules.Own = own
	s.book.Store(s.Book().WithOwn(own))
}

// Start begins to follow the catalogs. It calls changed with the book at once, and with each new book. changed must
// not block.
func (s *Store) Start(changed func(*pins.Book)) {
	s.changed = changed
	go s.run()
}

// Apply receives the catalogs that the registry serves. The store is a publisher beside the MCP server.
func (s *Store) Apply(effects []registry.Effect) {
	for _, e := range effects {
		if served, ok := e.(registry.SetCatalog); ok {
			s.mu.Lock()
			if len(s.pending) == maxPending {
				s.pending = s.pending[:maxPending-1]
			}
			s.pending = append(s.pending, served.Catalog)
			s.mu.Unlock()
			s.awake()
		}
	}
}

// errClosed is returned to callers after the store has ended.
var errClosed = errors.New("the hub is ending")

// Accept accepts definitions of an origin that a person has seen. It returns when they are in the file and in the
// book, or when ctx ends. by is one of the constants of package pins.
func (s *Store) Accept(ctx context.Context, origin string, shown []pins.Definition, by string) error {
	a := accept{ctx, origin, shown, by, make(chan error, 1)}
	s.mu.Lock()
	s.accepts = append(s.accepts, a)
	s.mu.Unlock()
	s.awake()
	select {
	case err := <-a.done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.over:
		return errClosed
	}
}

func (s *Store) awake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Close writes what is left to write. If the folder is locked, that takes at most [lockWait]. Close must not be
// called at the same time as Start.
func (s *Store) Close() {
	if s.changed == nil {
		return
	}
	close(s.stop)
	<-s.over
}

func (s *Store) run() {
	defer close(s.over)
	s.changed(s.Book())
	every := time.NewTicker(poll)
	defer every.Stop()
	working, end := context.WithCancel(context.Background())
	defer end()
	go func() {
		select {
		case <-s.stop:
			end()
		case <-working.Done():
		}
	}()
	for {
		select {
		case <-s.wake:
			s.turn(working, s.look)
			select {
			case <-time.After(pace):
			case <-s.stop:
			}
		case <-every.C:
			s.turn(working, s.reread, s.visits, s.again, s.look)
		case <-s.stop:
			s.turn(context.Background(), s.look)
			return
		}
	}
}

// turn does some work. In all, the work waits at most [lockWait] for the folder's lock, and not after ctx ends.
func (s *Store) turn(ctx context.Context, work ...func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for _, do := range work {
		do(ctx)
	}
}

// publish makes b the current book, and passes it on.
func (s *Store) publish(b *pins.Book) {
	s.book.Store(b)
	s.changed(b)
}

// reread reads the files that other processes have changed.
func (s *Store) reread(ctx context.Context) {
	err := s.o.Folder.check()
	stamps, listed := s.o.Folder.stamps()
	if err = errors.Join(err, listed); err != nil || s.Book().IsBroken() != "" {
		if err == nil || err.Error() != s.Book().IsBroken() {
			s.publish(s.read())
			s.tabs = nil
			s.catalogAgain(ctx)
		}
		return
	}
	if maps.Equal(stamps, s.stamps) {
		return
	}
	changed, lost := map[string]*pins.Site{}, maps.Clone(s.lost)
	for key, now := range stamps {
		if s.stamps[key] == now {
			continue
		}
		delete(lost, key)
		switch site, err := load(filepath.Join(s.o.Folder.Path, key+ending)); {
		case err != nil:
			lost[key] = err.Error()
			s.drop(key, changed)
		default:
			changed[site.Origin] = site
			s.note(acceptedElsewhere(s.Book().Site(site.Origin), site))
		}
	}
	for key := range s.stamps {
		if _, there := stamps[key]; !there {
			delete(lost, key)
			s.drop(key, changed)
		}
	}
	s.stamps = stamps
	s.logLost(lost)
	for origin := range changed {
		delete(s.failing, origin)
	}
	s.tabs = nil // look at all tools again: a forgotten one is drift now, or begins a first visit
	s.publish(s.Book().With(changed).Lost(lost))
	s.catalogAgain(ctx)
}

// drop marks the site with this key as removed.
func (s *Store) drop(key string, changed map[string]*pins.Site) {
	for _, origin := range s.Book().Origins() {
		if pins.Key(origin) == key {
			changed[origin] = nil
		}
	}
}

// edit changes sites in their files and in the book. A site that can't be written counts as not accepted.
func (s *Store) edit(ctx context.Context, changes map[string]Change) (err error) {
	if len(changes) == 0 {
		return nil
	}
	changed := map[string]*pins.Site{}
	sites, failures := s.o.Folder.EditAll(ctx, changes)
	for origin, site := range sites {
		if failed := failures[origin]; failed != nil {
			err = errors.Join(err, failed)
			if s.failing[origin] != failed.Error() {
				s.o.Logger.Error("what a site's tools are can't be written down, so none of them counts as accepted",
					"origin", origin, "why", failed)
			}
			s.failing[origin] = failed.Error()
			changed[origin] = pins.BrokenSite(origin, failed.Error())
			continue
		}
		delete(s.failing, origin)
		if site != s.Book().Site(origin) {
			changed[origin] = site
		}
	}
	if len(changed) > 0 {
		s.stamps, _ = s.o.Folder.stamps()
		s.publish(s.Book().With(changed))
	}
	return err
}

// visits ends the first visits whose time is over.
func (s *Store) visits(ctx context.Context) {
	now := time.Now()
	changes := map[string]Change{}
	for _, origin := range s.Book().Origins() {
		site := s.Book().Site(origin)
		if site.Broken != "" || site.Visit.Over || !site.Clone().Tick(s.shown[origin], now) {
			continue
		}
		changes[origin] = func(site *pins.Site) (*pins.Site, error) {
			if site == nil {
				return nil, nil
			}
			n := site.Clone()
			if !n.Tick(s.shown[origin], now) {
				return site, nil
			}
			return n, nil
		}
	}
	_ = s.edit(ctx, changes)
}

// again tries once more to write the definitions that could not be written.
func (s *Store) again(ctx context.Context) {
	failed := map[string][]pins.Definition{}
	for origin := range s.failing {
		failed[origin] = s.unsaid[origin]
	}
	s.see(ctx, failed)
}

func joined(lines []string) string { return strings.Join(lines, "; ") }
