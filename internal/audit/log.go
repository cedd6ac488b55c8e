package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"webmcphub/internal/canonical"
	"webmcphub/registry"
	"webmcphub/registry/mcpserver"
)

// Defaults and limits.
const (
	// DefaultMaxSize is how large a file gets, in bytes.
	DefaultMaxSize = 10 << 20

	// maxWaiting is how many calls may wait to be written, and maxWaitingBytes
	// how large their arguments may be together.
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

// Log is an open audit log.
type Log struct {
	mu      sync.Mutex // guards what follows; nothing blocks under it
	waiting []entry
	bytes   int // of the waiting calls' arguments
	dropped int // calls, since the last line that says so
	closed  bool
	catalog int // the place of the newest catalog in waiting, or -1

	wake chan struct{}
	over chan struct{}
}

// entry is a call, a catalog, or a line that is ready.
type entry struct {
	call    mcpserver.CallRecord
	at      time.Time
	catalog *registry.Catalog // nil for the others
	line    *line             // nil for the others
}

// Open opens the file, writes a first line, and fails if it can't.
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
	return &Log{catalog: -1, wake: make(chan struct{}, 1), over: make(chan struct{})}
}

// Called takes a call that is over; it is an [mcpserver.Options].Called. It never
// blocks.
func (l *Log) Called(r mcpserver.CallRecord) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return
	case len(l.waiting) >= maxWaiting || l.bytes+len(r.Args) > maxWaitingBytes:
		l.dropped++
	default:
		l.waiting = append(l.waiting, entry{call: r})
		l.bytes += len(r.Args)
	}
	l.awake()
}

// Pinned takes what became of a tool's definition: "drift", or "accepted", and by what it
// differs, or who accepted it. It never blocks.
func (l *Log) Pinned(origin, tool, what, why string) {
	l.add(line{Event: "pin", where: where{Origin: clean(origin)}, Tool: clean(tool), Outcome: what, Why: clean(why)})
}

// Decision is what was decided about a call before it was carried out.
type Decision struct {
	Session, Client string
	Origin          string // of the document that it is about
	Tab             registry.TabID
	Browser         string // of the tab, where there are several
	Tool, Name      string // the page's own name for what is used, and the hub's
	Args            json.RawMessage
	By              string // "rule", "flow", "rate", "question", "answer" or, of a person asked about pins, "pin"
	Outcome         string // "allow", "log", "ask" or "refuse"
	Why             string
}

// Decided takes a decision. It never blocks.
func (l *Log) Decided(d Decision) {
	l.add(line{
		Event: "decision", Session: d.Session, Client: clean(d.Client), where: where{clean(d.Origin), d.Tab, d.Browser}, Tool: clean(d.Tool), Name: clean(d.Name),
		Args: canonical.Hash(d.Args), By: d.By, Outcome: d.Outcome, Why: clean(d.Why),
	})
}

// add takes a line, whose time is now.
func (l *Log) add(is line) {
	is.Time = stamp(time.Now())
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return
	case len(l.waiting) >= maxWaiting:
		l.dropped++
	default:
		l.waiting = append(l.waiting, entry{line: &is})
	}
	l.awake()
}

// Apply takes what the registry serves, as a publisher beside the MCP server.
// It never blocks.
func (l *Log) Apply(effects []registry.Effect) {
	for _, e := range effects {
		if s, ok := e.(registry.Serve); ok {
			l.served(s.Catalog)
		}
	}
}

func (l *Log) served(c *registry.Catalog) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	e := entry{at: time.Now(), catalog: c}
	if len(l.waiting) >= maxWaiting && l.catalog >= 0 {
		l.waiting[l.catalog] = e
	} else {
		l.catalog = len(l.waiting)
		l.waiting = append(l.waiting, e)
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

// take gives what waits.
func (l *Log) take() (waiting []entry, dropped int, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting, dropped = l.waiting, l.dropped
	l.waiting, l.bytes, l.dropped, l.catalog = nil, 0, 0, -1
	return waiting, dropped, l.closed
}

// run is the only goroutine that writes; w is its own.
func (l *Log) run(w *writer) {
	defer close(l.over)
	for range l.wake {
		waiting, dropped, closed := l.take()
		for _, e := range waiting {
			w.entry(e)
		}
		if dropped > 0 {
			w.line(line{Time: stamp(time.Now()), Event: "dropped", Count: dropped, Why: "more calls ended at once than could be written"})
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
	last   *registry.Catalog
	batch  []byte
	lines  int // in batch
	failed bool
	lost   int // lines that could not be written
}

func newWriter(log *slog.Logger, f file) *writer {
	return &writer{log: log, file: f, last: registry.EmptyCatalog()}
}

func (w *writer) entry(e entry) {
	if e.line != nil {
		w.line(*e.line)
		return
	}
	if e.catalog == nil {
		w.line(callLine(e.call))
		return
	}
	for _, r := range registry.Registrations(w.last, e.catalog) {
		w.line(registrationLine(e.at, r))
	}
	w.last = e.catalog
}

func (w *writer) line(l line) {
	w.batch = append(w.batch, l.encode()...)
	w.lines++
	if len(w.batch) >= maxBatch {
		w.flush()
	}
}

// flush writes the batch. Each trouble with the file is said once.
func (w *writer) flush() {
	if w.lines == 0 {
		return
	}
	batch := w.batch
	if w.lost > 0 {
		said := line{Time: stamp(time.Now()), Event: "dropped", Count: w.lost, Why: "the file could not be written"}
		batch = append(said.encode(), batch...)
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
