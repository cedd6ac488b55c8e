package calls

import (
	"cmp"
	"context"
	"encoding/json"

	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// JudgeOffer asks the [Trust], which must not be nil, about a request for something that a page offers besides tools.
// uri is the URI of the resource, which need not be listed, or "". args are what the page is sent.
func (s *Handler) JudgeOffer(c *view.Client, r *wire.Request, rounds *Rounds, o *offer.Offer, uri string,
	args json.RawMessage) (Action, *Refusal) {
	d := Action{Who: s.who(c, r, rounds), Args: args,
		Where: ofDocument(s.Current.Catalog().Tab(o.Server.Page), o.Server, o.Origin(), ""),
		What: What{Kind: Resource, Name: cmp.Or(uri, o.Original), HubName: o.Name, Class: ReadOnly,
			Description: o.Says(), Definition: o.Fingerprint, Listed: o.Kind == offer.Resource}}
	if o.Kind == offer.Prompt {
		d.Kind = Prompt
	}
	d.Ended = s.once(func(c *registry.Catalog) bool {
		is := c.Offered().Current(o)
		return is == nil || is.Server != o.Server || is.Fingerprint() != o.Fingerprint()
	})
	return d, s.options.Trust.Judge(r.Ctx, d)
}

// JudgeRequest asks the [Trust], which must not be nil, whether the client c may answer a request r of a page. during
// is the client's request on whose behalf the page asks; it may be nil. params are what the client is shown. If the
// request is allowed, JudgeRequest reports the page's text as sent.
func (s *Handler) JudgeRequest(ctx context.Context, c *view.Client, during *wire.Request, r offer.PageRequest,
	params json.RawMessage) *Refusal {
	d := Action{Who: s.who(c, during, nil), Args: params,
		Where: ofDocument(s.Current.Catalog().Tab(r.Server.Page), r.Server, r.Origin, ""),
		What: What{Kind: PageAsks, Name: r.Method, HubName: r.Method, Class: ReadOnly,
			Definition: func() string { return r.Method }}}
	if no := s.options.Trust.Judge(ctx, d); no != nil {
		return no
	}
	s.options.Trust.Sent(d)
	s.options.Trust.Read(d, params)
	return nil
}

// InputRequired returns the result of protocol 2026-07-28 that makes a client ask its user the question in params and
// then send its request again with state.
func InputRequired(name string, params json.RawMessage, state string) json.RawMessage {
	return sanitize.Encode(struct {
		Type     string         `json:"resultType"`
		Requests map[string]any `json:"inputRequests"`
		State    string         `json:"requestState"`
	}{"input_required", map[string]any{name: map[string]any{"method": sanitize.MethodElicitation, "params": params}},
		state})
}
