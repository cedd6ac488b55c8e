package page

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// Destination says where [Navigate] goes, and how.
type Destination struct {
	Type                string // "url", "back", "forward", "reload"
	By                  int    // steps in the history, for back and forward
	URL                 string // the address to which it leads; not for reload
	IgnoreCache         bool   // for reload
	DismissBeforeUnload bool   // the answer if the page asks whether the user wants to leave it
	InitScript          string // runs in new documents before their own scripts
	Within              bool   // InitScript runs only at the site to which the navigation goes
}

// Navigate makes a page load another document, or the same one again, and returns when the document has loaded or ctx
// ends. note is for the agent; it may be empty.
func Navigate(ctx context.Context, p *Page, to Destination) (note string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.freeToLeave(ctx)
	only := ""
	if to.InitScript != "" {
		source, origin := to.within(p)
		if to.Within && names.ParseAddress(origin) == (names.Origin{}) {
			note = "Note: initScript did not run. While the user has rules for sites, or the live page of the hub, " +
				"it runs only at the site that it was given for, and this address is of none."
		} else {
			remove, err := p.InitScript(ctx, source)
			if err != nil {
				return "", fmt.Errorf("initScript was not taken: %w", err)
			}
			defer remove()
			only = origin
		}
	}
	p.AwaitScriptRemovals(ctx)
	watch := p.Watch()
	defer watch.Close()
	answered := make(chan error, 1)
	go func() { answered <- answerBeforeUnload(ctx, p, watch, !to.DismissBeforeUnload) }()
	err = load(ctx, p, watch, to)
	if err != nil && ctx.Err() != nil {
		watch.StopHanging()
	}
	cancel()
	switch stayed := <-answered; {
	case stayed != nil && err != nil:
		err = stayed
	case err != nil && len(watch.Seen().Downloads) > 0:
		err = fmt.Errorf("the address leads to a download, %q, and to no page",
			sanitize.Text(watch.Seen().Downloads[0], 100))
	}
	if main, there := p.Main(); err == nil && there && only != "" &&
		names.ParseAddress(main.Origin) != names.ParseAddress(only) {
		note = "Note: initScript did not run, as the address led to another site. While the user has rules for " +
			"sites, or the live page of the hub, it runs only at the site that it was given for, " +
			sanitize.Text(only, 200) + "."
	}
	return note, err
}

// load starts a navigation and waits for its document. Meanwhile another goroutine answers the question whether to
// leave the page; see answerBeforeUnload.
func load(ctx context.Context, p *Page, watch *Watch, to Destination) error {
	despite := DespiteDialog(ctx)
	switch to.Type {
	case "reload":
		if err := p.Call(despite, "", cdpclient.PageReload, map[string]any{"ignoreCache": to.IgnoreCache},
			nil); err != nil {
			return err
		}
		return arrived(ctx, p, watch, nil)
	case "back", "forward":
		return goBack(ctx, p, watch, to)
	}
	var begun cdpclient.NavigateResult
	if err := p.Call(despite, "", cdpclient.PageNavigate, map[string]any{"url": to.URL}, &begun); err != nil {
		return err
	}
	switch {
	case begun.ErrorText != "":
		return fmt.Errorf("the page at %s was not loaded: %s. Check the address, or try again",
			sanitize.Text(to.URL, 200), sanitize.Text(begun.ErrorText, 100))
	case begun.LoaderID == "": // the page stays in the same document
		_, err := mainNavigation(ctx, p, watch, func(n Navigation) bool { return n.Within || n.Committed })
		return err
	}
	return p.WaitLoad(ctx, begun.LoaderID, Loaded)
}

