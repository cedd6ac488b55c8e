package automation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"webmcphub/automation/input"
	"webmcphub/automation/page"

	"webmcphub/automation/snapshot"
	"webmcphub/automation/trace/record"
	"webmcphub/registry"

	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// Browser is what the tools need of the hub's browsers. Its methods may be called
// from any goroutine; they return when the browser has answered, or ctx ends.
type Browser interface {
	// OpenTab opens a tab and gives the id under which its page will appear.
	OpenTab(ctx context.Context, tab registry.NewTab) (registry.PageID, error)
	// ActivateTab brings a tab to the front of its window.
	ActivateTab(ctx context.Context, page registry.PageID) error
	// CloseTab closes a tab; its page disappears soon after.
	CloseTab(ctx context.Context, page registry.PageID) error
	// Debug gives the way to a page, or says why there is none. It may show the user that
	// the tab is debugged: a session is to be attached soon.
	Debug(page registry.PageID) (Access, error)
	// Debuggable says whether Debug would give a way, and whether that is over a debugging
	// port, which reaches the browser, too. It changes nothing.
	Debuggable(page registry.PageID) (ported bool, err error)
}

// Client is one client of the hub, as its calls know it.
type Client struct {
	ID   string // of its session; "" where no two calls can be told to be one client's
	Name string // as other agents read it
	// Current is the catalog as the hub has it, Catalog with the titles that tabs show now,
	// which the browser is asked for.
	Current func() *registry.Catalog
	Catalog func(ctx context.Context) *registry.Catalog
	// Await waits until a catalog satisfies, and gives nil when ctx ends before.
	Await func(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog
	// Refusal says why the client must leave a tab alone, which another keeps to
	// itself, or is empty.
	Refusal func(*registry.Tab) string
	// Focused is the tab of a client that chooses its tab by focus_tab, nil if it
	// has chosen none.
	Focused func() *registry.Tab
	// FocusMode says that it does.
	FocusMode bool
	// Roots are the folders in which the client lets files be read and written, as
	// file URIs. An error says why they aren't known.
	Roots func(ctx context.Context) ([]string, error)
	// Elsewhere says that its files are on another machine: none is read or written.
	Elsewhere bool
	// Chosen has its current page where the service is not to keep it; else nil.
	Chosen *CurrentPages
}

// Call is one call of a tool.
type Call struct {
	Tool string
	Args json.RawMessage // an object that satisfies the tool's schema
	Client
	// Progress tells the client what it waits for; it never blocks.
	Progress func(what string)
	// About notes the tab that the call acts on.
	About func(*registry.Tab)
	// Judge returns when it is decided whether the call may do what it is about to do.
	// An error says why not. Nil allows everything. With [judging.Goes] and [judging.Shows] it returns at
	// once, and any goroutine may call it.
	Judge func(ctx context.Context, d Action) error
	// Reads notes the origins of the documents that the call's result tells of. Nil
	// notes nothing.
	Reads func(origins []string)
}

// Options are fixed for the life of a [Service].
type Options struct {
	Browser    Browser
	Categories []Category
	Several    bool // browsers, of which new_page can be told one
	// ExclusiveTabs has tools that act on a page refused in a tab that another client
	// opened or claimed; else their results say so.
	ExclusiveTabs bool
	Origins       *names.Origins // which may be seen and operated where a browser has no rules; nil permits all
	Logger        *slog.Logger   // nil logs nothing
	// All has all tabs, where clients' catalogs are excerpts; nil is what each has.
	All func() *registry.Catalog
	// Ported says that all browsers have a debugging port, whether or not a tab of theirs is known.
	Ported bool
	// Letters tells the uids of a tab from others', as [snapshot.NewTab] has it; nil counts.
	Letters func(registry.PageID) int
}

// Service carries out calls of the browser tools. Any goroutine may use it.
type Service struct {
	options Options
	log     *slog.Logger
	tools   []*Tool

	mu      sync.Mutex
	tabs    map[registry.PageID]*tab
	current CurrentPages
	present Presence
	counted int // so far, of tabs and files: no two are named alike

	leases      Leases
	isolated    Contexts
	performance record.Recordings
}

// New makes a service; Close it in the end.
func New(o Options) *Service {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Service{
		options: o,
		log:     o.Logger,
		tools:   Table(o.Categories, o.Several),
		tabs:    map[registry.PageID]*tab{},
		present: Presence{},
	}
}

// Tools are those of the categories that are on, sorted by name.
func (s *Service) Tools() []*Tool {
	return slices.Clone(s.tools)
}

// Call carries out one call. It always returns: errors that the agent can mend are
// results.
func (s *Service) Call(ctx context.Context, c Call) *Result {
	at := slices.IndexFunc(s.tools, func(t *Tool) bool { return t.Name == c.Tool })
	if at < 0 {
		return &Result{Text: "There is no tool " + sanitize.Text(c.Tool, 100) + ".", IsError: true}
	}
	r := &Request{Call: c, tool: s.tools[at], service: s, stranger: c.ID == ""}
	r.judge()
	ctx = r.judged.Supervised(ctx)
	if r.stranger { // it shares nothing with others of whom no more is known
		r.Client.ID = fmt.Sprintf("call-%d", s.number())
	}
	s.enter(r.Client.ID)
	defer s.leave(r.Client.ID, r.stranger)
	defer r.reads(ctx)
	result, err := r.tool.run(r, ctx)
	if err != nil {
		return r.failed(ctx, err, result)
	}
	result.Text = r.noted(result.Text)
	return result
}

// failed is the answer to a call that failed. So far, which may be nil, is what it has
// got to tell nevertheless.
func (r *Request) failed(ctx context.Context, err error, sofar *Result) *Result {
	if cause := context.Cause(ctx); cause != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, cause)) {
		err = r.givenUp(ctx, err, cause)
	}
	var ended *page.Ended
	switch {
	case !errors.As(err, &ended):
	case r.opened != nil && ended.Why == page.Closed:
		err = fmt.Errorf("%w.%s", err, r.discarded(ctx))
	case ended.Why == page.Crashed && r.revives == page.Reloads:
		err = fmt.Errorf("%w. It crashes when it is loaded: navigate_page with another url leaves it, or close_page "+
			"and new_page do", err)
	case ended.Why == page.Crashed:
		err = fmt.Errorf("%w. navigate_page loads it again", err)
	}
	err = r.sayable(ctx, err)
	failure := &Result{Text: registry.Sentence(err.Error()), IsError: true, Refused: errors.As(err, new(Refused))}
	if r.opened != nil && !errors.As(err, new(*page.DialogOpen)) {
		if d, open := r.opened.Dialog(); open && d.Number != r.asks {
			failure.Text += " The page shows a dialog (" + d.Kind + "): " + r.says(ctx, d) +
				". Answer it with handle_dialog first."
		}
	}
	failure.Text = r.noted(failure.Text)
	if sofar != nil {
		failure.Text += "\n" + sofar.Text
		failure.Structured, failure.Images = sofar.Structured, sofar.Images
	}
	return failure
}

