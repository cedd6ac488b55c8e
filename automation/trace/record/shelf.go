package record

import (
	"cmp"
	"compress/gzip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"webmcphub/automation/trace"

	"webmcphub/cdpclient"
	"webmcphub/registry/names"
)

// kept is how many traces a shelf holds.
const kept = 5

// Shelf keeps the last traces of one browser. Its methods may be called from any
// goroutine.
type Shelf struct {
	conn *cdpclient.Conn

	one    sync.Mutex // held while the engine is being opened or works
	engine *Engine
	none   error // why there is no engine

	mu    sync.Mutex
	last  int
	items []*Item // oldest first
}

// Who is who recorded a trace, or asks for one: a trace is for that client.
type Who struct {
	ID, Name string
	// Alone says that no two calls can be told to be this client's. Its traces have names that
	// nobody guesses, and are for whoever knows them.
	Alone bool
	// Permits says whether the rules permit the page of a trace; nil permits all.
	Permits func(address string) bool
}

// sees says whether the rules permit all documents that a report tells of, which they may
// have done when it was made and not do any more.
func (w Who) sees(r *trace.Report) bool {
	return w.Permits == nil || w.Permits(r.URL) &&
		!slices.ContainsFunc(r.Addresses, func(address string) bool { return !w.Permits(address) })
}

// Item is one trace on the shelf. It isn't changed any more.
type Item struct {
	By     Who
	Report *trace.Report
	Engine *Summary // nil if Chrome's engine wasn't there or failed
	Why    string   // why it wasn't
	Who    string   // "Chrome 156's trace engine", or ""
	Since  string   // how it compares with the trace before of the same page: "trace-1: LCP 2.9 s → 1.8 s"
}

// NewShelf makes a shelf for the traces of the Chrome behind conn.
func NewShelf(conn *cdpclient.Conn) *Shelf { return &Shelf{conn: conn} }

// Add reads a trace, asks Chrome's engine about it if there is one, and keeps what they
// say. The file may be removed afterwards.
func (s *Shelf) Add(ctx context.Context, f *File, by Who) (*Item, error) {
	in, err := os.Open(f.Path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	report, err := trace.AnalyzeFor(reading{ctx, in}, by.Permits)
	if err != nil {
		return nil, err
	}
	report.Lost = report.Lost || f.Lost
	if by.Permits != nil && !by.Permits(report.URL) {
		return nil, errKeptOut
	}
	item := &Item{Report: report, By: by}
	s.mu.Lock()
	s.last++
	report.ID = fmt.Sprintf("trace-%d", s.last)
	if by.Alone {
		report.ID += "-" + strings.ToLower(rand.Text()[:10])
	}
	for _, other := range s.items {
		if other.Report.URL == report.URL && other.By.ID == by.ID {
			item.Since = other.Report.ID + ": " + trace.Compare(other.Report, report)
		}
	}
	s.mu.Unlock()
	if report.KeptOut {
		item.Why = "it would tell of pages or frames that the user's rules for sites keep out"
	} else {
		s.ask(ctx, item, in)
	}
	s.keep(item)
	return item, ctx.Err()
}

// reading reads until ctx ends: a long trace takes seconds, which a call may not have.
type reading struct {
	ctx context.Context
	in  io.Reader
}

func (r reading) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.in.Read(p)
}

// ask has Chrome's engine look at a trace.
func (s *Shelf) ask(ctx context.Context, item *Item, in *os.File) {
	s.one.Lock()
	defer s.one.Unlock()
	if s.engine == nil && s.none == nil {
		e, err := OpenEngine(ctx, s.conn)
		if errors.Is(err, ErrNoEngine) {
			s.none = err
		}
		s.engine = e
	}
	if s.engine == nil {
		item.Why = fmt.Sprint(s.none)
		return
	}
	of, err := own(ctx, item.Report, in)
	if err != nil {
		item.Why = err.Error()
		return
	}
	defer func() { _ = errors.Join(of.Close(), os.Remove(of.Name())) }()
	summary, err := s.engine.Load(ctx, item.Report.ID, of)
	s.lost(err)
	if err != nil {
		item.Why = err.Error()
		return
	}
	major, _, _ := strings.Cut(s.engine.Version, ".")
	item.Engine, item.Who = summary, "Chrome "+major+"'s trace engine"
}

// own is the part of a trace that is the traced tab's own, in a file to be removed: the engine
// would tell of all requests in the file, other tabs' too.
func own(ctx context.Context, r *trace.Report, in *os.File) (*os.File, error) {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	out, err := os.CreateTemp("", "webmcp-hub-trace-*.json.gz")
	if err != nil {
		return nil, err
	}
	err = r.Own(reading{ctx, in}, out)
	if err == nil {
		_, err = out.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, out.Close(), os.Remove(out.Name()))
	}
	return out, nil
}

// lost lets go of an engine whose target is gone, as by a crash, so that the next trace opens it
// anew. one must be held.
func (s *Shelf) lost(err error) {
	if s.engine != nil && errors.Is(err, cdpclient.ErrSessionGone) {
		s.engine.Close()
		s.engine = nil
	}
}

