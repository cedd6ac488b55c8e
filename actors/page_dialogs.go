package actors

import (
	"fmt"

	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// An alert, confirm or prompt blocks the page, and so the call that opened it.
// Where nobody can see it, it is answered here; where somebody can, a call that
// times out says that it waits for them.

func (p *pageActor) dialogOpening(s cdpclient.SessionID, e cdpclient.JavascriptDialogOpening) {
	message := registry.CleanText(e.Message, 200)
	if !p.hub.options.AnswerDialogs || len(p.calls) == 0 && e.Type != "beforeunload" {
		open := fmt.Sprintf("a dialog is open in the page: %s %q", registry.CleanText(e.Type, 20), message)
		p.ref.dialog.Store(&open)
		return
	}
	accept := e.Type == "alert" || e.Type == "beforeunload"
	p.log.Info("a dialog of the page was answered", "type", e.Type, "accepted", accept, "message", message)
	p.conn.Post(s, cdpclient.PageHandleJavaScriptDialog, cdpclient.HandleJavaScriptDialogParams{Accept: accept}, nil)
}

func (p *pageActor) dialogClosed(cdpclient.SessionID, struct{}) { p.ref.dialog.Store(nil) }
