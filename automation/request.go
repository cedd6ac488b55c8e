package automation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"webmcphub/automation/answer"
	"webmcphub/automation/decided"
	"webmcphub/automation/files"
	"webmcphub/automation/page"
	"webmcphub/automation/schema"
	"webmcphub/registry"
)

// Result is the answer to a call, and Image a picture in it.
type (
	Result = answer.Result
	Image  = answer.Image
)

// refused is why a client may do nothing with a page.
type refused struct{ error }

func says(format string, args ...any) *Result { return &Result{Text: fmt.Sprintf(format, args...)} }

// Request is one call that is being carried out.
type Request struct {
	Call
	tool    *Tool
	service *Service
	note    string  // comes before the answer's text
	opened  *opened // the page that the call means, once it is open
	// over is when the tool itself would end the call; zero is unknown.
	over time.Time
	// stranger says that no two calls can be told to be this client's: its ID is this
	// call's only.
	stranger bool
	// to is the address that the call goes to, or "". later says that it is found out
	// once the page is open, so that the call is judged then.
	to    string
	later bool
	// newest is the newest tab that there was when the call began.
	newest registry.TabID
	decided.Record
}

// judged says why the call may not be carried out in a tab, or without one (nil).
func (r *Request) judged(ctx context.Context, t *registry.Tab) error {
	if r.Judge == nil {
		return nil
	}
	if err := r.Judge(ctx, Deed{Tab: t, To: r.to}); err != nil {
		return refused{err}
	}
	if t != nil {
		r.At = t.Origin
	}
	return nil
}

// judgedIn says why the call may not act in a document, if that has another origin than was
// judged.
func (r *Request) judgedIn(ctx context.Context, p *opened, in page.FrameRef) error {
	if r.Judge == nil {
		return nil
	}
	return r.In(ctx, p.Page, in, r.judgedFor(p))
}

// judgedFor judges the call for other origins than that of the tab; nil allows all.
func (r *Request) judgedFor(p *opened) decided.Judge {
	if r.Judge == nil {
		return nil
	}
	return func(ctx context.Context, origin string) error {
		if err := r.Judge(ctx, Deed{Tab: r.Catalog(ctx).Tab(p.tab.id), Frame: origin}); err != nil {
			return refused{err}
		}
		return nil
	}
}

// reads notes whose words the call's result may have: those of all frames of the page
// that it used.
func (r *Request) reads() {
	if r.Reads == nil || r.opened == nil {
		return
	}
	origins := slices.Clone(r.Beside)
	for _, f := range r.opened.Frames() {
		if f.Permitted && !slices.Contains(origins, f.Origin) {
			origins = append(origins, f.Origin)
		}
	}
	r.Reads(origins)
}

// decode reads the arguments into a struct.
func (r *Request) decode(into any) error {
	if err := schema.Decode(r.Args, into); err != nil {
		return fmt.Errorf("nothing was done: %w", err)
	}
	return nil
}

// limit is how long the call may take: what its argument says, or the usual.
func (r *Request) limit(given schema.Milliseconds, usual time.Duration) time.Duration {
	limit := cmp.Or(time.Duration(given), usual)
	r.over = time.Now().Add(limit)
	return limit
}

// folders are those in which the client lets files be read and written.
func (r *Request) folders(ctx context.Context) files.Folders {
	if r.Roots == nil {
		return files.For(nil)
	}
	roots, err := r.Roots(ctx)
	if err != nil {
		r.service.log.Debug("the client tells no roots", "client", r.Name, "err", err)
	}
	return files.For(roots)
}

