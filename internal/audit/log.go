package audit

import (
	"cmp"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// Defaults and limits.
const (
	// DefaultMaxSize is how large a file gets, in bytes.
	DefaultMaxSize = 10 << 20

	// maxWaiting is how many calls may wait to be written, and maxWaitingBytes how large their arguments may be in
	// total.
	maxWaiting      = 4096
	maxWaitingBytes = 64 << 20
	// maxBatch is about how much is written at a time, in bytes.
	maxBatch = 256 << 10
)

// Options are fixed for the life of a [Log].
type Options struct {
	Path    string
	MaxSize int64 // in bytes; 0 means [DefaultMaxSize]
	Backups int   // how many older files are kept
	Logger  *slog.Logger
}

// Log is an open audit log. Its own Tenant has no name.
type Log struct {
	Tenant

	mu       sync.Mutex // guards what follows; nothing blocks under it
	waiting  []entry
	bytes    int // of the waiting calls' arguments
	dropped  int // calls dropped since the last line about that
	closed   bool
	catalogs map[string]int // indexes in waiting of each tenant's newest catalog

	wake chan struct{}
	over chan struct{}
}

// entry is a call, a catalog, or a complete line.
type entry struct {
	tenant  string
	call    calls.Record
	at      time.Time
	catalog *registry.Catalog // nil for the others
	line    *line             // nil for the others
	forgets bool              // the tenant's catalog is forgotten after it
}

// Open opens the file and writes a first line. It returns an error if it can't.
func Open(o Options) (*Log, error) {
	if o.MaxSize <= 0 {
		o.MaxSize = DefaultMaxSize
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	w := newWriter(o.Logger, file{path: o.Path, max: o.MaxSize, backups: o.Backups})
	if err := w.file.write(line{Time: stamp(time.Now()), Event: "start"}.encode()); err != nil {
		return nil, fmt.Errorf("the audit log can't be written: %w; name another file by --audit-log", err)
	}
	l := newLog()
	go l.run(w)
	return l, nil
}

func newLog() *Log {
	l := &Log{catalogs: map[string]int{}, wake: make(chan struct{}, 1), over: make(chan struct{})}
	l.Tenant.log = l
	return l
}

// put queues an entry. An entry with stays set is never dropped.
func (l *Log) put(e entry, stays bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	full := len(l.waiting) >= maxWaiting || l.bytes+len(e.call.Args) > maxWaitingBytes
	at, waits := l.catalogs[e.tenant]
	switch {
	case l.closed:
		return
	case e.catalog != nil && full && waits:
		l.waiting[at] = e
	case full && !stays:
		l.dropped++
	default:
		if e.catalog != nil {
			l.catalogs[e.tenant] = len(l.waiting)
		}
		if e.forgets {
			delete(l.catalogs, e.tenant)
		}
		l.waiting = append(l.waiting, e)
		l.bytes += len(e.call.Args)
	}
	l.awake()
}

func (l *Log) awake() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Close writes what waits and closes the file. Later calls are not written.
func (l *Log) Close() {
	l.mu.Lock()
	l.closed = true
	l.awake()
	l.mu.Unlock()
	<-l.over
}

// take returns the waiting entries.
func (l *Log) take() (waiting []entry, dropped int, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting, dropped = l.waiting, l.dropped
	l.waiting, l.bytes, l.dropped, l.catalogs = nil, 0, 0, map[string]int{}
	return waiting, dropped, l.closed
}

// run is the only goroutine that writes; w belongs to it.
func (l *Log) run(w *writer) {
	defer close(l.over)
	for range l.wake {
		waiting, dropped, closed := l.take()
		for _, e := range waiting {
			w.entry(e)
		}
		if dropped > 0 {
			w.line(line{Time: stamp(time.Now()), Event: "dropped", Count: dropped,
				Why: "more calls ended at once than could be written"})
		}
		if closed {
			w.line(line{Time: stamp(time.Now()), Event: "stop"})
		}
		w.flush()
		if closed {
			if err := w.file.close(); err != nil {
				w.log.Warn("the audit log was not closed well", "err", err)
			}
			return
		}
	}
}

// writer turns entries into lines of the file.
type writer struct {
	log    *slog.Logger
	file   file
	last   map[string]*registry.Catalog // by tenant
	batch  []byte
	lines  int // in batch
	failed bool
	lost   int // lines that could not be written
}

func newWriter(log *slog.Logger, f file) *writer {
	return &writer{log: log, file: f, last: map[string]*registry.Catalog{}}
}

func (w *writer) entry(e entry) {
	if e.forgets {
		delete(w.last, e.tenant)
	}
	if e.line != nil {
		e.line.Tenant = e.tenant
		w.line(*e.line)
		return
	}
	if e.catalog == nil {
		l := callLine(e.call)
		l.Tenant = e.tenant
		w.line(l)
		return
	}
	for _, r := range registry.ToolChanges(cmp.Or(w.last[e.tenant], registry.EmptyCatalog()), e.catalog) {
		l := registrationLine(e.at, r)
		l.Tenant = e.tenant
		w.line(l)
	}
	w.last[e.tenant] = e.catalog
}

func (w *writer) line(l line) {
	w.batch = append(w.batch, l.encode()...)
	w.lines++
	if len(w.batch) >= maxBatch {
		w.flush()
	}
}

// flush writes the batch. It logs each problem with the file once.
func (w *writer) flush() {
	if w.lines == 0 {
		return
	}
	batch := w.batch
	if w.lost > 0 {
		dropped := line{Time: stamp(time.Now()), Event: "dropped", Count: w.lost, Why: "the file could not be written"}
		batch = append(dropped.encode(), batch...)
	}
	err := w.file.write(batch)
	switch {
	case err != nil:
		w.lost += w.lines
		if !w.failed {
			w.log.Error("the audit log can't be written; what happens meanwhile is missing in it", "err", err)
		}
	case w.failed:
		w.log.Info("the audit log is written again", "missing", w.lost)
		fallthrough
	default:
		w.lost = 0
	}
	w.failed = err != nil
	w.batch, w.lines = w.batch[:0], 0
}
