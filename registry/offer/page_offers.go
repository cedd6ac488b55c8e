package offer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// Reported has those of the offers of a page's MCP servers that may be published.
type Reported struct {
	All     []Offering
	Version uint64 // grows with each report that says something new
}

// Admit returns those of a page's offers that may be published, and refusals for the others.
func Admit(resources []*PageResource, prompts []*PagePrompt) (admitted []Offering, refused []Refusal) {
	admitted = make([]Offering, 0, len(resources)+len(prompts))
	for _, r := range resources {
		admitted = append(admitted, r)
	}
	for _, t := range prompts {
		admitted = append(admitted, t)
	}
	var counts [offerKinds]int
	admitted = slices.DeleteFunc(admitted, func(o Offering) bool {
		what, why := o.original(), o.refused()
		if why == "" {
			if counts[o.kind()]++; counts[o.kind()] <= MaxOffers {
				return false
			}
			what, why = o.plural(), fmt.Sprintf("the page has more than %d", MaxOffers)
		}
		refused = append(refused, Refusal{sanitize.Text(what, 128), why})
		return true
	})
	return admitted, refused
}

// madeFrom has everything that determines a page's offers.
type madeFrom struct {
	version              uint64 // of the page's report
	index                int
	tab                  TabID
	domain, host, origin string
}

func (r Reported) from(p *Page) madeFrom {
	return madeFrom{r.Version, p.Index, p.Tab, p.Domain, p.Host, p.Origin}
}

// MadeOf reports whether PublishOffers would make p of r again.
func (p *PageOffers) MadeOf(r Reported, of *Page) bool {
	return p.Page == of.ID && p.from == r.from(of)
}

// offerNames gives names to one page's offers.
type offerNames struct {
	domain  string
	max     int
	prompts map[string]bool // the names that are taken, of all pages
	uris    map[string]int  // how many frames have offered each URI
	ranks   map[FrameID]int // the frames in the order of their prompts
}

// frameKey distinguishes a name in one frame from the same name in another.
func (n *offerNames) frameKey(frame FrameID, name string) string {
	return strconv.Itoa(n.ranks[frame]) + "\x00" + name
}

// PublishOffers returns r as clients see it. was is what they saw of the page before, or nil; unchanged offers keep
// their pointers. taken has the names of prompts on earlier pages; PublishOffers adds those of this page.
func (p *Page) PublishOffers(r Reported, was *PageOffers, taken map[string]bool) *PageOffers {
	n := &PageOffers{Page: p.ID, from: r.from(p)}
	if was != nil && was.from == n.from && was.take(taken) {
		return was
	}
	known := map[Offering]*Offer{}
	for o := range was.Each {
		known[o.source] = o
	}
	naming := &offerNames{p.Domain, p.maker.MaxName, taken, map[string]int{}, map[FrameID]int{}}
	for _, offering := range r.All {
		d := offering.Document()
		if !p.IsOwn(d) && p.Origins.DocumentRefusal(d.Origin, d.URL, d.Gen == p.Gen) != "" {
			continue
		}
		if _, seen := naming.ranks[d.Frame]; !seen && offering.kind() == Prompt {
			naming.ranks[d.Frame] = len(naming.ranks)
		}
		o := &Offer{Kind: offering.kind(), Original: offering.original(), Server: DocumentRef{p.ID, d.Frame, d.Gen},
			whose: p.whose(d), source: offering}
		o.Meta = newProvenance(d, o.whose, MCPB)
		if o.Name = offering.name(o, naming); o.Name == "" {
			continue // a page that works at clashing hashes loses this one
		}
		if k := known[offering]; k != nil && k.Name == o.Name && string(k.Meta) == string(o.Meta) {
			o = k
		} else {
			o.keys = p.maker.keysOf(o.from)
			o.Encoded = offering.encode(o)
		}
		n.lists[o.Kind] = append(n.lists[o.Kind], o)
	}
	if was != nil && slices.EqualFunc(was.lists[:], n.lists[:], slices.Equal[[]*Offer]) {
		return was
	}
	return n
}

// take marks the names of the page's prompts as taken. If any is taken already, it marks none and returns false.
func (p *PageOffers) take(taken map[string]bool) bool {
	prompts := p.lists[Prompt]
	if slices.ContainsFunc(prompts, func(t *Offer) bool { return taken[t.Name] }) {
		return false
	}
	for _, t := range prompts {
		taken[t.Name] = true
	}
	return true
}

// ReadResult turns a page's answer to resources/read into one that clients accept. Its URIs are those by which the
// client can read the resources.
func (s *Set) ReadResult(t ResourceTarget, raw json.RawMessage) (json.RawMessage, error) {
	return sanitize.ReadResult(raw, t.Resource.Meta, func(uri string) string {
		if uri == t.URI {
			return t.Hub
		}
		return s.HubURI(t.Resource, uri)
	})
}

// PromptResult turns a page's answer to prompts/get into one that clients accept.
func (s *Set) PromptResult(t *Offer, raw json.RawMessage) (json.RawMessage, error) {
	return sanitize.PromptResult(raw, t.Meta, t.keys, func(uri string) string { return s.HubURI(t, uri) })
}

// HubURI returns the URI by which clients can read what a page's MCP server calls uri in its answer about the offer
// from.
func (s *Set) HubURI(from *Offer, uri string) string {
	for r := range s.byPage[from.Server.Page].Each {
		switch {
		case r.Server.Frame != from.Server.Frame:
		case r.Kind == Resource && r.Original == uri:
			return r.Name
		case r.Kind == ResourceTemplate:
			if values, ok := r.parts.Match(uri, names.AsIs); ok {
				return r.prefix() + r.parts.Fill(values, names.EncodeURI)
			}
		}
	}
	return names.URIPrefix(from.host, from.index, 0) + names.EncodeURI(uri)
}
