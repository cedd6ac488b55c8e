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

// To is where to go, and how.
type Destination struct {
	Type        string // "url", "back", "forward", "reload"
	By          int    // steps in the history, of back and forward
	URL         string // where it leads; not of reload
	IgnoreCache bool   // on reload
	Stay        bool   // if the page asks whether to be left
	InitScript  string // run in new documents before their own scripts
	Within      bool   // the script runs only at the site that the navigation is to
}

// Go has a page load another document, or the same again, and returns when that is there with
// all that it shows, or ctx ends. The note, if not empty, is for whoever asked.
func Navigate(ctx context.Context, p *Page, to Destination) (note string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
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
	p.Tidied(ctx)
	watch := p.Watch()
	defer watch.Close()
	answered := make(chan error, 1)
	go func() { answered <- answerBeforeUnload(ctx, p, watch, !to.Stay) }()
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
			sanitize.Text(watch.Seen().Downloads[0].Name, 100))
	}
	if main, there := p.Main(); err == nil && there && only != "" &&
		names.ParseAddress(main.Origin) != names.ParseAddress(only) {
		note = "Note: initScript did not run, as the address led to another site. While the user has rules for " +
			"sites, or the live page of the hub, it runs only at the site that it was given for, " +
			sanitize.Text(only, 200) + "."
	}
	return note, err
}

// load starts a navigation and waits for its document. Whether the page is left, if it
// asks, is answered beside this.
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
	case begun.LoaderID == "": // in the same document
		_, err := mainNavigation(ctx, p, watch, func(n Navigation) bool { return n.Within || n.Committed })
		return err
	}
	return p.WaitLoad(ctx, begun.LoaderID, Loaded)
}

// arrived waits until a navigation of the main frame that was begun has brought its
// document. moved, if not nil, says whether one that seems to have failed has not: a
// document that comes back from the cache takes the place of the one that was begun.
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

// mainNavigation waits until one of the main frame has come so far, or a dialog holds the
// page up.
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

// within is the source of the script, and the only origin where it runs, "" for all. Where the
// user's rules keep sites out, or decide about calls, it runs only in documents of the site
// that the navigation is to: Chrome runs it in frames of other sites, too, and where the
// address redirects to.
func (to Destination) within(p *Page) (source, only string) {
	if !to.Within {
		return to.InitScript, ""
	}
	address := to.URL
	if main, there := p.Main(); there && to.Type == "reload" {
		address = main.URL
	}
	// A throw before its first statement keeps all of a script from running, and location
	// can't be redefined, whatever the script declares.
	only = names.DocumentOrigin("", address)
	return fmt.Sprintf("if (location.origin !== new URL(%s).origin) throw 'WebMCP Hub: initScript is left out, as "+
		"this is another site';\n%s", sanitize.Encode(only), to.InitScript), only
}

// back goes back or forward in the page's history.
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

// beforeUnload is the kind of the dialog that asks whether to leave a page.
const beforeUnload = "beforeunload"

var errStays = errors.New("the page asked whether to be left, and handleBeforeUnload told to stay")

// answerBeforeUnload answers the question whether to leave the page, until ctx ends.
func answerBeforeUnload(ctx context.Context, p *Page, w *Watch, leave bool) error {
	var asked Dialog
	asks := func(h Happened) bool {
		at := slices.IndexFunc(h.Dialogs, func(d Dialog) bool { return d.Kind == beforeUnload })
		if at >= 0 {
			asked = h.Dialogs[at]
		}
		return at >= 0
	}
	if w.Wait(ctx, asks) != nil {
		return nil
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second) // though ctx has ended
	defer cancel()
	if _, err := p.HandleDialog(last, asked.Number, leave, ""); err != nil || leave {
		return nil // if it failed, somebody else has answered
	}
	return errStays
}

// LedOut says that a page has come to an origin that the rules keep out.
func LedKeptOut(origin string) error {
	return fmt.Errorf("the page led to %s, which is kept out by the user's rules for sites (--allow-origin, "+
		"--deny-origin, --browsers). Nothing can be done there; navigate_page with another url leads away", origin)
}
