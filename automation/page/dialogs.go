package page

import (
	"cmp"
	"context"
	"fmt"

	"webmcphub/cdpclient"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// maxDialogText bounds each text of a dialog, in bytes.
const maxDialogText = 2000

// Dialog is an alert, confirm, prompt or beforeunload dialog that the page shows. Its texts come from the page; they
// are sanitized.
type Dialog struct {
	Kind    string // "alert", "confirm", "prompt", "beforeunload"
	Message string
	Default string // the default text of a prompt
	URL     string // the address of the document that opened it
	Frame   string // the id of the frame that opened it; "" if that isn't known
	Number  int    // numbers the page's dialogs
	// KeptOut is the origin of the document that opened the dialog, if [Options].Permits doesn't permit that origin;
	// the dialog's texts and address are then left out. Otherwise KeptOut is "".
	KeptOut string
	// During says that an action was doing something in the page when the dialog opened (see [Page.ActBegins]), so
	// the action may have opened it. The answer to that action describes the dialog.
	During bool
}

// String returns a short description for errors.
func (d Dialog) String() string {
	if d.KeptOut != "" {
		return d.Kind + " of " + d.KeptOut + ", which is " + names.ByRules
	}
	return fmt.Sprintf("%s %q", d.Kind, d.Message)
}

// dialogs holds the page's open dialog. Chrome shows one dialog at a time.
type dialogs struct {
	open     *Dialog             // immutable; nil if no dialog is open
	answerer cdpclient.SessionID // the session that can answer it
	seen     int
	// acting counts the actions that are doing something in the page now. answering counts the calls of
	// [Page.AnswerDialogs] that are running.
	acting, answering int
}

// earlierDialog records a dialog that another session knows of, unless the page has answered meanwhile.
func (o *owner) earlierDialog(d cdpclient.OpenDialog) {
	if o.open != nil || o.mainReady() {
		return
	}
	o.dialogIs(Dialog{Kind: d.Kind, Message: d.Message, Default: d.Default, URL: d.URL, Frame: d.Frame}, d.Session)
}

// dialogIs records the dialog that is open now.
func (o *owner) dialogIs(d Dialog, answerer cdpclient.SessionID) {
	o.seen++
	d.Number, d.During = o.seen, o.acting > 0
	if d.KeptOut = o.whoseDialog(d); d.KeptOut != "" {
		d.Message, d.Default, d.URL = "", "", ""
	}
	o.open, o.answerer, o.dirty = &d, answerer, true
	o.each(func(h *Happened) { add(&h.Dialogs, d) })
}

// whoseDialog returns the origin of the document that opened a dialog if that origin is kept out, or else "".
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

// Dialog returns the dialog that is open in the page, and whether one is open.
func (p *Page) Dialog() (Dialog, bool) {
	if d := p.view.Load().dialog; d != nil {
		return *d, true
	}
	return Dialog{}, false
}

// dialogOpening handles Page.javascriptDialogOpening. Chrome sends it on the tab's own session, also for dialogs of
// out-of-process iframes, and only that session can answer the dialog.
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

// HandleDialog answers the open dialog that has the given number (0 means any) and returns when the dialog has
// closed. prompt is the text for a prompt dialog. The error [ErrNoDialog] says that no dialog is open, or that
// somebody else, such as the user, has just answered it. The error [ErrOtherDialog] says that another dialog is open
// now; HandleDialog returns that one.
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
