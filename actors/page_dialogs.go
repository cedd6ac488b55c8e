package actors

import (
	"fmt"

	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// An alert, confirm or prompt blocks the process of the frame that opened it, and
// so all calls there. By Options.Dialogs it is answered here at once; or it is
// left to who sees the browser. Then the page's state says so, a call that comes
// meanwhile is told so at once, and the one that opened it when its time is up.

// DialogPolicy says what becomes of the dialogs that pages open.
type DialogPolicy string

// The policies. ReportDialogs is that of "" too.
const (
	ReportDialogs  DialogPolicy = "report"  // left to the user
	DismissDialogs DialogPolicy = "dismiss" // confirm and prompt are cancelled
	AcceptDialogs  DialogPolicy = "accept"  // prompt gets the text that the page proposes
)

// openDialog is one that waits for the user.
type openDialog struct {
	session cdpclient.SessionID // of the frame that opened it
	text    string              // its kind and message
}

// dialogOpening comes on the page's own session, also for a dialog of an
// out-of-process iframe, and that session alone can answer it.
func (p *pageActor) dialogOpening(s cdpclient.SessionID, e cdpclient.JavascriptDialogOpening) {
	kind, message := sanitize.Text(e.Type, 20), sanitize.Text(e.Message, 200)
	if policy := p.hub.options.Dialogs; policy == DismissDialogs || policy == AcceptDialogs {
		// An alert has one button only, and a page that wants to leave may.
		answer := cdpclient.HandleJavaScriptDialogParams{Accept: policy == AcceptDialogs || e.Type == "alert" || e.Type == "beforeunload"}
		if answer.Accept && e.Type == "prompt" {
			answer.PromptText = e.DefaultPrompt
		}
		if unsaid, ok := p.noise.Allow(); ok {
			p.log.Info("a dialog of the page was answered", "type", kind, "accepted", answer.Accept, "message", message, "unsaid", unsaid)
		}
		p.conn.Post(s, cdpclient.PageHandleJavaScriptDialog, answer, nil)
		return
	}
	d := &openDialog{session: s, text: fmt.Sprintf("%s %q", kind, message)}
	if f := p.frames[registry.FrameID(e.FrameID)]; f != nil {
		d.session = f.session
	}
	p.dialogIs(d)
}

func (p *pageActor) dialogClosed(cdpclient.SessionID, struct{}) { p.dialogIs(nil) }

// dialogIs takes note of the page's open dialog, nil for none.
func (p *pageActor) dialogIs(d *openDialog) {
	if d == p.open {
		return
	}
	p.open, p.dialog = d, ""
	p.ref.dialog.Store(nil)
	if d != nil {
		p.dialog = "dialog open: " + d.text
		text := "a dialog is open in the page: " + d.text
		p.ref.dialog.Store(&text)
	}
	p.reportSoon()
}

// behindDialog says which dialog keeps a frame from running anything, "" if
// none does.
func (p *pageActor) behindDialog(f *frame) string {
	if p.open == nil || p.open.session != f.session {
		return ""
	}
	return p.open.text
}
