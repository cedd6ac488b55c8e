package automation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"webmcphub/automation/input"
	"webmcphub/automation/page"
	"webmcphub/automation/snapshot"

	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// looks bounds the look at the page after an action, if the client didn't ask for a whole snapshot. The action is
// done, and its answer shouldn't wait for a busy page.
const looks = 3 * time.Second

// popupAppears is how long a tab that an action opened may take to appear in the catalog.
const popupAppears = 500 * time.Millisecond

// actionResult makes the answer to an action: what was done, what the action began, and what changed in the page, or a
// whole snapshot of the page.
func (r *Request) actionResult(ctx context.Context, p *opened, did string, out *input.Outcome, failure error,
	whole bool) (*Result, error) {
	var lines []string
	if failure == nil {
		failure = out.Undone()
	}
	if failure == nil {
		lines = append(lines, strings.TrimRight(did, ".")+".")
	}
	if out != nil {
		lines = append(lines, r.outcome(ctx, p, out)...)
	}
	held := out != nil && out.Dialog != nil
	if !held && ctx.Err() == nil && !errors.As(failure, new(*page.Ended)) && !errors.Is(failure, input.ErrBusy) {
		if after := r.after(ctx, p, whole); after != "" {
			lines = append(lines, after)
		}
	}
	result := &Result{Text: strings.Join(lines, "\n")}
	if failure != nil && result.Text == "" {
		return nil, failure
	}
	return result, failure
}

// outcome describes what an action began.
func (r *Request) outcome(ctx context.Context, p *opened, out *input.Outcome) (lines []string) {
	add := func(parts ...string) { lines = append(lines, strings.Join(parts, "")) }
	if out.Through != "" {
		add("It was pressed by its label, ", quoted(out.Through), ".")
	}
	if out.Value != "" {
		add("It holds ", quoted(out.Value), ".")
	}
	if out.Note != "" {
		add(registry.Sentence(out.Note))
	}
	if out.Pending > 0 {
		add("The page was still loading something then that the action began: ", strconv.Itoa(out.Pending),
			" of its requests had no answer. wait_for waits for what they bring.")
	}
	if d := out.Dialog; d != nil {
		r.asks = d.Number
		add("The page shows a dialog (", d.Kind, "): ", r.dialogText(ctx, *d), ". Answer it with handle_dialog; the "+
			"page waits for that.")
	}
	if n := out.Navigation; n != nil {
		add(led(n, p.rules.Shown("", n.URL, 200)))
	}
	for _, target := range out.Popups {
		add(r.popup(ctx, p.pageOf(target)))
	}
	if n := len(out.Downloads); n > 0 {
		begun := p.records.Downloads(r.judged.Hides(ctx))
		begun = begun[max(0, len(begun)-n):]
		add("A download began; list_network_requests says how far it is.\n", strings.TrimSpace(begun.Text()))
	}
	return lines
}

// led describes a navigation. shown is its address in the form that the answer may contain.
func led(n *input.Navigation, shown string) string {
	what := "The page"
	if n.Frame != "" {
		what = "A frame of the page"
	}
	switch {
	case shown != sanitize.Text(n.URL, 200):
		return what + " went to " + shown + ", which is " + names.ByRules + "."
	case n.Frame != "" || n.Ready && !n.Within:
		return what + " went to " + shown + "."
	case n.Within:
		return "The page's address is now " + shown + "."
	}
	return "The page is going to " + shown + ", and is not there yet."
}

// popup describes a tab that the page opened. The tab belongs to the client, as if the client had opened it.
func (r *Request) popup(ctx context.Context, id registry.PageID) string {
	now := r.within(ctx, popupAppears, func(c *registry.Catalog) bool { return c.Tab(id) != nil })
	if now == nil {
		return "The page opened a window, which list_pages will show."
	}
	r.claim(ctx, r.service.tab(r.Current, id))
	t := now.Tab(id)
	return "The page opened page " + strconv.Itoa(int(t.ID)) + ": " + cmp.Or(r.service.shown(t, 200), "still loading")
}

// after describes what has changed in the page since the client saw it last, or the whole page.
func (r *Request) after(ctx context.Context, p *opened, whole bool) string {
	var s *snapshot.Snapshot
	var err error
	if whole {
		s, err = p.tab.seen.Take(ctx, p.Page, snapshot.Options{Client: r.Client.ID})
	} else {
		ctx, cancel := context.WithTimeoutCause(ctx, looks, errors.New("the page doesn't answer, as a script of it "+
			"may be running"))
		defer cancel()
		s, err = p.tab.seen.Changes(ctx, p.Page, r.Client.ID)
	}
	switch {
	case err != nil:
		return registry.Sentence(r.sayable(ctx, err).Error())
	case s.Text == "" || whole:
		return s.Text
	}
	return "What changed:\n" + s.Text
}

// sayable removes the text of a dialog from an error if the answer may not contain it.
func (r *Request) sayable(ctx context.Context, err error) error {
	if held := new(*page.DialogOpen); errors.As(err, held) {
		if why := r.judged.SeesDialog(ctx, (*held).Dialog); why != nil {
			return fmt.Errorf("a dialog is open in the page: %w", why)
		}
	}
	return err
}

// quoted returns sanitized text of the page in quotes, which distinguish it from the hub's own words.
func quoted(text string) string { return strconv.Quote(sanitize.Text(text, 300)) }
