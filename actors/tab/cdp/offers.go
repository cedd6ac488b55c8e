package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient/mcpb"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// offers is what a page's own MCP server has besides tools. It belongs to the
// tab's actor.
type offers struct {
	listing   listing
	level     tab.Flight            // telling the log level
	resources []*offer.PageResource // and templates, as last read
	prompts   []*offer.PagePrompt

	// What the server has said since the last report.
	updated map[string]bool // resources, by the page's URI
	logs    []json.RawMessage
}

// What a page can say between two reports; the rest is dropped.
const (
	maxUpdated = 1000
	maxLogs    = 100
)

func (s *pageServer) ref(p *Link) registry.ServerRef {
	return registry.ServerRef{Page: p.ID, Frame: s.frame.id, Doc: s.doc}
}

// offersChanged reads the server's lists again.
func (p *Link) offersChanged(s *pageServer) {
	has := s.client.Offers()
	if has.Resources || has.Prompts {
		p.list(s, &s.offers.listing)
	}
}

// readOffers reads all of the server's lists but that of its tools.
func (p *Link) readOffers(s *pageServer) reader {
	return func(ctx context.Context) (take func(), err error) {
		resources, err1 := s.client.ListResources(ctx)
		templates, err2 := s.client.ListTemplates(ctx)
		prompts, err3 := s.client.ListPrompts(ctx)
		return func() { s.takeOffers(resources, templates, prompts) }, errors.Join(err1, err2, err3)
	}
}

// takeOffers keeps the pointers of what did not change.
func (s *pageServer) takeOffers(listed []mcpb.Resource, templates []mcpb.Template, asks []mcpb.Prompt) {
	resources := make([]*offer.PageResource, 0, len(listed)+len(templates))
	for _, r := range listed {
		resources = append(resources, &offer.PageResource{
			Frame: s.frame.id, Doc: s.doc, FrameURL: s.frame.url, Origin: s.frame.origin, URI: r.URI,
			Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType, Size: r.Size, Annotations: r.Annotations,
		})
	}
	for _, t := range templates {
		resources = append(resources, &offer.PageResource{
			Frame: s.frame.id, Doc: s.doc, FrameURL: s.frame.url, Origin: s.frame.origin, URI: t.URITemplate, Template: true,
			Name: t.Name, Title: t.Title, Description: t.Description, MIMEType: t.MIMEType, Annotations: t.Annotations,
		})
	}
	prompts := make([]*offer.PagePrompt, 0, len(asks))
	for _, t := range asks {
		arguments := make([]offer.PromptArgument, len(t.Arguments))
		for i, a := range t.Arguments {
			arguments[i] = offer.PromptArgument(a)
		}
		prompts = append(prompts, &offer.PagePrompt{
			Frame: s.frame.id, Doc: s.doc, FrameURL: s.frame.url, Origin: s.frame.origin,
			Name: t.Name, Title: t.Title, Description: t.Description, Arguments: arguments,
		})
	}
	s.offers.resources = keepPointers(s.offers.resources, resources, func(r *offer.PageResource) string { return r.URI })
	s.offers.prompts = keepPointers(s.offers.prompts, prompts, func(t *offer.PagePrompt) string { return t.Name })
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

// Offers is what all the page's servers offer.
func (p *Link) Offers() (now registry.OffersReported) {
	for _, f := range p.inOrder() {
		if f.server != nil {
			now.Resources = append(now.Resources, f.server.offers.resources...)
			now.Prompts = append(now.Prompts, f.server.offers.prompts...)
			now.Browser = now.Browser.Or(offer.BrowserCapabilities(f.server.client.Offers().Browser))
		}
	}
	return now
}

// resourceUpdated and logged take what a server says by the way. Both are
// called in the actor's turn.
func (p *Link) resourceUpdated(s *pageServer, uri string) {
	o := &s.offers
	if !s.current() || len(uri) > offer.MaxResourceURI || len(o.updated) >= maxUpdated {
		return
	}
	if o.updated == nil {
		o.updated = map[string]bool{}
	}
	o.updated[uri] = true
	p.ReportSoon()
}

func (p *Link) logged(s *pageServer, params json.RawMessage) {
	if o := &s.offers; s.current() && len(o.logs) < maxLogs {
		o.logs = append(o.logs, slices.Clone(params))
		p.ReportSoon()
	}
}

// SaidMeanwhile is what the page's servers have said since the last report.
func (p *Link) SaidMeanwhile() (events []registry.Event) {
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

func (p *Link) logLevelSet() {
	for _, f := range p.inOrder() {
		if f.server != nil {
			p.tellLogLevel(f.server)
		}
	}
}

// tellLogLevel has a server know the level. It is asked one at a time, so the one
// that it hears last is the newest.
func (p *Link) tellLogLevel(s *pageServer) {
	if p.Env().LogLevel.Load() != nil && s.client.Offers().Logging && s.offers.level.Want() {
		p.askLogLevel(s)
	}
}

func (p *Link) askLogLevel(s *pageServer) {
	params := json.RawMessage(strconv.AppendQuote([]byte(`{"level":`), *p.Env().LogLevel.Load()))
	params = append(params, '}')
	go func() {
		ctx, cancel := context.WithTimeout(s.ctx, listTimeout)
		defer cancel()
		_, err := s.client.Request(ctx, "logging/setLevel", params, nil)
		p.Send(logLevelTold{s, err})
	}()
}

func (p *Link) logLevelTold(m logLevelTold) {
	if !m.server.current() {
		return
	}
	if m.err != nil {
		p.Log.Debug("a page's MCP server did not take the log level", "err", m.err)
	}
	if m.server.offers.level.Landed() {
		p.askLogLevel(m.server)
	}
}

// fromPage carries out a request that a page's server made, on a goroutine of
// the server's client. ctx ends when the page cancels the request, and with
// the server.
func (p *Link) fromPage(ctx context.Context, s *pageServer, method string, params json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	who := make(chan offer.PageRequest, 1)
	p.Send(whoAsks{s, who})
	select {
	case r := <-who:
		r.Method, r.Params = method, params
		result, err := p.Env().PageRequests(ctx, r)
		var refusal registry.PageError
		if errors.As(err, &refusal) {
			err = &mcpb.RPCError{Code: refusal.Code, Message: refusal.Text}
		}
		return result, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// whoAsks is answered in a turn of the tab's actor. A server that is no longer its
// frame's has no say, and its goroutine ends with it.
func (p *Link) whoAsks(m whoAsks) {
	if s := m.server; s.current() {
		m.answer <- offer.PageRequest{
			Server:     s.ref(p),
			Origin:     names.DocumentOrigin(s.frame.origin, s.frame.url),
			PageOrigin: names.DocumentOrigin(p.Doc.Origin, p.Doc.URL),
		}
	}
}
