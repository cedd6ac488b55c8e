package cdp

import (
	"fmt"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// An alert, confirm or prompt blocks the process of the frame that opened it, and so all calls there. If the policy
// for dialogs says so, the link answers the dialog at once. Otherwise the user has to answer it. Until then, the
// page's state mentions the dialog, and a call to the page is refused at once with the reason. The call that opened
// the dialog gets that reason when its time is up.

// maxDialogText bounds each text of a dialog, in bytes.
const maxDialogText = 2000

// openDialog is a dialog that waits for the user.
type openDialog struct {
	session cdpclient.SessionID // the session of the frame that opened it
	text    string              // the dialog's kind and message
	cdpclient.OpenDialog
}

// dialogOpening comes on the page's own session, also for a dialog of an out-of-process iframe. Only that session can
// answer the dialog.
func (p *Link) dialogOpening(s cdpclient.SessionID, e cdpclient.JavascriptDialogOpening) {
	kind, message := sanitize.Text(e.Type, 20), sanitize.Text(e.Message, 200)
	if policy := p.Env().Dialogs; policy == tab.DismissDialogs || policy == tab.AcceptDialogs {
		// An alert has one button only, and a page that asks whether to be left may be left.
		answer := cdpclient.HandleJavaScriptDialogParams{Accept: policy == tab.AcceptDialogs || e.Type == "alert" ||
			e.Type == "beforeunload"}
		if answer.Accept && e.Type == "prompt" {
			answer.PromptText = e.DefaultPrompt
		}
		if unsaid, ok := p.logLimits.dialogs.Allow(); ok {
			p.Log.Info("a dialog of the page was answered", "type", kind, "accepted", answer.Accept, "message", message,
				"unsaid", unsaid)
		}
		p.conn.Post(s, cdpclient.PageHandleJavaScriptDialog, answer, nil)
		return
	}
	d := &openDialog{session: s, text: fmt.Sprintf("%s %q", kind, message), OpenDialog: cdpclient.OpenDialog{
		Kind: kind, Message: sanitize.Text(e.Message, maxDialogText),
		Default: sanitize.Text(e.DefaultPrompt, maxDialogText),
		URL:     sanitize.Text(e.URL, maxDialogText), Frame: e.FrameID, Session: s,
	}}
	f := p.frames[registry.FrameID(e.FrameID)]
	if f != nil {
		d.session = f.session
	}
	named := f == nil || names.DocumentOrigin("", e.URL) != "" // otherwise only the frame says whose dialog it is
	if f != nil && p.barred(f, f.origin) || named && p.Env().Origins.Refuses("", e.URL, false) {
		d.text, d.Message, d.Default = kind+" of a site that the user's rules keep out", "", ""
	}
	p.dialogIs(d)
}

func (p *Link) dialogClosed(cdpclient.SessionID, struct{}) { p.dialogIs(nil) }

// dialogIs sets the page's open dialog; nil means none.
func (p *Link) dialogIs(d *openDialog) {
	if d == p.open {
		return
	}
	p.open, p.Doc.Dialog = d, ""
	hurdle := ""
	if d != nil {
		p.Doc.Dialog, hurdle = "dialog open: "+d.text, "a dialog is open in the page: "+d.text
	}
	p.SetHurdle(hurdle)
	p.ReportSoon()
}

// behindDialog returns the text of the dialog that keeps a frame from running anything, or "" if there is none.
func (p *Link) behindDialog(f *frame) string {
	if p.open == nil || p.open.session != f.session {
		return ""
	}
	return p.open.text
}

// FindDialog asks a tab's link for the dialog that is open in the tab. Give is called with nil if the link knows of
// none. It may be called from any goroutine and must not block.
type FindDialog struct{ Give func(*cdpclient.OpenDialog) }

// Decline answers that the link knows of no dialog.
func (m FindDialog) Decline(string) { m.Give(nil) }

func (p *Link) findDialog(m FindDialog) {
	if p.open == nil {
		m.Give(nil)
		return
	}
	d := p.open.OpenDialog
	m.Give(&d)
}
