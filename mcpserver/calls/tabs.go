package calls

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"webmcphub/internal/hosts"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

const (
	// TabAppears is how long the hub waits for a tab that Chrome has opened to appear in the catalog, and for one
	// that Chrome has closed to disappear.
	TabAppears = 5 * time.Second
	// ToolsAppear is how long open_tab waits for a new page's tools, so that its answer can name them. Later tools
	// are announced by list_changed.
	ToolsAppear = 2 * time.Second
	// PageReady is how long connect_webmcp waits for a page without tools to finish loading, and for its own MCP
	// server to answer initialize.
	PageReady = 10 * time.Second
	// ToolsQuiet is the time without a new tool after which the hub takes a page's tools to be complete.
	ToolsQuiet = 50 * time.Millisecond
)

// coreTools returns the tools with which a client chooses the tab that it works in. They act for one session, through
// its client view.
func (s *Handler) coreTools() (all []staticTool) {
	run := map[string]func(context.Context, ToolCall, tabArguments) wire.Reply{
		focus.ConnectBrowser: s.connectBrowser,
		focus.ListTabs:       s.listTabs,
		focus.OpenTab:        s.openTab,
		focus.FocusOnTab:     s.focusTab,
		focus.CloseTab:       s.closeTab,
	}
	tools := focus.CoreTools()
	if s.options.Several {
		tools = focus.CoreToolsOfSeveral()
	}
	for _, core := range tools {
		all = append(all, ownTool(s, core, func(ctx context.Context, c ToolCall, a tabArguments) wire.Reply {
			return s.runCore(ctx, c, core.Name, func() wire.Reply { return run[core.Name](ctx, c, a) })
		}))
	}
	return all
}

// tabArguments are the arguments of all core tools.
type tabArguments struct {
	Launch  bool     `json:"launch"`
	URL     string   `json:"url"`
	Browser string   `json:"browser"` // the browser's name or one of its labels
	Focus   *bool    `json:"focus"`
	TabID   *float64 `json:"tabId"`

	Exclusive bool `json:"exclusive"`
}

// runCore makes the checks that all core tools need, and then calls do.
func (s *Handler) runCore(ctx context.Context, c ToolCall, name string, do func() wire.Reply) wire.Reply {
	if name != focus.ConnectBrowser {
		if err := c.needBrowser(ctx, s); err != nil {
			return failed(fmt.Errorf("%s can't be called now: %w", name, err))
		}
		// close_tab also works while no tab is focused, because its arguments can say which tab to close.
		shown, _ := c.Client.View.Shown()
		if !slices.Contains(shown.State.CoreTools(), name) && (name != focus.CloseTab || shown.State != focus.NoneFocused) {
			return failed(focus.RefuseCoreTool(shown.State, shown.Catalog, name, s.VisibleToolsFor(c.Client)))
		}
	}
	watch := wire.StartClock(c.Client.View.Settings().CallTimeout, c.Cancel)
	defer watch.Stop()
	c.Client.Conn.Limited(c.Request, watch)
	c.Client.Conn.Changing(c.Request)
	return do()
}

func failed(err error) wire.Reply { return done(sanitize.ErrorResult(registry.Sentence(err.Error()))) }

func (s *Handler) connectBrowser(ctx context.Context, c ToolCall, a tabArguments) wire.Reply {
	class := ReadOnly
	if a.Launch { // connect_browser may start a browser
		class = Unknown
	}
	if _, refused := s.judgeTab(ctx, c, focus.ConnectBrowser, class, nil, "", c.Args); refused != nil {
		return done(*resultOf(refused))
	}
	shown, _ := c.Client.View.Shown()
	in, err := registry.FindBrowsers(shown.Catalog.Browsers(), a.Browser)
	if err != nil {
		return done(focus.NotConnectedResult(err.Error(), "Give the name of one of these, or leave browser out."))
	}
	name, version, err := s.options.Browser.Connect(ctx, a.Launch, in...)
	if err != nil {
		return done(focus.NotConnectedResult("", s.connectAdvice(err, a.Launch)))
	}
	shown, _ = c.Client.Chose(c.Request, focus.Connect{})
	if shown.State == focus.Disconnected { // the browser has gone again already
		return done(focus.NotConnectedResult(shown.Catalog.BrowserStatus(), "Call connect_browser again."))
	}
	return done(focus.ConnectedResult(name, version, shown.Catalog))
}

// ErrorWithAdvice is an error whose text already says what to do.
type ErrorWithAdvice struct{ Err error }

func (a ErrorWithAdvice) Error() string { return a.Err.Error() }
func (a ErrorWithAdvice) Unwrap() error { return a.Err }

func (s *Handler) connectAdvice(err error, launch bool) string {
	what := registry.Sentence(err.Error()) + " "
	switch {
	case errors.As(err, new(ErrorWithAdvice)):
		return strings.TrimSpace(what)
	case launch:
		return what + "Then call connect_browser again."
	case s.options.Extension:
		return what + focus.ExtensionInstructions + "."
	}
	return what + focus.NoBrowserInstructions + ". Started with --extension, this server also finds a Chrome with " +
		"the WebMCP Hub extension."
}

