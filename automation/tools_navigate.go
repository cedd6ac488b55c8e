package automation

import (
	"cmp"
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
	"webmcphub/registry/sanitize"
)

type navigateArguments struct {
	pageArguments
	Type         string              `json:"type"`
	URL          string              `json:"url"`
	IgnoreCache  bool                `json:"ignoreCache"`
	BeforeUnload string              `json:"handleBeforeUnload"`
	InitScript   string              `json:"initScript"`
	Timeout      schema.Milliseconds `json:"timeout"`
}

// by is how many steps it goes in the page's history.
func (a navigateArguments) by() int { return map[string]int{"back": -1, "forward": 1}[a.Type] }

// judgeTravel finds out where a navigation in the page's history leads to, and says why
// that may not be gone to.
func (r *Request) judgeTravel(ctx context.Context, p *opened, by int) error {
	leads, err := p.Entry(ctx, by)
	if err != nil {
		return err
	}
	r.to = leads.URL
	if o := r.service.options.Origins; o != nil && o.DocumentRefusal("", r.to, true) != "" {
		return fmt.Errorf("nothing was done: the page at %s is kept out by the user's rules for sites (--allow-origin, --deny-origin)", sanitize.Text(r.to, 100))
	}
	return r.judged(ctx, r.Catalog(ctx).Tab(p.tab.id))
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
		a.URL, r.to = address, address
	} else if a.URL != "" {
		return nil, fmt.Errorf("url goes with type url only, not with %s", a.Type)
	}
	r.later = a.by() != 0
	p, err := r.page(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	if r.later {
		if err := r.judgeTravel(ctx, p, a.by()); err != nil {
			return nil, err
		}
	}
	if err := r.navigate(ctx, p, a); err != nil {
		return nil, err
	}
	where := ""
	if main, there := p.Main(); there {
		where = sanitize.Text(main.URL, 200)
		if !r.service.permits(main.Origin) {
			return nil, errors.New("the page led to an address that is kept out by the user's rules for sites (--allow-origin, --deny-origin). Nothing can be done there; navigate_page with another url leads away")
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
	limit := r.limit(a.Timeout, loads)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the page has not loaded within %v; list_pages and take_snapshot show how far it is", limit))
	defer cancel()
	if a.InitScript != "" {
		remove, err := p.InitScript(ctx, r.withinRules(p, a))
		if err != nil {
			return fmt.Errorf("initScript was not taken: %w", err)
		}
		defer remove()
	}
	p.Tidied(ctx)
	watch := p.Watch()
	defer watch.Close()
	answered := make(chan error, 1)
	go func() { answered <- answerBeforeUnload(ctx, p, watch, a.BeforeUnload != "dismiss") }()
	err := r.load(ctx, p, watch, a)
	if err != nil && ctx.Err() != nil {
		watch.StopHanging()
	}
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
func (r *Request) load(ctx context.Context, p *opened, watch *page.Watch, a navigateArguments) error {
	despite := page.DespiteDialog(ctx)
	switch a.Type {
	case "reload":
		if err := p.Call(despite, "", cdpclient.PageReload, map[string]any{"ignoreCache": a.IgnoreCache}, nil); err != nil {
			return err
		}
		return arrived(ctx, p, watch, nil)
	case "back":
		return r.travel(ctx, p, watch, -1)
	case "forward":
		return r.travel(ctx, p, watch, +1)
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

// withinRules is the source of initScript. Where the user's rules keep sites out, it runs
// only in documents of the site that the navigation is to: Chrome runs it in frames of other
// sites, too, and where the address redirects to.
func (r *Request) withinRules(p *opened, a navigateArguments) string {
	if r.service.options.Origins == nil {
		return a.InitScript
	}
	address := r.to
	if main, there := p.Main(); there && a.Type == "reload" {
		address = main.URL
	}
	// A throw before its first statement keeps all of a script from running, and location
	// can't be redefined, whatever the script declares.
	return fmt.Sprintf("if (location.origin !== %s) throw 'left out: of another site';\n%s", sanitize.Encode(names.DocumentOrigin("", address)), a.InitScript)
}

// travel goes back or forward in the page's history.
func (r *Request) travel(ctx context.Context, p *opened, watch *page.Watch, by int) error {
	to, err := p.Entry(ctx, by)
	switch {
	case err != nil:
		return err
	case to.URL != r.to:
		return fmt.Errorf("nothing was done: the page's history has changed, and would not lead to %s any more", sanitize.Text(r.to, 100))
	}
	if err := p.Call(page.DespiteDialog(ctx), "", cdpclient.PageNavigateToHistoryEntry, map[string]any{"entryId": to.ID}, nil); err != nil {
		return err
	}
	return arrived(ctx, p, watch, func() bool { return p.Shows(ctx, to) })
}

// beforeUnload is the kind of the dialog that asks whether to leave a page.
const beforeUnload = "beforeunload"

// lastly is for what has to be done though ctx has ended.
func lastly(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
}

var errStays = errors.New("the page asked whether to be left, and handleBeforeUnload told to stay")

// answerBeforeUnload answers the question whether to leave the page, until ctx ends.
func answerBeforeUnload(ctx context.Context, p *opened, w *page.Watch, leave bool) error {
	asks := func(h page.Happened) bool {
		return slices.ContainsFunc(h.Dialogs, func(d page.Dialog) bool { return d.Kind == beforeUnload })
	}
	if w.Wait(ctx, asks) != nil {
		return nil
	}
	last, cancel := lastly(ctx)
	defer cancel()
	if _, err := p.HandleDialog(last, leave, ""); err != nil || leave {
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
