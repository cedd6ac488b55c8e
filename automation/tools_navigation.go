package automation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"webmcphub/registry"

	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

const (
	// tabAppears is how long a tab that the browser opened may take to appear in the catalog, and one that it closed
	// to disappear.
	tabAppears = 5 * time.Second
	// loads is how long a page may take to load, unless the call sets a limit.
	loads = 10 * time.Second
)

func (r *Request) listPages(ctx context.Context) (*Result, error) {
	now := r.Catalog(ctx)
	if status := now.BrowserStatus(); status != "" {
		return nil, errors.New(status)
	}
	if err := r.judged.AuthorizeCall(ctx, nil); err != nil {
		return nil, err
	}
	current := r.service.currentOf(&r.Client)
	if r.FocusMode {
		if t := r.Focused(); t != nil {
			current = t.Page
		}
	}
	pages := []ListedPage{}
	for _, t := range now.Tabs() {
		p := ListedPage{ID: int(t.ID), Browser: t.Browser, Title: sanitize.Text(t.Title, 100),
			URL: r.service.shown(t, 2048), Current: t.Page == current, State: sanitize.Text(t.Condition(), 200),
			Tools: len(t.Tools)}
		if r.service.forbidden(t) != "" {
			p.Title, p.State = "", registry.KeptOut
		} else if r.judged.SeesTab(ctx, t) != nil {
			p.Title, p.URL, p.State = "", names.OriginOnly(t.URL).Shown(2048), registry.KeptOut
		}
		p.Owner, p.Isolated = r.whose(t.Page)
		pages = append(pages, p)
	}
	return PageList(pages, now), nil
}

// whose returns the owner of a tab, or "" if it has none. If the client itself opened the tab in an isolated context,
// context is that context's name. Names that other clients gave are not returned.
func (r *Request) whose(id registry.PageID) (owner, context string) {
	r.service.mu.Lock()
	defer r.service.mu.Unlock()
	t := r.service.tabs[id]
	if t == nil {
		return "", ""
	}
	if t.in.Client == r.Client.ID {
		context = sanitize.Text(t.in.Name, 60)
	}
	switch t.owner.ID {
	case "":
		return "", context
	case r.Client.ID:
		return "yours", context
	}
	return "used by " + t.owner.Name, context
}

// claim makes the client the owner of a tab that has no owner.
func (r *Request) claim(ctx context.Context, t *tab) {
	r.uses(ctx, t)
	r.service.mu.Lock()
	defer r.service.mu.Unlock()
	if t.owner.ID == "" && !r.anonymous {
		t.owner = TabOwner{r.Client.ID, r.Name}
	}
}

type pageArguments struct {
	PageID *int `json:"pageId"`
}

// page returns the page that the arguments name; nil means the client's current page.
func (a pageArguments) page() *int { return a.PageID }

type selectArguments struct {
	PageID       *int `json:"pageId" as:"required"`
	BringToFront bool `json:"bringToFront" is:"Also show the tab to the user"`
}

func (r *Request) selectPage(ctx context.Context, a selectArguments) (*Result, error) {
	if r.anonymous {
		return nil, errors.New("this connection has no session in which a page could be selected; give pageId in each call")
	}
	found, t, err := r.target(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	r.claim(ctx, t)
	r.service.selects(&r.Client, found.Page)
	if a.BringToFront {
		if err := r.service.options.Browser.ActivateTab(ctx, found.Page); err != nil {
			return nil, fmt.Errorf("page %d is your current one now, but was not brought to the front: %w", found.ID,
				err)
		}
	}
	return resultf("Page %d is your current page: %s", found.ID, r.service.shown(found, 200)), nil
}

type closeArguments struct {
	PageID *int `json:"pageId" as:"required"`
}

func (r *Request) closePage(ctx context.Context, a closeArguments) (*Result, error) {
	found, _, err := r.target(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	if err := r.service.options.Browser.CloseTab(ctx, found.Page); err != nil {
		return nil, fmt.Errorf("the page was not closed: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, tabAppears)
	defer cancel()
	if r.Await(ctx, func(c *registry.Catalog) bool { return c.Tab(found.Page) == nil }) == nil {
		return nil, errors.New("the browser was told to close the page but has not done so yet; list_pages shows when it has")
	}
	return resultf("Page %d was closed.", found.ID), nil
}