func (s *Handler) listTabs(ctx context.Context, c ToolCall, _ tabArguments) wire.Reply {
	if _, refused := s.judgeTab(ctx, c, focus.ListTabs, ReadOnly, nil, "", c.Args); refused != nil {
		return done(*resultOf(refused))
	}
	titles := s.titles(ctx, c)
	shown, _ := c.Client.View.Shown()
	shown.Catalog = shown.Catalog.WithTitles(titles).WithoutTitles(func(tab *registry.Tab) bool {
		return s.hides(ctx, c, tab)
	})
	if c.Client.View.Settings().Mode == view.FocusedTab {
		return done(shown.ListTabs())
	}
	return done(focus.ListTabsResult(shown.Catalog, shown.Tab))
}

func (s *Handler) openTab(ctx context.Context, c ToolCall, a tabArguments) wire.Reply {
	url, err := names.CheckAddress(focus.OpenTab, a.URL, hosts.ASCII)
	if err != nil {
		return failed(err)
	}
	var beside registry.PageID
	before, _ := c.Client.View.Shown()
	if before.Tab != nil {
		beside = before.Tab.Page
	}
	in, err := registry.FindBrowsers(before.Catalog.Browsers(), a.Browser)
	if err != nil {
		return failed(fmt.Errorf("the tab was not opened: %w", err))
	}
	chosen := a.Focus == nil || *a.Focus
	action, refused := s.judgeTab(ctx, c, focus.OpenTab, Unknown, nil, url, c.Args)
	if refused != nil {
		return done(*resultOf(refused))
	}
	page, err := s.options.Browser.OpenTab(ctx, registry.NewTab{URL: url, Beside: beside, In: in, Background: !chosen})
	if err != nil {
		return failed(fmt.Errorf("the tab was not opened: %w", s.VisibleToolsFor(c.Client).ErrorFor(err)))
	}
	if chosen {
		c.Client.Chose(c.Request, focus.FocusTab{Page: page})
	}
	now := s.within(ctx, TabAppears, func(c *registry.Catalog) bool { return c.Tab(page) != nil })
	if ctx.Err() != nil {
		return s.notKept(ctx, page)
	}
	if now == nil {
		return failed(fmt.Errorf("the browser opened the tab but has not shown it yet; call list_tabs in a moment"))
	}
	if chosen {
		s.awaitTools(ctx, []*registry.Tab{now.Tab(page)})
	} else {
		s.awaitArrival(ctx, page)
	}
	s.within(ctx, ToolsAppear, func(c *registry.Catalog) bool { // only a complete error page says why the load failed
		tab := c.Tab(page)
		return tab == nil || tab.Arrived || tab.State != registry.NotLoaded("")
	})
	if ctx.Err() != nil {
		return s.notKept(ctx, page)
	}
	titles := s.titles(ctx, c)
	shown, seen := c.Client.View.Shown()
	tab := shown.Catalog.WithTitles(titles).WithoutTitles(func(tab *registry.Tab) bool { // the address may have redirected
		return tab.Page == page && names.DocumentOrigin(tab.Origin, tab.URL) != names.DocumentOrigin("", url) &&
			s.hides(ctx, c, tab)
	}).Tab(page)
	if tab == nil {
		return failed(fmt.Errorf("the tab was opened and closed again at once"))
	}
	c.record.in(tab)
	if tab.NotLoaded() {
		answer := failed(fmt.Errorf("tab %d was opened, but %s %s: it shows the browser's error page, and stays "+
			"open. Check the address, or try again", tab.ID, sanitize.Text(url, 200), tab.WhyNotLoaded()))
		return c.Client.Reads(answer, seen)
	}
	action.Where = ofTab(tab, url)
	opened := focus.OpenTabResult(tab, shown.Tab != nil && shown.Tab.Page == page,
		available(c.Client.View.Settings().Mode, shown))
	return c.Client.Reads(done(s.answered(c, action, nil, opened)), seen)
}

// notKept closes a tab that a call opened, because the client will not get the call's answer.
func (s *Handler) notKept(ctx context.Context, page registry.PageID) wire.Reply {
	why := context.Cause(ctx)
	if err := s.options.Browser.CloseTab(context.WithoutCancel(ctx), page); err != nil {
		return failed(fmt.Errorf("the tab was opened, and could not be closed again (%w) when the call ended: %w", err,
			why))
	}
	return failed(fmt.Errorf("the tab was closed again, because the call ended while its page was loading: %w", why))
}

// awaitArrival waits until the hub knows that a new page has loaded or has failed to load, but no longer than
// [ToolsAppear].
func (s *Handler) awaitArrival(ctx context.Context, page registry.PageID) {
	s.within(ctx, ToolsAppear, func(c *registry.Catalog) bool {
		tab := c.Tab(page)
		return tab == nil || tab.Arrived || len(tab.Tools) > 0 || !tab.Connected()
	})
}

