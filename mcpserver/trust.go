package mcpserver

import (
	"encoding/json"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
)

// judge asks Trust about a request for one offer of a page. refused is the answer if the request may not be carried
// out.
func (s *session) judge(r *wire.Request, p offerParams, q pageQuestion,
	limit *wire.Clock) (d calls.Action, refused *wire.Reply) {
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
	if is := s.server.catalog().Offered().Current(q.of); is != q.of &&
		(is == nil || is.Server != q.server || is.Fingerprint() != q.of.Fingerprint()) {
		return d, &wire.Reply{Err: jsonrpc.Errorf(jsonrpc.CodeInternal, "the page was not asked: it changed or "+
			"withdrew what was to be read while that was being decided. List it again")}
	}
	return d, nil
}

// marked reports the answer to Trust, and marks the page's words in it. It is the answer to a request about an offer.
func (s *session) marked(d calls.Action, raw json.RawMessage) json.RawMessage {
	trust := s.server.options.Trust
	if trust == nil || d.Kind == "" {
		return raw
	}
	trust.Read(d, raw)
	return trust.Words(d, registry.Result{JSON: raw}).JSON
}

// asks reports to Trust that a page is being asked. From then on the page can send something to the client: progress,
// a question, an error.
func (s *session) asks(d calls.Action) {
	if trust := s.server.options.Trust; trust != nil && d.Kind != "" {
		trust.Sent(d)
	}
}

// logs reports to Trust that a client is sent what a document of this origin has logged.
func (s *session) logs(origin string, params json.RawMessage) {
	trust := s.server.options.Trust
	if trust == nil {
		return
	}
	d := calls.Action{Where: calls.Where{Origin: origin}}
	if d.Session = s.client.ID; s.client.Sessionless {
		d.Session = ""
	}
	trust.Sent(d)
	trust.Read(d, params)
}

// rounds returns what a request of protocol 2026-07-28 says about earlier rounds. It returns nil for earlier
// protocols.
func (p *toolParams) rounds() *calls.Rounds {
	if !p.modern() || p.tasks { // a request that may become a task can't be sent again
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
