package calls

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// Oversight holds the functions that observe calls and decide about them.
type Oversight struct {
	// Called is called with the record of every tools/call when the call ends. It may be nil. Many goroutines call
	// it, and it must not block.
	Called func(Record)
	// Watch is called with the record of every tools/call when the call begins, and with a function that cancels the
	// call. It returns a function that is called when the call ends, with the final record and the answer. Watch may
	// be nil. Many goroutines call it, and it must not block. Neither it nor the returned function may modify the
	// record or the answer.
	Watch func(r Record, cancel func()) (over func(r Record, answer json.RawMessage))
	// Trace is called when a tools/call begins; parent is the traceparent of the client's request, or "". It returns
	// the traceparent to send to the page, and a function that is called when the call ends. Trace may be nil. Many
	// goroutines call it, and it must not block.
	Trace func(r Record, parent string) (own string, over func(Record))
	Trust Trust // nil allows everything
	// Person asks the hub's own user when the client can't ask its user. The question's Params are those of
	// elicitation/create, and the result is the answer to elicitation/create. Person returns soon after ctx ends. If
	// it is nil, nobody is asked.
	Person func(ctx context.Context, q Question) (json.RawMessage, error)
	// PinAsker asks users to accept withheld tools; if it is nil, the hub asks nobody.
	PinAsker PinAsker
}

// Question is a question to a person on behalf of a client.
type Question struct {
	Session, Client string          // as in [Who]
	Params          json.RawMessage // of elicitation/create
}

// who describes the client of a call. record, which may be nil, notes how long the call waits for a person.
func (s *Handler) who(c *view.Client, r *wire.Request, record *Record) Who {
	w := Who{Session: c.Session(), Client: c.CallsItselfIn(r)}
	_, forms := c.Answers(sanitize.MethodElicitation)
	if inRounds, takes := r.Takes(sanitize.MethodElicitation); inRounds {
		forms = takes
	}
	switch {
	case forms && r.ClosedToQuestions() == "":
		w.Ask = func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
			defer record.person()()
			return c.Conn.Ask(ctx, sanitize.MethodElicitation, params, r)
		}
	case s.options.Person != nil:
		w.Ask = func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
			defer c.Conn.Pause(r)()
			defer record.person()()
			return s.options.Person(ctx, Question{Session: w.Session, Client: w.Client, Params: params})
		}
	}
	return w
}

// ofTool returns the What of an action that calls a page's tool.
func ofTool(tool *registry.HubTool, name string) What {
	w := What{Kind: PageTool, Name: tool.Route.Tool, HubName: name, Class: Unknown, Schema: tool.InputSchema}
	if tool.Route.Runtime == offer.DOM {
		w.Kind = Introspected
	}
	w.Class = ClassOf(tool.Claims().ReadOnly, tool.Claims().Destructive)
	if source := tool.Source(); source != nil {
		w.Description, w.Definition = source.Description, source.Fingerprint
	} else {
		w.Description, w.Definition = tool.Description, func() string { return offer.Fingerprint(tool.Encoded) }
	}
	return w
}

// anyones returns the [Where].Anyones of a frame's document.
func anyones(origin, address string) bool {
	return (origin == "" || origin == names.OpaqueOrigin) && !names.HasHost(address)
}

// topOf returns the [Where].Top of actions in a tab.
func topOf(tab *registry.Tab) string { return names.SiteOrigin(tab.Origin, tab.URL) }

// ofTab returns the Where of an action on a tab, which may be nil.
func ofTab(tab *registry.Tab, to string) Where {
	if tab == nil {
		return Where{To: to}
	}
	return Where{Origin: tab.Origin, Address: tab.URL, Top: topOf(tab), To: to, Tab: tab.ID, Browser: tab.Browser,
		Document: tab.Document()}
}

// ofDocument returns the Where of an action on a document of a page or of a frame in it. tab is the page's tab, or
// nil if it has none. origin and address are the document's; they are "" if unknown.
func ofDocument(tab *registry.Tab, doc registry.DocumentRef, origin, address string) Where {
	w := Where{Origin: origin, Address: address, Document: doc, Anyones: anyones(origin, address)}
	if tab == nil {
		return w
	}
	w.Tab, w.Browser, w.Address, w.Top = tab.ID, tab.Browser, cmp.Or(address, tab.URL), topOf(tab)
	switch {
	case tab.Document().Doc == doc.Doc:
		w.Anyones = false
	case names.ParseAddress(origin) == (names.Origin{}):
		w.Around = names.Whose(tab.Origin, tab.URL)
	}
	return w
}

// judgeTool asks Trust whether a page's tool may be called. It returns the action, which is needed again when the
// result is sent.
func (s *Handler) judgeTool(ctx context.Context, c ToolCall, call Call,
	limit *wire.Clock) (d Action, refused *registry.Result) {
	tool := call.Tool
	trust := s.options.Trust
	if trust == nil {
		return d, nil
	}
	c.Client.Conn.Limited(c.Request, limit)
	tab, address := s.Current.Catalog().Tab(tool.Route.Page), ""
	if tab != nil {
		address = tab.URL
	}
	if source := tool.Source(); source != nil {
		address = cmp.Or(source.FrameURL, address)
	}
	at := ofDocument(tab, tool.Route.Document(), tool.Origin(), address)
	at.Ended = s.once(func(*registry.Catalog) bool { return !s.stands(tool) })
	d = Action{Who: s.who(c.Client, c.Request, c.record), Where: at, What: ofTool(tool, tool.Name), Args: call.Args,
		Besides: call.besides(), Stage: c.stage()}
	d.Since, d.Changed = s.changes.Of(tool)
	if no := trust.Judge(ctx, d); no != nil {
		return d, resultOf(no)
	}
	// A person may have taken a while to answer.
	why := s.Leases.Refusal(s.Current.Catalog().Tab(tool.Route.Page), tool.Route.Page, c.Client)
	if !s.stands(tool) {
		why = "its page changed or withdrew it while the call was being decided. List the tools again"
	}
	if why != "" {
		refused = new(sanitize.ErrorResult(tool.Name + " was not called: " + why + "."))
	}
	return d, refused
}

