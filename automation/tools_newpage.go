package automation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"webmcphub/automation/page"
	"webmcphub/automation/schema"
	"webmcphub/cdpclient"
	"webmcphub/registry"

	"webmcphub/registry/names"
)

type newPageArguments struct {
	URL             string `json:"url" as:"required"`
	Background      *bool  `json:"background" is:"Behind the tab in front. Default: true"`
	IsolatedContext string `json:"isolatedContext" is:"A context with cookies and storage of its own"`
	timeoutArgument
	// Browser is an argument only if there are several browsers.
	Browser string `json:"browser" is:"Name or label of the browser, as list_pages has it. Default: that of your current page, else the first that is connected"`
}

// newPage opens a tab. The tab becomes the client's own and its current page, even if its page doesn't load.
func (r *Request) newPage(ctx context.Context, a newPageArguments) (*Result, error) {
	if r.anonymous && a.IsolatedContext != "" {
		return nil, errors.New("this connection has no session to which an isolatedContext could belong. Call " +
			"new_page without it")
	}
	address, err := r.checked(a.URL)
	if err != nil {
		return nil, err
	}
	a.URL, r.judged.To = address, address
	in, err := registry.FindBrowsers(r.Current().Browsers(), a.Browser)
	if err != nil {
		return nil, err
	}
	if err := r.judged.AuthorizeCall(ctx, nil); err != nil {
		return nil, err
	}
	limit := r.limit(a.Timeout, loads)
	id, err := r.openTab(ctx, a, in)
	if err != nil {
		return nil, fmt.Errorf("the page was not opened: %w", err)
	}
	t := r.service.tab(r.Current, id)
	r.claim(ctx, t)
	is := "is your current page"
	if r.anonymous {
		is = "is meant by its pageId in later calls"
	} else {
		r.service.selects(&r.Client, id)
	}
	now := r.within(ctx, tabAppears, func(c *registry.Catalog) bool { return c.Tab(id) != nil })
	if now == nil {
		return nil, errors.New("the browser opened the tab but has not shown it yet; call list_pages in a moment")
	}
	r.About(now.Tab(id))
	number := now.Tab(id).ID
	if ported, e := r.service.options.Browser.Debuggable(id); ported || e == nil {
		err = r.loadNew(ctx, t, a, limit)
	} else {
		err = r.arrives(ctx, id, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("page %d was opened and %s, but: %w", number, is, err)
	}
	opened := r.Catalog(ctx).Tab(id)
	if opened == nil {
		return nil, errors.New("the tab was opened and closed again at once")
	}
	if r.service.forbidden(opened) != "" {
		return nil, Refuse(fmt.Errorf("page %d was opened and %s, but: %w", number, is,
			page.LedKeptOut(r.service.shown(opened, 200))))
	}
	if r.judged.SeesTab(ctx, opened) != nil {
		return resultf("Page %d was opened and %s: %s, which %s", number, is, names.OriginOnly(opened.URL).Shown(200),
			registry.KeptOut), nil
	}
	return resultf("Page %d was opened and %s: %s%s", number, is, r.service.shown(opened, 200), offers(opened)), nil
}

// loadNew makes a blank tab load its page. All requests and messages of the page are recorded from the start.
func (r *Request) loadNew(ctx context.Context, t *tab, a newPageArguments, limit time.Duration) error {
	r.uses(ctx, t)
	p, err := t.openTo(ctx, r.service, r.revives, true)
	if err == nil {
		err = p.rules.KeptOut(a.URL)
	}
	if err != nil {
		return err
	}
	p = p.with(&r.judged)
	err = r.navigate(ctx, p, navigateArguments{Type: "url", URL: a.URL,
		timeoutArgument: timeoutArgument{schema.Milliseconds(limit)}})
	// The history should not lead back to the blank page.
	_ = p.Call(ctx, "", "Page.resetNavigationHistory", nil, nil)
	return err
}

// arrives waits for the page of a tab that can't be debugged.
func (r *Request) arrives(ctx context.Context, id registry.PageID, limit time.Duration) error {
	arrived := r.within(ctx, limit, func(c *registry.Catalog) bool {
		t := c.Tab(id)
		return t == nil || t.Arrived || !t.Connected()
	})
	switch t := r.Catalog(ctx).Tab(id); {
	case t == nil:
		return errors.New("it was closed again at once")
	case t.NotLoaded():
		return fmt.Errorf("its address %s. Check that, or try again with navigate_page", t.WhyNotLoaded())
	case arrived == nil:
		return fmt.Errorf("it is still loading after %v", limit)
	}
	return nil
}

// offers returns the line that tells an agent about the page's own tools.
func offers(t *registry.Tab) string {
	return PageToolsHint(len(t.Tools), func(i int) string { return t.Tools[i].Name })
}

// openTab opens a tab. Unless the call says otherwise, it opens in the background, because the tab in front is the
// user's. If the tab can be debugged, it is blank, so that everything that it loads can be recorded from the start.
func (r *Request) openTab(ctx context.Context, a newPageArguments, in []string) (registry.PageID, error) {
	background := a.Background == nil || *a.Background
	beside := r.service.currentOf(&r.Client)
	if t := r.Current().Tab(beside); in != nil && (t == nil || !slices.Contains(in, t.Browser)) {
		beside = "" // the client's current page is in another browser
	}
	if a.IsolatedContext != "" {
		return r.openIsolated(ctx, "about:blank", a, beside, in)
	}
	return r.service.options.Browser.OpenTab(ctx, registry.NewTab{URL: "about:blank", For: a.URL, Beside: beside,
		In: in, Background: background})
}

// within does the same as Await, for a limited time.
func (r *Request) within(ctx context.Context, limit time.Duration,
	satisfied func(*registry.Catalog) bool) *registry.Catalog {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return r.Await(ctx, satisfied)
}

// openIsolated opens a tab in the client's context of the given name. It makes the context if there is none. Contexts
// of two clients with the same name are different, and so are those of two browsers.
func (r *Request) openIsolated(ctx context.Context, address string, a newPageArguments, beside registry.PageID,
	in []string) (registry.PageID, error) {
	if t := r.Current().Tab(beside); t != nil && t.Browser != "" {
		in = []string{t.Browser}
	}
	access, err := r.service.anyAccess(r.Current(), in)
	if err != nil {
		return "", err
	}
	id, err := r.service.isolated.Named(ctx, access.Conn, r.Client.ID, a.IsolatedContext,
		func(ctx context.Context, target string) error {
			return r.service.options.Browser.CloseTab(ctx, access.page(target))
		})
	if err != nil {
		return "", err
	}
	var opened cdpclient.CreateTargetResult
	err = access.Conn.Call(ctx, "", cdpclient.TargetCreateTarget,
		map[string]any{"url": address, "browserContextId": id, "background": a.Background == nil || *a.Background},
		&opened)
	return access.page(string(opened.TargetID)), err
}

// anyAccess returns the access to any tab that is reached over a debugging port, in one of these browsers; nil means
// any browser.
func (s *Service) anyAccess(now *registry.Catalog, in []string) (Access, error) {
	err := errors.New("no tab is open whose browser has a debugging port; call new_page without isolatedContext first")
	for _, t := range now.Tabs() {
		if in != nil && !slices.Contains(in, t.Browser) {
			continue
		}
		ported, e := s.options.Browser.Debuggable(t.Page)
		switch {
		case e != nil:
			err = e
		case !ported:
			err = errors.New("the browser is reached by its extension, which has no isolated contexts; " +
				"a debugging port has them (--browser-url, --auto-connect or --launch)")
		default:
			return s.options.Browser.Debug(t.Page)
		}
	}
	return Access{}, err
}
