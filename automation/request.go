package automation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"webmcphub/automation/page"
	"webmcphub/automation/schema"
	"webmcphub/internal/browsertool"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

func resultf(format string, args ...any) *Result { return &Result{Text: fmt.Sprintf(format, args...)} }

// Request is one call that is being carried out.
type Request struct {
	browsertool.Call
	tool    *Tool
	service *Service
	note    string  // text to put before the answer's text
	opened  *opened // the page that the call means; nil until it is open
	// over is the time at which the tool itself would end the call; zero if that is unknown.
	over time.Time
	// anonymous says that the client can't be identified: the client's ID is made up for this call only.
	anonymous bool
	// by is the number of steps that the call goes in the page's history. The call finds out where they lead before
	// it asks the judge.
	by int
	// later says that the judge is asked only when the page is open. The call does nothing to the page before.
	later   bool
	asks    int       // the number of the dialog that the answer describes
	revives page.Wake // what the call does with its page if the page has crashed
	judged  Authorization
	began   *registry.Catalog // the catalog when the call found its page
}

// rules returns the rules for sites that apply to the call.
func (r *Request) rules() *names.Origins {
	if r.opened != nil {
		return r.opened.rules
	}
	return r.service.options.Origins
}

// judge sets up the call's Authorization. It asks nothing yet.
func (r *Request) judge() {
	r.judged = Authorization{
		Judge:   r.Judge,
		Kept:    r.kept,
		Address: func(origin, url string) string { return r.rules().Shown(origin, url, 200) },
		Emulated: func(id registry.PageID) bool {
			r.service.mu.Lock()
			defer r.service.mu.Unlock()
			t := r.service.tabs[id]
			return t != nil && t.emulated.Load()
		},
		Tab: func(ctx context.Context) *registry.Tab { return r.Catalog(ctx).Tab(r.opened.tab.id) },
	}
}

// reads reports the origins of the documents whose text the call's result may contain.
func (r *Request) reads(ctx context.Context) {
	if r.Reads != nil && r.opened != nil {
		r.Reads(r.judged.Read(ctx, r.opened.Page))
	}
}

// dialogText returns the text of a dialog, or the reason why the answer may not contain it.
func (r *Request) dialogText(ctx context.Context, d page.Dialog) string {
	if err := r.judged.SeesDialog(ctx, d); err != nil {
		return "(" + err.Error() + ")"
	}
	return quoted(d.Message)
}

// limit returns how long the call may take: what its argument says, or else the usual time. It sets r.over.
func (r *Request) limit(given schema.Milliseconds, usual time.Duration) time.Duration {
	limit := cmp.Or(time.Duration(given), usual)
	r.over = time.Now().Add(limit)
	return limit
}

// folders returns the folders in which the client lets the tools read and write files.
func (r *Request) folders(ctx context.Context) Folders {
	if r.Elsewhere {
		return nil
	}
	if r.Roots == nil {
		return FoldersOf(nil)
	}
	roots, err := r.Roots(ctx)
	if err != nil {
		r.service.log.Debug("the client tells no roots", "client", r.Name, "err", err)
	}
	return FoldersOf(roots)
}

// target returns the tab that the call means, or an error that says why the call may not act there.
func (r *Request) target(ctx context.Context, id *int) (*registry.Tab, *tab, error) {
	found, err := r.service.find(&r.Client, id)
	if err != nil {
		return nil, nil, err
	}
	r.began = r.Current()
	r.About(found)
	if r.service.forbidden(found) != "" {
		return nil, nil, Refuse(fmt.Errorf("nothing was done: page %d (%s) is %s", found.ID,
			r.service.shown(found, 100), names.ByRules))
	}
	if kept := r.Refusal(found); kept != "" {
		return nil, nil, Refuse(errors.New(kept))
	}
	t := r.service.tab(r.Current, found.Page)
	if r.tool.Effect >= Acts || r.tool.Category == Input || r.tool.Category == Emulation {
		if err := r.anothers(found, t); err != nil {
			return nil, nil, Refuse(err)
		}
	}
	return found, t, r.judged.AuthorizeCallOn(ctx, found, r.later || r.by != 0,
		func() string { return t.seen.Meant(r.Client.ID, r.Args) })
}

// anothers handles a call that acts on the tab of another client: it adds a note to the answer or, with
// ExclusiveTabs, returns an error.
func (r *Request) anothers(found *registry.Tab, t *tab) error {
	owner, is := r.owner(t)
	if !is {
		return nil
	}
	if r.service.options.ExclusiveTabs {
		return fmt.Errorf("%s was not called: page %d belongs to another client, %s, which opened or selected it "+
			"(--exclusive-tabs). Open a page of your own with new_page", r.tool.Name, found.ID, owner.Name)
	}
	r.notes(fmt.Sprintf("Note: page %d is used by another client, %s.", found.ID, owner.Name))
	return nil
}

