package registry

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"webmcphub/registry/advice"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// ResourceTarget is what a client's URI leads to.
type ResourceTarget struct {
	Resource *HubResource // a resource, or the template that the URI fits
	URI      string       // the page's own
	Hub      string       // as the client said
}

// ResolveResource finds what a client means by a URI. Seen is the catalog that
// the client read last, or nil; now is the current one. As with tools
// ([Resolve]), a URI that has come to mean another page is refused, and one
// that was only renamed still works. The error's text is for the agent.
func ResolveResource(seen, now *OfferCatalog, uri string, to advice.Audience) (ResourceTarget, error) {
	if seen != nil {
		if was, original := seen.match(uri); was != nil {
			is := now.sameResource(was)
			if is == nil {
				return ResourceTarget{}, fmt.Errorf("%s is gone: %s. List the resources again (resources/list)", sanitize.Text(uri, 300), was.became(seen, now, to))
			}
			return ResourceTarget{is, original, uri}, nil
		}
	}
	if is, original := now.match(uri); is != nil {
		return ResourceTarget{is, original, uri}, nil
	}
	if is, original := now.unlisted(seen, uri); is != nil {
		return ResourceTarget{is, original, uri}, nil
	}
	if status := now.tabs.BrowserStatus(); status != "" {
		return ResourceTarget{}, fmt.Errorf("there is no resource %s: %s", sanitize.Text(uri, 300), to.Status(status))
	}
	return ResourceTarget{}, fmt.Errorf("there is no resource %s. List the resources again (resources/list, resources/templates/list)", sanitize.Text(uri, 300))
}

// ResolveTemplate finds the template that a client names by its URI template.
func ResolveTemplate(seen, now *OfferCatalog, template string, to advice.Audience) (*HubResource, error) {
	for _, c := range []*OfferCatalog{seen, now} {
		if c == nil {
			continue
		}
		i := slices.IndexFunc(c.all.Templates, func(t *HubResource) bool { return t.URI == template })
		if i < 0 {
			continue
		}
		was := c.all.Templates[i]
		if is := now.sameResource(was); is != nil {
			return is, nil
		}
		return nil, fmt.Errorf("%s is gone: %s. List the templates again (resources/templates/list)", sanitize.Text(template, 300), was.became(seen, now, to))
	}
	return nil, fmt.Errorf("there is no resource template %s. List the templates again (resources/templates/list)", sanitize.Text(template, 300))
}

// ResolvePrompt finds the prompt that a client means by a name, likewise.
func ResolvePrompt(seen, now *OfferCatalog, name string, to advice.Audience) (*HubPrompt, error) {
	if seen != nil {
		if was := seen.byName[name]; was != nil {
			if is := now.samePrompt(was); is != nil {
				return is, nil
			}
			what := whatBecame(to, seen.tabs, now.tabs, asTool(was.Server, was.Original, was.origin, was.from))
			return nil, fmt.Errorf("the prompt %s is gone: %s. List the prompts again (prompts/list)", name, what)
		}
	}
	if is := now.byName[name]; is != nil {
		return is, nil
	}
	if status := now.tabs.BrowserStatus(); status != "" {
		return nil, fmt.Errorf("no prompt is called %s: %s", sanitize.Text(name, 200), to.Status(status))
	}
	return nil, fmt.Errorf("no prompt is called %s. List the prompts again (prompts/list)", sanitize.Text(name, 200))
}

// HasPrompt, HasResource, HasTemplate and Fits say whether the catalog lists a
// prompt of that name, a resource of that URI, a template of that URI template,
// or a template that the URI fits: whoever has read the list knows those.
func (c *OfferCatalog) HasPrompt(name string) bool { return c.byName[name] != nil }

// HasResource: see [OfferCatalog.HasPrompt].
func (c *OfferCatalog) HasResource(uri string) bool { return c.byURI[uri] != nil }

// HasTemplate: see [OfferCatalog.HasPrompt].
func (c *OfferCatalog) HasTemplate(template string) bool {
	return slices.ContainsFunc(c.all.Templates, func(t *HubResource) bool { return t.URI == template })
}

// Fits: see [OfferCatalog.HasPrompt].
func (c *OfferCatalog) Fits(uri string) bool {
	t, _ := c.matchTemplate(uri)
	return t != nil
}

// HubURI is under what URI clients know, or can read, what a page's MCP server
// calls uri.
func (c *OfferCatalog) HubURI(from *HubResource, uri string) string {
	return c.hubURI(from.Server, from.host, from.index, uri)
}

