package automation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"webmcphub/automation/input"
	"webmcphub/automation/page"
	"webmcphub/internal/browsertool"

	"webmcphub/automation/snapshot"
	"webmcphub/automation/trace/record"
	"webmcphub/registry"

	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// Browser is what the tools need of the hub's browsers. Any goroutine may call its methods. They return when the
// browser has answered or when ctx ends.
type Browser interface {
	// OpenTab opens a tab and returns the id under which its page will appear in the catalog.
	OpenTab(ctx context.Context, tab registry.NewTab) (registry.PageID, error)
	// ActivateTab brings a tab to the front of its window.
	ActivateTab(ctx context.Context, page registry.PageID) error
	// CloseTab closes a tab; its page disappears soon after.
	CloseTab(ctx context.Context, page registry.PageID) error
	// Debug returns the connection by which the page is reached, or an error that says why there is none. Debug may
	// show the user that the tab is being debugged, so callers attach a session soon afterwards.
	Debug(page registry.PageID) (Access, error)
	// Debuggable says whether Debug would return a connection, and whether that is one over a debugging port
	// (ported), which also reaches the browser itself. Debuggable changes nothing.
	Debuggable(page registry.PageID) (ported bool, err error)
}

// Options are fixed for the life of a [Service].
type Options struct {
	Browser    Browser
	Categories []Category
	Several    bool // there are several browsers, and new_page has an argument that chooses one
	// ExclusiveTabs refuses tools that act on a tab that another client opened or claimed. Without it, the results of
	// such tools only mention the other client.
	ExclusiveTabs bool
	Origins       *names.Origins // rules for sites in browsers without rules of their own; nil permits all
	Logger        *slog.Logger   // nil discards the log
	// All returns a catalog of all tabs, for a service whose clients each see only some. Nil means that each client's
	// catalog has all tabs.
	All func() *registry.Catalog
	// TabNumber returns the number by which [snapshot.NewTab] distinguishes the tab's uids from those of other tabs.
	// If it is nil, the service numbers the tabs itself.
	TabNumber func(registry.PageID) int
}

// Service carries out calls of the browser tools. Any goroutine may use it.
type Service struct {
	options Options
	log     *slog.Logger
	tools   []*Tool

	mu      sync.Mutex
	tabs    map[registry.PageID]*tab
	current browsertool.CurrentPages
	present RunningCalls
	counted int // the last number given to a tab or a file, so that each gets a different one

	isolated    Contexts
	performance record.Recordings
}

// New returns a service. The caller calls Close when it no longer needs it.
func New(o Options) *Service {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Service{
		options: o,
		log:     o.Logger,
		tools:   Table(o.Categories, o.Several),
		tabs:    map[registry.PageID]*tab{},
		present: RunningCalls{},
	}
}

// Tools returns the tools of the enabled categories, sorted by name.
func (s *Service) Tools() []*Tool {
	return slices.Clone(s.tools)
}

// Call carries out one call. It always returns a result; errors that the agent can do something about are results
// too.
func (s *Service) Call(ctx context.Context, c browsertool.Call) *Result {
	at := slices.IndexFunc(s.tools, func(t *Tool) bool { return t.Name == c.Tool })
	if at < 0 {
		return &Result{Text: "There is no tool " + sanitize.Text(c.Tool, 100) + ".", IsError: true}
	}
	r := &Request{Call: c, tool: s.tools[at], service: s, anonymous: c.ID == ""}
	r.judge()
	if r.anonymous { // the client can't be identified, so this call shares nothing with others
		r.Client.ID = fmt.Sprintf("call-%d", s.number())
	}
	s.enter(r.Client.ID)
	defer s.leave(r.Client.ID, r.anonymous)
	defer r.reads(ctx)
	result, err := r.tool.run.call(r, ctx)
	if err != nil {
		return r.failed(ctx, err, result)
	}
	result.Text = r.noted(result.Text)
	return result
}

// failed makes the answer to a call that failed with err. sofar is the part of the result that is to be reported
// nevertheless; it may be nil.
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
			failure.Text += " The page shows a dialog (" + d.Kind + "): " + r.dialogText(ctx, d) +
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

// givenUp makes the error of a call whose context ended. It says what ended the context and what the page is stuck
// on.
func (r *Request) givenUp(ctx context.Context, err, cause error) error {
	if !errors.As(err, new(*page.Unended)) && !errors.As(err, new(*input.Waited)) { // err says only that ctx ended
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

// ClientGone releases what a client held: its current page, its recording, and its use of tabs. When the client's
// calls that still run end, they release what they have taken since.
func (s *Service) ClientGone(client string) {
	s.mu.Lock()
	s.present.Gone(client)
	var idle []*tab
	for _, t := range s.tabs {
		was := len(t.users)
		delete(t.users, client)
		t.seen.Forget(client)
		if t.owner.ID == client {
			t.owner = TabOwner{}
		}
		if was > 0 && len(t.users) == 0 {
			idle = append(idle, t)
		}
	}
	s.mu.Unlock()
	s.current.Forget(client)
	s.performance.Forget(client)
	s.isolated.Left(client)
	s.tidy()
	for _, t := range idle {
		t.close(func() bool { return !s.used(t) })
	}
}

// number returns a new number each time.
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

// Close ends everything that the service has open in tabs.
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

// forbidden says why the rules for sites keep the tools from a tab's page, or returns "".
func (s *Service) forbidden(t *registry.Tab) string {
	return s.rules(t).DocumentRefusal(t.Origin, t.URL, true)
}

// rules returns the rules for sites of the tab's browser, or else those of the options.
func (s *Service) rules(t *registry.Tab) *names.Origins {
	return cmp.Or(t.Rules(), s.options.Origins)
}

// shown returns the tab's address in the form of [names.Origins.Shown].
func (s *Service) shown(t *registry.Tab, most int) string {
	return s.rules(t).Shown(t.Origin, t.URL, most)
}

// find returns the tab that a call means: the tab with the given id, or else the client's current tab.
func (s *Service) find(c *browsertool.Client, id *int) (*registry.Tab, error) {
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
func (s *Service) selects(c *browsertool.Client, page registry.PageID) {
	cmp.Or(c.Chosen, &s.current).Select(c.ID, page)
}

// currentOf returns the client's current page, or "" if the client has chosen none.
func (s *Service) currentOf(c *browsertool.Client) registry.PageID {
	return cmp.Or(c.Chosen, &s.current).Of(c.ID)
}

// tab returns the service's entry for a tab, and makes it if there is none. It also removes the entries of tabs that
// are gone. It calls current under the lock: a catalog that was read earlier could lack a tab that another call has
// added to the entries since.
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
		if s.options.TabNumber != nil {
			n = s.options.TabNumber(page)
		}
		t = &tab{id: page, seen: snapshot.NewTab(n), users: map[string]bool{}, turn: make(chan struct{}, 1)}
		s.tabs[page] = t
	}
	return t
}
