package trust

import (
	"context"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/trust/approvals"
)

// OpenQuestion notes that somebody other than the guard asks a client's user about a tab, until CloseQuestion is
// called. As with the guard's own questions, the client can do nothing else in the tab meanwhile. If too many
// questions are open, OpenQuestion waits for the question's turn. why says why nobody can be asked now. It is "" if
// the question was opened, or if ctx ended while it waited.
func (g *Guard) OpenQuestion(ctx context.Context, id string, who calls.Who, page registry.PageID) (why string) {
	d := calls.Action{Who: who}
	d.Document.Page = page
	_, why = g.asking.openInTurn(ctx, id, d, approvals.Binding{Session: who.Session, Client: who.Client})
	return why
}

// PinsAnswered reports a user's answer about a site's changed definitions.
func (g *Guard) PinsAnswered(who calls.Who, origin, tool string, accepted bool, why string) {
	d := calls.Action{Who: who, Where: calls.Where{Origin: origin}, What: calls.What{Kind: calls.PageTool, Name: tool}}
	verdict := Refuse
	if accepted {
		verdict = Allow
	}
	g.decided(Decision{d, "pin", verdict, why})
}

// CloseQuestion ends a question that OpenQuestion opened.
func (g *Guard) CloseQuestion(id string, who calls.Who) {
	g.asking.close(id, approvals.Binding{Session: who.Session, Client: who.Client})
}

// Answers keeps those answers of people that hold until a time, and permissions, for later hubs. Any goroutine may
// call its methods.
type Answers interface {
	// Kept returns the answers given at earlier hubs that still hold.
	Kept() []approvals.Lasting
	// Keep keeps one more answer. It must not block.
	Keep(l approvals.Lasting)
	// Remove forgets an answer. It must not block.
	Remove(l approvals.Lasting)
	// Follow calls revoked with the answers that a person has taken back since the answers of Kept were read, and with
	// those that a person takes back later. Any goroutine may call revoked.
	Follow(revoked func(all []approvals.Lasting))
}
