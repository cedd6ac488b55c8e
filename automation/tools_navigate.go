package automation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

type navigateArguments struct {
	pageArguments
	Type         string `json:"type"`
	URL          string `json:"url"`
	IgnoreCache  bool   `json:"ignoreCache"`
	BeforeUnload string `json:"handleBeforeUnload"`
	InitScript   string `json:"initScript"`
	Timeout      int    `json:"timeout"`
}

func (r *Request) navigatePage(ctx context.Context) (*Result, error) {
	var a navigateArguments
	if err := r.decode(&a); err != nil {
		return nil, err
	}
	if a.Type = cmp.Or(a.Type, "url"); a.Type == "url" {
		address, err := r.service.checkAddress(r.tool.Name, a.URL)
		if err != nil {
			return nil, err
		}
		a.URL = address
	} else if a.URL != "" {
		return nil, fmt.Errorf("url goes with type url only, not with %s", a.Type)
	}
	p, err := r.page(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	if err := r.navigate(ctx, p, a); err != nil {
		return nil, err
	}
	where := ""
	if main, there := p.Main(); there {
		where = sanitize.Text(main.URL, 200)
		if !r.service.permits(main.Origin) {
			return says("The page led to an address that is kept out by the user's rules for sites (--allow-origin, --deny-origin)."), nil
		}
	}
	answer := "The page is at " + where
	// What the page offers is told once its tools are there, if that is soon.
	if t := r.within(ctx, 50*time.Millisecond, func(c *registry.Catalog) bool { t := c.Tab(p.tab.id); return t != nil && len(t.Tools) > 0 }); t != nil {
		answer += offers(t.Tab(p.tab.id))
	}
	return &Result{Text: answer}, nil
}

// navigate has a page load another document, or the same again, and returns when that is
// there with all that it shows.
func (r *Request) navigate(ctx context.Context, p *opened, a navigateArguments) error {
	limit := cmp.Or(time.Duration(a.Timeout)*time.Millisecond, loads)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the page has not loaded within %v; list_pages and take_snapshot show how far it is", limit))
	defer cancel()
	if a.InitScript != "" {
		var script struct {
			ID string `json:"identifier"`
		}
		if err := p.Call(ctx, "", "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": a.InitScript}, &script); err != nil {
			return fmt.Errorf("initScript was not taken: %w", err)
		}
		defer func() {
			_ = p.Call(context.WithoutCancel(ctx), "", "Page.removeScriptToEvaluateOnNewDocument", map[string]any{"identifier": script.ID}, nil)
		}()
	}
	watch := p.Watch()
	defer watch.Close()
	answered := make(chan error, 1)
	go func() { answered <- answerBeforeUnload(ctx, p, watch, a.BeforeUnload != "dismiss") }()
	err := load(ctx, p, watch, a)
	cancel()
	switch stayed := <-answered; {
	case stayed != nil && err != nil:
		return stayed
	case err != nil && len(watch.Seen().Downloads) > 0:
		return fmt.Errorf("the address leads to a download, %q, and to no page", sanitize.Text(watch.Seen().Downloads[0].Name, 100))
	}
	return err
}

// load starts a navigation and waits for its document. Whether the page is left, if it
// asks, is answered beside this.
func load(ctx context.Context, p *opened, watch *page.Watch, a navigateArguments) error {
	despite := page.DespiteDialog(ctx)
	switch a.Type {
	case "reload":
		if err := p.Call(despite, "", cdpclient.PageReload, map[string]any{"ignoreCache": a.IgnoreCache}, nil); err != nil {
			return err
		}
		return arrived(ctx, p, watch, nil)
	case "back":
		return travel(ctx, p, watch, -1)
	case "forward":
		return travel(ctx, p, watch, +1)
	}
	var begun cdpclient.NavigateResult
	if err := p.Call(despite, "", cdpclient.PageNavigate, map[string]any{"url": a.URL}, &begun); err != nil {
		return err
	}
	switch {
	case begun.ErrorText != "":
		return fmt.Errorf("the page at %s was not loaded: %s. Check the address, or try again", sanitize.Text(a.URL, 200), sanitize.Text(begun.ErrorText, 100))
	case begun.LoaderID == "": // in the same document
		_, err := mainNavigation(ctx, p, watch, func(n page.Navigation) bool { return n.Within || n.Committed })
		return err
	}
	return p.WaitLoad(ctx, begun.LoaderID, page.Loaded)
}

