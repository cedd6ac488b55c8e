package calls

import (
	"context"
	"time"

	"webmcphub/registry"

	"webmcphub/mcpserver/view"

	"webmcphub/mcpserver/wire"
)

const (
	// BrowserWait is how long a request waits for the browser that it needs.
	BrowserWait = 30 * time.Second
	// TitlesWait is how long a list of tabs waits for their titles.
	TitlesWait = time.Second
)

// titles are those that tabs show now, as far as the browser tells them soon; nil
// gives them all the catalog's. Whoever lists tabs asks first and looks at the
// catalog then, for [registry.Catalog.Titled].
func (s *Handler) titles(ctx context.Context) map[registry.PageID]registry.Title {
	if s.options.Browser == nil || s.Current.Catalog().BrowserStatus() != "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, TitlesWait)
	defer cancel()
	titles, err := s.options.Browser.Titles(ctx)
	if err != nil {
		s.log.Debug("the browser did not tell the tabs' titles", "err", err)
	}
	return titles
}

// NeedBrowser says that a request of a client needs the browser, and returns when there is
// one, or why there is none. It is the one place where requests ask for it: what
// is started only when it is needed is started by this. tell, which may be nil, is
// told that the client has to wait.
//
// Where browsers are reached by connect_browser only, it asks for nothing: what
// the request finds then says so.
func (s *Handler) NeedBrowser(ctx context.Context, o *view.Client, tell func(what string)) error {
	b := s.options.Browser
	if b == nil || s.options.OnRequest && !s.options.OnNeed || o.Lens.View().Mode == view.FocusedTab ||
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

// needBrowser is [Server.needBrowser] for a call.
func (c ToolCall) needBrowser(ctx context.Context, s *Handler) error {
	return s.NeedBrowser(ctx, c.Client, c.progress.Now)
}

// JustReached is how long after a browser was reached a missing tool may be one
// of a page that is still loading.
const JustReached = 10 * time.Second

// soon adds to a refusal that the tool may still come.
func (s *Handler) soon(refusal string) string {
	now := s.Current.Load()
	if now.Catalog.BrowserStatus() == "" && time.Since(now.Reached) < JustReached {
		return refusal + " The browser was reached a moment ago, and its pages may still be loading: try again in a moment."
	}
	return refusal
}

// awaitTool waits for the browser where a call comes before it, and then a little
// for its pages to offer the tool that is there says. If none does, the call's
// answer tells why.
func (c ToolCall) awaitTool(ctx context.Context, s *Handler, there func(*registry.Catalog) bool) {
	if s.Current.Catalog().BrowserStatus() == "" || c.needBrowser(ctx, s) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, ToolsAppear)
	defer cancel()
	s.Current.Await(ctx, func(now *registry.Catalog) bool {
		return now.BrowserStatus() != "" || there(c.Client.Lens.Catalog(s.Current.Load()).Catalog)
	})
}

// Audience says which of our own tools help a client now.
func (s *Handler) Audience(c *view.Client) registry.Audience {
	if c.Lens.View().Mode == view.AllTabs {
		return s.options.allTabsAudience()
	}
	shown, _ := c.Lens.Shown()
	return shown.Audience()
}