// target finds the tab that the call means, and says why nothing may be done there.
func (r *Request) target(ctx context.Context, id *int) (*registry.Tab, *tab, error) {
	found, err := r.service.find(&r.Client, id)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range r.Current().Tabs() {
		r.newest = max(r.newest, t.ID)
	}
	r.About(found)
	if r.service.forbidden(found) != "" {
		return nil, nil, refused{fmt.Errorf("nothing was done: page %d (%s) is kept out by the user's rules for sites (--allow-origin, --deny-origin)", found.ID, r.service.shown(found, 100))}
	}
	if kept := r.Refusal(found); kept != "" {
		return nil, nil, refused{errors.New(kept)}
	}
	t := r.service.tab(r.Current(), found.Page)
	if r.tool.Effect >= Acts || r.tool.Category == Input || r.tool.Category == Emulation {
		if err := r.anothers(found, t); err != nil {
			return nil, nil, refused{err}
		}
	}
	if !r.later {
		err = r.judged(ctx, found)
	}
	return found, t, err
}

// anothers says in the result, or with ExclusiveTabs by an error, that the call acts
// on the tab of another client.
func (r *Request) anothers(found *registry.Tab, t *tab) error {
	r.service.mu.Lock()
	owner := t.owner
	r.service.mu.Unlock()
	if owner.ID == "" || owner.ID == r.Client.ID {
		return nil
	}
	if r.service.options.ExclusiveTabs {
		return fmt.Errorf("%s was not called: page %d is another client's, %s, which opened or selected it (--exclusive-tabs). Open one of your own with new_page", r.tool.Name, found.ID, owner.Name)
	}
	r.notes(fmt.Sprintf("Note: page %d is used by another client, %s.", found.ID, owner.Name))
	return nil
}

// notes has something come before the answer's text.
func (r *Request) notes(text string) {
	if r.note != "" {
		r.note += "\n"
	}
	r.note += text
}

// page opens the page that the call means, if that isn't open yet.
func (r *Request) page(ctx context.Context, id *int) (*opened, error) {
	found, t, err := r.target(ctx, id)
	if err != nil {
		return nil, err
	}
	if !found.Connected() {
		return nil, fmt.Errorf("page %d (%s) is not connected: call connect_webmcp with page %d, its index there, first", found.ID, r.service.shown(found, 100), found.Index)
	}
	r.uses(t)
	p, err := t.open(ctx, r.service)
	if err != nil {
		return nil, fmt.Errorf("page %d: %w", found.ID, err)
	}
	r.opened = p
	if p.Woken() {
		p.wakes.Do(func() { r.wakes(ctx, p, found) })
	}
	return p, nil
}

// wakes waits for a page that Chrome had discarded, and is loaded again, and says so.
func (r *Request) wakes(ctx context.Context, p *opened, found *registry.Tab) {
	ctx, cancel := context.WithTimeout(ctx, loads)
	defer cancel()
	_ = p.WaitLoad(ctx, "", page.Loaded) // else the call finds it loading
	note := fmt.Sprintf("Note: Chrome had discarded page %d to save memory. It was loaded again for this call.", found.ID)
	main, there := p.Main()
	var width int
	if there && p.Evaluate(ctx, main.FrameRef, page.Isolated, "() => innerWidth", nil, &width) == nil && width == 0 {
		note += " Until it is shown it has no size, so it can be read and not operated: select_page with bringToFront shows it."
	}
	r.notes(note)
}

// discarded says where the call can go on if its tab wasn't closed, but discarded by Chrome: the
// tab is another one then, which came as the other went.
func (r *Request) discarded(ctx context.Context) string {
	main, there := r.opened.Main()
	if !there {
		return ""
	}
	var is *registry.Tab
	r.within(ctx, discardAppears, func(c *registry.Catalog) bool {
		at := slices.IndexFunc(c.Tabs(), func(t *registry.Tab) bool { return t.ID > r.newest && t.URL == main.URL })
		if at >= 0 {
			is = c.Tabs()[at]
		}
		return at >= 0
	})
	if is == nil {
		return ""
	}
	return fmt.Sprintf(" Or Chrome has discarded it to save memory: page %d came just then, and has its address. Select it to go on there; it is loaded when it is used.", is.ID)
}

// discardAppears is how long a discarded tab may take to be known anew.
const discardAppears = 200 * time.Millisecond
