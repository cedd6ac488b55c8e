package actors

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"

	"webmcphub/cdpclient/mcpb"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// offers is what a page's own MCP server has besides tools. It belongs to the
// page actor.
type offers struct {
	guard     syncGuard
	level     syncGuard                // telling the log level
	resources []*registry.PageResource // and templates, as last read
	prompts   []*registry.PagePrompt

	// What the server has said since the last report.
	updated map[string]bool // resources, by the page's URI
	logs    []json.RawMessage
}

// What a page can say between two reports; the rest is dropped.
const (
	maxUpdated = 1000
	maxLogs    = 100
)

func (s *pageServer) ref(p *pageActor) registry.ServerRef {
	return registry.ServerRef{Page: p.id, Frame: s.frame.id, Doc: s.doc}
}

// offersChanged reads the server's lists again.
func (p *pageActor) offersChanged(s *pageServer) {
	has := s.client.Offers()
	if s.current() && (has.Resources || has.Prompts) && s.offers.guard.changed() {
		p.listOffers(s)
	}
}

func (p *pageActor) listOffers(s *pageServer) {
	root, self := p.root, p.self
	go func() {
		ctx, cancel := context.WithTimeout(s.ctx, listTimeout)
		defer cancel()
		m := offersListed{server: s}
		var errs [3]error
		m.resources, errs[0] = s.client.ListResources(ctx)
		m.templates, errs[1] = s.client.ListTemplates(ctx)
		m.prompts, errs[2] = s.client.ListPrompts(ctx)
		m.err = errors.Join(errs[:]...)
		root.Send(self, m)
	}()
}

func (p *pageActor) offersListed(m offersListed) {
	s := m.server
	if !s.current() {
		return
	}
	switch {
	case m.err == nil:
		p.takeOffers(s, m)
	case errors.Is(m.err, context.DeadlineExceeded): // the page may be busy
		s.offers.guard.changed()
		p.log.Debug("a page's MCP server is slow to list its resources and prompts", "err", m.err)
	default:
		p.log.Log(p.ctx, s.frame.warned.Level("offers: "+m.err.Error()), "a page's MCP server did not list its resources and prompts", "err", m.err)
	}
	if s.offers.guard.done() {
		p.listOffers(s)
	}
}

// takeOffers keeps the pointers of what did not change.
func (p *pageActor) takeOffers(s *pageServer, m offersListed) {
	resources := make([]*registry.PageResource, 0, len(m.resources)+len(m.templates))
	for _, r := range m.resources {
		resources = append(resources, &registry.PageResource{
			Frame: s.frame.id, Doc: s.doc, FrameURL: s.frame.url, Origin: s.frame.origin, URI: r.URI,
			Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType, Size: r.Size, Annotations: r.Annotations,
		})
	}
	for _, t := range m.templates {
		resources = append(resources, &registry.PageResource{
			Frame: s.frame.id, Doc: s.doc, FrameURL: s.frame.url, Origin: s.frame.origin, URI: t.URITemplate, Template: true,
			Name: t.Name, Title: t.Title, Description: t.Description, MIMEType: t.MIMEType, Annotations: t.Annotations,
		})
	}
	prompts := make([]*registry.PagePrompt, 0, len(m.prompts))
	for _, t := range m.prompts {
		arguments := make([]registry.PromptArgument, len(t.Arguments))
		for i, a := range t.Arguments {
			arguments[i] = registry.PromptArgument(a)
		}
		prompts = append(prompts, &registry.PagePrompt{
			Frame: s.frame.id, Doc: s.doc, FrameURL: s.frame.url, Origin: s.frame.origin,
			Name: t.Name, Title: t.Title, Description: t.Description, Arguments: arguments,
		})
	}
	s.offers.resources = keepPointers(s.offers.resources, resources, func(r *registry.PageResource) string { return r.URI })
	s.offers.prompts = keepPointers(s.offers.prompts, prompts, func(t *registry.PagePrompt) string { return t.Name })
	p.changed()
}

