package probe

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/check/lint"
	"webmcphub/registry"
)

//go:embed recorder.js
var recorder string

// binding is the function by which recorder.js reports. recorder.js deletes it before a script of the page runs.
const binding = "webmcpHubCheckRecorder"

const (
	atLeast   = 1500 * time.Millisecond // how long to watch a loaded page at least, to see late tools
	interval  = 100 * time.Millisecond  // how often to look at the page after that
	stillness = 500 * time.Millisecond  // how long the page must do nothing new
	maxMoves  = 10                      // how often the page may navigate during atLeast
)

// ErrLoad means that a page can't be checked. Its text says why, and what to do.
var ErrLoad = errors.New("the page can't be checked")

// A Tab is a page that is being checked. Only one goroutine at a time may use it.
type Tab struct {
	browser   *Browser
	page      registry.PageID
	session   cdpclient.SessionID
	tape      *tape
	requested string
	usual     map[string]bool // exceptions that scripts threw while no tool was called
	heard     int             // the number of the first event that wasn't searched for exceptions
	idle      map[string]bool // effects and changes before the first call of a tool
	noted     int             // the number of the first effect that was not read
	called    bool            // a tool has been called
	frames    *frames
	waited    time.Duration // the time from the load event until the page was quiet
	busy      string        // why the page wasn't quiet when the time was over; "" if it was
}

// Open opens a page in a tab of its own, and waits until its tools have settled. Errors that match [ErrLoad] are the
// page's fault.
func (b *Browser) Open(ctx context.Context, url string) (*Tab, lint.SeenPage, error) {
	t, err := b.newTab(ctx)
	if err != nil {
		return nil, lint.SeenPage{}, err
	}
	page, err := t.visit(ctx, url)
	if err != nil {
		t.Close()
		return nil, page, err
	}
	return t, page, nil
}

// blank makes Chrome open an empty tab. If ctx ends after the command was sent, blank still waits for stopGrace,
// because otherwise the tab would stay open, perhaps among the user's own tabs.
func (b *Browser) blank(ctx context.Context) (id string, err error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopGrace, cancel) })()
	var made cdpclient.CreateTargetResult
	if err := b.conn.Call(longer, "", cdpclient.TargetCreateTarget, cdpclient.CreateTargetParams{URL: "about:blank"},
		&made); err != nil {
		return "", cmp.Or(context.Cause(ctx), err)
	}
	return string(made.TargetID), nil
}

// newTab opens an empty tab that both the hub and a separate session watch.
func (b *Browser) newTab(ctx context.Context) (*Tab, error) {
	id, err := b.blank(ctx)
	if err != nil {
		return nil, err
	}
	t := &Tab{browser: b, page: registry.PageID(id), tape: newTape(), usual: map[string]bool{},
		idle: map[string]bool{}}
	if t.session, err = b.conn.AttachTo(ctx, id); err != nil {
		t.Close()
		return nil, err
	}
	t.frames = newFrames(b.conn, t.tape)
	b.conn.Attach(t.session, t.frames.page)
	observing := command{cdpclient.PageAddScriptToEvaluateOnNewDocument,
		cdpclient.AddScriptParams{Source: observer, WorldName: world}}
	for _, command := range slices.Concat([]command{observing}, recording, b.fill()) {
		if err := b.conn.Call(ctx, t.session, command.method, command.params, nil); err != nil {
			t.Close()
			return nil, fmt.Errorf("this Chrome can't be looked into: %w", err)
		}
	}
	seeing, cancel := context.WithTimeout(ctx, b.options.Timeout)
	defer cancel()
	if err := b.catalogs.until(seeing, func(c *registry.Catalog) bool { return c.Tab(t.page) != nil }); err != nil {
		t.Close()
		return nil, err
	}
	if b.chrome == nil {
		if err := b.hub.ConnectPage(ctx, t.page); err != nil {
			t.Close()
			return nil, err
		}
	}
	return t, nil
}

// Close closes the tab; t may be nil.
func (t *Tab) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	if t.browser.hub.CloseTab(ctx, t.page) == nil { // also closes an open dialog of the tab
		return
	}
	_ = t.browser.conn.Call(ctx, "", cdpclient.TargetCloseTarget, map[string]any{"targetId": string(t.page)}, nil)
}

