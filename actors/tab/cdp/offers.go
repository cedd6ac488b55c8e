package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient/pagemcp"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// offers has what a page's own MCP server offers besides tools.
type offers struct {
	listing   listing
	level     tab.Coalescer         // one request to set the log level at a time
	resources []*offer.PageResource // resources and templates, as last read
	prompts   []*offer.PagePrompt

	// What the server has said since the last report.
	updated map[string]bool // the URIs of resources that have changed
	logs    []json.RawMessage
}

// Bounds on what a page can say between two reports. The rest is dropped.
const (
	maxUpdated = 1000
	maxLogs    = 100
)

func (s *PageServer) ref() registry.DocumentRef {
	return registry.DocumentRef{Page: s.Tab.ID, Frame: s.Where().Frame, Doc: s.Doc}
}

// document returns the origin of the document.
func (w FrameAddress) document() string { return names.DocumentOrigin(w.Origin, w.URL) }

// offersChanged reads the server's lists again.
func (s *PageServer) offersChanged() {
	if has := s.client.Offers(); has.Resources || has.Prompts {
		s.list(&s.offers.listing)
	}
}

// readOffers reads all of the server's lists except that of its tools.
func (s *PageServer) readOffers(ctx context.Context) (take func(), err error) {
	resources, err1 := s.client.ListResources(ctx)
	templates, err2 := s.client.ListTemplates(ctx)
	prompts, err3 := s.client.ListPrompts(ctx)
	return func() { s.takeOffers(resources, templates, prompts) }, errors.Join(err1, err2, err3)
}

// takeOffers stores what was read. Items that did not change keep their pointers.
func (s *PageServer) takeOffers(listed []pagemcp.Resource, templates []pagemcp.Template, asks []pagemcp.Prompt) {
	at := s.Where()
	resources := make([]*offer.PageResource, 0, len(listed)+len(templates))
	for _, r := range listed {
		resources = append(resources, &offer.PageResource{
			Frame: at.Frame, Doc: s.Doc, FrameURL: at.URL, Origin: at.Origin, URI: r.URI,
			Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType, Size: r.Size,
			Annotations: r.Annotations,
		})
	}
	for _, t := range templates {
		resources = append(resources, &offer.PageResource{
			Frame: at.Frame, Doc: s.Doc, FrameURL: at.URL, Origin: at.Origin, URI: t.URITemplate, Template: true,
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
			Frame: at.Frame, Doc: s.Doc, FrameURL: at.URL, Origin: at.Origin,
			Name: t.Name, Title: t.Title, Description: t.Description, Arguments: arguments,
		})
	}
	s.offers.resources = keepPointers(s.offers.resources, resources,
		func(r *offer.PageResource) string { return r.URI })
	s.offers.prompts = keepPointers(s.offers.prompts, prompts, func(t *offer.PagePrompt) string { return t.Name })
}

// keepPointers returns the new list, with the old list's pointers for items that are equal.
func keepPointers[T any](old, list []*T, key func(*T) string) []*T {
	known := make(map[string]*T, len(old))
	for _, o := range old {
		known[key(o)] = o
	}
	seen := map[string]bool{}
	kept := list[:0]
	for _, n := range list {
		k := key(n)
		if seen[k] { // ignore what the server lists a second time
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

// AddOffers adds what the server offers to a report.
func (s *PageServer) AddOffers(to *registry.OffersReported) {
	to.Resources = append(to.Resources, s.offers.resources...)
	to.Prompts = append(to.Prompts, s.offers.prompts...)
	to.Browser = to.Browser.Or(offer.BrowserCapabilities(s.client.Offers().Browser))
}

// resourceUpdated and logged record notifications of a server. Both are called in the actor's turn.
func (s *PageServer) resourceUpdated(uri string) {
	o := &s.offers
	if !s.current() || len(uri) > offer.MaxResourceURI || len(o.updated) >= maxUpdated {
		return
	}
	if o.updated == nil {
		o.updated = map[string]bool{}
	}
	o.updated[uri] = true
	s.Tab.ReportSoon()
}

func (s *PageServer) logged(params json.RawMessage) {
	if o := &s.offers; s.current() && len(o.logs) < maxLogs {
		o.logs = append(o.logs, slices.Clone(params))
		s.Tab.ReportSoon()
	}
}

// DrainEvents returns what the server has said since the last report.
func (s *PageServer) DrainEvents() (events []registry.Event) {
	o := &s.offers
	if len(o.updated) > 0 {
		events = append(events, registry.ResourcesUpdated{Server: s.ref(), URIs: slices.Sorted(maps.Keys(o.updated))})
	}
	for _, l := range o.logs {
		events = append(events, registry.PageLogged{Server: s.ref(), Origin: s.Where().document(), Params: l})
	}
	o.updated, o.logs = nil, nil
	return events
}

// TellLogLevel tells the server the log level that clients want ([tab.Env].LogLevel). Only one such request is under
// way at a time, so the last level that the server gets is the newest.
func (s *PageServer) TellLogLevel() {
	if s.Tab.Env().LogLevel.Load() != nil && s.client.Offers().Logging && s.offers.level.Want() {
		s.askLogLevel()
	}
}

func (s *PageServer) askLogLevel() {
	params := json.RawMessage(strconv.AppendQuote([]byte(`{"level":`), *s.Tab.Env().LogLevel.Load()))
	params = append(params, '}')
	go func() {
		ctx, cancel := context.WithTimeout(s.ctx, ListTimeout)
		defer cancel()
		_, err := s.client.Request(ctx, "logging/setLevel", params, nil)
		s.Tab.Send(LogLevelAnswered{s, err})
	}()
}

// LogLevelAnswered says that the server has set the log level, or why it has not.
type LogLevelAnswered struct {
	Server *PageServer
	err    error
}

// Handle sends the next level, if there is another one by now.
func (m LogLevelAnswered) Handle() {
	s := m.Server
	if !s.current() {
		return
	}
	if m.err != nil {
		s.Tab.Log.Debug("a page's MCP server did not take the log level", "err", m.err)
	}
	if s.offers.level.Done() {
		s.askLogLevel()
	}
}
