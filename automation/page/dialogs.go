package page

import (
	"cmp"
	"context"
	"fmt"

	"webmcphub/cdpclient"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// maxDialogText bounds what is kept of a dialog's texts, in bytes.
const maxDialogText = 2000

// Dialog is an alert, confirm, prompt or beforeunload that the page shows. Its texts
// are the page's, made fit to read.
type Dialog struct {
	Kind    string // "alert", "confirm", "prompt", "beforeunload"
	Message string
	Default string // what a prompt offers
	URL     string // of the document that opened it
	Frame   string // the frame that did; "" if that isn't known
	Number  int    // counts the page's dialogs
	// KeptOut is the origin of the document that opened it if [Options].Permits keeps that out,
	// and "" else: its texts are left out then.
	KeptOut string
	// During says that somebody's action was doing something in the page when it opened (see
	// [Page.ActBegins]), so that it may be the action's. That client is told of it.
	During bool
}

// String is what it says, for errors.
func (d Dialog) String() string {
	if d.KeptOut != "" {
		return d.Kind + " of " + d.KeptOut + ", which is kept out by the user's rules for sites (--allow-origin, " +
			"--deny-origin, --browsers)"
	}
	return fmt.Sprintf("%s %q", d.Kind, d.Message)
}

// EarlierDialog is one that opened before the page's sessions were there; see
// [Options.Earlier].
type EarlierDialog struct {
	Dialog
	Session cdpclient.SessionID // that can answer it
}

// dialogs is the page's open dialog: Chrome shows one at a time.
type dialogs struct {
	open     *Dialog             // not changed any more; nil for none
	answerer cdpclient.SessionID // that can answer it
	seen     int
	// acting and answering count the actions that are doing something now, and those who answer
	// dialogs by [Page.AnswerDialogs].
	acting, answering int
}

// earlierDialog notes one that others know of, unless the page has answered meanwhile.
func (o *owner) earlierDialog(d EarlierDialog) {
	if o.open != nil || o.mainReady() {
		return
	}
	o.dialogIs(d.Dialog, d.Session)
}

// dialogIs notes the dialog that is open now.
func (o *owner) dialogIs(d Dialog, answerer cdpclient.SessionID) {
	o.seen++
	d.Number, d.During = o.seen, o.acting > 0
	if d.KeptOut = o.whoseDialog(d); d.KeptOut != "" {
		d.Message, d.Default, d.URL = "", "", ""
	}
	o.open, o.answerer, o.dirty = &d, answerer, true
	o.each(func(h *Happened) { add(&h.Dialogs, d) })
}

// whoseDialog is the origin of the document that opened a dialog if that is kept out, else "".
func (o *owner) whoseDialog(d Dialog) string {
	origin := names.DocumentOrigin("", d.URL)
	if f := o.frames[d.Frame]; f != nil && f.session != nil &&
		(names.ParseAddress(origin) == names.Origin{} || !o.permits(o.origin(f))) {
		origin = o.origin(f)
	}
	if o.permits(origin) {
		return ""
	}
	return sanitize.Text(cmp.Or(origin, names.OpaqueOrigin), 200)
}

// Dialog is the dialog that is open in the page, if one is.
func (p *Page) Dialog() (Dialog, bool) {
	if d := p.view.Load().dialog; d != nil {
		return *d, true
	}
	return Dialog{}, false
}

// dialogOpening comes on the tab's own session, for dialogs of out-of-process iframes
// too, and that session alone can answer it.
func (o *owner) dialogOpening(e cdpclient.JavascriptDialogOpening) {
	o.dialogIs(Dialog{
		Kind: sanitize.Text(e.Type, 20), Message: sanitize.Text(e.Message, maxDialogText),
		Default: sanitize.Text(e.DefaultPrompt, maxDialogText),
		URL:     sanitize.Text(e.URL, maxDialogText), Frame: e.FrameID,
	}, o.tab.id)
	o.publish()
	if o.opt.Answered {
		return
	}
	for c := range o.calls {
		if !c.despite {
			delete(o.calls, c)
			c.answer <- answer{err: &DialogOpen{Dialog: *o.open, Opened: true}}
		}
	}
}

func (o *owner) dialogClosed() {
	o.open = nil
	o.dirty = true
}

// HandleDialog answers the page's open dialog of a number, 0 for whichever is open, and
// returns when it has closed. [ErrNoDialog] says that there is none, or that it was answered
// by somebody else, as the user, just now; [ErrOtherDialog], with the one that is open, that
// it was and another is open. prompt is what a prompt gets.
func (p *Page) HandleDialog(ctx context.Context, number int, accept bool, prompt string) (Dialog, error) {
	var d Dialog
	var by cdpclient.SessionID
	err := p.await(ctx, func(o *owner) (bool, error) {
		if o.open == nil {
			return true, ErrNoDialog
		}
		d, by = *o.open, o.answerer
		if number != 0 && number != d.Number {
			return true, ErrOtherDialog
		}
		return true, nil
	})
	if err != nil {
		return d, err
	}
	params := cdpclient.HandleJavaScriptDialogParams{Accept: accept, PromptText: prompt}
	err = p.conn.Call(ctx, by, cdpclient.PageHandleJavaScriptDialog, params, nil)
	switch {
	case p.Err() != nil:
		return d, p.Err()
	case chromeError(err) != nil: // somebody else was quicker
		p.ask(func(o *owner) {
			if o.open != nil && o.open.Number == d.Number {
				o.dialogClosed()
			}
		})
		return d, ErrNoDialog
	case err != nil:
		return d, fmt.Errorf("answer the dialog: %w", err)
	}
	return d, p.await(ctx, func(o *owner) (bool, error) { return o.open == nil || o.open.Number != d.Number, nil })
}
