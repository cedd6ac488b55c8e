package tab

import (
	"context"
	"encoding/json"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// refusedRequest is what a page is told that may not use the agent.
const refusedRequest = "the user does not let this site use the agent"

// AskAgent carries out what a page asks of the agent by Policy.PageRequests, which must be
// there. It keeps from the agent what documents ask of it whose own origin, or whose page's,
// Origins doesn't permit. A document without an origin may be a denied site's in a sandbox, and
// a request doesn't say its address. Any goroutine may call it.
func (e *Env) AskAgent(ctx context.Context, r offer.PageRequest) (json.RawMessage, error) {
	if !e.Origins.PermitsOrigin(r.Origin) || !e.Origins.PermitsOrigin(r.PageOrigin) {
		return nil, registry.PageError{Code: -1, Text: refusedRequest}
	}
	return e.PageRequests(ctx, r)
}
