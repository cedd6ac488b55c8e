package calls

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
	"webmcphub/registry"

	"webmcphub/internal/hosts"

	"webmcphub/registry/focus"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// How a tool of a site is routed (--naming=mcpb), as MCP-B has it.
const (
	// RoutedTimeout is how long one request to a page may take, and how long a
	// page that was opened may take to offer the tool.
	RoutedTimeout = 10 * time.Second
	// RoutedRetries is how often opening a page is tried again, RoutedPause
	// apart, and how often a call goes to another tab after its own was closed.
	RoutedRetries = 3
	RoutedPause   = time.Second
)

// routing is one call of a routed tool.
type routing struct {
	server *Handler
	call   ToolCall
	tool   *registry.HubTool
	// gone are the tools whose tabs were closed under the call. A tab that comes
	// back, as all of a browser's do that connects anew, has others.
	gone map[*registry.HubTool]bool
	kept string // why a tab that has the tool may not be used
	// hopeless says that the tool's page was opened and has no such tool.
	hopeless bool
}

// askRouted calls a tool of a site in the tab that is chosen now. If the tab is
// closed meanwhile, or the connection to it lost, another one is asked, unless
// the tool may have done something that must not be done twice. If no tab has
// the tool, one is opened.
func (s *Handler) askRouted(ctx context.Context, c ToolCall, tool *registry.HubTool) registry.Result {
	c.record.about(tool, c.Args, s.Current.Catalog())
	c.site.limit = RoutedTimeout
	r := routing{server: s, call: c, tool: tool, gone: map[*registry.HubTool]bool{}}
	var result registry.Result
	for try := 0; ; try++ {
		target, err := r.target(ctx)
		var no *Refusal
		switch {
		case errors.As(err, &no):
			return *resultOf(no)
		case err != nil && result.TabGone(): // it was called, so don't say that it wasn't
			return result
		case err != nil:
			return sanitize.ErrorResult(registry.Sentence(err.Error()))
		}
		c.site.begun = r.call.site.begun
		result = s.ask(ctx, c, target)
		r.call.site.begun = true
		again := result.Ending == sanitize.EndingGone || result.TabGone() && !target.Destructive()
		if !again || try == RoutedRetries || ctx.Err() != nil {
			return result
		}
		r.gone[target] = true
	}
}

// free says whether a tab's tool may be asked.
func (r *routing) free(tool *registry.HubTool) bool {
	if r.gone[tool] {
		return false
	}
	page := tool.Route.Page
	if kept := r.server.Leases.Refusal(r.server.Current.Catalog().Tab(page), page, r.call.Client); kept != "" {
		r.kept = kept
		return false
	}
	return true
}

// target is the tool to call now, of a page that is opened for it if need be.
func (r *routing) target(ctx context.Context) (*registry.HubTool, error) {
	s := r.server
	var failed error
	for try := 0; ; try++ {
		r.kept = ""
		if err := r.call.needBrowser(ctx, s); err != nil {
			return nil, fmt.Errorf("%s was not called: no open page has it, and none can be opened: %w", r.tool.Name,
				err)
		}
		if t := s.Current.Catalog().ChooseTab(r.tool.Routed, r.free); t != nil {
			return t, nil
		}
		switch {
		case r.kept != "":
			return nil, fmt.Errorf("%s was not called: %s", r.tool.Name, r.kept)
		case !r.connected(ctx):
			return nil, fmt.Errorf("%s was not called: no open page has it, and none can be opened: %s", r.tool.Name,
				s.Audience(r.call.Client).Status(s.Current.Catalog().BrowserStatus()))
		case try > RoutedRetries || r.hopeless:
			return nil, fmt.Errorf("%s was not called: no open page of %s has it, and %w", r.tool.Name,
				r.tool.Routed.Site, failed)
		}
		if err := s.judgeOpening(ctx, r.call, r.tool, r.tool.Routed.Opens); err != nil {
			return nil, err
		}
		r.call.site.begun = true
		if try > 0 && !pause(ctx, RoutedPause) {
			return nil, context.Cause(ctx)
		}
		t, err := r.open(ctx)
		if t != nil {
			return t, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		failed = err
	}
}

// connected says whether there is a browser. One that comes by its extension may
// be about to.
func (r *routing) connected(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, RoutedRetries*RoutedPause)
	defer cancel()
	return r.server.Current.Await(ctx, func(c *registry.Catalog) bool { return c.BrowserStatus() == "" }) != nil
}

