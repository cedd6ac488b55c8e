package trust

import (
	"context"
	"time"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/trust/approvals"
)

// OpenQuestion notes that a client's user is asked something about a tab by somebody else
// than the guard, until CloseQuestion: as for the guard's own questions, the client can do
// nothing else there meanwhile. lasts, if not zero, is after how long it ends. Where the
// client's user is asked as much as may be already, it waits for its turn. A text says why
// nobody can be asked now.
func (g *Guard) OpenQuestion(ctx context.Context, id string, who calls.Who, page registry.PageID,
	lasts time.Duration) (why string) {
	d := calls.Action{Who: who}
	d.Document.Page = page
	_, why = g.asking.openInTurn(ctx, id, d, approvals.Binding{Session: who.Session, Client: who.Client}, lasts)
	return why
}

// PinsAnswered reports what a client's user has said of what a site has changed.
func (g *Guard) PinsAnswered(who calls.Who, origin, tool string, accepted bool, why string) {
	d := calls.Action{Who: who, Where: calls.Where{Origin: origin}, What: calls.What{Kind: calls.PageTool, Name: tool}}
	verdict := Refuse
	if accepted {
		verdict = Allow
	}
	g.decided(Decision{d, "pin", verdict, why})
}

// CloseQuestion ends it.
func (g *Guard) CloseQuestion(id string, who calls.Who) {
	g.asking.close(id, approvals.Binding{Session: who.Session, Client: who.Client})
}

// Answers keeps people's answers that hold until a time, for the hubs to come. Any goroutine
// may call its methods.
type Answers interface {
	// Kept are those of the hubs before that hold still.
	Kept() []approvals.Lasting
	// Keep keeps one more. It must not block.
	Keep(l approvals.Lasting)
	// Follow has revoked called with what a person takes back, or has since Kept was read, by
	// any goroutine.
	Follow(revoked func(all []approvals.Lasting))
}
