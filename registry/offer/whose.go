package offer

import (
	"slices"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// DocumentInfo is one document of a page, as its offers describe it.
type DocumentInfo struct {
	Frame  FrameID
	Gen    Gen
	URL    string // its address when it made the offer
	Origin string // its origin, as the browser reports it; "" if that isn't known
}

func (t *PageTool) Document() DocumentInfo { return DocumentInfo{t.Frame, t.Doc, t.FrameURL, t.Origin} }

// whose says to which page an offer of a document belongs, and which origin the document has.
type whose struct {
	origin  string // of the page
	from    string // the document's own
	foreign string // from, where that is not the page's own, see names.Foreign
	host    string // of the page, see names.PageHost
	index   int    // of the page
	tab     TabID  // of the page
	browser string // of the page, where there are several
	main    bool   // the document is the page's main one
}

// whose returns the page to which a document belongs, and the document's origin.
func (p *Page) whose(d DocumentInfo) whose {
	from := p.originOf(d)
	main := d.Gen == p.Gen
	return whose{p.Origin, from, names.Foreign(from, p.Origin, main), p.Host, p.Index, p.Tab, p.Browser, main}
}

// originOf returns the origin of a document of the page.
func (p *Page) originOf(d DocumentInfo) string {
	if p.IsOwn(d) {
		return p.Origin
	}
	return names.DocumentOrigin(d.Origin, d.URL)
}

// IsOwn reports whether a document whose origin nobody reports is the page's main document.
func (p *Page) IsOwn(d DocumentInfo) bool {
	return d.Origin == "" && d.Gen == p.Gen && !names.HasHost(d.URL)
}

// Identity is what a client recognizes an offer of a page by.
type Identity struct {
	Page  PageID
	Frame FrameID
	Doc   Gen
	offered
}

// offered is the part of an Identity that stays the same when a document is reloaded, because users see the same
// offer then.
type offered struct {
	kind         OfferKind // tools are compared with tools only
	Name         string    // the page's own
	Origin, from string
}

// Same reports whether both are the same offer of one page. Their documents may differ.
func (a Identity) Same(b Identity) bool { return a.Page == b.Page && a.offered == b.offered }

// Same reports whether t and o are the same tool of the same page to a user: they have the same name and origin.
// Their documents may differ, for example after a reload.
func (t *HubTool) Same(o *HubTool) bool { return t.Identity().Same(o.Identity()) }

func (t *HubTool) Identity() Identity {
	return Identity{t.Route.Page, t.Route.Frame, t.Route.Doc,
		offered{Name: t.Route.Tool, Origin: t.origin, from: t.from}}
}

func (o *Offer) Identity() Identity {
	return Identity{o.Server.Page, o.Server.Frame, o.Server.Doc, offered{o.Kind, o.Original, o.origin, o.from}}
}

// Text returns the sanitized name.
func (a Identity) Text() string { return sanitize.Text(a.Name, 128) }

// Named is what a page offers under a name: a [HubTool] or an [Offer].
type Named interface {
	comparable
	Identity() Identity
}

// Names says what names mean to a client: by a list that it has read, or by the one that it would read now.
type Names[T Named] struct {
	// Find returns what a name means, or the zero value.
	Find func(name string) T
	// Of returns the entries of the list that belong to a page.
	Of func(page PageID) []T
}

// Meaning finds what a client means by a name. seen is what the client has read last, or nil; now is what it would
// read now. A name means what it meant when the client read it. If another page, document or frame has taken the name
// over, Meaning finds nothing. If something was only renamed, Meaning finds it. A reloaded frame is a new frame with
// the same offers. The zero value in the result is means that Meaning found nothing. Then was is what the client
// meant, if it knew the name, and current is what the name means now.
func Meaning[T Named](seen *Names[T], now Names[T], name string) (is, was, current T) {
	var none T
	current = now.Find(name)
	if seen != nil {
		was = seen.Find(name)
	}
	if was == none {
		return current, was, current // the client's list is older, and the client named it explicitly
	}
	id := was.Identity()
	same := func(t T) bool { return t.Identity().Same(id) }
	sameFrame := func(t T) bool { return same(t) && t.Identity().Frame == id.Frame }
	if current != none && sameFrame(current) {
		return current, was, current
	}
	all := now.Of(id.Page)
	if i := slices.IndexFunc(all, sameFrame); i >= 0 {
		return all[i], was, current // renamed: page indexes shifted, or a clash came or went
	}
	// Something that the client knows by another name has only taken over the name of another frame's offer.
	known := func(t T) bool {
		return slices.ContainsFunc(seen.Of(id.Page), func(o T) bool {
			return o.Identity().Frame == t.Identity().Frame &&
				same(o)
		})
	}
	if current != none && same(current) && !known(current) {
		return current, was, current
	}
	return none, was, current
}