// arrived waits until a navigation of the main frame has brought its document. A navigation to a document that comes
// back from the back/forward cache looks as if it had failed, because that document replaces the one that was being
// loaded. moved, if not nil, says whether that is the case.
func arrived(ctx context.Context, p *Page, watch *Watch, moved func() bool) error {
	n, err := mainNavigation(ctx, p, watch, func(n Navigation) bool { return n.Committed || n.Over() })
	if err == nil && n.Failed != "" && !n.Committed && moved != nil && moved() {
		n, err = mainNavigation(ctx, p, watch, func(n Navigation) bool { return n.Committed })
	}
	switch {
	case err != nil:
		return err
	case n.Failed != "" && !n.Committed:
		return &NotLoaded{Why: n.Failed}
	}
	return p.WaitLoad(ctx, "", Loaded)
}

// mainNavigation waits until far returns true for a navigation of the main frame. If a dialog blocks the page, the
// error is a [*DialogOpen].
func mainNavigation(ctx context.Context, p *Page, watch *Watch,
	far func(Navigation) bool) (found Navigation, err error) {
	var holds *DialogOpen
	err = watch.Wait(ctx, func(h Happened) bool {
		if d, open := p.Dialog(); open && d.Kind != beforeUnload {
			holds = &DialogOpen{Dialog: d, Opened: true}
			return true
		}
		i := slices.IndexFunc(h.Navigations, func(n Navigation) bool { return n.Main && far(n) })
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

// within returns the source of the init script, and the only origin at which the script runs, or "" if it runs at all
// origins. If the user's rules keep sites out or decide about calls, the script runs only in documents of the site to
// which the navigation goes. Chrome alone would also run it in frames of other sites, and at the site to which the
// address redirects.
func (to Destination) within(p *Page) (source, only string) {
	if !to.Within {
		return to.InitScript, ""
	}
	address := to.URL
	if main, there := p.Main(); there && to.Type == "reload" {
		address = main.URL
	}
	// A throw before the script's first statement keeps all of it from running. The script can't redefine location,
	// whatever it declares.
	only = names.DocumentOrigin("", address)
	return fmt.Sprintf("if (location.origin !== new URL(%s).origin) throw 'WebMCP Hub: initScript is left out, as "+
		"this is another site';\n%s", sanitize.Encode(only), to.InitScript), only
}

// goBack goes back or forward in the page's history.
func goBack(ctx context.Context, p *Page, watch *Watch, to Destination) error {
	entry, err := p.Entry(ctx, to.By)
	switch {
	case err != nil:
		return err
	case entry.URL != to.URL:
		return fmt.Errorf("nothing was done: the page's history has changed, and would not lead to %s any more",
			sanitize.Text(to.URL, 100))
	}
	if err := p.Call(DespiteDialog(ctx), "", cdpclient.PageNavigateToHistoryEntry, map[string]any{"entryId": entry.ID},
		nil); err != nil {
		return err
	}
	return arrived(ctx, p, watch, func() bool { return p.Shows(ctx, entry) })
}

// beforeUnload is the kind of the dialog with which a page asks whether the user wants to leave it.
const beforeUnload = "beforeunload"

var errStays = errors.New("the page asked whether to be left, and handleBeforeUnload told to stay")

// answerBeforeUnload waits until ctx ends for the question whether to leave the page, and answers it.
func answerBeforeUnload(ctx context.Context, p *Page, w *Watch, leave bool) error {
	var dialog Dialog
	asks := func(h Happened) bool {
		at := slices.IndexFunc(h.Dialogs, func(d Dialog) bool { return d.Kind == beforeUnload })
		if at >= 0 {
			dialog = h.Dialogs[at]
		}
		return at >= 0
	}
	if w.Wait(ctx, asks) != nil {
		return nil
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second) // even if ctx has ended
	defer cancel()
	if _, err := p.HandleDialog(last, dialog.Number, leave, ""); err != nil || leave {
		return nil // on an error somebody else has answered
	}
	return errStays
}

// LedKeptOut returns the error for a page that has gone to an origin that the rules keep out.
func LedKeptOut(origin string) error {
	return fmt.Errorf("the page led to %s, which is %s. Nothing can be done there; navigate_page with another url "+
		"leads away", origin, names.ByRules)
}
