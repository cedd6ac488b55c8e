package cdp

import (
	"context"
	"encoding/json"
	"errors"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/mcpb"
	"webmcphub/registry"
	"webmcphub/registry/endings"
	"webmcphub/registry/sanitize"
)

// callServer sends a call to a page's own server. Its goroutine comes back in
// any case, when the server is gone with the reason for that: an answer that
// was there before still counts.
func (p *Link) callServer(s *pageServer, c *tab.Call) {
	ctx, cancel := context.WithCancel(s.ctx)
	c.Flight.Stop = cancel
	go func() {
		result, err := s.client.CallTool(ctx, c.Route.Tool, c.Args, c.Progress)
		p.Send(serverAnswered{c, result, err})
	}()
}

func (p *Link) serverAnswered(m serverAnswered) {
	c, tool := m.call, m.call.Route.Tool
	switch {
	case !p.Calls[c]:
	case m.err == nil:
		p.Finish(c, serverResult(m.result))
	case errors.Is(m.err, cdpclient.ErrConnClosed):
		// What has become of Chrome is told by the page's end, which follows.
	case c.Flight.Departed && p.Settling():
		c.Flight.Outlives = false // the end is told when the new address is known
	case c.Flight.Departed:
		p.Finish(c, endings.ByNavigation(tool, p.Doc.URL))
	case errors.Is(m.err, mcpb.ErrInterrupted) && c.Route.Frame == p.main.id:
		// The page says that it is being left; where to is about to be known.
		c.Flight.Departed = true
		p.overdueAfter(tab.MaxDeparture)
	default:
		p.Finish(c, serverFailure(tool, m.err))
	}
}

func serverResult(result json.RawMessage) registry.Result {
	if r, ok := sanitize.PageResult(result); ok {
		return r
	}
	return sanitize.NativeResult(result)
}

func serverFailure(tool string, err error) registry.Result {
	var refusal *mcpb.RPCError
	switch {
	case errors.As(err, &refusal):
		return endings.PageFailure(tool, sanitize.Text(refusal.Message, 4096))
	case errors.Is(err, tab.ErrDocumentGone), errors.Is(err, mcpb.ErrInterrupted):
		return endings.ByFrame(tool)
	case errors.Is(err, mcpb.ErrServerStopped):
		return endings.ByServer(tool)
	}
	return endings.PageFailure(tool, "The page's MCP server did not answer: "+err.Error())
}
