package pins

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"webmcphub/registry/offer"
)

// Mode says what a [Book] does with drift.
type Mode string

// The modes of pins.
const (
	Off  Mode = "off"
	Warn Mode = "warn" // drift is marked
	Hold Mode = "hold" // drift is withheld until a person accepts it
)

// Book is a snapshot of everything that is pinned. It is immutable, and any goroutine may read it.
type Book struct {
	rules  Rules
	broken string
	lost   map[string]string // why the pins of a site can't be read, by [Key]
	sites  map[string]*Site
	refs   map[string][]*ref // by origin
	index  *index
	signs  *signs
}

// Rules say how a [Book] treats definitions.
type Rules struct {
	Mode Mode
	// Site is the function that [Define] takes.
	Site func(host string) string
	// Permits reports whether texts for agents may name an origin; nil permits all.
	Permits func(origin string) bool
	// Own are the hub's own tools, which pages must not imitate.
	Own []Own
}

// Own is one of the hub's own tools.
type Own struct{ Name, Description string }

// NewBook returns a Book without sites.
func NewBook(r Rules) *Book {
	b := &Book{rules: r, sites: map[string]*Site{}, refs: map[string][]*ref{}, index: &index{}, signs: &signs{}}
	return b.WithOwn(r.Own)
}

// WithOwn returns a copy of the book that also knows these tools of the hub's own.
func (b *Book) WithOwn(own []Own) *Book {
	n := *b
	e := n.index.edit()
	for _, t := range own {
		r := &ref{signature: sign(t.Name, t.Description), name: t.Name, accepted: true}
		e.add(r)
	}
	n.index = e.index
	return &n
}

// Broken returns a copy of the book in which no pins can be read; why says why.
func (b *Book) Broken(why string) *Book {
	n := *b
	n.broken = why
	return &n
}

// IsBroken says why no pins can be read, or returns "".
func (b *Book) IsBroken() string { return b.broken }

// Lost returns a copy of the book in which the pins of the sites with these keys can't be read; the values say why.
func (b *Book) Lost(why map[string]string) *Book {
	n := *b
	n.lost = why
	return &n
}

// Site returns what is pinned of an origin, or nil.
func (b *Book) Site(origin string) *Site { return b.sites[origin] }

// Origins returns the origins of which something is pinned, sorted.
func (b *Book) Origins() []string { return slices.Sorted(maps.Keys(b.sites)) }

// With returns a copy of the book with these sites replaced; a nil site removes the origin's site.
func (b *Book) With(changed map[string]*Site) *Book {
	n := *b
	n.sites, n.refs = maps.Clone(b.sites), maps.Clone(b.refs)
	e := b.index.edit()
	for origin, s := range changed {
		had := n.refs[origin]
		delete(n.sites, origin)
		delete(n.refs, origin)
		if s != nil {
			n.sites[origin] = s
			n.refs[origin] = b.refsOf(s, had)
		}
		for _, r := range had {
			if !slices.Contains(n.refs[origin], r) {
				e.remove(r)
			}
		}
		for _, r := range n.refs[origin] {
			if !slices.Contains(had, r) {
				e.add(r)
			}
		}
	}
	n.index = e.index
	return &n
}

// maxRefsOfSite is how many of a site's tools are compared with other sites' tools.
const maxRefsOfSite = 100

// refsOf returns a site's tools for the index: for each name the definition that was accepted last or, if none was,
// the first waiting one. had are the site's tools in the index so far.
func (b *Book) refsOf(s *Site, had []*ref) (all []*ref) {
	known := make(map[string]*ref, len(had))
	for _, r := range had {
		known[r.name] = r
	}
	names, owner := map[string]bool{}, ownerOf(s.Origin, b.rules.Site)
	add := func(e *Entry, accepted bool) {
		d := &e.Definition
		if names[d.Name] || len(all) >= maxRefsOfSite {
			return
		}
		names[d.Name] = true
		k := known[d.Name]
		if k != nil && k.accepted == accepted && k.description == d.Description {
			all = append(all, k)
			return
		}
		r := &ref{sign(d.Name, d.Description), s.Origin, d.Name, d.Description, owner, e.At, accepted}
		if k != nil && k.accepted == accepted && slices.Equal(k.keys, r.keys) {
			r = k // r is in the index already
		}
		all = append(all, r)
	}
	for i := range s.Accepted {
		if e := &s.Accepted[i]; s.Latest(e.Definition.Name) == &e.Definition {
			add(e, true)
		}
	}
	for i := range s.Waiting {
		add(&s.Waiting[i], false)
	}
	return all
}

// Check decides whether to mark or to withhold a tool that a document of an origin has registered. page is the origin
// of the main document around it. Check implements [offer.Pins].
func (b *Book) Check(t *offer.PageTool, origin, page string) (v offer.PinCheck) {
	d, owner, pinned := b.Define(t, origin, page)
	if !pinned {
		return v
	}
	written := d.written()
	switch state := b.stateOf(&d, owner, written); {
	case state == accepted:
	case b.rules.Mode == Hold:
		return offer.PinCheck{Held: func() string { return b.why(state, &d, owner) }}
	default:
		v.Mark = b.driftMark(&d, owner)
	}
	v.Mark += b.likeness(&d, owner, written)
	if d.ThirdParty != "" {
		v.Mark += "[registered by a script of " + quoteShort(d.ThirdParty) + "] "
	}
	return v
}