// keepPointers takes the new list with the old one's pointers where the two
// say the same.
func keepPointers[T any](old, list []*T, key func(*T) string) []*T {
	known := make(map[string]*T, len(old))
	for _, o := range old {
		known[key(o)] = o
	}
	seen := map[string]bool{}
	kept := list[:0]
	for _, n := range list {
		k := key(n)
		if seen[k] { // a server that lists a thing twice has it once
			continue
		}
		seen[k] = true
		if o := known[k]; o != nil && reflect.DeepEqual(o, n) {
			n = o
		}
		kept = append(kept, n)
	}
	return kept
}

// offersReport is what all the page's servers offer, or nil if the registry knows that.
func (p *pageActor) offersReport() []registry.Event {
	now := registry.OffersReported{Page: p.id, Gen: p.gen}
	for _, f := range p.inOrder() {
		if f.server != nil {
			now.Resources = append(now.Resources, f.server.offers.resources...)
			now.Prompts = append(now.Prompts, f.server.offers.prompts...)
			now.Browser = now.Browser.Or(registry.BrowserCapabilities(f.server.client.Offers().Browser))
		}
	}
	return p.offers(now)
}

// offers is a report of what the page's servers offer now, or nil if the registry
// knows that.
func (p *pageCore) offers(now registry.OffersReported) []registry.Event {
	was := p.offered
	if now.Empty() && was.Empty() || now.Gen == was.Gen && now.Browser == was.Browser && slices.Equal(now.Resources, was.Resources) && slices.Equal(now.Prompts, was.Prompts) {
		return nil
	}
	p.offered = now
	return []registry.Event{now}
}

// resourceUpdated and logged take what a server says by the way. Both are
// called in the actor's turn.
func (p *pageActor) resourceUpdated(s *pageServer, uri string) {
	o := &s.offers
	if !s.current() || len(uri) > registry.MaxResourceURI || len(o.updated) >= maxUpdated {
		return
	}
	if o.updated == nil {
		o.updated = map[string]bool{}
	}
	o.updated[uri] = true
	p.reportSoon()
}

func (p *pageActor) logged(s *pageServer, params json.RawMessage) {
	if o := &s.offers; s.current() && len(o.logs) < maxLogs {
		o.logs = append(o.logs, slices.Clone(params))
		p.reportSoon()
	}
}

// saidMeanwhile is what the page's servers have said since the last report.
func (p *pageActor) saidMeanwhile() (events []registry.Event) {
	for _, f := range p.inOrder() {
		s := f.server
		if s == nil {
			continue
		}
		o := &s.offers
		if len(o.updated) > 0 {
			e := registry.ResourcesUpdated{Server: s.ref(p)}
			for uri := range o.updated {
				e.URIs = append(e.URIs, uri)
			}
			slices.Sort(e.URIs)
			events = append(events, e)
		}
		for _, l := range o.logs {
			events = append(events, registry.PageLogged{Server: s.ref(p), Origin: names.DocumentOrigin(f.origin, f.url), Params: l})
		}
		o.updated, o.logs = nil, nil
	}
	return events
}

// Ask sends a request to a page's own MCP server and always returns: with its
// answer, or with a [registry.PageError], or, when ctx ends, at once, having
// told the page. params is a JSON object without _meta. progress, if not nil,
// is given the params of the page's progress notifications.
func (h *Hub) Ask(ctx context.Context, server registry.ServerRef, method string, params json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error) {
	found, ok := h.pages.Load(server.Page)
	if !ok {
		return nil, unasked("its page is gone")
	}
	ref := found.(*pageRef)
	answer := make(chan serverFound, 1)
	h.root.Send(ref.pid, findServer{server, answer})
	var s serverFound
	select {
	case s = <-answer:
	case <-ref.gone:
		return nil, unasked("its page is gone")
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if s.why != "" {
		return nil, unasked(s.why)
	}
	// The goroutine is the caller's: what the page actor owns ends the request.
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(errDocumentGone) })()
	result, err := s.client.Request(asking, method, params, progress)
	var refusal *mcpb.RPCError
	switch {
	case err == nil:
		return result, nil
	case errors.As(err, &refusal):
		return nil, registry.PageError{Code: refusal.Code, Text: sanitize.Text(refusal.Message, 4096)}
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, mcpb.ErrServerStopped): // which ends the server's context, too
		return nil, unanswered(mcpb.ErrServerStopped.Error())
	case errors.Is(err, errDocumentGone), errors.Is(context.Cause(asking), errDocumentGone), errors.Is(err, mcpb.ErrInterrupted):
		return nil, unanswered("its document is gone: the page navigated, was closed, or crashed")
	}
	return nil, unanswered(err.Error())
}