// open opens the tool's page and waits for the tool. Of calls that need the
// same page at once one opens it.
func (r *routing) open(ctx context.Context) (*registry.HubTool, error) {
	s, url := r.server, r.tool.Routed.Opens
	if s.options.Browser == nil {
		return nil, fmt.Errorf("there is no browser to open %s in", url)
	}
	if _, err := names.CheckAddress(focus.OpenTab, url, hosts.ASCII); err != nil {
		return nil, err
	}
	r.call.Client.Conn.Changing(r.call.Request)
	ctx, cancel := context.WithTimeout(ctx, RoutedTimeout)
	defer cancel()
	mine := s.opening.begin(url)
	if mine != nil {
		defer s.opening.done(mine)
		page, err := s.options.Browser.OpenTab(ctx, registry.NewTab{URL: url})
		if err != nil {
			return nil, fmt.Errorf("%s could not be opened: %w", url, s.Audience(r.call.Client).Why(err))
		}
		s.opening.opened(mine, page)
	}
	var found *registry.HubTool
	seen, why := false, ""
	s.Current.Await(ctx, func(now *registry.Catalog) bool {
		found = now.ChooseTab(r.tool.Routed, r.free)
		var tab *registry.Tab
		if mine != nil {
			tab = now.Tab(mine.page)
		}
		switch {
		case found != nil:
		case tab == nil && seen:
			why = "the tab was closed"
		case tab != nil && tab.NotLoaded():
			why = "it " + tab.WhyNotLoaded()
		case tab != nil && len(tab.Refused) > 0 && tab.Refused[0].Tool == offer.AllTools:
			r.hopeless, why = true, tab.Refused[0].Why
		}
		seen = seen || tab != nil
		return found != nil || why != ""
	})
	if found != nil {
		return found, nil
	}
	if why == "" {
		r.hopeless = true
		why = fmt.Sprintf("it did not offer %s within %v", sanitize.Text(r.tool.Routed.Tool, 128), RoutedTimeout)
	}
	if mine != nil && s.opening.useless(mine) { // nobody but the hub wanted it
		_ = s.options.Browser.CloseTab(context.WithoutCancel(ctx), mine.page)
	}
	return nil, fmt.Errorf("%s was opened, but %s", url, why)
}

// pause waits, and says whether ctx goes on.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// openings are the addresses that are being opened. Any goroutine may use it.
type openings struct {
	mu  sync.Mutex
	now map[string]*opening
}

// opening is an address that a call opens. Only openings writes to it.
type opening struct {
	url  string
	page registry.PageID // its tab, "" before that is there; for whoever opens it
	used bool            // a tool of that tab was called meanwhile
}

// begin returns nil if somebody opens the address already; else the caller
// does, until it calls done.
func (o *openings) begin(url string) *opening {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.now[url] != nil {
		return nil
	}
	o.now[url] = &opening{url: url}
	return o.now[url]
}

// opened says which tab it is.
func (o *openings) opened(mine *opening, page registry.PageID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	mine.page = page
}

// calls says that a tool of a page is called.
func (o *openings) calls(page registry.PageID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, it := range o.now {
		it.used = it.used || it.page == page
	}
}

// useless says that there is a tab and nobody has called a tool of it.
func (o *openings) useless(mine *opening) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return mine.page != "" && !mine.used
}

func (o *openings) done(mine *opening) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.now, mine.url)
}