// givenUp is the error of a call whose context ended, with what ended it and what the page
// is stuck on.
func (r *Request) givenUp(ctx context.Context, err, cause error) error {
	if !errors.As(err, new(*page.Unended)) && !errors.As(err, new(*input.Waited)) { // it tells of the context only
		err = cause
	}
	err = fmt.Errorf("%s was given up: %w", r.tool.Name, err)
	if limit, is := cause.(interface{ Timeout() bool }); is && limit.Timeout() {
		err = fmt.Errorf("%w, which the hub sets for every call (--call-timeout)", err)
		if left := time.Until(r.over); left > 0 {
			err = fmt.Errorf("%w. The tool would have gone on for another %v: give it a shorter timeout and call it "+
				"again, or have the user raise --call-timeout", err, left.Round(time.Second))
		}
	}
	if r.opened != nil {
		if why := r.opened.Stuck(ctx); why != "" {
			err = fmt.Errorf("%w. %s", err, registry.Sentence(why))
		}
	}
	return err
}

// ClientGone ends what a client had: its current page, its leases, its part in tabs. What a
// call of it still takes ends with that.
func (s *Service) ClientGone(client string) {
	s.mu.Lock()
	s.present.Gone(client)
	var idle []*tab
	for _, t := range s.tabs {
		was := len(t.users)
		delete(t.users, client)
		t.seen.Forget(client)
		if t.owner.ID == client {
			t.owner = Owner{}
		}
		if was > 0 && len(t.users) == 0 {
			idle = append(idle, t)
		}
	}
	s.mu.Unlock()
	s.current.Forget(client)
	s.performance.Forget(client) // before the next client gets the lease, so that it waits for the end
	s.leases.Gone(client)
	s.isolated.Left(client)
	s.tidy()
	for _, t := range idle {
		t.close(func() bool { return !s.used(t) })
	}
}