// owner returns the other client to which the tab belongs, if there is one.
func (r *Request) owner(t *tab) (owner TabOwner, is bool) {
	r.service.mu.Lock()
	defer r.service.mu.Unlock()
	return t.owner, t.owner.ID != "" && t.owner.ID != r.Client.ID
}

// kept returns an error if the call may no longer act on its tab. While the call waited, another client may have
// begun to keep the tab.
func (r *Request) kept() error {
	if r.opened == nil {
		return nil
	}
	now := r.Current().Tab(r.opened.tab.id)
	if now == nil {
		return nil
	}
	if why := r.Refusal(now); why != "" {
		return errors.New(why)
	}
	if !r.service.options.ExclusiveTabs {
		return nil
	}
	return r.anothers(now, r.opened.tab)
}

// notes adds a line to the text that comes before the answer's text.
func (r *Request) notes(text string) {
	if r.note != "" {
		r.note += "\n"
	}
	r.note += text
}

// noted returns the text with the notes before it.
func (r *Request) noted(text string) string { return strings.TrimPrefix(r.note+"\n"+text, "\n") }

// page opens the page that the call means, if it isn't open yet.
func (r *Request) page(ctx context.Context, id *int) (*opened, error) {
	found, t, err := r.target(ctx, id)
	if err != nil {
		return nil, err
	}
	if !found.Connected() {
		return nil, fmt.Errorf("page %d (%s) is not connected: call connect_webmcp with page %d, its index there, first", found.ID, r.service.shown(found, 100), found.Index)
	}
	r.uses(ctx, t)
	if r.by != 0 { // before a discarded page is loaded again
		if err := r.judgeHistory(ctx, found); err != nil {
			return nil, err
		}
	}
	p, err := t.openTo(ctx, r.service, r.revives, !r.later)
	if err != nil {
		return nil, fmt.Errorf("page %d: %w", found.ID, err)
	}
	p = p.with(&r.judged)
	r.opened = p
	if p.Woken() {
		p.wakes.Do(func() { r.wakes(ctx, p, found) })
	}
	if r.later {
		return p, nil
	}
	return p, r.judged.CheckPage(ctx, p.Page)
}

// wakes waits until a page that Chrome had discarded, or that had crashed, has been loaded again. It adds a note
// about that to the answer.
func (r *Request) wakes(ctx context.Context, p *opened, found *registry.Tab) {
	ctx, cancel := context.WithTimeout(ctx, loads)
	defer cancel()
	_ = p.WaitLoad(ctx, "", page.Loaded) // on a timeout the call goes on with a page that is still loading
	note := fmt.Sprintf("Note: page %d was without a process, since Chrome had discarded it to save memory, or it "+
		"had crashed. It was loaded again for this call.", found.ID)
	if p.crashed {
		note = fmt.Sprintf("Note: page %d had crashed. What emulate had set, its uids and what was recorded of it are gone.", found.ID)
	}
	main, there := p.Main()
	var width int
	if there && p.Evaluate(ctx, main.FrameRef, page.Bare, "() => innerWidth", nil, &width) == nil && width == 0 {
		note += " Until it is shown it has no size, so it can be read and not operated: select_page with " +
			"bringToFront shows it."
	}
	r.notes(note)
}

// discarded returns a sentence that says where the call can go on if its tab wasn't closed but discarded by Chrome.
// Chrome replaces a discarded tab by a new one with another id. It returns "" if there is no such tab.
func (r *Request) discarded(ctx context.Context) string {
	main, there := r.opened.Main()
	if !there {
		return ""
	}
	var is *registry.Tab
	r.within(ctx, discardAppears, func(c *registry.Catalog) bool {
		is = cameAs(c, main.URL, r.began, string(r.opened.pageOf("")))
		return is != nil
	})
	if is == nil {
		return ""
	}
	return fmt.Sprintf(" Perhaps Chrome discarded it to save memory: page %d appeared just then, with the same address. "+
		"Select that page to go on; it is loaded when it is used.", is.ID)
}

// cameAs returns a tab that is new since the catalog began and has the given address, in the browser whose page ids
// begin with the given prefix. It returns nil if there is none.
func cameAs(c *registry.Catalog, address string, began *registry.Catalog, browser string) *registry.Tab {
	for _, t := range c.Tabs() {
		if began.Tab(t.Page) == nil && t.URL == address && strings.HasPrefix(string(t.Page), browser) {
			return t
		}
	}
	return nil
}

// discardAppears is how long Call waits for the tab that replaces a discarded one.
const discardAppears = 200 * time.Millisecond
