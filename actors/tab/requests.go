package tab

import (
	"context"
	"encoding/json"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// refusedRequest is the error for a page that may not use the agent.
const refusedRequest = "the user does not let this site use the agent"

// AskAgent carries out what a page asks of the agent, by Policy.PageRequests, which must not be nil. It refuses
// requests of documents if Origins doesn't permit the document's own origin or its page's. A document without an
// origin is refused too: it may be a denied site's document in a sandbox, and a request doesn't have the document's
// address. Any goroutine may call AskAgent.
func (e *Env) AskAgent(ctx context.Context, r offer.PageRequest) (json.RawMessage, error) {
	if !e.Origins.PermitsOrigin(r.Origin) || !e.Origins.PermitsOrigin(r.PageOrigin) {
		return nil, registry.PageError{Code: -1, Text: refusedRequest}
	}
	return e.PageRequests(ctx, r)
}