// codeInternal is JSON-RPC's.
const codeInternal = -32603

func unasked(why string) error {
	return registry.PageError{Code: codeInternal, Text: "the page could not be asked: " + why + "; list again"}
}

func unanswered(why string) error {
	return registry.PageError{Code: codeInternal, Text: "the page did not answer: " + why}
}

// findServer is answered in the page actor's turn.
func (p *pageActor) findServer(m findServer) {
	f, why := p.target(registry.Route{Page: p.id, Frame: m.server.Frame, Doc: m.server.Doc})
	switch {
	case p.leaving != nil:
		why = "its page is gone"
	case why == "" && f.server == nil:
		why = "its page's MCP server has stopped"
	}
	if why != "" {
		m.answer <- serverFound{why: why}
		return
	}
	m.answer <- serverFound{client: f.server.client, ctx: f.server.ctx}
}

// SetLogLevel asks all pages' own MCP servers, those to come too, for log
// messages of that level (of MCP's) and worse. It returns at once.
func (h *Hub) SetLogLevel(level string) {
	h.logLevel.Store(&level)
	h.pages.Range(func(_, ref any) bool {
		h.root.Send(ref.(*pageRef).pid, logLevelSet{})
		return true
	})
}

func (p *pageActor) logLevelSet() {
	for _, f := range p.inOrder() {
		if f.server != nil {
			p.tellLogLevel(f.server)
		}
	}
}

// tellLogLevel has a server know the level. It is asked one at a time, so the one
// that it hears last is the newest.
func (p *pageActor) tellLogLevel(s *pageServer) {
	if p.hub.logLevel.Load() != nil && s.client.Offers().Logging && s.offers.level.changed() {
		p.askLogLevel(s)
	}
}

func (p *pageActor) askLogLevel(s *pageServer) {
	params := json.RawMessage(strconv.AppendQuote([]byte(`{"level":`), *p.hub.logLevel.Load()))
	params = append(params, '}')
	root, self := p.root, p.self
	go func() {
		ctx, cancel := context.WithTimeout(s.ctx, listTimeout)
		defer cancel()
		_, err := s.client.Request(ctx, "logging/setLevel", params, nil)
		root.Send(self, logLevelTold{s, err})
	}()
}

func (p *pageActor) logLevelTold(m logLevelTold) {
	if !m.server.current() {
		return
	}
	if m.err != nil {
		p.log.Debug("a page's MCP server did not take the log level", "err", m.err)
	}
	if m.server.offers.level.done() {
		p.askLogLevel(m.server)
	}
}

// fromPage carries out a request that a page's server made, on a goroutine of
// the server's client. ctx ends when the page cancels the request, and with
// the server.
func (p *pageActor) fromPage(ctx context.Context, s *pageServer, method string, params json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	who := make(chan registry.PageRequest, 1)
	p.root.Send(p.self, whoAsks{s, who})
	select {
	case r := <-who:
		r.Method, r.Params = method, params
		result, err := p.hub.options.PageRequests(ctx, r)
		var refusal registry.PageError
		if errors.As(err, &refusal) {
			err = &mcpb.RPCError{Code: refusal.Code, Message: refusal.Text}
		}
		return result, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// whoAsks is answered in the page actor's turn. A server that is no longer its
// frame's has no say, and its goroutine ends with it.
func (p *pageActor) whoAsks(m whoAsks) {
	if s := m.server; s.current() {
		m.answer <- registry.PageRequest{
			Server:     s.ref(p),
			Origin:     names.DocumentOrigin(s.frame.origin, s.frame.url),
			PageOrigin: names.DocumentOrigin(p.origin, p.url),
		}
	}
}
