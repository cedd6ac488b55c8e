package calls

import (
	"context"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
)

const (
	// BrowserWait is how long a request waits for a browser that it needs.
	BrowserWait = 30 * time.Second
	// TitlesWait is how long a list of tabs waits for the tabs' titles.
	TitlesWait = time.Second
)

// titles returns the titles that tabs show now, if the browser reports them in time, and reports them to Trust. If it
// returns nil, all tabs have the catalog's titles. Callers that list tabs call titles before they read the catalog,
// for [registry.Catalog.WithTitles].
func (s *Handler) titles(ctx context.Context, c ToolCall) (titles map[registry.PageID]registry.Title) {
	if s.options.Browser != nil && s.Current.Catalog().BrowserStatus() == "" {
		ctx, cancel := context.WithTimeout(ctx, TitlesWait)
		defer cancel()
		var err error
		if titles, err = s.options.Browser.Titles(ctx); err != nil {
			s.log.Debug("the browser did not tell the tabs' titles", "err", err)
		}
	}
	if s.options.Trust == nil {
		return titles
	}
	for _, tab := range s.Current.Catalog().WithTitles(titles).Tabs() {
		if tab.Title != "" {
			s.options.Trust.Read(Action{Who: Who{Session: c.Client.Session()}, Where: ofTab(tab, ""),
				What: What{Kind: BrowserTool}}, jsonrpc.MustEncode(tab.Title))
		}
	}
	return titles
}

// EnsureBrowser asks for a browser on behalf of a client's request. It returns nil when there is one, or an error that
// says why there is none. It is the only place where requests ask for a browser, so a browser that is started on need
// is started here. tell, which may be nil, is called with what the client is waiting for.
//
// Where only connect_browser reaches browsers, EnsureBrowser returns nil without asking: what the request finds then
// says that no browser is connected.
func (s *Handler) EnsureBrowser(ctx context.Context, o *view.Client, tell func(what string)) error {
	b := s.options.Browser
	if b == nil || s.options.OnRequest && !s.options.OnNeed || o.View.Settings().Mode == view.FocusedTab ||
		s.Current.Catalog().BrowserStatus() == "" {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, BrowserWait, wire.TimeoutError{After: BrowserWait})
	defer cancel()
	if tell != nil {
		defer s.Current.TellStatus("waiting for the browser", tell)()
	}
	_, _, err := b.Connect(ctx, false)
	return err
}

// needBrowser calls [Handler.EnsureBrowser] for a call.
func (c ToolCall) needBrowser(ctx context.Context, s *Handler) error {
	return s.EnsureBrowser(ctx, c.Client, c.progress.Now)
}

// JustReached is how long after a browser was reached a missing tool may belong to a page that is still loading.
const JustReached = 10 * time.Second

// soon adds to a refusal that the tool may still appear, if a browser was reached a moment ago.
func (s *Handler) soon(refusal string) string {
	now := s.Current.Load()
	if now.Catalog.BrowserStatus() == "" && time.Since(now.Reached) < JustReached {
		return refusal + " The browser was reached a moment ago, and its pages may still be loading: try again in a moment."
	}
	return refusal
}

// awaitTool waits for a browser if there is none yet, and then at most [ToolsAppear] until there reports that the
// pages offer the tool. If the tool doesn't appear, the call's answer says why.
func (c ToolCall) awaitTool(ctx context.Context, s *Handler, there func(*registry.Catalog) bool) {
	if s.Current.Catalog().BrowserStatus() == "" || c.needBrowser(ctx, s) != nil {
		return
	}
	s.within(ctx, ToolsAppear, func(now *registry.Catalog) bool {
		return now.BrowserStatus() != "" || there(c.Client.View.Catalog(s.Current.Load()).Catalog)
	})
}

// VisibleToolsFor returns those of the hub's own tools that help a client now.
func (s *Handler) VisibleToolsFor(c *view.Client) registry.VisibleTools {
	if c.View.Settings().Mode == view.AllTabs {
		return s.options.allTabsVisible()
	}
	shown, _ := c.View.Shown()
	return shown.VisibleTools()
}