// arrived waits until a navigation of the main frame that was begun has brought its
// document. moved, if not nil, says whether one that seems to have failed has not: a
// document that comes back from the cache takes the place of the one that was begun.
func arrived(ctx context.Context, p *opened, watch *page.Watch, moved func() bool) error {
	n, err := mainNavigation(ctx, p, watch, func(n page.Navigation) bool { return n.Committed || n.Over() })
	if err == nil && n.Failed != "" && !n.Committed && moved != nil && moved() {
		n, err = mainNavigation(ctx, p, watch, func(n page.Navigation) bool { return n.Committed })
	}
	switch {
	case err != nil:
		return err
	case n.Failed != "" && !n.Committed:
		return &page.NotLoaded{Why: n.Failed}
	}
	return p.WaitLoad(ctx, "", page.Loaded)
}

// mainNavigation waits until one of the main frame has come so far, or a dialog holds the
// page up.
func mainNavigation(ctx context.Context, p *opened, watch *page.Watch, far func(page.Navigation) bool) (found page.Navigation, err error) {
	var holds *page.DialogOpen
	err = watch.Wait(ctx, func(h page.Happened) bool {
		if d, open := p.Dialog(); open && d.Kind != beforeUnload {
			holds = &page.DialogOpen{Dialog: d, Opened: true}
			return true
		}
		i := slices.IndexFunc(h.Navigations, func(n page.Navigation) bool { return n.Main && far(n) })
		if i >= 0 {
			found = h.Navigations[i]
		}
		return i >= 0
	})
	if err == nil && holds != nil {
		err = holds
	}
	return found, err
}

// history is the page's list of documents.
type history struct {
	Current int `json:"currentIndex"`
	Entries []struct {
		ID int `json:"id"`
	} `json:"entries"`
}

// travel goes back or forward in the page's history.
func travel(ctx context.Context, p *opened, watch *page.Watch, by int) error {
	var was history
	if err := p.Call(ctx, "", cdpclient.PageGetNavigationHistory, nil, &was); err != nil {
		return err
	}
	to := was.Current + by
	switch {
	case to < 0:
		return errors.New("there is nothing to go back to")
	case to >= len(was.Entries):
		return errors.New("there is nothing to go forward to")
	}
	if err := p.Call(page.DespiteDialog(ctx), "", cdpclient.PageNavigateToHistoryEntry, map[string]any{"entryId": was.Entries[to].ID}, nil); err != nil {
		return err
	}
	return arrived(ctx, p, watch, func() bool {
		var is history
		return p.Call(ctx, "", cdpclient.PageGetNavigationHistory, nil, &is) == nil && is.Current == to
	})
}

// beforeUnload is the kind of the dialog that asks whether to leave a page.
const beforeUnload = "beforeunload"

var errStays = errors.New("the page asked whether to be left, and handleBeforeUnload told to stay")

// answerBeforeUnload answers the question whether to leave the page, until ctx ends.
func answerBeforeUnload(ctx context.Context, p *opened, w *page.Watch, leave bool) error {
	asks := func(h page.Happened) bool {
		return slices.ContainsFunc(h.Dialogs, func(d page.Dialog) bool { return d.Kind == beforeUnload })
	}
	if w.Wait(ctx, asks) != nil {
		return nil
	}
	if _, err := p.HandleDialog(context.WithoutCancel(ctx), leave, ""); err != nil || leave {
		return nil // if it failed, somebody else has answered
	}
	return errStays
}

func (r *Request) handleDialog(ctx context.Context) (*Result, error) {
	var a struct {
		pageArguments
		Action string `json:"action"`
		Prompt string `json:"promptText"`
	}
	if err := r.decode(&a); err != nil {
		return nil, err
	}
	p, err := r.page(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	answered, err := p.HandleDialog(page.DespiteDialog(ctx), a.Action == "accept", a.Prompt)
	if err != nil {
		return nil, fmt.Errorf("nothing was answered: %w", err)
	}
	did := "accepted"
	if a.Action != "accept" {
		did = "dismissed"
	}
	return says("The %s %q was %s.", answered.Kind, answered.Message, did), nil
}
