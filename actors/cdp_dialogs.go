package actors

import (
	"fmt"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// An alert, confirm or prompt blocks the process of the frame that opened it, and
// so all calls there. By the policy for dialogs it is answered here at once; or it is
// left to who sees the browser. Then the page's state says so, a call that comes
// meanwhile is told so at once, and the one that opened it when its time is up.

// openDialog is one that waits for the user.
type openDialog struct {
	session cdpclient.SessionID // of the frame that opened it
	text    string              // its kind and message
}

// dialogOpening comes on the page's own session, also for a dialog of an
// out-of-process iframe, and that session alone can answer it.
func (p *cdpLink) dialogOpening(s cdpclient.SessionID, e cdpclient.JavascriptDialogOpening) {
	kind, message := sanitize.Text(e.Type, 20), sanitize.Text(e.Message, 200)
	if policy := p.Env().Dialogs; policy == tab.DismissDialogs || policy == tab.AcceptDialogs {
		// An alert has one button only, and a page that wants to leave may.
		answer := cdpclient.HandleJavaScriptDialogParams{Accept: policy == tab.AcceptDialogs || e.Type == "alert" || e.Type == "beforeunload"}
		if answer.Accept && e.Type == "prompt" {
			answer.PromptText = e.DefaultPrompt
		}
		if unsaid, ok := p.noise.Allow(); ok {
			p.Log.Info("a dialog of the page was answered", "type", kind, "accepted", answer.Accept, "message", message, "unsaid", unsaid)
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

func (p *cdpLink) dialogClosed(cdpclient.SessionID, struct{}) { p.dialogIs(nil) }

// dialogIs takes note of the page's open dialog, nil for none.
func (p *cdpLink) dialogIs(d *openDialog) {
	if d == p.open {
		return
	}
	p.open, p.Doc.Dialog = d, ""
	hurdle := ""
	if d != nil {
		p.Doc.Dialog, hurdle = "dialog open: "+d.text, "a dialog is open in the page: "+d.text
	}
	p.Hurdle(hurdle)
	p.ReportSoon()
}

// behindDialog says which dialog keeps a frame from running anything, "" if
// none does.
func (p *cdpLink) behindDialog(f *frame) string {
	if p.open == nil || p.open.session != f.session {
		return ""
	}
	return p.open.text
}
