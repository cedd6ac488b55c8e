package mcpserver

import (
	"encoding/json"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/mcpserver/calls"
	"webmcphub/registry/mcpserver/wire"
)

// judge judges a request about one offer of a page. refused is the answer to one that
// may not be carried out.
func (s *session) judge(r *wire.Request, p offerParams, q pageQuestion, limit *wire.Clock) (d calls.Deed, refused *wire.Reply) {
	if s.server.options.Trust == nil {
		return d, nil
	}
	s.client.Conn.Limited(r, limit)
	d, no := s.server.calls.JudgeOffer(s.client, r, p.rounds(), q.of, q.target.URI, jsonrpc.MustEncode(q.params))
	switch {
	case no != nil && no.Input != nil:
		return d, &wire.Reply{Result: no.Input, Asks: true}
	case no != nil:
		return d, &wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInternal, "the page was not asked: %s", no.Text)}
	}
	if is := s.server.catalog().Offered().Current(q.of); is != q.of && (is == nil || is.Server != q.server || is.Fingerprint() != q.of.Fingerprint()) {
		return d, &wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInternal, "the page was not asked: it changed or withdrew what was to be read while that was being decided. List it again")}
	}
	return d, nil
}

// answered marks the page's words in the answer to a request about an offer, and says that
// it is sent to the client.
func (s *session) answered(d calls.Deed, raw json.RawMessage) json.RawMessage {
	trust := s.server.options.Trust
	if trust == nil || d.Kind == "" {
		return raw
	}
	marked := trust.Words(d, registry.Result{JSON: raw})
	trust.Sent(d)
	return marked.JSON
}

// rounds is what a request of protocol 2026-07-28 says of earlier rounds; nil before that
// protocol.
func (p *toolParams) rounds() *calls.Rounds {
	if !p.modern() {
		return nil
	}
	r := &calls.Rounds{State: p.state, Answers: p.answers}
	var can struct {
		Elicitation map[string]json.RawMessage `json:"elicitation"`
	}
	if json.Unmarshal(p.capabilities, &can) == nil && can.Elicitation != nil {
		r.Elicits = len(can.Elicitation) == 0 || can.Elicitation["form"] != nil
	}
	return r
}
