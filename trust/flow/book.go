package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"webmcphub/registry/names"
)

// Mode says what becomes of a flow that no pair allows.
type Mode string

// The modes, as --flow has them.
const (
	Off     Mode = "off"     // nothing is remembered
	Log     Mode = "log"     // it is written down and happens
	Ask     Mode = "ask"     // a person is asked
	Enforce Mode = "enforce" // it is refused
)

// Options are fixed for the life of a [Book].
type Options struct {
	Mode Mode
	// Domain gives the registered domain of a host, "" if it has none.
	Domain func(host string) string
	// Strict has every origin be a site of its own.
	Strict bool
	// Pairs are allowed.
	Pairs []Pair
}

// What a [Book] remembers at most: origins of one client, and targets whose answer is
// kept ready for it.
const (
	maxOrigins = 1000
	maxReady   = 1000
)

// Book remembers what each client has read.
type Book struct {
	options Options
	clients map[string]*reader
	learned map[exactly]bool // allowed for good since
}

// reader is one client.
type reader struct {
	origins map[string]place
	more    bool // it has read from more than are remembered
	ready   map[string]answer
}

// place is an origin, taken apart.
type place struct {
	names.Origin
	site string // what tells it from other sites, "" if it is of none
}

// answer is from where data would flow to a target, found when the client had read from
// so many origins and so many pairs had been allowed for good.
type answer struct {
	reads, learned int
	from           []string
}

// New makes an empty book.
func New(o Options) *Book {
	return &Book{options: o, clients: map[string]*reader{}, learned: map[exactly]bool{}}
}

// Read notes that something of these origins is sent to a client; session is "" for all
// clients that have none. It says whether that is news.
func (b *Book) Read(session string, origins ...string) (news bool) {
	if b.options.Mode == Off {
		return false
	}
	r := b.reader(session)
	for _, o := range origins {
		_, known := r.origins[o]
		switch {
		case known:
		case len(r.origins) < maxOrigins:
			r.origins[o], news = b.place(o), true
		case !r.more:
			r.more, news = true, true
		}
	}
	return news
}

func (b *Book) reader(session string) *reader {
	r := b.clients[session]
	if r == nil {
		r = &reader{origins: map[string]place{}, ready: map[string]answer{}}
		b.clients[session] = r
	}
	return r
}

// Gone forgets a client whose session is over.
func (b *Book) Gone(session string) {
	if session != "" {
		delete(b.clients, session)
	}
}

// Allow lets data of one origin go to another from now on, whoever carries it.
func (b *Book) Allow(from, to string) { b.learned[exactly{from, to}] = true }

// Action is what a client wants to do.
type Action struct {
	Session string
	// Origin is that of the document that it is done to.
	Origin string
	// To is the address to which it sends a tab, "" if it doesn't.
	To string
	// ReadOnly says that it changes nothing, and Told that the page is told its
	// arguments, of which there are some if Args.
	ReadOnly, Told, Args bool
	// Brings says that the document at To is told something besides the address.
	Brings bool
}

// Decision is what a [Book] says of an action.
type Decision struct {
	Mode Mode     // Off: it carries nothing anywhere, or may
	From []string // the origins whose data it would carry, sorted
	To   string   // the origin that would get them
}

// Flows says whether data would go where no pair lets it.
func (d Decision) Flows() bool { return d.Mode != Off }

// Pairs are those that would allow the action, as --allow-flow takes them.
func (d Decision) Pairs() (pairs []string) {
	for _, from := range d.From {
		pairs = append(pairs, word(from)+"->"+word(d.To))
	}
	return pairs
}

// Exact says whether a person who reads [Decision.Text] can allow these flows for good:
// each origin is named there, and stands for itself alone. One that is opaque or not known
// has no pattern but *, and is another document's each time.
func (d Decision) Exact() bool {
	vague := func(origin string) bool { return word(origin) == "*" }
	return len(d.From) <= maxNamed && len(d.Text()) <= maxText && !vague(d.To) && !slices.ContainsFunc(d.From, vague)
}

// maxNamed is how many origins a text names, and maxText how long it is in bytes if all of
// it is shown for sure.
const (
	maxNamed = 5
	maxText  = 400
)

// word is how patterns name an origin.
func word(origin string) string {
	if names.ParseAddress(origin) == (names.Origin{}) {
		return "*"
	}
	return origin
}

// Decide says what an action is, after all that its client has read.
func (b *Book) Decide(d Action) Decision {
	r := b.clients[d.Session]
	if r == nil {
		return Decision{Mode: Off}
	}
	target, carries := d.Origin, !d.ReadOnly || d.Told && d.Args
	if d.To != "" {
		target, carries = r.visits(d.To)
		carries = carries || d.Brings
	}
	if !carries {
		return Decision{Mode: Off}
	}
	if from := b.sources(r, target); len(from) > 0 {
		return Decision{b.options.Mode, from, target}
	}
	return Decision{Mode: Off}
}

// visits says to which origin an address leads, and whether it tells that something.
func (r *reader) visits(address string) (origin string, carries bool) {
	if address == "about:blank" {
		return "", false
	}
	origin = names.DocumentOrigin("", address)
	alone := origin != "" && strings.TrimSuffix(address, "/") == origin
	_, been := r.origins[origin]
	return origin, !alone || !been
}

// sources are the origins whose data the client could carry to a target, and no pair
// lets it.
func (b *Book) sources(r *reader, target string) []string {
	if a, ok := r.ready[target]; ok && a.reads == len(r.origins) && a.learned == len(b.learned) && !r.more {
		return a.from
	}
	to := b.place(target)
	open := slices.DeleteFunc(slices.Clone(b.options.Pairs), func(p Pair) bool { return !p.to.Matches(to.Origin) })
	allowed := func(name string, from place) bool {
		return b.learned[exactly{name, target}] ||
			slices.ContainsFunc(open, func(p Pair) bool { return p.from.Matches(from.Origin) })
	}
	var from []string
	for name, o := range r.origins {
		if (to.site == "" || o.site != to.site) && !allowed(name, o) {
			from = append(from, name)
		}
	}
	if r.more && !allowed("", place{}) {
		from = append(from, "")
	}
	slices.Sort(from)
	if len(r.ready) >= maxReady {
		clear(r.ready)
	}
	r.ready[target] = answer{len(r.origins), len(b.learned), from}
	return from
}

// place takes an origin apart.
func (b *Book) place(origin string) place {
	o := names.ParseAddress(origin)
	host := o.Host
	switch {
	case o == names.Origin{}:
		return place{}
	case b.options.Strict:
		host += ":" + o.Port
	case b.options.Domain != nil:
		host = cmp.Or(b.options.Domain(host), host)
	}
	return place{o, o.Scheme + "://" + host}
}

// Text tells a person or an agent what flows where.
func (d Decision) Text() string {
	var from []string
	for i, o := range d.From {
		if i == maxNamed {
			from = append(from, fmt.Sprintf("%d more", len(d.From)-i))
			break
		}
		from = append(from, named(o))
	}
	return fmt.Sprintf("it would tell %s something after this client has read from %s", named(d.To),
		strings.Join(from, ", "))
}

func named(origin string) string {
	switch origin {
	case "":
		return "an unknown origin"
	case names.OpaqueOrigin:
		return "an opaque origin"
	}
	return origin
}
