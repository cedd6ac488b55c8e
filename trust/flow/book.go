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

// The modes, as the flag --flow names them.
const (
	Off     Mode = "off"     // nothing is remembered
	Log     Mode = "log"     // the flow is reported, and happens
	Ask     Mode = "ask"     // a person is asked
	Enforce Mode = "enforce" // it is refused
)

// Options are fixed for the life of a [Book].
type Options struct {
	Mode Mode
	// Domain returns the registered domain of a host, or "" if it has none.
	Domain func(host string) string
	// Strict makes every origin a site of its own.
	Strict bool
	// Pairs are the flows that are allowed.
	Pairs []Pair
}

// Limits of what a [Book] remembers for one client: the origins that it has read, and the targets for which an answer
// is kept.
const (
	maxOrigins = 1000
	maxReady   = 1000
)

// Book remembers what each client has read.
type Book struct {
	options Options
	clients map[string]*reader
	learned map[exactly]bool // flows that were allowed for good later
}

// reader is what the book remembers of one client.
type reader struct {
	origins map[string]place
	more    bool // it has read more origins than are remembered
	ready   map[string]answer
}

// place is a parsed origin.
type place struct {
	names.Origin
	site string // identifies its site; "" if it belongs to none
}

// answer says from where data would flow to a target. It was found when the client had read from reads origins and
// learned flows had been allowed for good.
type answer struct {
	reads, learned int
	from           []string
}

// New returns an empty Book.
func New(o Options) *Book {
	return &Book{options: o, clients: map[string]*reader{}, learned: map[exactly]bool{}}
}

// Read notes that something of these origins is sent to a client. session is "" for all clients without a session.
// Read reports whether that is news.
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

// Gone forgets a client whose session has ended.
func (b *Book) Gone(session string) {
	if session != "" {
		delete(b.clients, session)
	}
}

// Allow lets data of one origin go to another from now on, for all clients.
func (b *Book) Allow(from, to string) { b.learned[exactly{from, to}] = true }

// Action is what a client wants to do.
type Action struct {
	Session string
	// Origin is the origin of the document on which the client acts.
	Origin string
	// To is the address to which the action sends a tab; "" if it sends none.
	To string
	// ReadOnly reports that the action changes nothing. Told reports that the page receives the action's arguments.
	// Args reports that there are arguments.
	ReadOnly, Told, Args bool
	// Brings reports that the document at To receives something besides the address.
	Brings bool
}

// Decision is what a [Book] decides about an action.
type Decision struct {
	Mode Mode     // Off: the action carries no data anywhere, or is allowed to
	From []string // the origins whose data the action would carry, sorted
	To   string   // the origin that would receive the data
}

// Flows reports whether data would go where no pair lets it go.
func (d Decision) Flows() bool { return d.Mode != Off }

// Pairs returns the pairs that would allow the action, as --allow-flow takes them.
func (d Decision) Pairs() (pairs []string) {
	for _, from := range d.From {
		pairs = append(pairs, word(from)+"->"+word(d.To))
	}
	return pairs
}

// Exact reports whether a person who reads [Decision.Text] can allow these flows for good: whether the text names
// each origin, and each name stands for that origin alone. An opaque or unknown origin has no pattern but *, and may
// be another document's each time.
func (d Decision) Exact() bool {
	vague := func(origin string) bool { return word(origin) == "*" }
	return len(d.From) <= maxNamed && len(d.Text()) <= maxText && !vague(d.To) && !slices.ContainsFunc(d.From, vague)
}

// maxNamed is how many origins a text names. maxText is the length in bytes up to which a text is certainly shown in
// full.
const (
	maxNamed = 5
	maxText  = 400
)

// word returns the pattern that names an origin.
func word(origin string) string {
	if names.ParseAddress(origin) == (names.Origin{}) {
		return "*"
	}
	return origin
}

// Decide decides about an action, given everything that its client has read.
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

// visits returns the origin to which an address leads, and whether the address tells that origin something.
func (r *reader) visits(address string) (origin string, carries bool) {
	if address == "about:blank" {
		return "", false
	}
	origin = names.DocumentOrigin("", address)
	alone := origin != "" && strings.TrimSuffix(address, "/") == origin
	_, been := r.origins[origin]
	return origin, !alone || !been
}

// sources returns the origins whose data the client could carry to a target without a pair that allows it.
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

// place parses an origin.
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

// Text tells a person or an agent what would flow where.
func (d Decision) Text() string {
	var from []string
	for i, o := range d.From {
		if i == maxNamed {
			from = append(from, fmt.Sprintf("%d more", len(d.From)-i))
			break
		}
		from = append(from, named(o))
	}
	return fmt.Sprintf("it would send something to %s after this client has read from %s", named(d.To),
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