// number is a new one each time.
func (s *Service) number() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counted++
	return s.counted
}

// used says whether some client uses a tab.
func (s *Service) used(t *tab) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(t.users) > 0
}

// Close ends all that the service has open in tabs.
func (s *Service) Close() {
	s.mu.Lock()
	all := s.tabs
	s.tabs = map[registry.PageID]*tab{}
	for _, t := range all {
		if t.unused != nil {
			t.unused.Stop()
		}
	}
	s.mu.Unlock()
	s.performance.Close()
	for _, t := range all {
		t.close(nil)
	}
	s.isolated.Wait()
}

// forbidden says why nothing may be done with a tab's page, or is empty.
func (s *Service) forbidden(t *registry.Tab) string {
	return s.rules(t).DocumentRefusal(t.Origin, t.URL, true)
}

// rules are those for what a tab shows: its browser's.
func (s *Service) rules(t *registry.Tab) *names.Origins {
	return cmp.Or(t.Rules(), s.options.Origins)
}

// shown is the address of a tab as [names.Origins.Shown] has it.
func (s *Service) shown(t *registry.Tab, most int) string {
	return s.rules(t).Shown(t.Origin, t.URL, most)
}

// find finds the tab that a call means: by its id, or the client's current one.
func (s *Service) find(c *Client, id *int) (*registry.Tab, error) {
	means := PageChoice{Now: c.Current(), ID: id, FocusMode: c.FocusMode,
		Shown: func(t *registry.Tab) string { return s.shown(t, 100) }, Free: func(page registry.PageID) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.tabs[page].free(c.ID)
		}}
	if means.At = s.currentOf(c); c.FocusMode && id == nil {
		means.Focused = c.Focused()
	}
	return FindPage(means)
}

// selects makes a tab the client's current one.
func (s *Service) selects(c *Client, page registry.PageID) {
	cmp.Or(c.Chosen, &s.current).Select(c.ID, page)
}

// currentOf is the client's current page, "" if it has chosen none.
func (s *Service) currentOf(c *Client) registry.PageID { return cmp.Or(c.Chosen, &s.current).Of(c.ID) }

// tab is what the service knows of a tab. It also forgets those that are gone: current is asked
// under the lock, as an older catalog than another call has had lacks what came since.
func (s *Service) tab(current func() *registry.Catalog, page registry.PageID) *tab {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.All != nil {
		current = s.options.All
	}
	now := current()
	for id, t := range s.tabs {
		listed := now.Tab(id) != nil
		if t.listed = t.listed || listed; t.listed && !listed {
			delete(s.tabs, id)
			go func() { t.close(nil); s.tidy() }()
		}
	}
	t := s.tabs[page]
	if t == nil {
		s.counted++
		n := s.counted
		if s.options.Letters != nil {
			n = s.options.Letters(page)
		}
		t = &tab{id: page, seen: snapshot.NewTab(n), users: map[string]bool{}, turn: make(chan struct{}, 1)}
		s.tabs[page] = t
	}
	return t
}
