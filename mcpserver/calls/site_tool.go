package calls

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"webmcphub/internal/hosts"
	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// How calls of a site's tool are routed (--naming=mcpb), as MCP-B does it.
const (
	// SiteToolTimeout is how long one request to a page may take, and how long a page that was opened may take to offer
	// the tool.
	SiteToolTimeout = 10 * time.Second
	// SiteToolRetries is how often the hub tries again to open a page, with SiteToolPause between the tries, and how
	// often a call goes to another tab after its tab was closed.
	SiteToolRetries = 3
	SiteToolPause   = time.Second
)

// routing is one call of a site's tool.
type routing struct {
	server *Handler
	call   ToolCall
	tool   *registry.HubTool
	// gone holds the tools whose tabs were closed during the call. Tabs that come back, as all tabs of a browser do
	// when it reconnects, have other tools.
	gone map[*registry.HubTool]bool
	kept string // why a tab that has the tool may not be used; "" if all may
	// hopeless reports that the tool's page was opened and doesn't have the tool.
	hopeless bool
}

// askSiteTool calls a site's tool in a tab that it chooses now. If that tab is closed meanwhile, or the connection to
// it is lost, askSiteTool turns to another tab, unless the tool may already have done something that must not be done
// twice. If no tab has the tool, askSiteTool opens one.
func (s *Handler) askSiteTool(ctx context.Context, c ToolCall, tool *registry.HubTool) registry.Result {
	c.record.about(tool, c.Args, s.Current.Catalog())
	c.limit = SiteToolTimeout
	r := routing{server: s, call: c, tool: tool, gone: map[*registry.HubTool]bool{}}
	var result registry.Result
	for try := 0; ; try++ {
		target, err := r.target(ctx)
		var no *Refusal
		switch {
		case errors.As(err, &no):
			return *resultOf(no)
		case err != nil && result.TabGone(): // the tool was called, so the answer must not say that it wasn't
			return result
		case err != nil:
			return sanitize.ErrorResult(registry.Sentence(err.Error()))
		}
		c.begun = r.call.begun
		result = s.ask(ctx, c, target)
		r.call.begun = true
		again := result.Ending == sanitize.EndingGone || result.TabGone() && !target.Destructive()
		if !again || try == SiteToolRetries || ctx.Err() != nil {
			return result
		}
		r.gone[target] = true
	}
}

// free reports whether the tool in this tab may be called.
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

// target returns the tool to call now. If no page has it, target opens one.
func (r *routing) target(ctx context.Context) (*registry.HubTool, error) {
	s := r.server
	var failed error
	for try := 0; ; try++ {
		r.kept = ""
		if err := r.call.needBrowser(ctx, s); err != nil {
			return nil, fmt.Errorf("%s was not called: no open page has it, and none can be opened: %w", r.tool.Name,
				err)
		}
		if t := s.Current.Catalog().ChooseTab(r.tool.SiteTool, r.free); t != nil {
			return t, nil
		}
		switch {
		case r.kept != "":
			return nil, fmt.Errorf("%s was not called: %s", r.tool.Name, r.kept)
		case !r.connected(ctx):
			return nil, fmt.Errorf("%s was not called: no open page has it, and none can be opened: %s", r.tool.Name,
				s.VisibleToolsFor(r.call.Client).Status(s.Current.Catalog().BrowserStatus()))
		case try > SiteToolRetries || r.hopeless:
			return nil, fmt.Errorf("%s was not called: no open page of %s has it, and %w", r.tool.Name,
				r.tool.SiteTool.Site, failed)
		}
		if err := s.judgeOpening(ctx, r.call, r.tool, r.tool.SiteTool.Opens); err != nil {
			return nil, err
		}
		r.call.begun = true
		if try > 0 && !pause(ctx, SiteToolPause) {
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

// connected reports whether there is a browser. It waits a while, because one may be about to connect through its
// extension.
func (r *routing) connected(ctx context.Context) bool {
	reached := func(c *registry.Catalog) bool { return c.BrowserStatus() == "" }
	return r.server.within(ctx, SiteToolRetries*SiteToolPause, reached) != nil
}

// open opens the tool's page and waits for the tool. Of several calls that need the same page at the same time, only
// one opens it.
func (r *routing) open(ctx context.Context) (*registry.HubTool, error) {
	s, url := r.server, r.tool.SiteTool.Opens
	if s.options.Browser == nil {
		return nil, fmt.Errorf("there is no browser to open %s in", url)
	}
	if _, err := names.CheckAddress(focus.OpenTab, url, hosts.ASCII); err != nil {
		return nil, err
	}
	r.call.Client.Conn.Changing(r.call.Request)
	ctx, cancel := context.WithTimeout(ctx, SiteToolTimeout)
	defer cancel()
	mine := s.opening.begin(url)
	if mine != nil {
		defer s.opening.done(mine)
		page, err := s.options.Browser.OpenTab(ctx, registry.NewTab{URL: url})
		if err != nil {
			return nil, fmt.Errorf("%s could not be opened: %w", url, s.VisibleToolsFor(r.call.Client).ErrorFor(err))
		}
		s.opening.opened(mine, page)
	}
	var found *registry.HubTool
	seen, why := false, ""
	s.Current.Await(ctx, func(now *registry.Catalog) bool {
		found = now.ChooseTab(r.tool.SiteTool, r.free)
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
		why = fmt.Sprintf("it did not offer %s within %v", sanitize.Text(r.tool.SiteTool.Tool, 128), SiteToolTimeout)
	}
	if mine != nil && s.opening.useless(mine) { // no other call has used this tab
		_ = s.options.Browser.CloseTab(context.WithoutCancel(ctx), mine.page)
	}
	return nil, fmt.Errorf("%s was opened, but %s", url, why)
}

// pause waits for d. It returns false if ctx ended first.
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

// openings holds the addresses that calls are opening now. Any goroutine may use it.
type openings struct {
	mu  sync.Mutex
	now map[string]*opening
}

// opening is an address that a call is opening. Only openings writes to it.
type opening struct {
	url  string
	page registry.PageID // its tab; "" until the tab is there; only the call that opens it reads it without the lock
	used bool            // a client has called a tool of this tab meanwhile
}

// begin returns nil if another call is already opening the address. Otherwise the caller opens it, and must call done
// afterwards.
func (o *openings) begin(url string) *opening {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.now[url] != nil {
		return nil
	}
	o.now[url] = &opening{url: url}
	return o.now[url]
}

// opened notes which tab was opened.
func (o *openings) opened(mine *opening, page registry.PageID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	mine.page = page
}

// calls notes that a tool of a page is being called.
func (o *openings) calls(page registry.PageID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, it := range o.now {
		it.used = it.used || it.page == page
	}
}

// useless reports whether a tab was opened and no call has used a tool of it.
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
