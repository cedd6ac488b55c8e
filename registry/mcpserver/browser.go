package mcpserver

import (
	"context"
	"time"

	"webmcphub/registry"
)

const (
	// browserWait is how long a request waits for the browser that it needs.
	browserWait = 30 * time.Second
	// titlesWait is how long a list of tabs waits for their titles.
	titlesWait = time.Second
)

// titles are those that tabs show now, as far as the browser tells them soon; nil
// gives them all the catalog's. Whoever lists tabs asks first and looks at the
// catalog then, for [registry.Catalog.Titled].
func (s *Server) titles(ctx context.Context) map[registry.PageID]string {
	if s.options.Browser == nil || s.catalog().BrowserStatus() != "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, titlesWait)
	defer cancel()
	titles, err := s.options.Browser.Titles(ctx)
	if err != nil {
		s.log.Debug("the browser did not tell the tabs' titles", "err", err)
	}
	return titles
}

// needBrowser says that a request of a client needs the browser, and returns when there is
// one, or why there is none. It is the one place where requests ask for it: what
// is started only when it is needed is started by this. tell, which may be nil, is
// told that the client has to wait.
//
// Where browsers are reached by connect_browser only, it asks for nothing: what
// the request finds then says so.
func (s *Server) needBrowser(ctx context.Context, o *outbox, tell func(what string)) error {
	b := s.options.Browser
	if b == nil || s.options.OnRequest && !s.options.OnNeed || s.viewOf(o).Mode == FocusedTab || s.catalog().BrowserStatus() == "" {
		return nil
	}
	if tell != nil {
		tell("waiting for the browser")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, browserWait, TimeoutError{browserWait})
	defer cancel()
	_, _, err := b.Connect(ctx, false)
	return err
}

// needBrowser is [Server.needBrowser] for a call.
func (c toolCall) needBrowser(ctx context.Context, s *Server) error {
	return s.needBrowser(ctx, c.out, c.progress.now)
}

// justReached is how long after a browser was reached a missing tool may be one
// of a page that is still loading.
const justReached = 10 * time.Second

// soon adds to a refusal that the tool may still come.
func (s *Server) soon(refusal string) string {
	now := s.current.Load()
	if now.catalog.BrowserStatus() == "" && time.Since(now.reached) < justReached {
		return refusal + " The browser was reached a moment ago, and its pages may still be loading: try again in a moment."
	}
	return refusal
}

// awaitTool waits for the browser where a call comes before it, and then a little
// for its pages to offer the tool that is there says. If none does, the call's
// answer tells why.
func (c toolCall) awaitTool(ctx context.Context, s *Server, there func(*registry.Catalog) bool) {
	if s.catalog().BrowserStatus() == "" || c.needBrowser(ctx, s) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, toolsAppear)
	defer cancel()
	s.await(ctx, func(now *registry.Catalog) bool { return now.BrowserStatus() != "" || there(s.servedTo(c.out).catalog) })
}
