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
	"webmcphub/internal/mask"
	"webmcphub/registry/names"
)

// kept is how many traces are kept.
const kept = 5

// Traces keeps the last traces of one browser. Any goroutine may call its methods.
type Traces struct {
	conn *cdpclient.Conn

	one    sync.Mutex // held while the engine is being opened or used
	engine *Engine
	none   error // why there is no engine

	mu    sync.Mutex
	last  int
	items []*Item // oldest first
}

// Who is the client that recorded a trace or asks for one. A trace is only for the client that recorded it.
type Who struct {
	ID, Name string
	// Alone says that the client can't be identified. Its traces have names that nobody can guess, and are for
	// whoever knows the name.
	Alone bool
	// Permits says whether the rules permit the page of a trace; nil permits all.
	Permits func(address string) bool
}

// sees says whether the rules permit all documents that a report mentions. They may have permitted them when the
// report was made and not any more.
func (w Who) sees(r *trace.Report) bool {
	return w.Permits == nil || w.Permits(r.URL) &&
		!slices.ContainsFunc(r.Addresses, func(address string) bool { return !w.Permits(address) })
}

// Item is one of the traces. It is immutable.
type Item struct {
	By     Who
	Report *trace.Report
	Engine *Summary // nil if there was no engine or it failed
	Why    string   // why Engine is nil
	Who    string   // "Chrome 156's trace engine", or ""
	Since  string   // how it compares with the previous trace of the same page
}

// NewTraces returns an empty Traces for the Chrome behind conn.
func NewTraces(conn *cdpclient.Conn) *Traces { return &Traces{conn: conn} }

// Add reads a trace, asks Chrome's engine about it if there is one, and keeps the results. The file may be removed
// afterwards.
func (s *Traces) Add(ctx context.Context, f *File, by Who) (*Item, error) {
	in, err := os.Open(f.Path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	report, err := trace.Analyze(reading{ctx, in}, by.Permits)
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

// reading reads until ctx ends. Reading a long trace takes seconds, which a call may not have.
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

// ask makes Chrome's engine analyze a trace.
func (s *Traces) ask(ctx context.Context, item *Item, in *os.File) {
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
	summary, err := s.load(ctx, item.Report, in)
	s.lost(err)
	if err != nil {
		item.Why = err.Error()
		return
	}
	major, _, _ := strings.Cut(s.engine.Version, ".")
	item.Engine, item.Who = summary, "Chrome "+major+"'s trace engine"
}

// load gives the engine the part of a trace that belongs to the traced tab. From the whole trace, the engine would
// report the requests of all tabs.
func (s *Traces) load(ctx context.Context, r *trace.Report, in *os.File) (*Summary, error) {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	from, to := io.Pipe()
	var copying sync.WaitGroup
	defer copying.Wait()
	defer from.Close()
	copying.Go(func() { to.CloseWithError(r.Own(reading{ctx, in}, to)) })
	return s.engine.Load(ctx, r.ID, from)
}

// lost drops an engine whose target is gone, for example after a crash, so that the next trace opens the engine
// again. The caller holds one.
func (s *Traces) lost(err error) {
	if s.engine != nil && errors.Is(err, cdpclient.ErrSessionGone) {
		s.engine.Close()
		s.engine = nil
	}
}

// engineSet returns the engine's name of a set, or "" if it has none. Report and engine number navigations in the
// same way, but the engine counts the time before the first one more often.
func (i *Item) engineSet(name string) string {
	for _, s := range i.Engine.Sets {
		if i.reportSet(s) == name {
			return s.ID
		}
	}
	return ""
}

// reportSet returns the report's name of one of the engine's sets, or the engine's own name if the report doesn't
// have the set.
func (i *Item) reportSet(s InsightSet) string {
	for _, own := range i.Report.Sets {
		if own.From == s.From {
			return own.ID
		}
	}
	return s.ID
}

// keep adds an item and removes the oldest.
func (s *Traces) keep(item *Item) {
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

// Close closes the engine.
func (s *Traces) Close() {
	s.one.Lock()
	defer s.one.Unlock()
	if s.engine != nil {
		s.engine.Close()
		s.engine = nil
	}
	s.none = errors.New("the browser's traces were closed")
}

var errKeptOut = errors.New("the trace is of a page that is " + names.ByRules)

// find returns a trace of a client by its id; "" means the last one.
func (s *Traces) find(who Who, id string) (*Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	var found *Item
	for _, item := range s.items {
		own := item.By.ID == who.ID && !item.By.Alone
		switch {
		case item.Report.ID == id && !own && !item.By.Alone:
			return nil, fmt.Errorf("%s belongs to another client, %s. performance_start_trace records a trace of your own", id,
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

// Insight returns the text about one insight of a client's trace; "" means the last trace. The text is that of
// Chrome's engine, if it has one.
func (s *Traces) Insight(ctx context.Context, who Who, id, set, name string) (string, error) {
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

// names returns the names of the engine's insights in a set.
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

// Save writes a trace's file under path, decompressed unless path ends in .gz, with the secrets in it masked. The
// trace has what all tabs of the browser did. If sees is not nil, Save passes it the origins of all sites in the
// trace, and writes nothing if it returns an error.
func Save(ctx context.Context, f *File, path string, sees func(origins []string) error,
	write func(path, extension string, write func(io.Writer) error) (saved string, err error)) (string, error) {
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
			return "", fmt.Errorf("it records all tabs of the browser: %w", err)
		}
	}
	plain, err := gzip.NewReader(reading{ctx, in})
	if err != nil {
		return "", err
	}
	var m mask.Masker
	if strings.HasSuffix(path, ".gz") {
		return write(path, ".gz", func(to io.Writer) error {
			z := gzip.NewWriter(to)
			return errors.Join(m.Copy(z, plain), z.Close())
		})
	}
	return write(path, ".json", func(to io.Writer) error { return m.Copy(to, plain) })
}