// engineSet is what the engine calls a set, "" if it has none: the two number
// navigations alike, but the engine counts the time before the first one more often.
func (i *Item) engineSet(name string) string {
	for _, s := range i.Engine.Sets {
		if i.reportSet(s) == name {
			return s.ID
		}
	}
	return ""
}

// reportSet is what the report calls a set of the engine, which is the engine's own name
// for it if the report leaves it out.
func (i *Item) reportSet(s InsightSet) string {
	for _, own := range i.Report.Sets {
		if own.From == s.From {
			return own.ID
		}
	}
	return s.ID
}

// keep puts an item on the shelf and takes the oldest off.
func (s *Shelf) keep(item *Item) {
	s.mu.Lock()
	s.items = append(s.items, item)
	var old *Item
	if len(s.items) > kept {
		old = s.items[0]
		s.items = append(s.items[:0:0], s.items[1:]...)
	}
	s.mu.Unlock()
	if old == nil {
		return
	}
	s.one.Lock()
	defer s.one.Unlock()
	if s.engine != nil {
		s.engine.Drop(old.Report.ID)
	}
}

// Close ends the engine.
func (s *Shelf) Close() {
	s.one.Lock()
	defer s.one.Unlock()
	if s.engine != nil {
		s.engine.Close()
		s.engine = nil
	}
	s.none = errors.New("the browser's traces were closed")
}

var errKeptOut = errors.New("the trace is of a page that is kept out by the user's rules for sites (--allow-origin, " +
	"--deny-origin, --browsers)")

// find gives a trace of a client by its id; "" is its last.
func (s *Shelf) find(who Who, id string) (*Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	var found *Item
	for _, item := range s.items {
		own := item.By.ID == who.ID && !item.By.Alone
		switch {
		case item.Report.ID == id && !own && !item.By.Alone:
			return nil, fmt.Errorf("%s is another client's, %s. performance_start_trace records one of your own", id,
				item.By.Name)
		case item.Report.ID == id, id == "" && own:
			found = item
		}
		if own {
			ids = append(ids, item.Report.ID)
		}
	}
	switch {
	case found != nil && !who.sees(found.Report):
		return nil, errKeptOut
	case found != nil:
		return found, nil
	case id == "" && who.Alone:
		return nil, errors.New("this connection has no session, so give the trace's name, as " +
			"performance_start_trace told it")
	case len(ids) == 0:
		return nil, errors.New("no trace has been recorded by you; performance_start_trace records one")
	}
	return nil, fmt.Errorf("there is no trace %q; yours are %s", id, strings.Join(ids, ", "))
}

// Insight is the text on one insight of a client's trace ("" is its last one), of Chrome's
// engine where that has it.
func (s *Shelf) Insight(ctx context.Context, who Who, id, set, name string) (string, error) {
	item, err := s.find(who, id)
	if err != nil {
		return "", err
	}
	_, own, err := item.Report.Find(set, name)
	if item.Engine != nil {
		s.one.Lock()
		text := ""
		if s.engine != nil {
			var err error
			text, err = s.engine.Insight(ctx, item.Report.ID, item.engineSet(set), name)
			s.lost(err)
		}
		s.one.Unlock()
		if text != "" {
			return fmt.Sprintf("By %s:\n%s\n", item.Who, text), nil
		}
		if names := item.names(set); err != nil && len(names) > 0 {
			err = fmt.Errorf("%w, and Chrome's engine has %s", err, strings.Join(names, ", "))
		}
	}
	if err != nil {
		return "", err
	}
	in, _, _ := item.Report.Find(set, name)
	return own.Text(in), ctx.Err()
}

// names are the insights of the engine in a set.
func (i *Item) names(set string) (names []string) {
	for _, s := range i.Engine.Sets {
		if i.reportSet(s) == set {
			for _, in := range s.Insights {
				names = append(names, in.Name)
			}
		}
	}
	return names
}

// Save writes a trace's file as path says: decompressed unless it ends in .gz. It has what all
// tabs of the browser did; sees, if it isn't nil, says why that may not be told of these origins.
func Save(f *File, path string, sees func(origins []string) error,
	write func(path, extension string, from io.Reader) (saved string, err error)) (string, error) {
	in, err := os.Open(f.Path)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	if sees != nil {
		all, err := trace.Sites(in)
		for i, site := range all {
			all[i] = cmp.Or(names.DocumentOrigin("", site), names.OpaqueOrigin)
		}
		if err = cmp.Or(err, sees(all)); err == nil {
			_, err = in.Seek(0, io.SeekStart)
		}
		if err != nil {
			return "", fmt.Errorf("it has what all tabs of the browser did: %w", err)
		}
	}
	if strings.HasSuffix(path, ".gz") {
		return write(path, ".gz", in)
	}
	plain, err := gzip.NewReader(in)
	if err != nil {
		return "", err
	}
	return write(path, ".json", plain)
}