// Define calls the function [Define] with the book's rules. pinned is false for tools that the hub itself made from a
// page.
func (b *Book) Define(t *offer.PageTool, origin, page string) (d Definition, owner string, pinned bool) {
	if t.Runtime == offer.DOM {
		return d, "", false
	}
	d, owner = Define(t, origin, page, b.rules.Site)
	return d, owner, true
}

// definitionState is the result of the comparison of a definition with the pins.
type definitionState int

const (
	accepted  definitionState = iota // or its origin's first visit is not over
	unknown                          // no pins can be read
	ownerless                        // there is no origin to pin it to
	broken                           // the pins of its origin can't be read
	overfull                         // its origin has no room for more definitions
	drifted
)

func (b *Book) stateOf(d *Definition, owner string, written Hash) definitionState {
	s := b.sites[owner]
	switch {
	case b.broken != "":
		return unknown
	case owner == "":
		return ownerless
	case s == nil && len(b.lost) > 0 && b.lost[Key(owner)] != "":
		return broken
	case s == nil:
		return accepted // the first visit begins
	case s.Broken != "":
		return broken
	case s.written[written]:
		return accepted
	case s.Visit.Over:
		if len(s.Compare(d, b.IsTool).Held) > 0 {
			return drifted
		}
	case !s.room(d) && !s.Knows(d):
		return overfull
	}
	return accepted
}

// IsTool reports whether a text is, or looks like, the name of a tool of any site or of the hub.
func (b *Book) IsTool(text string) bool {
	sig := sign(text, "")
	byName, _ := b.index.like(&sig)
	return len(byName) > 0
}

// why says why a definition is withheld, and what a person can do about it.
func (b *Book) why(state definitionState, d *Definition, owner string) string {
	switch state {
	case unknown:
		return "withheld: nothing is known of what was accepted before, because " + b.broken
	case ownerless:
		return "withheld: its document has no origin to know it again by (it is a file, a data: address or a " +
			"sandbox); serve the page from http://localhost, for example"
	case broken:
		why := b.lost[Key(owner)]
		if s := b.sites[owner]; s != nil {
			why = s.Broken
		}
		return "withheld: nothing is known of what was accepted of " + owner + " before, because " + why
	case overfull:
		return fmt.Sprintf("withheld: %s has registered more than the %d definitions, or %d MB of them, that a first "+
			"visit may bring. %s", owner, MaxAccepted, MaxBytes>>20, onlyUsers)
	}
	return "withheld, because its definition was never accepted: " + strings.Join(b.sites[owner].Drift(d), "; ") + ". " +
		onlyUsers
}

// onlyUsers says what an agent can do about a withheld tool. It names no command, because agents read it.
const onlyUsers = "Only the user can accept it: tell them what the site has changed"

// driftMark returns the mark that precedes the description of a tool that drifted.
func (b *Book) driftMark(d *Definition, owner string) string {
	s := b.sites[owner]
	switch {
	case s == nil || s.Broken != "":
		return "[not accepted] "
	case s.Latest(d.Name) != nil:
		return "[changed, not accepted] "
	}
	return "[new, not accepted] "
}

// likeness returns the mark of a tool that looks like a tool that another owner had before, or like one of the hub's
// own.
func (b *Book) likeness(d *Definition, owner string, written Hash) string {
	sig := b.signature(d, owner, written)
	byName, byText := b.index.like(sig)
	if len(byName)+len(byText) == 0 {
		return ""
	}
	whose := ownerOf(owner, b.rules.Site)
	since := b.since(d.Name, owner)
	for _, list := range [][]*ref{byName, byText} {
		var first *ref
		owners := make([]string, 0, common)
		for _, r := range list {
			switch {
			case r.origin == "":
				return "[looks like the hub's own tool " + quoteShort(r.name) + "; it is the page's] "
			case r.owner == whose:
			default:
				if len(owners) < common && !slices.Contains(owners, r.owner) {
					owners = append(owners, r.owner)
				}
				if r.at.Before(since) && (first == nil || r.at.Before(first.at)) {
					first = r
				}
			}
		}
		if first != nil && len(owners) < common {
			return "[looks like " + quoteShort(first.name) + " of " + b.whose(first.origin) + "] "
		}
	}
	return ""
}

// signature returns the signature of a definition. Most definitions are accepted, and those in refs have one already.
func (b *Book) signature(d *Definition, owner string, written Hash) *signature {
	for _, r := range b.refs[owner] {
		if r.name == d.Name && r.description == d.Description {
			return &r.signature
		}
	}
	return b.signs.of(d, written)
}

// whose returns the name of an origin for agents, or "another site" if agents must not know the origin.
func (b *Book) whose(origin string) string {
	if b.rules.Permits != nil && !b.rules.Permits(origin) {
		return "another site"
	}
	return quoteShort(origin)
}

// since returns when the hub first knew the owner's tool of that name, or a time far in the future if it knows none.
func (b *Book) since(name, owner string) time.Time {
	for _, r := range b.refs[owner] {
		if r.name == name {
			return r.at
		}
	}
	return time.Unix(1<<40, 0)
}
