package pages

import (
	"encoding/json"
	"errors"
	"strings"

	"webmcphub/cluster/api"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// text returns s as valid UTF-8, which protobuf needs.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// Error returns err as a node sends it, with the code if it is a [registry.PageError]. It returns nil for nil.
func Error(err error) *api.Error {
	if err == nil {
		return nil
	}
	e := &api.Error{Message: text(err.Error())}
	if page, ok := errors.AsType[registry.PageError](err); ok {
		e.Code = int64(page.Code)
	}
	return e
}

// valid returns raw if it is valid JSON, else nil.
func valid(raw json.RawMessage) []byte {
	if !json.Valid(raw) {
		return nil
	}
	return raw
}

// sendable says whether a tool can be sent: its schemas and its metadata must be valid JSON or absent.
func sendable(t *registry.PageTool) bool {
	ok := func(raw json.RawMessage) bool { return len(raw) == 0 || json.Valid(raw) }
	return ok(t.InputSchema) && ok(t.OutputSchema) && ok(t.Meta)
}

// infoOf returns the message about a page, without its frames, tools and offers.
func infoOf(f *registry.PageSnapshot) *api.PageInfo {
	return &api.PageInfo{Browser: f.Browser, Url: text(cut(f.URL, maxURL)), Title: text(cut(f.Title, maxText)),
		State: text(cut(f.State, maxText)), Dialog: text(cut(f.Dialog, maxText)), Arrived: f.Arrived,
		Opened: int64(f.Opened), Proxied: f.Proxied, Moving: f.Moving, Document: uint64(f.Gen), Origin: text(f.Origin)}
}

// infoFacts returns a page without its frames, tools and offers.
func infoFacts(node, id string, p *api.PageInfo) *registry.PageSnapshot {
	return &registry.PageSnapshot{Page: Named(node, registry.PageID(id)), Browser: Named(node, p.Browser),
		Opened: int(p.Opened), Proxied: p.Proxied, URL: p.Url, Origin: p.Origin, Title: p.Title, State: p.State,
		Dialog: p.Dialog, Arrived: p.Arrived, Gen: registry.Gen(p.Document), Moving: p.Moving}
}

func framesOf(f *registry.PageSnapshot) *api.Frames {
	all := &api.Frames{}
	for _, frame := range f.Frames {
		all.All = append(all.All, &api.Frame{Id: string(frame.ID), Document: uint64(frame.Doc),
			Url: text(cut(frame.URL, maxText))})
	}
	return all
}

func frameFacts(frames *api.Frames) (all []registry.Frame) {
	for _, f := range frames.GetAll() {
		all = append(all, registry.Frame{ID: registry.FrameID(f.Id), Doc: registry.Gen(f.Document), URL: f.Url})
	}
	return all
}

// toolOf returns the message about a page's tool.
func toolOf(t *offer.PageTool, number uint64) *api.Tool {
	a := t.Annotations
	return &api.Tool{Number: number, Frame: string(t.Frame), Document: uint64(t.Doc), FrameUrl: text(t.FrameURL),
		Origin: text(t.Origin), Runtime: string(t.Runtime), Name: text(t.Name), Title: text(t.Title),
		Description: text(t.Description), InputSchema: valid(t.InputSchema), OutputSchema: valid(t.OutputSchema),
		Meta: valid(t.Meta), Script: text(t.Script), Annotations: &api.Annotations{ReadOnly: a.ReadOnly,
			Destructive: a.Destructive, Idempotent: a.Idempotent, OpenWorld: a.OpenWorld,
			Consequential: a.Consequential, Untrusted: a.Untrusted, Cache: a.Cache}}
}

// pageTool returns a tool as its page registered it.
func pageTool(t *api.Tool) *offer.PageTool {
	p := &offer.PageTool{Frame: offer.FrameID(t.GetFrame()), Doc: offer.Gen(t.GetDocument()), FrameURL: t.GetFrameUrl(),
		Origin: t.GetOrigin(), Runtime: offer.Runtime(t.GetRuntime()), Name: t.GetName(), Title: t.GetTitle(),
		Description: t.GetDescription(), InputSchema: t.GetInputSchema(), OutputSchema: t.GetOutputSchema(),
		Meta: t.GetMeta(), Script: t.GetScript()}
	if a := t.GetAnnotations(); a != nil {
		p.Annotations = offer.Annotations{ReadOnly: a.ReadOnly, Destructive: a.Destructive, Idempotent: a.Idempotent,
			OpenWorld: a.OpenWorld, Consequential: a.Consequential, Untrusted: a.Untrusted, Cache: a.Cache}
	}
	return p
}

func offersOf(f *registry.PageSnapshot) *api.Offers {
	o := &api.Offers{MultiTabSupport: f.Offers.Browser.MultiTabSupport,
		CacheSupported: f.Offers.Browser.CacheSupported, Elicitation: f.Offers.Browser.Elicitation}
	for _, r := range f.Offers.Resources {
		o.Resources = append(o.Resources, &api.Resource{Frame: string(r.Frame), Document: uint64(r.Doc),
			FrameUrl: text(r.FrameURL), Origin: text(r.Origin), Uri: text(r.URI), Template: r.Template,
			Name: text(r.Name), Title: text(r.Title), Description: text(r.Description), MimeType: text(r.MIMEType),
			Size: valid(r.Size), Annotations: valid(r.Annotations)})
	}
	for _, p := range f.Offers.Prompts {
		is := &api.Prompt{Frame: string(p.Frame), Document: uint64(p.Doc), FrameUrl: text(p.FrameURL),
			Origin: text(p.Origin), Name: text(p.Name), Title: text(p.Title), Description: text(p.Description)}
		for _, a := range p.Arguments {
			is.Arguments = append(is.Arguments, &api.Prompt_Argument{Name: text(a.Name), Title: text(a.Title),
				Description: text(a.Description), Required: a.Required})
		}
		o.Prompts = append(o.Prompts, is)
	}
	return o
}

// offerFacts returns what a page offers besides tools. Whatever hasn't changed since before keeps its pointers.
func offerFacts(f *registry.PageSnapshot, o *api.Offers, before *registry.PageSnapshot) registry.OffersReported {
	all := registry.OffersReported{Page: f.Page, Gen: f.Gen, Browser: offer.BrowserCapabilities{
		MultiTabSupport: o.GetMultiTabSupport(), CacheSupported: o.GetCacheSupported(),
		Elicitation: o.GetElicitation()}}
	var resources []*offer.PageResource
	for _, r := range o.GetResources() {
		resources = append(resources, &offer.PageResource{Frame: offer.FrameID(r.Frame), Doc: offer.Gen(r.Document),
			FrameURL: r.FrameUrl, Origin: r.Origin, URI: r.Uri, Template: r.Template, Name: r.Name, Title: r.Title,
			Description: r.Description, MIMEType: r.MimeType, Size: r.Size, Annotations: r.Annotations})
	}
	var prompts []*offer.PagePrompt
	for _, p := range o.GetPrompts() {
		is := &offer.PagePrompt{Frame: offer.FrameID(p.Frame), Doc: offer.Gen(p.Document), FrameURL: p.FrameUrl,
			Origin: p.Origin, Name: p.Name, Title: p.Title, Description: p.Description}
		for _, a := range p.Arguments {
			is.Arguments = append(is.Arguments, offer.PromptArgument{Name: a.Name, Title: a.Title,
				Description: a.Description, Required: a.Required})
		}
		prompts = append(prompts, is)
	}
	all.Resources = reuse(resources, before.Offers.Resources, sameResource,
		func(r *offer.PageResource) string { return r.URI })
	all.Prompts = reuse(prompts, before.Offers.Prompts, samePrompt, func(p *offer.PagePrompt) string { return p.Name })
	return all
}

// browsersOf returns the message about a catalog's browsers: one without a name if the catalog's have no names.
func browsersOf(c *registry.Catalog, lives map[string]string) *api.Browsers {
	if c.Browsers() == nil {
		return &api.Browsers{All: []*api.Browser{{Status: text(c.BrowserStatus())}}}
	}
	all := &api.Browsers{}
	for _, b := range c.Browsers() {
		all.All = append(all.All, &api.Browser{Name: b.Name, Labels: b.Labels, Status: text(b.Status),
			Life: lives[b.Name]})
	}
	return all
}
