package pins

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"webmcphub/registry/offer"
)

// Mode says what becomes of drift.
type Mode string

// The modes.
const (
	Off  Mode = "off"
	Warn Mode = "warn" // drift is marked
	Hold Mode = "hold" // drift is withheld until it is accepted
)

// Book is a snapshot of all that is pinned. It is immutable, and may be read from any
// goroutine.
type Book struct {
	rules  Rules
	broken string
	lost   map[string]string // why nothing is known of a site, by [Key]
	sites  map[string]*Site
	refs   map[string][]*ref // by origin
	index  *index
	signs  *signs
}

// Rules say what a [Book] is to make of definitions.
type Rules struct {
	Mode Mode
	// Site is as in [Define].
	Site func(host string) string
	// Permits says whether an origin may be named to agents; nil permits all.
	Permits func(origin string) bool
	// Own are the hub's own tools, which pages must not imitate.
	Own []Own
}

// Own is a tool of the hub's own.
type Own struct{ Name, Description string }

// NewBook has no sites.
func NewBook(r Rules) *Book {
	b := &Book{rules: r, sites: map[string]*Site{}, refs: map[string][]*ref{}, index: &index{}, signs: &signs{}}
	return b.WithOwn(r.Own)
}

// WithOwn is the book with these of the hub's own tools besides.
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

// Broken is the book while nothing at all can be known, and why.
func (b *Book) Broken(why string) *Book {
	n := *b
	n.broken = why
	return &n
}

// IsBroken says why nothing can be known, "" if all is well.
func (b *Book) IsBroken() string { return b.broken }

// Lost is the book without the sites of these keys, of which nothing can be known, and why.
func (b *Book) Lost(why map[string]string) *Book {
	n := *b
	n.lost = why
	return &n
}

// Site is what is pinned of an origin, or nil.
func (b *Book) Site(origin string) *Site { return b.sites[origin] }

// Origins are those of which something is pinned, sorted.
func (b *Book) Origins() []string { return slices.Sorted(maps.Keys(b.sites)) }

// With is the book with these sites as they are now, nil for one that is forgotten.
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

// maxRefsOfSite is how many of a site's tools others are compared with.
const maxRefsOfSite = 100

// refsOf are a site's tools in the index: of each name the one accepted last, or seen
// first. had are those of the site as it was.
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
			r = k // in its place since the first time
		}
		all = append(all, r)
	}
	for i := range s.Accepted {
		if e := &s.Accepted[i]; s.latest[e.Definition.Name] == i {
			add(e, true)
		}
	}
	for i := range s.Waiting {
		add(&s.Waiting[i], false)
	}
	return all
}

// Of judges a tool that a document of an origin has registered; page is the origin of the
// main document around it. It implements [offer.Standing].
func (b *Book) Of(t *offer.PageTool, origin, page string) (v offer.Verdict) {
	d, owner, pinned := b.Define(t, origin, page)
	if !pinned {
		return v
	}
	written := d.written()
	switch state := b.standing(&d, owner, written); {
	case state == accepted:
	case b.rules.Mode == Hold:
		return offer.Verdict{Held: func() string { return b.why(state, &d, owner) }}
	default:
		v.Mark = b.driftMark(&d, owner)
	}
	v.Mark += b.likeness(&d, owner, written)
	if d.ThirdParty != "" {
		v.Mark += "[registered by a script of " + quoteShort(d.ThirdParty) + "] "
	}
	return v
}

// Define is [Define] by the book's rules. pinned is false for what the hub makes of pages
// itself.
func (b *Book) Define(t *offer.PageTool, origin, page string) (d Definition, owner string, pinned bool) {
	if t.Runtime == offer.DOM {
		return d, "", false
	}
	d, owner = Define(t, origin, page, b.rules.Site)
	return d, owner, true
}

// standing is how a definition stands.
type standing int

const (
	accepted  standing = iota // or its origin's first visit goes on
	unknown                   // nothing is known of any origin
	ownerless                 // there is no origin to pin it to
	broken                    // nothing is known of its origin
	overfull                  // its origin has no room for more
	drifted
)

func (b *Book) standing(d *Definition, owner string, written Hash) standing {
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
	case s.knows(d, written):
		return accepted
	case s.Visit.Over:
		return drifted
	case !s.room(d):
		return overfull
	}
	return accepted
}

// why says in words why a definition is withheld, and what a person can do.
func (b *Book) why(state standing, d *Definition, owner string) string {
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
			"visit may bring. A person can accept more after it: %s", owner, MaxAccepted, MaxBytes>>20,
			acceptLine(owner))
	}
	return "withheld, because its definition was never accepted: " + strings.Join(b.sites[owner].Drift(d), "; ") +
		". A person can accept all that is new on this site: " + acceptLine(owner)
}

// driftMark is what a drifting tool's description begins with.
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

// likeness is the mark of a tool that looks like another owner's that was there before,
// or like one of the hub's own.
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

// signature is a definition's, which most have already: those that were accepted.
func (b *Book) signature(d *Definition, owner string, written Hash) *signature {
	for _, r := range b.refs[owner] {
		if r.name == d.Name && r.description == d.Description {
			return &r.signature
		}
	}
	return b.signs.of(d, written)
}

// whose is an origin as agents are told of it.
func (b *Book) whose(origin string) string {
	if b.rules.Permits != nil && !b.rules.Permits(origin) {
		return "another site"
	}
	return quoteShort(origin)
}

// since is since when the owner is known to have a tool of that name: the end of time
// if it isn't.
func (b *Book) since(name, owner string) time.Time {
	for _, r := range b.refs[owner] {
		if r.name == name {
			return r.at
		}
	}
	return time.Unix(1<<40, 0)
}
