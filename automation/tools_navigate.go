package automation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"webmcphub/automation/page"

	"webmcphub/internal/hosts"
	"webmcphub/registry"

	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

type navigateArguments struct {
	Type         string `json:"type" among:"url,back,forward,reload" is:"Default: url"`
	URL          string `json:"url"`
	IgnoreCache  bool   `json:"ignoreCache" is:"On reload"`
	BeforeUnload string `json:"handleBeforeUnload" among:"accept,dismiss" is:"Default: accept"`
	InitScript   string `json:"initScript" is:"JavaScript to run before the page's own"`
	timeoutArgument
	pageArguments
}

// by returns how many steps the navigation goes in the page's history.
func (a navigateArguments) by() int { return map[string]int{"back": -1, "forward": 1}[a.Type] }

// judgeHistory finds out where a navigation in the page's history leads, and returns an error if the call may not go
// there.
func (r *Request) judgeHistory(ctx context.Context, found *registry.Tab) error {
	access, err := r.service.options.Browser.Debug(found.Page)
	if err != nil {
		return fmt.Errorf("page %d: %w", found.ID, err)
	}
	leads, err := page.EntryOf(ctx, access.Conn, access.Target, r.by)
	if err != nil {
		return err
	}
	r.judged.To = leads.URL
	if rules := r.service.rules(found); rules.DocumentRefusal("", r.judged.To, true) != "" {
		return fmt.Errorf("nothing was done: the page at %s is %s", rules.Shown("", r.judged.To, 100), names.ByRules)
	}
	return r.judged.AuthorizeCall(ctx, r.Catalog(ctx).Tab(found.Page))
}

// checked returns an address in its normal form. It returns an error if the address has a scheme that leads to no web
// page, or if the rules keep it out.
func (r *Request) checked(address string) (string, error) {
	address, err := names.CheckAddress(r.tool.Name, address, hosts.ASCII)
	if err != nil {
		return "", err
	}
	return address, r.service.options.Origins.KeptOut(address)
}

func (r *Request) navigatePage(ctx context.Context, a navigateArguments) (*Result, error) {
	if a.Type = cmp.Or(a.Type, "url"); a.Type == "url" {
		address, err := r.checked(a.URL)
		if err != nil {
			return nil, err
		}
		a.URL, r.judged.To, r.revives = address, address, page.Leaves
	} else if a.URL != "" {
		return nil, fmt.Errorf("url goes with type url only, not with %s", a.Type)
	}
	r.by, r.revives = a.by(), cmp.Or(r.revives, page.Reloads)
	p, err := r.page(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	if err := p.rules.KeptOut(a.URL); err != nil {
		return nil, err
	}
	was, before := r.Current().Tab(p.tab.id), documentOf(p)
	if err := r.navigate(ctx, p, a); err != nil {
		return nil, err
	}
	where := ""
	if main, there := p.Main(); there {
		where = sanitize.Text(main.URL, 200)
		if !p.rules.PermitsOrigin(main.Origin) {
			return nil, Refuse(page.LedKeptOut(p.rules.Shown(main.Origin, main.URL, 200)))
		}
	}
	// The catalog has the page's own tools once it has the document and knows that it has loaded.
	stays := documentOf(p) == before
	now := r.within(ctx, catalogFollows, func(c *registry.Catalog) bool {
		t := c.Tab(p.tab.id)
		return t != nil && (stays || was == nil || t.Document() != was.Document()) &&
			(len(t.Tools) > 0 || t.Readiness == "" || t.Readiness == registry.NoWebMCP)
	})
	if t := r.Current().Tab(p.tab.id); t != nil && r.judged.SeesTab(ctx, t) != nil {
		return resultf("The page is at %s, which %s", names.OriginOnly(t.URL).Shown(200), registry.KeptOut), nil
	}
	answer := "The page is at " + where
	if now != nil {
		answer += offers(now.Tab(p.tab.id))
	}
	return &Result{Text: answer}, nil
}

// catalogFollows is how long the catalog may take to show a document that has loaded.
const catalogFollows = 50 * time.Millisecond

// documentOf returns the page's main document; the zero value if there is none.
func documentOf(p *opened) page.FrameRef {
	main, _ := p.Main()
	return main.FrameRef
}

// navigate makes a page load another document, or the same one again, and returns when the document has loaded.
func (r *Request) navigate(ctx context.Context, p *opened, a navigateArguments) error {
	if err := r.judged.CheckPage(ctx, p.Page); err != nil {
		return err
	}
	limit := r.limit(a.Timeout, loads)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the page has not loaded within %v; list_pages "+
		"and take_snapshot show how far it is", limit))
	defer cancel()
	to := page.Destination{Type: a.Type, URL: a.URL, IgnoreCache: a.IgnoreCache,
		DismissBeforeUnload: a.BeforeUnload == "dismiss",
		InitScript:          a.InitScript, Within: p.rules != nil || r.Judge != nil}
	if to.By = r.by; to.By != 0 {
		to.URL = r.judged.To
	}
	note, err := page.Navigate(ctx, p.Page, to)
	if note != "" {
		r.notes(note)
	}
	return err
}

type dialogArguments struct {
	Action string `json:"action" among:"accept,dismiss" as:"required"`
	Prompt string `json:"promptText"`
	pageArguments
}

func (r *Request) handleDialog(ctx context.Context, a dialogArguments) (*Result, error) {
	r.later = true // the decision is about the dialog that is open now
	p, err := r.page(ctx, a.PageID)
	ended, none := new(page.Ended), fmt.Errorf("nothing was answered: %w", page.ErrNoDialog)
	switch {
	case errors.As(err, &ended) && ended.Why == page.Crashed: // the page crashed, or Chrome has discarded it
		return nil, none
	case err != nil:
		return nil, err
	}
	d, open := p.Dialog()
	if !open { // checked before a person is asked
		return nil, none
	}
	if err := r.judged.AuthorizeCall(ctx, r.Current().Tab(p.tab.id)); err != nil {
		return nil, err
	}
	if d.KeptOut != "" && a.Action == "accept" {
		return nil, Refuse(fmt.Errorf("nothing was answered: the page shows a dialog, %s. It can only be dismissed", d))
	}
	if err := r.judged.AuthorizeFrame(ctx, p.Page, d.Frame); err != nil {
		return nil, err
	}
	answered, err := p.HandleDialog(page.DespiteDialog(ctx), d.Number, a.Action == "accept", a.Prompt)
	if errors.Is(err, page.ErrOtherDialog) {
		return nil, fmt.Errorf("nothing was answered: %w: %s, %s. Call handle_dialog again to answer that one", err,
			answered.Kind, r.dialogText(ctx, answered))
	}
	if err != nil {
		return nil, fmt.Errorf("nothing was answered: %w", err)
	}
	did := "accepted"
	if a.Action != "accept" {
		did = "dismissed"
	}
	return resultf("The %s %s was %s.", answered.Kind, r.dialogText(ctx, answered), did), nil
}