// visit navigates to an address and waits for the page and its tools.
func (t *Tab) visit(ctx context.Context, url string) (lint.SeenPage, error) {
	t.requested = url
	late := fmt.Errorf("%w: it didn't load within %v; --timeout allows for more", ErrLoad, t.browser.options.Timeout)
	loading, cancel := context.WithTimeoutCause(ctx, t.browser.options.Timeout, late)
	defer cancel()
	before := t.tape.len() // the load event of the empty tab doesn't count
	var went cdpclient.NavigateResult
	err := t.browser.conn.Call(loading, t.session, cdpclient.PageNavigate, map[string]any{"url": url}, &went)
	switch {
	case loading.Err() != nil:
		return lint.SeenPage{Asked: url}, context.Cause(loading)
	case err != nil:
		return lint.SeenPage{Asked: url}, fmt.Errorf("%w: %w", ErrLoad, err)
	case went.ErrorText != "":
		return lint.SeenPage{Asked: url}, fmt.Errorf("%w: %s", ErrLoad, t.browser.whose().Unloaded(went.ErrorText))
	}
	if err := t.untilLoaded(loading, before); err != nil {
		return lint.SeenPage{Asked: url}, err
	}
	ctx, done := context.WithTimeoutCause(ctx, t.browser.options.Timeout+t.browser.options.Wait,
		fmt.Errorf("%w: it doesn't answer any more", ErrLoad))
	defer done()
	if err := t.settle(ctx); err != nil {
		return lint.SeenPage{Asked: url}, err
	}
	return t.look(ctx)
}

// untilLoaded waits for the page's load event after event number n.
func (t *Tab) untilLoaded(ctx context.Context, n int) error {
	for {
		for _, e := range t.tape.since(n) {
			switch e.Method {
			case cdpclient.PageLoadEventFired:
				return nil
			case targetCrashed:
				return fmt.Errorf("%w: it crashed while it loaded", ErrLoad)
			}
		}
		select {
		case <-t.tape.changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// settle waits for pageTime, and then until the page does nothing new for a while: it loads nothing, no timer of its
// scripts is due, its document and its tools don't change, and the hub has its tools. It gives up after
// [Options].Wait.
func (t *Tab) settle(ctx context.Context) error {
	loaded := time.Now()
	until := loaded.Add(t.browser.options.Wait)
	t.observe(ctx) // drops what changed while the page loaded
	t.noted = len(t.tape.effectsSince(0))
	defer func() { t.waited = time.Since(loaded) }()
	if err := t.pageTime(ctx); err != nil {
		return err
	}
	for events, version := -1, uint64(0); ; {
		if len(t.Tools()) > 0 {
			t.tape.ignoreTimers()
		}
		changed := false
		if n := t.tape.len(); n != events {
			events, changed = n, true
		}
		if v := t.browser.catalogs.current.Load().Version(); v != version {
			version, changed = v, true
		}
		t.busy = t.tape.busy(until)
		switch {
		case t.busy != "":
		case !t.documentStill(ctx):
			t.busy = "its document was still changing"
		case changed || !t.hubKnows():
			t.busy = "its tools were still changing"
		}
		if t.busy == "" || !time.Now().Before(until) {
			return nil
		}
		select {
		case <-time.After(interval):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// pageTime waits until a timer of atLeast (at most [Options].Wait) has fired in the page. Then the page has done all
// that it put off for less, however busy the machine is. If the page navigates meanwhile, pageTime starts again.
func (t *Tab) pageTime(ctx context.Context) (err error) {
	wait := fmt.Sprintf("new Promise((done) => setTimeout(done, %d))",
		min(atLeast, t.browser.options.Wait).Milliseconds())
	for range maxMoves {
		if _, err = t.ask(ctx, wait); err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return fmt.Errorf("%w: it goes from one address to the next: %w", ErrLoad, err)
}

// hubKnows reports whether the hub knows all tools that the page's own session has announced. The hub may know more:
// tools of other frames, and of MCP servers in pages.
func (t *Tab) hubKnows() bool {
	there := map[string]bool{}
	for _, c := range t.changes() {
		there[c.Tool] = c.Added
	}
	tab := t.browser.catalogs.current.Load().Tab(t.page)
	if tab == nil {
		return len(there) == 0
	}
	known := map[string]bool{}
	for _, tool := range tab.Tools {
		known[tool.Source().Name] = true
	}
	for _, r := range tab.Refused {
		known[r.Tool] = true
	}
	for name, is := range there {
		if is && !known[name] {
			return false
		}
	}
	return true
}