// Served notes the catalog that the hub serves from now on. Only one goroutine may call it.
func (s *Handler) Served(c *registry.Catalog) {
	if s.options.Trust != nil {
		s.changes.Serve(c, time.Now())
	}
}

// once returns a function for [Where].Ended that waits until a catalog satisfies the condition.
func (s *Handler) once(satisfied func(*registry.Catalog) bool) func(context.Context) bool {
	return func(ctx context.Context) bool { return s.Current.Await(ctx, satisfied) != nil }
}

// stands reports whether the tool's registration has not changed since the decision about it.
func (s *Handler) stands(tool *registry.HubTool) bool {
	now := s.Current.Catalog()
	if now.Lookup(tool.Name) == tool {
		return true
	}
	tab := now.Tab(tool.Route.Page)
	if tab == nil {
		return false
	}
	for _, t := range tab.Tools {
		if t.Route == tool.Route && t.Source().Same(tool.Source()) {
			return true
		}
	}
	return false
}

// judgeOpening asks Trust whether a tab may be opened for the call of a site's tool.
func (s *Handler) judgeOpening(ctx context.Context, c ToolCall, tool *registry.HubTool, url string) error {
	if s.options.Trust == nil {
		return nil
	}
	d := Action{Who: s.who(c.Client, c.Request, c.record), Where: Where{Origin: tool.Origin(), To: url},
		What: ofTool(tool, tool.Name), Args: c.Args, Stage: c.stage()}
	if no := s.options.Trust.Judge(ctx, d); no != nil {
		return no
	}
	return nil
}

// resultOf turns a refusal into a tool result.
func resultOf(r *Refusal) *registry.Result {
	refused := sanitize.ErrorResult(r.Text)
	refused.Ending = "refused"
	return &refused
}

// JudgeOffer asks the [Trust], which must not be nil, about a request for something that a page offers besides tools.
// uri is the URI of the resource, which need not be listed, or "". args are the params that the page receives.
func (s *Handler) JudgeOffer(c *view.Client, r *wire.Request, o *offer.Offer, uri string,
	args json.RawMessage) (Action, *Refusal) {
	d := Action{Who: s.who(c, r, nil), Args: args,
		Where: ofDocument(s.Current.Catalog().Tab(o.Server.Page), o.Server, o.Origin(), ""),
		What: What{Kind: Resource, Name: cmp.Or(uri, o.Original), HubName: o.Name, Class: ReadOnly,
			Description: o.PageDescription(), Definition: o.Fingerprint, Listed: o.Kind == offer.Resource}}
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
// is the client's request on whose behalf the page asks; it may be nil. params are those that the client receives. If
// the request is allowed, JudgeRequest reports the page's text as sent.
func (s *Handler) JudgeRequest(ctx context.Context, c *view.Client, during *wire.Request, r offer.PageRequest,
	params json.RawMessage) *Refusal {
	d := Action{Who: s.who(c, during, nil), Args: params,
		Where: ofDocument(s.Current.Catalog().Tab(r.Server.Page), r.Server, r.Origin, ""),
		What: What{Kind: PageRequest, Name: r.Method, HubName: r.Method, Class: ReadOnly,
			Definition: func() string { return r.Method }}}
	if no := s.options.Trust.Judge(ctx, d); no != nil {
		return no
	}
	s.options.Trust.Sent(d)
	s.options.Trust.Read(d, params)
	return nil
}

// PinAsker asks users to accept tools that are withheld ([registry.Tab.Withheld]). Any goroutine may call it.
type PinAsker interface {
	// Ask asks the client's user to accept a tool together with everything else that is withheld of its site. It
	// returns a sentence that says what the user decided, or "" if the user can't be asked or nobody can accept the
	// tool. Ask returns soon after ctx ends.
	Ask(ctx context.Context, who Who, now *registry.Catalog, h *offer.Held) (decision string)
}

// withheldAs returns the withheld tool that its page calls name, or nil if there is none. It looks at one page only,
// or at all pages if page is nil.
func withheldAs(now *registry.Catalog, name string, page *registry.Tab) *offer.Held {
	for _, tab := range now.Tabs() {
		if page != nil && tab != page {
			continue
		}
		for _, h := range tab.Withheld {
			if h.Tool.Name == name {
				return h
			}
		}
	}
	return nil
}

// acceptFirst returns the answer to a call of a withheld tool, which says why the tool was not called. If possible,
// acceptFirst first asks the client's user to accept the tool.
func (s *Handler) acceptFirst(ctx context.Context, c ToolCall, now *registry.Catalog, h *offer.Held) registry.Result {
	name := sanitize.Text(h.Tool.Name, 200)
	if s.options.PinAsker != nil {
		if decision := s.options.PinAsker.Ask(ctx, s.who(c.Client, c.Request, c.record), now, h); decision != "" {
			return sanitize.ErrorResult(name + " was not called: it was withheld. " + decision)
		}
	}
	return sanitize.ErrorResult(name + " was not called. It is " + h.Why)
}