// HubURIOf is HubURI for what a prompt gave.
func (c *OfferCatalog) HubURIOf(from *HubPrompt, uri string) string {
	return c.hubURI(from.Server, from.host, from.index, uri)
}

func (c *OfferCatalog) hubURI(s ServerRef, host string, index int, uri string) string {
	p := c.of(s.Page)
	for _, r := range p.resources() {
		if r.Server.Frame == s.Frame && r.Original == uri {
			return r.URI
		}
	}
	for _, t := range p.templates() {
		if values, ok := t.parts.Match(uri, names.AsIs); ok && t.Server.Frame == s.Frame {
			prefix := strings.TrimSuffix(t.URI, hubPath(t.Original, t.parts))
			return prefix + t.parts.Fill(values, names.EncodeURI)
		}
	}
	return names.URIPrefix(host, index, 0) + names.EncodeURI(uri)
}

// match finds the resource, or the template that the URI fits, and the page's
// own URI.
func (c *OfferCatalog) match(uri string) (*HubResource, string) {
	if r := c.byURI[uri]; r != nil {
		return r, r.Original
	}
	return c.matchTemplate(uri)
}

// matchTemplate finds the template that the URI fits, and the page's own URI.
func (c *OfferCatalog) matchTemplate(uri string) (*HubResource, string) {
	for _, t := range c.all.Templates {
		prefix := strings.TrimSuffix(t.URI, hubPath(t.Original, t.parts))
		if rest, ok := strings.CutPrefix(uri, prefix); ok {
			if values, fits := t.parts.Match(rest, names.EncodeURI); fits {
				return t, t.parts.Fill(values, names.AsIs)
			}
		}
	}
	return nil, ""
}

// unlisted reads a URI that no list has, but that is made as those are: what a
// result links to may not be listed. It leads to a page with one server only,
// which must be the page that the client knows by that number.
func (c *OfferCatalog) unlisted(seen *OfferCatalog, uri string) (*HubResource, string) {
	rest, ok := strings.CutPrefix(uri, "webmcp://")
	host, rest, _ := strings.Cut(rest, "/page") // no host has a slash
	number, encoded, found := strings.Cut(rest, "/")
	index, err := strconv.Atoi(number)
	if !ok || !found || err != nil || strings.Contains(encoded, "/") {
		return nil, ""
	}
	original, ok := names.DecodeURI(encoded)
	if !ok || original == "" || names.EncodeURI(original) != encoded {
		return nil, ""
	}
	for _, p := range c.pages {
		all := slices.Concat(p.Resources, p.Templates)
		if len(all) == 0 || all[0].index != index || all[0].host != host {
			continue
		}
		if slices.ContainsFunc(all, func(r *HubResource) bool { return r.Server != all[0].Server }) {
			return nil, ""
		}
		if seen != nil {
			was := slices.IndexFunc(seen.tabs.Tabs(), func(t *Tab) bool { return t.Index == index })
			if was >= 0 && seen.tabs.Tabs()[was].Page != p.Page {
				return nil, ""
			}
		}
		return all[0], original
	}
	return nil, ""
}

// sameResource finds what a resource of another catalog is now: the same of
// the same page and origin, preferably of the same frame.
func (c *OfferCatalog) sameResource(was *HubResource) (is *HubResource) {
	p := c.of(was.Server.Page)
	for _, r := range slices.Concat(p.resources(), p.templates()) {
		if r.Original == was.Original && r.Template == was.Template && r.origin == was.origin && r.from == was.from {
			if r.Server.Frame == was.Server.Frame {
				return r
			}
			if is == nil {
				is = r
			}
		}
	}
	return is
}

func (c *OfferCatalog) samePrompt(was *HubPrompt) (is *HubPrompt) {
	for _, t := range c.of(was.Server.Page).prompts() {
		if t.Original == was.Original && t.origin == was.origin && t.from == was.from {
			if t.Server.Frame == was.Server.Frame {
				return t
			}
			if is == nil {
				is = t
			}
		}
	}
	return is
}

func (h *HubResource) became(seen, now *OfferCatalog, to advice.Audience) string {
	if seen == nil {
		seen = now
	}
	return whatBecame(to, seen.tabs, now.tabs, asTool(h.Server, h.Original, h.origin, h.from))
}

// asTool lets whatBecame explain what became of an offer.
func asTool(s ServerRef, name, origin, from string) *HubTool {
	return &HubTool{Route: Route{s.Page, s.Frame, s.Doc, MCPB, name}, origin: origin, from: from}
}