// awaitTools waits until each of these new pages has tools and seems to register no more. It doesn't wait for pages
// that are gone or that the hub is not attached to.
func (s *Handler) awaitTools(ctx context.Context, pages []*registry.Tab) {
	ctx, cancel := context.WithTimeout(ctx, ToolsAppear)
	defer cancel()
	count := func(c *registry.Catalog) (tools, without int) {
		for _, tab := range asOf(c, pages) {
			tools += len(tab.Tools)
			if len(tab.Tools) == 0 && tab.Connected() && !(tab.NotLoaded() && tab.Arrived) {
				without++
			}
		}
		return tools, without
	}
	now := s.Current.Await(ctx, func(c *registry.Catalog) bool {
		_, without := count(c)
		return without == 0
	})
	for now != nil {
		had, _ := count(now)
		now = s.within(ctx, ToolsQuiet, func(c *registry.Catalog) bool {
			has, _ := count(c)
			return has > had
		})
	}
}

func (s *Handler) focusTab(ctx context.Context, c ToolCall, a tabArguments) wire.Reply {
	if a.Exclusive && c.Client.Sessionless {
		return failed(errors.New("only a client with a session can keep a tab to itself, and protocol 2026-07-28 has no " +
			"sessions over HTTP; leave out exclusive, or begin a session by initialize"))
	}
	shown, _ := c.Client.View.Shown()
	tab, err := focus.FindTab(shown.Catalog, *a.TabID)
	if err != nil {
		return failed(err)
	}
	c.record.in(tab)
	if _, refused := s.judgeTab(ctx, c, focus.FocusOnTab, Unknown, tab, "", c.Args); refused != nil {
		return done(*resultOf(refused))
	}
	// Choose the lease and the focus together, for one request at a time.
	select {
	case c.Client.Focusing <- struct{}{}:
		defer func() { <-c.Client.Focusing }()
	case <-ctx.Done():
		return failed(fmt.Errorf("no tab was focused: %w", context.Cause(ctx)))
	}
	kept := &s.Leases
	switch {
	case !a.Exclusive:
		kept.Release(c.Client)
	case !kept.Take(tab.Page, c.Client):
		return failed(errors.New(cmp.Or(kept.Refusal(tab, tab.Page, c.Client), wire.ErrSessionOver.Error())))
	}
	if err := s.options.Browser.ActivateTab(ctx, tab.Page); err != nil {
		s.log.Debug("the tab was not brought to the front", "tab", tab.ID, "err", err)
	}
	titles := s.titles(ctx, c)
	now, seen := c.Client.Chose(c.Request, focus.FocusTab{Page: tab.Page})
	if now.Tab == nil || now.Tab.Page != tab.Page {
		kept.Release(c.Client)
		return failed(fmt.Errorf("tab %d was closed meanwhile. Call list_tabs to see the tabs", tab.ID))
	}
	kept.Begun(c.Client)
	return c.Client.Reads(done(focus.FocusTabResult(now.Catalog.WithTitles(titles).Tab(tab.Page),
		available(c.Client.View.Settings().Mode, now))), seen)
}

func (s *Handler) closeTab(ctx context.Context, c ToolCall, a tabArguments) wire.Reply {
	shown, _ := c.Client.View.Shown()
	tab, err := focus.FindTabToClose(shown.Catalog, shown.Tab, a.TabID)
	if err != nil {
		return failed(err)
	}
	c.record.in(tab)
	if kept := s.Leases.Refusal(tab, tab.Page, c.Client); kept != "" {
		return failed(errors.New(kept))
	}
	if _, refused := s.judgeTab(ctx, c, focus.CloseTab, Destructive, tab, "", c.Args); refused != nil {
		return done(*resultOf(refused))
	}
	if err := s.options.Browser.CloseTab(ctx, tab.Page); err != nil {
		return failed(fmt.Errorf("the tab was not closed: %w", err))
	}
	if s.within(ctx, TabAppears, func(c *registry.Catalog) bool { return c.Tab(tab.Page) == nil }) == nil {
		return failed(fmt.Errorf("the browser was told to close the tab but has not done so yet; its page may be " +
			"asking the user"))
	}
	s.Leases.PageClosed(tab.Page)
	return done(focus.CloseTabResult(tab.ID))
}

// available returns the focused tab's tools under the names by which the client can call them.
func available(mode view.Mode, shown focus.View) []*registry.HubTool {
	if mode == view.AllTabs && shown.Tab != nil {
		return shown.Tab.Tools
	}
	return shown.Tools
}

// within is [view.Current.Await] with a time limit.
func (s *Handler) within(ctx context.Context, limit time.Duration,
	satisfied func(*registry.Catalog) bool) *registry.Catalog {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return s.Current.Await(ctx, satisfied)
}
