package cdp

import (
	"encoding/json"
	"errors"

	"webmcphub/actors/tab"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/pagemcp"
	"webmcphub/registry"

	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// serverAnswered ends a call of a page server's tool.
func (p *Link) serverAnswered(m ServerAnswered) {
	c, tool := m.Call, m.Call.Route.Tool
	switch {
	case !p.Calls[c]:
	case m.Err == nil:
		p.Finish(c, serverResult(m.Result))
	case errors.Is(m.Err, cdpclient.ErrConnClosed):
		// The page's end follows and says what has become of Chrome.
	case c.State.DocumentGone && p.BetweenDocuments():
		c.State.Outlives = false // endNavigatedCalls ends the call when the new address is known
	case c.State.DocumentGone:
		p.Finish(c, registry.EndedByNavigation(tool, p.Doc.URL))
	case errors.Is(m.Err, pagemcp.ErrInterrupted) && c.Route.Frame == p.main.id:
		// The page says that it is being left. The new address will be known soon.
		c.State.DocumentGone = true
		p.overdueAfter(tab.MaxLoadWait)
	default:
		p.Finish(c, serverFailure(tool, m.Err))
	}
}

func serverResult(result json.RawMessage) registry.Result {
	if r, ok := sanitize.PageResult(result); ok {
		return r
	}
	return sanitize.NativeResult(result)
}

func serverFailure(tool string, err error) registry.Result {
	var refusal *pagemcp.RPCError
	switch {
	case errors.As(err, &refusal):
		return registry.PageFailure(tool, sanitize.Text(refusal.Message, 4096))
	case errors.Is(err, tab.ErrDocumentGone), errors.Is(err, pagemcp.ErrInterrupted):
		return registry.EndedByFrame(tool)
	case errors.Is(err, pagemcp.ErrServerStopped):
		return registry.EndedByServer(tool)
	}
	return registry.PageFailure(tool, "The page's MCP server did not answer: "+err.Error())
}

func (p *Link) findServer(m FindServer) {
	f, why := p.target(offer.Route{Page: p.ID, Frame: m.Server.Frame, Doc: m.Server.Doc})
	if why != "" {
		m.Decline(why)
		return
	}
	m.Give(f.servers.Own)
}
